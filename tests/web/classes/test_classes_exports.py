"""Exports of grades: grade books, and a data set without names from which the same grades come."""

import csv
import io
import shlex
import zipfile

import fastexcel
import pytest
from django.utils import timezone
from tests.web.classes.cast import allocate, move, submit
from tests.web.classes.grading_room import GradingRoom
from typer.testing import CliRunner

from peerage import fit, read
from peerage.cli import app
from peerage.grading.output.books import BOOKS
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.exports.data_set import FEW, data_set, data_set_file, findings_of
from peerage_web.classes.exports.gradebooks import book_file
from peerage_web.classes.grading.services import approve_run
from peerage_web.classes.names import file_name
from peerage_web.classes.release.models import Release
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> GradingRoom:
    room = GradingRoom(cast)
    room.plan()
    Membership.objects.filter(pk=room.members[0].pk).update(name="=Ada", section="North")
    return room


@pytest.fixture
def run(room):
    run = room.run()
    approve_run(run=run, by=room.by)
    return run


def book(room, name: str, what: str = "parts") -> list[dict[str, str]]:
    return table(book_file(assignment=room.assignment, book=name, what=what, by=room.by).content.decode())


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_nothing_is_exported_before_a_run_is_approved(room):
    room.run()

    for export in (lambda: book(room, "canvas"), lambda: data_set(assignment=room.assignment)):
        with pytest.raises(Refused, match="No grading run has been approved"):
            export()


def test_grade_books_know_every_student_and_both_columns(room, run):
    canvas, moodle, plain = book(room, "canvas"), book(room, "moodle", "total"), book(room, "csv")
    workbook = book_file(assignment=room.assignment, book="xlsx", what="parts", by=room.by).content
    sheet = fastexcel.read_excel(workbook).load_sheet(0).to_polars()

    top, *students = canvas
    assert (top["Student"], top["Poster"], top["Poster: reviewing"]) == ("    Points Possible", "100", "100")
    points = dict(run.grades.values_list("submission__author__student_id", "points"))
    assert set(points) == {f"id{number:02}" for number in range(8)}
    assert {one["SIS User ID"]: float(one["Poster"]) for one in students} == pytest.approx(points, abs=0.005)
    assert [one["Student"] for one in students if one["SIS User ID"] == "id00"] == ["'=Ada"]  # no formula
    assert len(moodle) == 8
    assert set(moodle[0]) >= {"ID number", "Email address", "Poster"}
    assert "Poster: reviewing" not in moodle[0]
    assert [one["student"] for one in plain] == sheet["student"].to_list()
    assert [float(one["points"]) for one in plain] == pytest.approx(sheet["points"].to_list())
    assert sheet["name"].to_list()[0] == "=Ada"  # text in a workbook is text


def test_grades_are_exported_as_they_were_released_and_else_as_they_would_be(room, run):
    room.submissions[0].overrides.create(points=12.5, reason="agreed", by=room.by)
    (theirs,) = [one for one in book(room, "csv") if one["student"] == "id00"]
    assert (theirs["points"], theirs["by_hand"], theirs["points_low"]) == ("12.5", "yes", "")

    release = room.assignment.releases.create(number=1, run=run, made_by=room.by)
    for member, submission in zip(room.members, room.submissions, strict=True):
        release.grades.create(membership=member, submission=submission, points=50, total=51)
    move(room.assignment, Phase.RELEASED)

    assert {one["points"] for one in book(room, "csv")} == {"50.0"}
    Release.objects.update(ended_at=timezone.now())
    assert "12.5" in {one["points"] for one in book(room, "csv")}


def test_a_standing_is_never_exported_as_points(room):
    room.plan(points_rule="standing")
    run = room.run()
    approve_run(run=run, by=room.by)

    with pytest.raises(Refused, match="a standing is not a grade"):
        book(room, "canvas", "total")
    columns = set(book(room, "moodle", "parts")[0])
    assert ("Poster" in columns, "Poster: reviewing" in columns) == (False, True)
    rows = book(room, "csv")
    assert {(row["points"], row["letter"], row["total"]) for row in rows} == {("", "", "")}
    ranks = {(low, high) for low, high in run.grades.values_list("rank_low", "rank_high")}
    assert {(int(row["rank_low"]), int(row["rank_high"])) for row in rows} == ranks


def test_quotas_export_letters_and_complete_all_of_the_points(room):
    room.plan(points_rule="quotas", letters="A:25%,B:75%")
    approve_run(run=room.run(), by=room.by)
    assert sorted(row["Poster"] for row in book(room, "moodle", "letter")) == [*"AA", *"BBBBBB"]
    with pytest.raises(Refused, match="no points to export"):
        book(room, "canvas", "total")

    room.plan(points_rule="complete", letters="", scale_high=20)
    approve_run(run=room.run(), by=room.by)
    assert {float(row["Poster"]) for row in book(room, "moodle", "parts")} == {20.0}
    assert {row["letter"] for row in book(room, "csv")} == {"complete"}


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_the_data_set_gives_the_same_grades(room, run, tmp_path, monkeypatch):
    """By the command that its README names. The estimates are equal; points are means over random draws,
    which fall differently under other labels, so they are equal within the noise of those."""
    files = unpacked(data_set_file(assignment=room.assignment, by=room.by))
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (command,) = [line.strip() for line in files["README.txt"].splitlines() if "peerage grade" in line]
    program, *words = shlex.split(command)
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(app, [*words, "--out", "out"])

    assert (program, done.exit_code) == ("peerage", 0), done.output
    ours, theirs = (
        sorted(table((folder / "grades.csv").read_text()), key=lambda one: float(one["points"]))
        for folder in (run.job.results, tmp_path / "out")
    )
    assert len({one["points"] for one in ours}) == len(ours) == 8
    ends = 10  # of intervals are rare draws, which for a class of eight differ by 1 to 5 points
    for name, noise in (("reviews", 0), ("points", 2.5), ("points_low", ends), ("points_high", ends)):
        got = [float(one[name]) for one in theirs]
        assert got == pytest.approx([float(one[name]) for one in ours], abs=noise)
    before, after = (
        fit(read(folder / "feedback.csv", direction="ranks"), "pl+g")
        for folder in (run.job.folder / "input", tmp_path)
    )
    assert sorted(after.scores_) == pytest.approx(sorted(before.scores_), abs=1e-5)


def test_nothing_in_the_data_set_names_anybody_and_its_numbers_stay(room, run, settings):
    files, again = (unpacked(data_set_file(assignment=room.assignment, by=room.by)) for _ in range(2))
    settings.SECRET_KEY = "another"
    other = unpacked(data_set_file(assignment=room.assignment, by=room.by))

    assert set(files) == {"feedback.csv", "roster.csv", "README.txt"}
    whole = "\n".join(files.values()).lower()
    for member in Membership.objects.filter(course=room.cast.course).select_related("person"):
        for word in (member.person.email, member.student_id, member.person.name):
            assert not word or word.lower() not in whole
    assert "@" not in whole
    assert files == again
    assert files["feedback.csv"] != other["feedback.csv"]  # they do not follow the order of names


def test_what_could_identify_somebody_is_counted():
    """By hand: twelve people with three reviews each, one with two, a team of two, and staff."""
    feedback = [
        [f"p{who}", f"s{(who + step) % 12}", str(step), ""] for who in range(12) for step in (1, 2, 3)
    ]
    feedback = [*feedback[:-1], ["p99", "s5", "1", ""], ["p99", "s8", "2", ""]]
    roster = [[f"p{who}", f"s{who}", "yes"] for who in range(12)] + [["p12", "s3", "yes"]]

    found = findings_of(feedback, roster, [["s1", "9"]])

    received = {f"s{who}": sum(row[1] == f"s{who}" for row in feedback) for who in range(12)}
    figures = [
        (sum(row[0] == who for row in feedback), received[submission], 2 if submission == "s3" else 1)
        for who, submission, _submits in roster
    ]
    assert found.rare == sum(figures.count(one) < FEW for one in figures)
    assert (found.people, found.reviewers, found.own_orders) == (13, 13, 13)
    assert (found.teams, found.off_roster, found.anchored) == ((2,), 1, 1)
    assert len(found.sentences()) == 6

    feedback = [[f"p{who}", f"s{(who + step) % 30}", str(step), ""] for who in range(30) for step in (1, 2)]
    roster = [[f"p{who}", f"s{who}", "yes"] for who in range(30)]

    found = findings_of(feedback, roster, [])

    assert found.rare == 0
    assert [text.split()[0] for text in found.sentences()] == ["People", "Nobody"]


def test_pages_offer_what_there_is_and_odd_questions_lead_back_with_a_word(room, run):
    client, path = room.cast.client("instructor"), room.assignment.get_absolute_url() + "exports"

    page = client.get(path).content.decode()
    report = client.get(f"{room.assignment.get_absolute_url()}grading/runs/{run.key}/file?name=report.html")
    data = client.get(f"{path}/data").content.decode()
    packed = client.get(f"{path}/data/file")
    books = {name: client.get(f"{path}/book?book={name}&what=parts") for name in BOOKS}

    assert "the approved run" in page
    assert b"".join(report.streaming_content).startswith(b"<!")
    assert "recognise their own ranking" in data
    assert packed["Content-Type"] == "application/zip"
    for name, sent in books.items():
        said = (sent.status_code, sent["Content-Disposition"])
        assert said == (200, f'attachment; filename="poster-{BOOKS[name].file}"'), name
    verbs = room.assignment.events.filter(verb__endswith="exported").values_list("verb", flat=True)
    assert sorted(verbs) == ["data-exported", *["grades-exported"] * len(books)]

    for asked in ("", "book=nothing", "book=canvas&what=nothing", "book=canvas&what=letter"):
        answer = client.get(f"{path}/book?{asked}", follow=True)
        assert answer.redirect_chain == [(path, 302)], asked
        assert 'class="notice bad"' in answer.content.decode() or "alert" in answer.content.decode(), asked


def test_names_are_plain_and_short():
    names = {"../../Réseaux\r\nX: y": "reseaux-x-y", "论文": "KEY", "x" * 200: "x" * 60}

    for title, name in names.items():
        assert file_name(Assignment(title=title, key="KEY"), "grades", "csv") == f"{name}-grades.csv"


def test_reviewers_get_their_label_and_staff_the_number_of_the_submission(cast):
    submission = submit(cast.assignment, cast.students[1])
    (review,) = allocate(cast.assignment, cast.students[0], [submission])
    move(cast.assignment, Phase.REVIEWING)
    base = cast.assignment.get_absolute_url()

    mine = cast.client("student").get(f"{base}reviews/{review.key}/download?file=1")
    theirs = cast.client("assistant").get(f"{base}submissions/{submission.pk}/download?file=1")
    whole = cast.client("assistant").get(f"{base}submissions/download")

    assert mine["Content-Disposition"] == f'attachment; filename="poster-submission-{review.label}.png"'
    assert theirs["Content-Disposition"] == f'attachment; filename="poster-submission-{submission.pk}.png"'
    assert whole["Content-Disposition"] == 'attachment; filename="poster-submissions.zip"'
    for answer in (mine, theirs, whole):
        answer.close()
