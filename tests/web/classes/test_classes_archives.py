"""A course as an archive: everything comes along, and nothing that a hostile archive says is believed."""

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils import timezone
from tests.web.classes.cast import PIXEL, Cast, appeal_of, criterion, move, put_copy
from tests.web.classes.childless import run_here
from tests.web.classes.grading_room import GradingRoom
from tests.web.classes.spoilt_archives import WRONG, Content, in_table

import peerage
from peerage_web.accounts.models import ApiToken, Mail, Person
from peerage_web.accounts.services.tokens import Scope, add_token
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.archives.importing import import_course
from peerage_web.classes.archives.tables import IN_LISTS, MODELS, UNDER_NAMES, schema
from peerage_web.classes.archives.writing import course_archive
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.models import GradingPlan, GradingRun, StaffGrade, StaffRanking
from peerage_web.classes.grading.services import approve_run
from peerage_web.classes.maintenance import maintain
from peerage_web.classes.release.models import (
    CommentReport,
    Reply,
)
from peerage_web.classes.submissions import copies
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.survey.models import Survey, SurveyAnswer
from peerage_web.classes.webhooks.models import Webhook
from peerage_web.shared.errors import Full, Refused


def filled(cast: Cast) -> GradingRoom:
    """A class with a row in every table."""
    room = GradingRoom(cast)
    where, first, by = room.assignment, room.members[0], room.by
    Person.objects.filter(pk=cast.people["dropped"].pk).update(
        erased_at=timezone.now(), name="", is_active=False
    )
    add_token(name="grade book", days=9, scope=Scope(cast.course.pk, by))
    cast.course.webhooks.create(url="https://example.org", made_by=by)
    prompt = where.prompts.create(position=1, text="What is good?")
    reviews = list(where.reviews.order_by("pk"))
    review = reviews[0]
    reviews[9].replacements.add(reviews[5])
    comment = review.comments.create(prompt=prompt, text="Clear: ünïcode ☃.")
    comment.hidden.create(reason="rude", by=by)
    level = criterion(where).levels.last()
    review.levels.create(criterion=level.criterion, level=level)
    said = [{"review": review.pk, "prompt": prompt.pk, "text": comment.text}]
    chosen = [{"review": review.pk, "criterion": level.criterion_id, "level": level.pk}]
    where.rankings.get(reviewer=review.reviewer).submitted.update(comments=said, levels=chosen)
    review.helpfulness.create(by=first, rating=4)
    CommentReport.objects.create(review=review, by=first, text="Rude.")
    text = where.practice_examples.create(position=0, place=1, title="One", text="Good")
    image = where.practice_examples.create(
        position=1, place=2, title="Two", kind="image", stored="practice-two", pages=1
    )
    put_copy(SubmissionFile(stored="practice-two"))
    where.practice_answers.create(membership=first, tiers=[[image.pk], [text.pk]])
    _grade(room)
    theirs = room.submissions[0]
    theirs.self_reviews.create(membership=first, rank=2, ranks=5)
    note = {"audience": "missing", "title": "Hurry", "text": "Submit.", "made_by": by}
    cast.course.announcements.create(assignment=where, **note)
    reported = {"reported_by": review.reviewer, "reported_at": timezone.now()}
    Reply.objects.create(submission=theirs, membership=first, text="Thank you.", **reported)
    question = where.survey_questions.create(position=1, kind="text", text="And?")
    Survey.objects.create(assignment=where, closed_at=timezone.now())
    question.answers.create(respondent="random", text="It helped me a lot.")
    question.answers.create(membership=first, text="Still mine to change.")
    move(where, Phase.RELEASED)
    return room


def _grade(room: GradingRoom) -> None:
    """A run that is released, what staff say beside it, and an appeal."""
    where, first, by = room.assignment, room.members[0], room.by
    one, two, three = room.submissions[:3]
    room.plan(scale_high=20, curve_mean=14, curve_sd=3, shown=["letter", "standing"])
    run = room.run()
    approve_run(run=run, by=by)
    graded = three.staff_grades.create(points=11, by=by)
    where.staff_rankings.create(by=by, tiers=[[two.pk], [one.pk]])
    one.overrides.create(points=12.5, reason="agreed", by=by)
    release = where.releases.create(number=1, run=run, made_by=by)
    release.grades.create(membership=first, submission=one, points=12.5, notified_at=timezone.now())
    appeal_of(where, first, one, release, staff_grade=graded, preview=run)


KEPT: Content = {}


@pytest.fixture
def archive(db) -> Content:
    """The archive of such a class; made once, and the class of it taken away again."""
    if not KEPT:
        with transaction.atomic():
            KEPT.update(exported(filled(Cast()).cast.course))
            transaction.set_rollback(True)
    return dict(KEPT)


def exported(course: Course) -> Content:
    content = b"".join(course_archive(course=course, by=course.created_by))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(content: Content) -> SimpleUploadedFile:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return SimpleUploadedFile("course.zip", kept.getvalue())


def numbered(content: Content) -> dict[str, list[dict[str, Any]]]:
    """The tables with places in their table instead of numbers of rows: what two copies have in common."""
    found = {name: json.loads(content[f"tables/{name}.json"]) for name in ("Person", *MODELS)}
    places = {name: {row["id"]: place for place, row in enumerate(rows)} for name, rows in found.items()}
    places["Person"] = {row["id"]: row["erased"] or row["email"] for row in found["Person"]}
    kinds = schema()
    for name, rows in found.items():
        for row in rows:
            row.pop("id")
            for column, value in row.items():
                row[column] = _placed(name, column, value, kinds, places)
    return found


def _placed(name, column, value, kinds, places) -> Any:
    kind = kinds[name][column]
    if value is None:
        return None
    if kind["kind"] == "ref":
        return places[kind["to"]][value]
    if (name, column) in IN_LISTS:
        return [[places[IN_LISTS[name, column]][one] for one in part] for part in value]
    if (name, column) in UNDER_NAMES and isinstance(value, list):
        to = UNDER_NAMES[name, column]
        return [{k: places[to[k]][v] if k in to and v else v for k, v in one.items()} for one in value]
    return value


def importer() -> Person:
    return Person.objects.create_user("importer@example.org", name="Importer", may_create_courses=True)


# -- there and back -------------------------------------------------------------------------------------


@pytest.mark.both
def test_a_course_comes_back_whole(cast):
    """A table that is empty would prove nothing; those that are, others fill."""
    filled(cast)
    before, by = exported(cast.course), importer()
    counts = json.loads(before["course.json"])["counts"]
    assert set(counts) == {"Person", *MODELS}
    empty = {name for name, count in counts.items() if not count}
    assert empty <= {"Extension", "Team", "TeamMember", "Report"}

    course = import_course(upload=packed(before), by=by)

    there, here = numbered(before), numbered(exported(course))
    for row in there["Assignment"]:
        row["by_date"], row["remind_hours"] = False, 0
    for row in there["GradingRun"]:
        row["version"] += " (imported)"
    for rows in (there, here):  # the importer came to it
        rows["Membership"] = [row for row in rows["Membership"] if row["person"] != by.email]
        rows["Event"] = [row for row in rows["Event"] if not row["verb"].startswith("course-")]
    for name in MODELS:
        assert len(here[name]) == len(there[name]), name
        for got, expected in zip(here[name], there[name], strict=True):
            assert {**got, "receipt": ""} == {**expected, "receipt": ""}, name
    files_came_along(course)
    is_a_course_of_its_own(course, by)


def files_came_along(course: Course) -> None:
    """Copies of them are made anew."""
    files = SubmissionFile.objects.filter(version__submission__assignment__course=course)
    assert {one.original.read_bytes() for one in files} == {PIXEL}
    assert {one.state for one in files} == {"waiting"}
    copies.make_next()
    assert files.filter(state="ready").count() == 1
    example = course.assignments.get().practice_examples.get(kind="image")
    assert (configured.SUBMISSIONS / example.stored / "shown" / "shown.json").is_file()
    assert example.stored != "practice-two"


def is_a_course_of_its_own(course: Course, by: Person) -> None:
    """That its keys are its own, the database sees."""
    assert Course.objects.get(pk=course.pk).hidden_at is not None, "until staff show it"
    assert Membership.objects.get(course=course, person=by).role == Role.INSTRUCTOR
    assert set(Assignment.objects.filter(course=course).values_list("by_date", flat=True)) == {False}
    assert not Membership.objects.filter(course=course, invited_at__isnull=False).exists()
    maintain()
    assert not Mail.objects.exists()
    assert not ApiToken.objects.filter(course=course).exists()
    assert not Webhook.objects.filter(course=course).exists()
    told = Event.objects.get(course=course, verb="course-imported")
    assert (told.actor, told.data["title"]) == (by, peerage.__version__)


def test_every_table_of_a_course_is_in_the_archive():
    """A model that is added and forgotten here fails; those that stay behind are named, with their reason."""
    between_clicks, of_the_instance = {"RosterImport", "Reminder"}, {"Webhook", "Delivery"}
    nobody_is_to_learn = {"SurveyAnswer", "SurveyCode", "SurveyResultsViewer"}  # who answered
    put_together_again = {"PreparedFeedback"}
    stays = between_clicks | of_the_instance | nobody_is_to_learn | put_together_again
    ours = {
        model.__name__ for model in apps.get_models() if model.__module__.startswith("peerage_web.classes.")
    }
    assert ours - stays == set(MODELS)


def test_people_are_known_again_and_the_same_grades_come_of_it(cast):
    again = filled(cast)
    again.by.may_create_courses = True
    before = Person.objects.count()

    course = import_course(upload=packed(exported(cast.course)), by=again.by)

    assert Person.objects.count() == before + 1  # the erased one, who is nobody's second
    erased = Membership.objects.get(course=course, person__erased_at__isnull=False)
    assert (erased.role, erased.person.email.endswith("@invalid")) == (Role.DROPPED, True)
    assert Membership.objects.get(course=course, person=again.by).role == Role.INSTRUCTOR

    first = GradingRun.objects.get(assignment__course=course)
    again.assignment = Assignment.objects.get(course=course)
    StaffRanking.objects.update(withdrawn_at=timezone.now())  # they came after that run
    StaffGrade.objects.update(withdrawn_at=timezone.now())
    run = again.run()

    assert (run.pk != first.pk, run.inputs_sha256) == (True, first.inputs_sha256)
    columns = ("submission", "rank", "points", "points_low", "points_high")
    assert list(run.grades.values_list(*columns)) == list(first.grades.values_list(*columns))


def test_nothing_of_the_instance_is_in_it_nor_who_answered_the_survey(cast):
    filled(cast)
    SurveyAnswer.objects.filter(respondent="random").update(choice="=1+1")

    content = exported(cast.course)

    text = b"".join(content.values()).decode("utf-8", "replace")
    assert ApiToken.objects.get().hash not in text
    assert Webhook.objects.get().secret not in text
    assert "password" not in content["tables/Person.json"].decode()
    assert not any(one.key in text for one in Review.objects.all())
    answers = content["survey.csv"].decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(answers)))[1:] == [["Poster", "And?", "'=1+1", "It helped me a lot."]]
    assert text.count("It helped me a lot.") == 1
    assert "Still mine to change." not in text


def test_archive_goes_out_and_in_through_pages(cast, limits):
    """Only archives may be larger than files, and only where somebody may create courses."""
    limits(file_bytes=1000, archive_bytes=1 << 20)
    client = cast.client("instructor")
    got = client.get(f"/c/{cast.course.key}/archive")
    content = b"".join(got.streaming_content)
    operator = cast.client("operator")

    made = operator.post("/courses/import", {"file": SimpleUploadedFile("course.zip", content)})
    wrong = operator.post("/courses/import", {"file": SimpleUploadedFile("course.zip", b"nothing")})
    none = operator.post("/courses/import")
    large = SimpleUploadedFile("course.zip", bytes(5000))
    refused = cast.client("stranger").post("/courses/import", {"file": large})

    assert got["Content-Disposition"] == 'attachment; filename="Course.zip"'
    assert (made.status_code, Course.objects.filter(name="Course").count()) == (302, 2)
    assert len(content) > 1000
    assert refused.status_code in (403, 413)
    assert (wrong.status_code, none.status_code) == (422, 422)
    assert "Nothing was imported" in wrong.content.decode()
    assert Event.objects.filter(course=cast.course, verb="course-exported").count() == 1


# -- other versions, and what is wrong --------------------------------------------------------------------


def test_an_archive_of_an_older_version_gets_defaults(archive):
    in_table("Assignment", lambda rows: rows[0].pop("grace_minutes"))(archive)
    del archive["tables/GradingPlan.json"]

    course = import_course(upload=packed(archive), by=importer())

    assert Assignment.objects.get(course=course).grace_minutes == 10
    assert not GradingPlan.objects.filter(assignment__course=course).exists()


@pytest.mark.both
@pytest.mark.parametrize(("spoil", "words"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_and_nothing_is_left_behind(archive, monkeypatch, spoil, words):
    monkeypatch.setattr("peerage_web.sandbox.parent.run", run_here)
    by = importer()
    before = state()
    spoil(archive)

    with pytest.raises(Refused, match=words):
        import_course(upload=packed(archive), by=by)

    assert state() == before


def state() -> tuple[Any, ...]:
    files = [sorted(folder.rglob("*")) for folder in (configured.SUBMISSIONS, configured.ROSTERS)]
    return Course.objects.count(), Membership.objects.count(), Person.objects.count(), files


def test_what_is_no_archive_or_swells_is_refused(db, limits):
    by = importer()
    for content in (b"", b"no archive", b"PK\x03\x04" + bytes(100), b"PK\x05\x06" + bytes(18)):
        with pytest.raises(Refused, match="course archive"):
            import_course(upload=SimpleUploadedFile("course.zip", content), by=by)

    limits(archive_bytes=1 << 20)
    names = {"format": "peerage-course", "format_version": 1, "files": {"submissions/1": "0"}}
    bomb = packed({"course.json": json.dumps(names).encode(), "submissions/1": bytes(8 << 20)})
    long = packed({"course.json": b" " * (70 << 20) + json.dumps(names).encode()})

    for upload in (bomb, long):
        assert upload.size < 1 << 20
        with pytest.raises(Refused, match="larger than this site accepts"):
            import_course(upload=upload, by=by)


def test_names_that_lead_elsewhere_are_not_unpacked(archive):
    where = ("../../", "/", "submissions/../../", "submissions/1/")
    archive |= {f"{folder}escaped": b"out" for folder in where}

    course = import_course(upload=packed(archive), by=importer())

    assert Course.objects.filter(pk=course.pk).exists()
    assert not list(configured.DATA.rglob("escaped"))


def test_an_archive_for_which_there_is_no_room_is_refused(archive, limits):
    limits(submissions_bytes=100)

    with pytest.raises(Full, match="no space"):
        import_course(upload=packed(archive), by=importer())
