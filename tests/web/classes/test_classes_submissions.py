"""Submitting: upload, see it as reviewers will, submit, receipt; deadlines, teams, staff, limits."""

import csv
import hashlib
import html
import io
import os
import re
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.classes import planted
from tests.web.classes.cast import allocate, extend, move, team_up
from tests.web.classes.cast import submit as submitted
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.classes.searching import Marks
from tests.web.page_facts import texts

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment, Team
from peerage_web.classes.enums import Phase
from peerage_web.classes.submissions import copies, storage
from peerage_web.classes.submissions import services as submission_services
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.names import AuthorIdentity
from peerage_web.classes.submissions.queries import authors_with, submission_of, verdict
from peerage_web.classes.submissions.shown import shown_of_file
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import KilledError, OutOfTimeError
from peerage_web.shared.errors import Refused

TEXT = b"Tides are caused by the moon.\n"


@pytest.fixture
def room(cast):
    """An assignment that takes submissions."""
    move(cast.assignment, Phase.SUBMITTING)
    return cast


def base(cast) -> str:
    return f"/c/{cast.course.key}/a/{cast.assignment.key}/"


def upload(cast, word="student", content=TEXT, name="submission.txt", path="submission/upload"):
    return cast.client(word).post(base(cast) + path, {"files": [SimpleUploadedFile(name, content)]})


def submit(cast, word="student", number=1, path="submission/submit"):
    return cast.client(word).post(base(cast) + path, {"number": number}, follow=True)


def current(cast) -> SubmissionVersion | None:
    ours = SubmissionVersion.objects.filter(submission__author=cast.students[0])
    return ours.exclude(submitted_at=None).last()


def shift(cast, **hours: float | None) -> None:
    """Move dates of the assignment, in hours from now."""
    now = timezone.now()
    dates = {name: None if value is None else now + timedelta(hours=value) for name, value in hours.items()}
    Assignment.objects.filter(pk=cast.assignment.pk).update(**dates)
    cast.assignment.refresh_from_db()


# -- the way of a submission ------------------------------------------------------------------------------


def test_text_is_uploaded_seen_submitted_and_replaced(room):
    assert upload(room).status_code == 302
    page = room.client("student").get(base(room) + "submission/")
    assert texts(page, ".text") == ["Tides are caused by the moon."]
    assert "Not submitted yet." in texts(page, "strong")
    html = page.content.decode()
    assert html.index('<button class="primary big">Submit') < html.index('id="see"'), "above the preview"
    assert current(room) is None, "nothing is submitted before somebody says so"

    receipt = submit(room)

    one = current(room)
    assert (one.number, one.is_late, one.submitted_at is not None) == (1, False, True)
    assert one.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert one.sha256 in texts(receipt, ".hash")
    assert one.receipt in receipt.content.decode()
    assert Event.objects.filter(verb="submission-submitted", subject=room.students[0]).count() == 1

    upload(room, content=b"Better.\n")
    assert submit(room, number=1).status_code == 422, "this draft was not looked at"
    assert current(room).number == 1, "a draft does not count"
    submit(room, number=2)
    assert current(room).number == 2
    assert SubmissionVersion.objects.filter(submission__author=room.students[0]).count() == 2


@pytest.mark.usefixtures("in_a_child")
def test_pdf_is_shown_as_pictures_with_its_text(room):
    marks = Marks()
    upload(room, content=planted.pdf(marks), name=f"{marks('file-name')}.pdf")
    client = room.client("student")

    page = client.get(base(room) + "submission/")

    (file,) = page.context["shown"]
    assert (file.state, len(file.pages)) == ("ready", 1)
    assert file.pages[0].text.startswith(planted.TEXT)
    picture = client.get(file.pages[0].url)
    assert picture["Content-Type"] == "image/webp"
    assert picture["Content-Disposition"] == 'inline; filename="page-1.webp"'
    assert picture["X-Content-Type-Options"] == "nosniff"
    assert picture["Cache-Control"] == "private, max-age=600"
    copy = client.get(file.download)
    assert copy["Content-Disposition"] == 'attachment; filename="poster-my-submission.pdf"'
    assert marks.found_in(b"".join(copy.streaming_content)) == []
    list(picture.streaming_content)


def test_what_was_uploaded_is_kept_as_it_was_under_a_random_name(room, settings):
    content = planted.jpeg(Marks())

    upload(room, content=content, name="adalovelace.pdf")

    file = SubmissionFile.objects.get()
    assert file.original.read_bytes() == content
    assert (file.name, len(file.stored)) == ("adalovelace.pdf", 32)
    assert "lovelace" not in file.stored.lower()
    assert file.kind == "image"  # which is told from the content
    assert not file.folder.joinpath("making").exists()
    assert file.disk_bytes > file.bytes
    assert [path.name for path in settings.SUBMISSIONS.iterdir()] == [file.stored]


def test_names_are_found_and_do_not_block(room):
    student = room.students[0]
    text = f"By STUDENT 1 ({student.person.email}), number {student.student_id}; thanks to Student 2.\n"
    upload(room, content=text.encode())

    page = room.client("student").get(base(room) + "submission/")

    assert page.context["visible_names"] == [
        "STUDENT 1", "STUDENT", student.person.email, student.student_id, "Student 2",
    ]  # fmt: skip
    assert submit(room).status_code == 200
    stored = current(room).names_found
    assert {one["member"] for one in stored} == {student.pk, room.students[1].pk}
    assert "STUDENT" not in str(stored), "whom it names is kept, not how they are called"


def test_file_is_removed_and_the_others_move_up(room, settings):
    for number in (1, 2, 3):
        upload(room, content=b"%d\n" % number, name=f"{number}.txt")

    room.client("student").post(base(room) + "submission/change", {"file": 2, "remove": "yes"})

    rows = SubmissionFile.objects.order_by("position").values_list("position", "name")
    assert list(rows) == [(1, "1.txt"), (2, "3.txt")]
    assert len(list(settings.SUBMISSIONS.iterdir())) == 2
    submit(room)
    assert current(room).sha256 == hashlib.sha256(b"1\n3\n").hexdigest()


# -- what is taken -----------------------------------------------------------------------------------


def test_what_counts_is_the_content_not_the_name(room, settings):
    for name, content, says in (
        ("a.pdf", b"PK\x03\x04" + bytes(200), "“a.pdf” is not one of the accepted file types: PDF"),
        ("a.txt", b"\0\1\2binary", "“a.txt” is not one of the accepted file types: PDF"),
        ("a.txt", b"", "“a.txt” is empty."),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "“a.docx” is protected by a password"),
    ):
        answer = upload(room, content=content, name=name)
        assert answer.status_code == 422
        assert texts(answer, ".notice")[0].startswith(says)

    # the second of two files is refused, and none is kept
    files = [SimpleUploadedFile("a.txt", b"good\n"), SimpleUploadedFile("b.bin", b"\0\0")]
    answer = room.client("student").post(base(room) + "submission/upload", {"files": files})
    assert answer.status_code == 422
    assert not SubmissionFile.objects.exists()
    assert not Submission.objects.filter(author=room.students[0]).exists()
    assert list(settings.SUBMISSIONS.iterdir()) == []


def test_kinds_sizes_and_number_of_files_of_the_assignment_hold(room):
    Assignment.objects.update(file_kinds=["pdf"], most_bytes=1 << 20)
    assert upload(room).status_code == 422
    assert upload(room, content=b"%PDF-1.7" + bytes(1 << 20), name="a.pdf").status_code == 422
    assert not SubmissionFile.objects.exists()

    Assignment.objects.update(file_kinds=["text"], most_files=1)
    assert upload(room).status_code == 302
    answer = upload(room)
    assert answer.status_code == 422
    assert texts(answer, ".notice")[0].startswith("This assignment accepts 1 file.")


def test_disk_is_shared_and_uploads_are_rate_limited(room, limits, settings):
    usual, least = settings.LIMITS, settings.LEAST_FREE
    for limit, status in (("submission_bytes", 429), ("submissions_bytes", 503)):
        limits(**{limit: 10})
        assert upload(room).status_code == status
        settings.LIMITS = usual
    settings.LEAST_FREE = 1 << 60
    assert upload(room).status_code == 503
    assert not settings.SUBMISSIONS.exists() or not list(settings.SUBMISSIONS.iterdir())

    settings.LEAST_FREE = least
    limits(uploads=4)
    assert upload(room).status_code == 302
    assert upload(room).status_code == 429
    assert SubmissionFile.objects.count() == 1


# -- when ---------------------------------------------------------------------------------------------


def deadline(cast, number=0):
    authors = authors_with(cast.assignment, cast.students[number])
    return verdict(authors, submission_of(authors), timezone.now())


def test_late_is_flagged_within_the_late_window_and_nothing_is_taken_after_it(room):
    upload(room)
    shift(room, due_at=-2, late_until=-1)
    assert submit(room).status_code == 422
    assert upload(room, "neighbour").status_code == 422
    assert deadline(room).reason == "over"
    assert current(room) is None

    shift(room, due_at=-1, late_until=1)
    neighbour, second = authors_with(room.assignment, room.students[1]), timedelta(seconds=1)
    for moment, is_open, is_late in (
        (room.assignment.due_at, True, False),
        (room.assignment.due_at + second, True, True),
        (room.assignment.late_until, True, True),
        (room.assignment.late_until + second, False, False),
    ):
        found = verdict(neighbour, None, moment)
        assert (found.is_open, found.is_late) == (is_open, is_late)
    submit(room)
    assert current(room).is_late


def test_what_came_on_time_is_replaced_within_the_grace_and_never_becomes_late(room):
    submitted(room.assignment, room.students[0])
    for grace, is_open in ((10, True), (0, False)):
        Assignment.objects.filter(pk=room.assignment.pk).update(grace_minutes=grace)
        shift(room, due_at=-0.05, late_until=None)
        assert (deadline(room).is_open, deadline(room).is_late) == (is_open, False)
        assert not deadline(room, 1).is_open, "who had nothing in is late"

    shift(room, due_at=-2, late_until=2)
    assert deadline(room).reason == "replaced-too-late"
    assert deadline(room, 1).is_late


def test_phase_decides_too_and_submission_under_review_stays_as_it_is(room):
    submission = submitted(room.assignment, room.students[0])
    move(room.assignment, Phase.ALLOCATING)
    assert deadline(room).reason == "stopped"
    assert deadline(room, 1).is_open, "late submissions come in while others allocate"

    move(room.assignment, Phase.SUBMITTING)
    allocate(room.assignment, room.students[1], [submission])
    assert deadline(room).reason == "reviewed"
    authors, upload = authors_with(room.assignment, room.students[0]), SimpleUploadedFile("a.txt", b"a\n")
    with pytest.raises(Refused, match="being reviewed"):
        submission_services.add_files(authors=authors, by=room.people["student"], uploads=[upload])


# -- teams and staff ------------------------------------------------------------------------------------


@pytest.fixture
def team(room) -> Team:
    Assignment.objects.filter(pk=room.assignment.pk).update(in_teams=True)
    room.assignment.refresh_from_db()
    return team_up(room.assignment, room.students[:2])


def test_any_member_submits_for_the_team(room, team):
    upload(room, "student")
    page = room.client("neighbour").get(base(room) + "submission/")
    assert len(page.context["shown"]) == 1

    submit(room, "neighbour")

    one = SubmissionVersion.objects.get(submission__team=team)
    assert one.submitted_at is not None
    assert one.uploaded_by == room.people["neighbour"]
    assert submit(room, "student").status_code == 422, "once is enough"


def test_extension_of_one_member_is_the_teams(room, team):
    shift(room, due_at=-2, late_until=None)
    extend(room.assignment, room.students[1], due_at=timezone.now() + timedelta(hours=1))

    assert (deadline(room, 0).is_open, deadline(room, 0).is_late) == (True, False)
    assert not deadline(room, 2).is_open, "who is in no team, and has no extension"


def test_staff_submit_for_a_student_also_late(room):
    shift(room, due_at=-3, late_until=-2)
    path = f"submissions/for/{room.students[0].pk}/"
    room.client("assistant").get(base(room) + path)
    upload(room, "assistant", path=path + "upload")

    submit(room, "assistant", path=path + "submit")

    one = current(room)
    assert (one.is_late, one.uploaded_by) == (True, room.people["assistant"])
    entry = Event.objects.get(verb="submission-submitted-for")
    assert (entry.actor, entry.subject) == (room.people["assistant"], room.students[0])
    record = room.client("instructor").get(f"/c/{room.course.key}/activity-log")
    assert "submitted version 1 on behalf of Student 1" in record.content.decode()


def test_submission_that_is_excluded_and_a_review_that_has_ended_show_nothing(room):
    submission = submitted(room.assignment, room.students[0])
    move(room.assignment, Phase.REVIEWING)
    (review,) = allocate(room.assignment, room.students[1], [submission])
    client, path = room.client("instructor"), base(room) + f"submissions/{submission.pk}/"

    def seen() -> set[int]:
        reviewer, there = room.client("neighbour"), f"{base(room)}reviews/{review.key}/"
        answers = [reviewer.get(there + what) for what in ("picture", "download")]
        for answer in answers:
            answer.getvalue()  # and close the file
        return {answer.status_code for answer in answers}

    assert seen() == {200}

    client.post(path + "exclude", {"why": "blank"})
    submission.refresh_from_db()
    assert (submission.excluded_at is not None, submission.excluded_reason) == (True, "blank")
    assert seen() == {404}

    client.post(path + "include")
    assert not Submission.objects.exclude(excluded_at=None).exists()
    verbs = set(Event.objects.values_list("verb", flat=True))
    assert verbs >= {"submission-excluded", "submission-included"}
    assert seen() == {200}

    type(review).objects.update(state="released", ended_at=timezone.now())
    assert seen() == {404}


def test_submissions_are_listed_for_staff_and_downloaded_with_an_index(room):
    upload(room, content=b"=1+1\n", name="=formula.txt")
    submit(room)
    submitted(room.assignment, room.students[1])
    upload(room, "neighbour")

    page = room.client("instructor").get(base(room) + "submissions")
    answer = room.client("instructor").get(base(room) + "submissions/download")

    assert [row.names for row in page.context["rows"]] == [["Student 1"], ["Student 2"]]
    assert page.context["counts"] == {"all": 2, "late": 0, "out": 0, "drafts": 0, "missing": 3}
    assert room.client("instructor").get(base(room) + "submissions?show=out").context["rows"] == []
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert archive.testzip() is None
        rows = list(csv.DictReader(io.StringIO(archive.read("index.csv").decode("utf-8-sig"))))
        assert {row["path"] for row in rows} | {"index.csv"} == set(archive.namelist())
        assert archive.read(rows[0]["path"]) == b"=1+1\n"
    assert [row["students"] for row in rows] == ["Student 1", "Student 2"]
    assert rows[0]["file_name"] == "'=formula.txt"
    assert Event.objects.filter(verb="submissions-downloaded").get().data == {"count": 2}


# -- making copies ----------------------------------------------------------------------------------------


def waiting_file(cast, student: int = 2) -> SubmissionFile:
    member, upload = cast.students[student], SimpleUploadedFile("submission.txt", b"text\n")
    authors = authors_with(cast.assignment, member)
    draft = submission_services.add_files(authors=authors, by=member.person, uploads=[upload])
    return draft.files.last()


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
    assert SubmissionFile.objects.get().state == "failed"
    assert not copies.make_next()

    monkeypatch.undo()
    submission_services.try_again(authors=authors_with(room.assignment, room.students[2]), position=1)
    copies.make_next()
    assert SubmissionFile.objects.get().state == "ready"


def test_task_worker_makes_what_waits_and_one_alone(room):
    file = waiting_file(room)
    SubmissionFile.objects.update(making_since=timezone.now())
    assert not copies.make_next()

    SubmissionFile.objects.update(making_since=timezone.now() - timedelta(days=1))

    assert copies.make_next(), "who claimed it is long gone"
    file.refresh_from_db()
    assert (file.state, file.problem, file.making_since) == ("ready", "", None)
    assert not copies.make_next()


def test_people_take_turns_and_nobody_has_the_last_worker(room, monkeypatch, settings):
    """A student with three files and one with one: the second file made is the other student's."""
    settings.TASK_WORKERS = 2
    monkeypatch.setattr(copies, "_turns", {})
    made = []

    def take(file: SubmissionFile, run: object, last: bool) -> None:
        made.append(file)
        SubmissionFile.objects.filter(pk=file.pk).update(making_since=timezone.now())

    monkeypatch.setattr(copies, "_make", take)
    first, *_more = (waiting_file(room) for _ in range(3))
    other = waiting_file(room, student=3)

    assert [copies.make_next() for _ in range(3)] == [True, True, False]
    assert made == [first, other]

    SubmissionFile.objects.filter(pk__in=[first.pk, other.pk]).update(state="ready", making_since=None)
    again = waiting_file(room, student=3)
    assert [copies.make_next() for _ in range(3)] == [True, True, False]
    assert made[2].version.uploaded_by == first.version.uploaded_by
    assert made[3] == again


def test_what_proves_slow_is_left_to_the_first_worker_and_ended_there(room, monkeypatch):
    file, given = waiting_file(room), []

    def slow(*args, seconds, **named):
        given.append(seconds)
        raise OutOfTimeError("slow")

    monkeypatch.setattr(parent, "run", slow)

    assert (copies.make_next(small_only=True), copies.make_next(small_only=True)) == (True, False)
    file.refresh_from_db()
    assert (file.state, shown_of_file(file, lambda *_: "").problem) == ("waiting", "")
    assert copies.make_next()
    file.refresh_from_db()
    assert (file.state, given) == ("failed", [copies.SOON, copies.COPY_SECONDS])
    assert "takes too long" in shown_of_file(file, lambda *_: "").problem


def test_file_that_cannot_be_shown_cannot_be_submitted(room):
    assert upload(room, content=b"%PDF-1.7 rubbish", name="a.pdf").status_code == 302
    page = room.client("student").get(base(room) + "submission/")
    assert texts(page, ".fix")[0].startswith("The file is damaged and cannot be opened.")

    refused = submit(room)

    assert refused.status_code == 422
    assert current(room) is None


def test_what_a_taken_over_child_leaves_is_not_taken(room, monkeypatch, tmp_path):
    file = waiting_file(room)
    (tmp_path / "secret").write_text("secret")

    def hostile(submission, files, kind, **named):
        shown = Path(files.folder) / "shown"
        shown.mkdir()
        (shown / "copy.txt").symlink_to(tmp_path / "secret")
        said = {"kind": "text", "download": "copy.txt", "pictures": [], "left_out": {}}
        return {**said, "text": "", "html": "", "hidden": ""}

    monkeypatch.setattr(parent, "run", hostile)
    copies.make_next()

    assert SubmissionFile.objects.get().state == "failed"
    assert not (file.folder / "shown").exists()


def test_leftovers_are_deleted_and_submissions_are_not(room, settings):
    file = waiting_file(room)
    stray = settings.SUBMISSIONS / "stray"
    stray.mkdir()
    for folder in (stray, file.folder):
        os.utime(folder, (0, 0))

    storage.delete_leftovers()

    assert [path.name for path in settings.SUBMISSIONS.iterdir()] == [file.stored]


# -- Word files, and texts written in the browser -----------------------------------------------------


def test_word_file_is_read_as_a_page_with_its_images(room):
    marks = Marks()
    upload(room, content=planted.docx(marks), name="poster.docx")
    client = room.client("student")

    page = client.get(base(room) + "submission/")

    (file,) = page.context["shown"]
    assert (file.kind, file.state, file.pages) == ("word", "ready", [])
    assert "<h3>Tides</h3><p>A poster about tides. And the sun.</p>" in file.html
    (picture,) = re.findall(r'<img src="([^"]*)"', file.html)
    shown = client.get(html.unescape(picture))
    assert (shown["Content-Type"], b"".join(shown.streaming_content)[:4]) == ("image/png", b"\x89PNG")
    assert "1 header or footer, 1 comment, who made 2 tracked changes" in page.content.decode()
    copy = client.get(file.download)
    assert b"".join(copy.streaming_content).startswith(b"Tides\nA poster about tides.")
    assert marks.found_in(page.content) == []


def test_word_file_of_an_erased_person_is_its_text_without_the_name(room):
    """What is left can be put into an archive and read back, so its kind is that of what is left."""
    upload(room, content=planted.docx(Marks(), text="By Ada Lovelace."), name="poster.docx")
    file = SubmissionFile.objects.get()

    storage.forget_authors([file], AuthorIdentity("Ada Lovelace", "ada@example.org", "4711"))

    file.refresh_from_db()
    assert (file.kind, b"Lovelace" in file.original.read_bytes()) == ("text", False)
    assert storage.kind_of(file.original.read_bytes(), file.name, ["text"]) == "text"
    page = room.client("student").get(base(room) + "submission/").content.decode()
    assert ("Lovelace" in page, "<img src=" in page) == (False, True)


def type_text(cast, text):
    return cast.client("student").post(base(cast) + "submission/upload", {"typed": text})


def test_text_is_written_previewed_changed_and_submitted(room):
    client, text = room.client("student"), "# Tides\n\nMoon *and* sun. ü"
    type_text(room, "# Tides\n\nMoon.")
    assert "<h3>Tides</h3>" in client.get(base(room) + "submission/").content.decode()

    type_text(room, text)
    assert client.get(base(room) + "submission/").context["typed"] == text
    submit(room)

    file = SubmissionFile.objects.get()
    assert (file.kind, file.position, file.version.number) == ("markdown", 1, 1)
    assert file.original.read_bytes() == text.encode()
    assert file.version.submitted_at is not None
    assert client.get(base(room) + "submission/").context["typed"] == text, "it can be worked on"
    assert len(list(storage.settings.SUBMISSIONS.iterdir())) == 1


def test_text_that_cannot_be_saved_comes_back(room):
    shift(room, due_at=-48)

    late = type_text(room, "All that I wrote.")
    blank = type_text(room, " \n")
    Assignment.objects.filter(pk=room.assignment.pk).update(file_kinds=["pdf"])
    unwanted = type_text(room, "Tides.").content.decode()

    assert (late.status_code, blank.status_code) == (422, 422)
    assert "All that I wrote.</textarea>" in late.content.decode()
    assert ("This assignment takes files only." in unwanted, 'name="typed"' in unwanted) == (True, False)
    assert SubmissionFile.objects.count() == 0
