"""Handing in: upload, see it as reviewers will, hand in, receipt; deadlines, teams, staff, limits."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.classes import planted
from tests.web.classes.cast import allocate, move
from tests.web.classes.cast import hand_in as handed_in
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.classes.searching import Marks
from tests.web.page_facts import broken_rules, texts

from peerage_web.classes.assignments.models import Assignment, Extension, Team, TeamMember
from peerage_web.classes.enums import Phase
from peerage_web.classes.record.models import Event
from peerage_web.classes.submissions import copies, storage
from peerage_web.classes.submissions import services as submissions
from peerage_web.classes.submissions.models import Submission, SubmissionFile, Work
from peerage_web.classes.submissions.queries import authors_with, verdict, work_of
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import KilledError
from peerage_web.shared.errors import Refused

TEXT = "Tides are caused by the moon.\n"


@pytest.fixture
def room(cast):
    """An assignment that takes works."""
    move(cast.assignment, Phase.SUBMITTING)
    return cast


def base(cast) -> str:
    return f"/c/{cast.course.key}/a/{cast.assignment.key}/"


def upload(cast, word="student", content: bytes | str = TEXT, name="work.txt", path="work/upload"):
    data = content.encode() if isinstance(content, str) else content
    files = {"files": [SimpleUploadedFile(name, data)]}
    return cast.client(word).post(base(cast) + path, files)


def hand_in(cast, word="student", number=1, path="work/hand-in"):
    return cast.client(word).post(base(cast) + path, {"number": number}, follow=True)


def shift(cast, **hours: float | None) -> None:
    """Move dates of the assignment, in hours from now."""
    now = timezone.now()
    dates = {name: None if value is None else now + timedelta(hours=value) for name, value in hours.items()}
    Assignment.objects.filter(pk=cast.assignment.pk).update(**dates)
    cast.assignment.refresh_from_db()


# -- the way of a work ------------------------------------------------------------------------------


def test_text_is_uploaded_seen_handed_in_and_replaced(room):
    assert upload(room).status_code == 302
    page = room.client("student").get(base(room) + "work/")
    assert broken_rules(page) == []
    assert texts(page, ".text") == [TEXT.strip()]
    html = page.content.decode()
    assert "Not submitted yet." in texts(page, "strong")
    assert html.index('<button class="primary big">Submit') < html.index('id="see"'), "above the preview"
    assert current(room) is None, "nothing is submitted before somebody says so"

    receipt = hand_in(room)

    one = current(room)
    assert (one.number, one.is_late, one.handed_in_at is not None) == (1, False, True)
    assert one.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert broken_rules(receipt) == []
    assert one.sha256 in texts(receipt, ".hash")
    assert one.receipt in receipt.content.decode()
    assert Event.objects.filter(verb="work-handed-in", subject=room.students[0]).count() == 1

    upload(room, content="Better.\n")
    assert hand_in(room, number=1).status_code == 422, "this draft was not looked at"
    assert current(room).number == 1, "a draft does not count"
    hand_in(room, number=2)
    assert current(room).number == 2
    assert Submission.objects.filter(work__author=room.students[0]).count() == 2


def current(cast, number=0) -> Submission | None:
    found = Submission.objects.filter(work__author=cast.students[number], handed_in_at__isnull=False)
    return found.order_by("-number").first()


@pytest.mark.usefixtures("in_a_child")
def test_pdf_is_shown_as_pictures_with_its_text(room):
    marks = Marks()
    upload(room, content=planted.pdf(marks), name=f"{marks('file-name')}.pdf")
    client = room.client("student")

    page = client.get(base(room) + "work/")

    (file,) = page.context["shown"]
    assert (file.state, len(file.pages), file.pages[0].text) == ("ready", 1, planted.TEXT)
    picture = client.get(file.pages[0].url)
    assert picture["Content-Type"] == "image/webp"
    assert picture["Content-Disposition"] == 'inline; filename="page-1.webp"'
    assert picture["X-Content-Type-Options"] == "nosniff"
    assert picture["Cache-Control"] == "private, max-age=600"
    copy = client.get(file.download)
    assert copy["Content-Disposition"] == 'attachment; filename="work-1.pdf"'
    assert marks.found_in(b"".join(copy.streaming_content)) == []
    list(picture.streaming_content)


def test_what_was_uploaded_is_kept_as_it_was_under_a_random_name(room, settings):
    content = planted.jpeg(Marks())

    upload(room, content=content, name="me.pdf")

    file = SubmissionFile.objects.get()
    assert file.original.read_bytes() == content
    assert (file.name, len(file.stored), "me" in file.stored.lower()) == ("me.pdf", 32, False)
    assert file.kind == "image"  # which is told from the content
    assert not file.folder.joinpath("making").exists()
    assert file.disk_bytes > file.bytes
    assert [path.name for path in settings.WORKS.iterdir()] == [file.stored]


def test_names_are_found_and_do_not_block(room):
    student = room.students[0]
    text = f"By STUDENT 1 ({student.person.email}), number {student.student_id}; thanks to Student 2.\n"
    upload(room, content=text)

    page = room.client("student").get(base(room) + "work/")

    assert page.context["visible_names"] == [
        "STUDENT 1", student.person.email, student.student_id, "STUDENT", "Student 2",
    ]  # fmt: skip
    assert hand_in(room).status_code == 200
    stored = current(room).names_found
    assert {one["member"] for one in stored} == {student.pk, room.students[1].pk}
    assert "STUDENT" not in str(stored), "whom it names is kept, not how they are called"


def test_file_is_removed_and_the_others_move_up(room, settings):
    for number in (1, 2, 3):
        upload(room, content=f"{number}\n", name=f"{number}.txt")

    room.client("student").post(base(room) + "work/change", {"file": 2, "remove": "yes"})

    rows = SubmissionFile.objects.order_by("position").values_list("position", "name")
    assert list(rows) == [(1, "1.txt"), (2, "3.txt")]
    assert len(list(settings.WORKS.iterdir())) == 2
    hand_in(room)
    assert current(room).sha256 == hashlib.sha256(b"1\n3\n").hexdigest()


# -- what is taken -----------------------------------------------------------------------------------


def test_what_counts_is_the_content_not_the_name(room, settings):
    for name, content, says in (
        ("work.pdf", b"PK\x03\x04" + bytes(200), "“work.pdf” is not one of the accepted file types: PDF"),
        ("work.txt", b"\0\1\2binary", "“work.txt” is not one of the accepted file types: PDF"),
        ("page.html", b"\x7fELF" + bytes(50), "“page.html” is not one of the accepted file types: PDF"),
        ("empty.txt", b"", "“empty.txt” is empty."),
    ):
        answer = upload(room, content=content, name=name)
        assert answer.status_code == 422
        assert texts(answer, ".notice")[0].startswith(says)

    # the second of two files is refused, and none is kept
    files = [SimpleUploadedFile("a.txt", b"good\n"), SimpleUploadedFile("b.bin", b"\0\0")]
    answer = room.client("student").post(base(room) + "work/upload", {"files": files})
    assert answer.status_code == 422
    assert not SubmissionFile.objects.exists()
    assert not Work.objects.filter(author=room.students[0]).exists()
    assert list(settings.WORKS.iterdir()) == []


def test_kinds_sizes_and_number_of_files_of_the_assignment_hold(room):
    ours = Assignment.objects.filter(pk=room.assignment.pk)
    ours.update(file_kinds=["pdf"], most_bytes=1 << 20)
    assert upload(room).status_code == 422
    assert upload(room, content=b"%PDF-1.7" + bytes(1 << 20), name="a.pdf").status_code == 422
    assert not SubmissionFile.objects.exists()

    ours.update(file_kinds=["text"], most_files=1)
    assert upload(room).status_code == 302
    answer = upload(room, content="more")
    assert answer.status_code == 422
    assert texts(answer, ".notice")[0].startswith("This assignment accepts 1 file.")


def test_disk_is_shared_and_uploads_are_rate_limited(room, limits, settings):
    enough = {"work_bytes": settings.LIMITS.work_bytes, "works_bytes": settings.LIMITS.works_bytes}
    for limit, status in (("work_bytes", 429), ("works_bytes", 503)):
        limits(**{**enough, limit: 10})
        assert upload(room).status_code == status
    limits(**enough)
    least, settings.LEAST_FREE = settings.LEAST_FREE, 1 << 60
    assert upload(room).status_code == 503
    assert not settings.WORKS.exists() or not list(settings.WORKS.iterdir())

    settings.LEAST_FREE = least
    limits(uploads=4)
    assert upload(room).status_code == 302
    assert upload(room, content="more").status_code == 429
    assert SubmissionFile.objects.count() == 1


# -- when ---------------------------------------------------------------------------------------------


def judged(cast, number=0):
    makers = authors_with(cast.assignment, cast.students[number])
    return verdict(makers, work_of(makers), timezone.now())


def test_late_is_flagged_within_the_late_window_and_nothing_is_taken_after_it(room):
    upload(room)
    shift(room, due_at=-2, late_until=-1)
    assert hand_in(room).status_code == 422
    assert upload(room, "neighbour").status_code == 422
    assert judged(room).reason == "over"
    assert current(room) is None

    shift(room, due_at=-1, late_until=1)
    hand_in(room)
    assert current(room).is_late


def extend(cast, number: int) -> None:
    """An hour from now on."""
    Extension.objects.create(
        assignment=cast.assignment,
        membership=cast.students[number],
        due_at=timezone.now() + timedelta(hours=1),
        granted_by=cast.people["instructor"],
    )


def test_extension_moves_the_own_date_alone(room):
    shift(room, due_at=-2, late_until=None)
    extend(room, 0)

    assert (judged(room).is_open, judged(room).is_late) == (True, False)
    assert not judged(room, 1).is_open


def test_what_came_on_time_is_replaced_within_the_grace_and_never_becomes_late(room):
    handed_in(room.assignment, room.students[0])
    for grace, is_open in ((10, True), (0, False)):
        Assignment.objects.filter(pk=room.assignment.pk).update(grace_minutes=grace)
        shift(room, due_at=-0.05, late_until=None)
        assert (judged(room).is_open, judged(room).is_late) == (is_open, False)
        assert not judged(room, 1).is_open, "who had nothing in is late"

    shift(room, due_at=-2, late_until=2)
    assert judged(room).reason == "replaced-too-late"
    assert judged(room, 1).is_late


def test_phase_decides_too_and_work_under_review_stays_as_it_is(room):
    work = handed_in(room.assignment, room.students[0])
    move(room.assignment, Phase.ALLOCATING)
    assert judged(room).reason == "stopped"
    assert judged(room, 1).is_open, "late works come in while others allocate"

    move(room.assignment, Phase.SUBMITTING)
    allocate(room.assignment, room.students[1], [work])
    assert judged(room).reason == "reviewed"
    makers, upload = authors_with(room.assignment, room.students[0]), SimpleUploadedFile("a.txt", b"a\n")
    with pytest.raises(Refused, match="being reviewed"):
        submissions.add_files(makers=makers, by=room.people["student"], uploads=[upload])


# -- teams and staff ------------------------------------------------------------------------------------


@pytest.fixture
def team(room) -> Team:
    Assignment.objects.filter(pk=room.assignment.pk).update(in_teams=True)
    room.assignment.refresh_from_db()
    made = Team.objects.create(assignment=room.assignment, name="Tide")
    for member in room.students[:2]:
        TeamMember.objects.create(assignment=room.assignment, team=made, membership=member)
    return made


def test_any_member_hands_in_for_the_team(room, team):
    upload(room, "student")
    page = room.client("neighbour").get(base(room) + "work/")
    assert len(page.context["shown"]) == 1

    hand_in(room, "neighbour")

    one = Submission.objects.get(work__team=team)
    assert one.handed_in_at is not None
    assert one.uploaded_by == room.people["neighbour"]
    assert hand_in(room, "student").status_code == 422, "once is enough"


def test_extension_of_one_member_is_the_teams(room, team):
    shift(room, due_at=-2, late_until=None)
    extend(room, 1)

    assert judged(room, 0).is_open


def test_staff_hand_in_for_a_student_also_late(room):
    shift(room, due_at=-3, late_until=-2)
    path = f"works/for/{room.students[0].pk}/"
    page = room.client("assistant").get(base(room) + path)
    assert broken_rules(page) == []
    upload(room, "assistant", path=path + "upload")

    hand_in(room, "assistant", path=path + "hand-in")

    one = current(room)
    assert (one.is_late, one.uploaded_by) == (True, room.people["assistant"])
    entry = Event.objects.get(verb="work-handed-in-for")
    assert (entry.actor, entry.subject) == (room.people["assistant"], room.students[0])
    record = room.client("instructor").get(f"/c/{room.course.key}/record")
    assert "submitted version 1 on behalf of Student 1" in record.content.decode()


def test_list_of_works_for_staff(room):
    handed_in(room.assignment, room.students[0])
    page = room.client("instructor").get(base(room) + "works")

    assert broken_rules(page) == []
    assert [row.names for row in page.context["rows"]] == [["Student 1"]]
    assert page.context["counts"] == {"all": 1, "late": 0, "out": 0, "drafts": 0, "missing": 4}
    assert room.client("instructor").get(base(room) + "works?show=out").context["rows"] == []


def test_work_that_is_taken_out_and_a_review_that_has_ended_show_nothing(room):
    work = handed_in(room.assignment, room.students[0])
    move(room.assignment, Phase.REVIEWING)
    (review,) = allocate(room.assignment, room.students[1], [work])
    client, path = room.client("instructor"), base(room) + f"works/{work.pk}/"

    def seen() -> set[int]:
        reader, there = room.client("neighbour"), base(room) + f"reviews/{review.key}/"
        return {_status(reader, there + what) for what in ("picture", "download")}

    assert seen() == {200}

    client.post(path + "take-out", {"why": "blank"})
    work.refresh_from_db()
    assert (work.taken_out_at is not None, work.taken_out_why) == (True, "blank")
    assert seen() == {404}
    assert broken_rules(client.get(path)) == []

    client.post(path + "put-back")
    work.refresh_from_db()
    assert work.taken_out_at is None
    assert set(Event.objects.values_list("verb", flat=True)) >= {"work-taken-out", "work-put-back"}
    assert seen() == {200}

    type(review).objects.filter(pk=review.pk).update(state="released", ended_at=timezone.now())
    assert seen() == {404}


def _status(client, path: str) -> int:
    answer = client.get(path)
    if answer.streaming:
        list(answer.streaming_content)
    return answer.status_code


def test_everything_is_downloaded_with_an_index(room):
    upload(room, content="=1+1\n", name="=formula.txt")
    hand_in(room)
    handed_in(room.assignment, room.students[1])
    upload(room, "neighbour", content="a draft", name="draft.txt")

    answer = room.client("instructor").get(base(room) + "works/download")

    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        rows = list(csv.DictReader(io.StringIO(archive.read("index.csv").decode("utf-8-sig"))))
        assert {row["path"] for row in rows} | {"index.csv"} == set(archive.namelist())
        assert archive.read(rows[0]["path"]) == b"=1+1\n"
    assert [row["students"] for row in rows] == ["Student 1", "Student 2"]
    assert rows[0]["file_name"] == "'=formula.txt"
    assert Event.objects.filter(verb="works-downloaded").get().data == {"count": 2}


# -- making copies ----------------------------------------------------------------------------------------


def waiting_file(cast, content: bytes = b"text\n", kind="text") -> SubmissionFile:
    work = Work.objects.create(assignment=cast.assignment, author=cast.students[2])
    draft = Submission.objects.create(work=work, number=1, uploaded_by=cast.students[2].person)
    file = storage.store(cast.assignment, SimpleUploadedFile("work.txt", content))
    file.submission, file.position, file.kind = draft, 1, kind
    file.save()
    return file


def test_killed_child_is_tried_again_and_then_reported(room, monkeypatch):
    file = waiting_file(room)

    def killed(*args, **named):
        raise KilledError("killed")

    monkeypatch.setattr(parent, "run", killed)
    for _ in range(copies.ATTEMPTS - 1):
        copies.make_next()
        file.refresh_from_db()
        assert (file.state, file.making_since) == ("waiting", None)
    copies.make_next()
    file.refresh_from_db()
    assert file.state == "failed"
    assert not copies.make_next()

    monkeypatch.undo()
    submissions.try_again(makers=authors_with(room.assignment, room.students[2]), position=1)
    copies.make_next()
    file.refresh_from_db()
    assert file.state == "ready"


def test_task_worker_makes_what_waits_and_one_alone(room):
    file = waiting_file(room)
    SubmissionFile.objects.update(making_since=timezone.now())
    assert not copies.make_next()

    SubmissionFile.objects.update(making_since=timezone.now() - timedelta(days=1))

    assert copies.make_next(), "who claimed it is long gone"
    file.refresh_from_db()
    assert (file.state, file.problem, file.making_since) == ("ready", "", None)
    assert not copies.make_next()


def test_file_that_cannot_be_shown_cannot_be_handed_in(room):
    answer = upload(room, content=b"%PDF-1.7 rubbish", name="a.pdf")
    assert answer.status_code == 302
    page = room.client("student").get(base(room) + "work/")
    assert texts(page, ".fix")[0].startswith("The file is damaged and cannot be opened.")
    assert broken_rules(page) == []

    refused = hand_in(room)

    assert refused.status_code == 422
    assert current(room) is None


def test_what_a_taken_over_child_leaves_is_not_taken(room, monkeypatch, tmp_path):
    file = waiting_file(room)
    (tmp_path / "secret").write_text("secret")

    def hostile(work, files, kind, **named):
        shown = Path(files.folder) / "shown"
        shown.mkdir()
        (shown / "copy.txt").symlink_to(tmp_path / "secret")
        said = {"kind": "text", "download": "copy.txt", "pictures": [], "left_out": {}}
        return {**said, "text": "", "html": "", "hidden": ""}

    monkeypatch.setattr(parent, "run", hostile)
    copies.make_next()

    file.refresh_from_db()
    assert file.state == "failed"
    assert not (file.folder / "shown").exists()


def test_leftovers_are_deleted_and_works_are_not(room, settings):
    file = waiting_file(room)
    stray = settings.WORKS / "stray"
    stray.mkdir()
    for folder in (stray, file.folder):
        os.utime(folder, (0, 0))

    storage.delete_leftovers()

    assert [path.name for path in settings.WORKS.iterdir()] == [file.stored]
