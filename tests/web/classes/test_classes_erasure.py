"""A person's data can be had as one file, and erased: judgements stay, the name is nowhere any more."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.apps import apps
from django.core.serializers import serialize
from django.db import transaction
from PIL import Image
from tests.web.classes.cast import (
    PIXEL,
    allocate,
    appeal_of,
    begin_ranking,
    criterion,
    join,
    move,
    submit,
    submit_ranking,
)

import peerage_web
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.erasure.services import erase_member
from peerage_web.classes.progress.reminders import remind, write_waiting_reminders
from peerage_web.classes.release.models import CommentReport, PreparedFeedback, Reply
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.roster import services as people
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.sandbox.contract.rendering import read_review_copy
from peerage_web.shared.errors import Refused

MARK = "Zebedee"  # a name that nothing else has


@pytest.fixture
def one(cast):
    """Somebody who was invited, changed, submitted, ranked and commented."""
    teacher = cast.people["instructor"]
    named = {"email": f"{MARK}@example.org", "name": MARK, "student_id": f"{MARK}-1"}
    member = people.add_member(course=cast.course, by=teacher, role=Role.STUDENT, **named)
    people.change_member(member=member, by=teacher, section=f"{MARK} section")
    people.invite(members=[member], by=teacher)
    submission = submit(cast.assignment, member)
    photo = submission.versions.get().files.get()
    photo.original.write_text(f"a photograph by {MARK}")
    index = photo.folder / "shown" / "shown.json"
    index.write_text(index.read_text().replace('"hidden": ""', f'"hidden": "{MARK}"'))
    paper = {"name": f"{MARK}.pdf", "kind": "pdf", "bytes": 1, "sha256": "0" * 64, "state": "ready"}
    file = photo.version.files.create(position=9, **paper)
    file.folder.mkdir(parents=True)
    (file.folder / "original").write_text(f"written by {MARK}")
    submission.versions.update(names_found=[MARK])
    (review,) = allocate(cast.assignment, member, [submit(cast.assignment, cast.students[0])])
    begin_ranking(cast.assignment, member)
    review.comments.create(text="good")
    clear = criterion(cast.assignment).levels.first()
    review.levels.create(criterion=clear.criterion, level=clear)
    (theirs,) = allocate(cast.assignment, cast.students[1], [submission])
    Report.objects.create(review=theirs, reason="known", text=f"this is {MARK}")
    CommentReport.objects.create(review=review, by=cast.students[0], text=f"this is {MARK}")
    cast.assignment.practice_answers.create(membership=member, tiers=[["x"]])
    people.change_role(member=cast.member("assistant"), by=teacher, role=Role.INSTRUCTOR)
    move(cast.assignment, Phase.REVIEWING)
    remind(assignment=cast.assignment, members=[member.pk], by=teacher)
    write_waiting_reminders()
    return member


def whole_database() -> str:
    models = apps.get_app_config("peerage_web").get_models()
    return "".join(serialize("json", model._base_manager.all()) for model in models).lower()


def test_export_has_everything_and_nothing_of_the_other_side(cast, one):
    """Whose submissions somebody reviewed, and who reviewed theirs, is not theirs to know."""
    answer = cast.client("instructor").get(f"/c/{cast.course.key}/people/{one.pk}/data")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    text = archive.read("data.json").decode()
    found = json.loads(text)

    assert found["person"]["email"] == f"{MARK.lower()}@example.org"
    assert [row["text"] for row in found["comments"]] == ["good"]
    assert [row["level__name"] for row in found["rubric_levels"]] == ["Clear"]
    assert len(found["submissions"]) == 1
    assert {row["verb"] for row in found["activity_about"]} == {"member-added", "member-changed", "invited"}
    assert [row["kind"] for row in found["mail"]] == ["invitation", "reminder"]
    assert [row["task"] for row in found["reminders"]] == ["reviews"]
    assert [row["tiers"] for row in found["practice"]] == [[["x"]]]
    assert [row["tiers"] for row in found["drafts_of_rankings"]] == [[["A"]]]
    assert f"{MARK}.pdf" in [row["name"] for row in found["files"]]
    (name,) = [name for name in archive.namelist() if name.endswith(f"{MARK}.pdf")]
    assert archive.read(name).decode() == f"written by {MARK}"
    for member in cast.students:
        assert [word for word in (member.name, member.person.email, member.student_id) if word in text] == []


def test_export_and_erasure_know_every_table_that_names_a_person():
    """A table that is added later has to be thought of: put it into erasure.py, then into this list."""
    known = {
        "AllocationRun", "Appeal", "Comment", "Course", "Event", "Extension", "SubmittedRanking",
        "Helpfulness", "HiddenComment", "Identity", "Job", "Mail", "Membership", "OneTimeLink",
        "PracticeAnswer", "Ranking", "Release", "ReleasedGrade", "Reminder", "Report", "Review",
        "RosterImport", "SignIn", "Submission", "SubmissionFile", "SubmissionVersion",
        "SurveyAnswer", "SurveyCode", "SurveyResultsViewer", "TeamMember", "GradingRun", "Override",
        "RunReviewer", "StaffGrade", "StaffRanking", "ApiToken", "Webhook", "Announcement",
        "Reply", "SelfReview", "CommentReport",
        # of LTI: places go with the person's place; the others are gone within the hour, or are an operator's
        "LtiInvitation", "LtiPicking", "LtiPlace", "LtiRegistration", "LtiTicket",
    }  # fmt: skip
    models = list(apps.get_app_config("peerage_web").get_models())
    about = {
        model.__name__
        for model in models
        if any(field.related_model in (Person, Membership) for field in model._meta.fields)
    }

    assert about - known == set()


def test_erased_name_is_nowhere_and_rankings_stay(cast, one, settings, django_capture_on_commit_callbacks):
    assert MARK.lower() in whole_database()
    assert MARK in whole_disk(settings.SUBMISSIONS)
    photo = one.submissions.get().versions.get().files.get(position=1)
    theirs = SubmissionFile.objects.filter(name=f"{MARK}.pdf")
    theirs.update(state="waiting")
    with pytest.raises(Refused, match="still being prepared"):
        erase_member(member=one, by=cast.people["instructor"])
    theirs.update(state="ready")

    with django_capture_on_commit_callbacks(execute=True):
        erase_member(member=one, by=cast.people["instructor"])

    assert MARK.lower() not in whole_database()
    assert MARK not in whole_disk(settings.SUBMISSIONS)
    assert photo.original.read_bytes() == PIXEL  # what was uploaded made way for its copy
    assert Report.objects.get().reason == "known"
    assert not one.reminders.exists()
    assert not one.practice_answers.exists()
    one.refresh_from_db()
    assert (one.role, one.shown_name) == (Role.DROPPED, "Erased person")
    assert Review.objects.filter(reviewer=one).count() == 1
    assert Ranking.objects.get(reviewer=one).tiers == [["A"]]
    assert Comment.objects.get().text == "good"
    page = cast.client("instructor").get(f"/c/{cast.course.key}/activity-log")
    assert page.status_code == 200
    assert "erased a person’s data" in page.content.decode()


def write_copy(file: SubmissionFile, **fields: object) -> None:
    """What the sandbox would have made of a file."""
    folder = file.folder / "shown"
    folder.mkdir(parents=True, exist_ok=True)
    (file.folder / "original").write_text(f"by {MARK} Moss", encoding="utf-8")
    made = {"pictures": [], "text": "", "html": "", "hidden": "", "left_out": {}, **fields}
    (folder / "shown.json").write_text(json.dumps(made), encoding="utf-8")


def test_a_name_inside_the_own_submission_is_blacked_out_and_nothing_else(
    cast, one, settings, django_capture_on_commit_callbacks
):
    """Text word by word; of a PDF the page is blank, the others stay, and its words replace the download."""
    Membership.objects.filter(pk=one.pk).update(name=f"{MARK} Moss")
    one.refresh_from_db()
    essay, paper = SubmissionFile.objects.filter(version__submission__author=one)
    text = f"# Moss grows\nby {MARK.upper()} Moss, {MARK}@example.org. The moss is green."
    html = f"<p>by <a href='mailto:{MARK}@example.org'>{MARK} Moss</a></p>"
    write_copy(essay, kind="markdown", download="copy.md", text=text, html=html)
    (essay.folder / "shown" / "copy.md").write_text(text, encoding="utf-8")
    words = {"page-001.webp": f"{MARK} Moss wrote this", "page-002.webp": "and the moss is green"}
    pages = [{"name": name, "width": 30, "height": 20, "text": said} for name, said in words.items()]
    write_copy(paper, kind="pdf", download="copy.pdf", pictures=pages)
    for name, said in {**words, "copy.pdf": MARK}.items():
        (paper.folder / "shown" / name).write_text(said)

    with django_capture_on_commit_callbacks(execute=True):
        erase_member(member=one, by=cast.people["instructor"])

    assert MARK.lower() not in whole_disk(settings.SUBMISSIONS).lower()
    assert essay.original.read_text() == "# Moss grows\nby █████. The moss is green."
    shown = read_review_copy(paper.folder / "shown")
    assert [page.text for page in shown.pictures] == ["█████ wrote this", "and the moss is green"]
    assert (paper.folder / "shown" / "page-002.webp").read_text() == "and the moss is green"
    with Image.open(paper.folder / "shown" / shown.pictures[0].name) as picture:
        assert (picture.size, picture.convert("L").getextrema()) == ((30, 20), (255, 255))
    assert paper.original.read_text() == "█████ wrote this\n\nand the moss is green"
    archive = cast.client("instructor").get(f"{cast.assignment.get_absolute_url()}submissions/download")
    content = b"".join(archive.streaming_content)
    assert MARK.lower().encode() not in content.lower()
    assert b"index.csv" in content


def test_comments_that_name_an_erased_person_are_blacked_out(cast, one):
    """A first name alone only where their own submission is spoken of: another may have the same."""
    Membership.objects.filter(pk=one.pk).update(name=f"{MARK} Moss")
    one.refresh_from_db()
    on_theirs = Review.objects.get(submission__author=one)
    on_others = Review.objects.exclude(submission__author=one).get()
    on_theirs.comments.create(text=f"Well done, {MARK}!")
    on_others.comments.update(text=f"{MARK} is a fine name. {MARK} Moss said so.")
    said = [{"review": on_theirs.pk, "prompt": None, "text": f"Well done, {MARK}!"}]
    submit_ranking(cast.assignment, on_theirs.reviewer, comments=said)
    others = on_others.submission
    release = appeal_of(cast.assignment, others.author, others).release
    grade = release.grades.create(membership=others.author)
    PreparedFeedback.objects.create(grade=grade, content={"comments": [f"Well done, {MARK}!"]})
    Reply.objects.create(submission=others, membership=others.author, text=f"Thanks, {MARK} Moss.")

    erase_member(member=one, by=cast.people["instructor"])

    assert Reply.objects.get().text == "Thanks, █████."
    assert Comment.objects.get(review=on_theirs).text == "Well done, █████!"
    assert Comment.objects.get(review=on_others).text == f"{MARK} is a fine name. █████ said so."
    assert SubmittedRanking.objects.get().comments[0]["text"] == "Well done, █████!"
    assert not PreparedFeedback.objects.exists(), "it is put together again"


def whole_disk(folder) -> str:
    return "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


def test_the_record_cannot_be_changed_and_only_erasure_goes_round_it(cast):
    people.drop_member(member=cast.students[0], by=cast.people["instructor"])
    event = Event.objects.get()
    event.verb = "invited"

    for change in (
        event.save,
        event.delete,
        Event.objects.all().delete,
        lambda: Event.objects.update(verb="invited"),
        lambda: Event.objects.bulk_update([event], ["verb"]),
        lambda: Event.objects.filter(pk=event.pk).update_or_create(pk=event.pk, defaults={"verb": "invited"}),
        lambda: cast.course.events.all().delete(),
    ):
        with pytest.raises(TypeError, match="only added to"), transaction.atomic():
            change()

    source = Path(peerage_web.__file__).parent
    paths = [path for path in source.rglob("*.py") if "Event._base_manager" in path.read_text()]
    assert [path.relative_to(source).as_posix() for path in paths] == ["classes/erasure/services.py"]


def test_who_is_in_another_course_keeps_the_account(cast, one):
    join(cast.other, one.person, Role.STUDENT)
    person = Person.objects.get(pk=one.person_id)

    erase_member(member=one, by=cast.people["instructor"])

    person.refresh_from_db()
    assert (person.is_active, person.email) == (True, f"{MARK.lower()}@example.org")
    assert person.memberships.get().course == cast.other


def test_erasing_needs_a_tick_and_is_for_no_instructor(cast):
    one = cast.students[0]
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/people/{one.pk}/erase"

    client.post(path)
    one.refresh_from_db()
    assert one.name == "Student 1"
    client.post(path, {"sure": "on"})
    one.refresh_from_db()
    assert one.name == ""

    for word in ("instructor", "assistant"):
        with pytest.raises(Refused):
            erase_member(member=cast.member("instructor"), by=cast.people[word])
