"""Grading runs: their inputs, their queue, what is drawn from them, and what they are worth to a student."""

import csv
import json
import statistics

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.classes.cast import assignment, move, submit_ranking
from tests.web.classes.grading_room import GradingRoom, finish
from typer.testing import CliRunner

from peerage.cli import app
from peerage_web.classes.enums import Phase
from peerage_web.classes.erasure.services import erase_member
from peerage_web.classes.grading import results
from peerage_web.classes.grading.comparison import ShiftReason, compare_runs
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.inputs import ANCHORS, ExtraGrade, inputs_of, sha256_of
from peerage_web.classes.grading.models import GradingRun, RunGrade, StaffGrade
from peerage_web.classes.grading.queries import approved_run, last_run, unlike
from peerage_web.classes.grading.results import draw_run, draw_waiting
from peerage_web.classes.grading.services import approve_run, cancel_run, start_run
from peerage_web.classes.grading.staff_grades import set_grade
from peerage_web.files.models import Job
from peerage_web.files.services.jobs import delete_expired_jobs
from peerage_web.files.services.running import run_next
from peerage_web.files.services.storage import refuse_without_disk_space
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> GradingRoom:
    return GradingRoom(cast)


def rows_of(inputs, name: str) -> list[list[str]]:
    return list(csv.reader(inputs.files[name].decode().splitlines()))


def labels(room) -> dict[int, str]:
    """Submission to its label."""
    return {submission.pk: f"id{number:02}" for number, submission in enumerate(room.submissions)}


# -- inputs -----------------------------------------------------------------------------------------------


def test_feedback_is_the_newest_ranking_of_each_with_ties_as_equal_ranks(room):
    first = room.members[0]
    reviews = list(first.reviews.order_by("pk"))
    submit_ranking(room.assignment, first, [[reviews[2].pk, reviews[0].pk], [reviews[1].pk, reviews[3].pk]])
    submit_ranking(assignment(room.assignment.course), first, [[one.pk] for one in reviews])  # of another one
    label = labels(room)

    header, *rows = rows_of(inputs_of(room.assignment), "feedback.csv")

    position = {label[review.submission_id]: str(review.position) for review in reviews}
    best = sorted(label[reviews[one].submission_id] for one in (0, 2))
    others = sorted(label[reviews[one].submission_id] for one in (1, 3))
    assert header == ["grader", "item", "rank", "shown"]
    assert [row for row in rows if row[0] == "id00"] == [
        ["id00", item, rank, position[item]] for rank, items in (("1", best), ("2", others)) for item in items
    ]


def test_reviews_that_ended_and_submissions_excluded_are_left_out(room):
    out = room.submissions[2]
    type(out).objects.filter(pk=out.pk).update(excluded_at=timezone.now())
    ended = room.members[0].reviews.exclude(submission=out).first()
    room.assignment.reviews.filter(pk=ended.pk).update(state="released", ended_at=timezone.now())

    inputs = inputs_of(room.assignment)
    rows = rows_of(inputs, "feedback.csv")[1:]

    assert "id02" not in {item for _grader, item, *_rest in rows}
    assert ["id00", labels(room)[ended.submission_id]] not in [row[:2] for row in rows]
    asked, given = inputs.reviews[room.members[0].pk]
    assert asked - given == 1  # what was taken away from a no-show was asked for


def test_roster_and_labels_say_whose_submission_is_whose(room):
    run = start_run(assignment=room.assignment, by=room.by)

    rows = rows_of(inputs_of(room.assignment), "roster.csv")
    kept = json.loads((run.job.folder / "labels.json").read_text())

    assert rows[0] == ["student", "item", "submits", "role", "section", "email"]
    assert [row[:4] for row in rows[1:]] == [[f"id{n:02}", f"id{n:02}", "yes", "student"] for n in range(8)]
    assert kept["submissions"]["id03"] == room.submissions[3].pk
    assert kept["people"]["id00"] == room.members[0].pk
    assert "id07" not in kept["people"]  # submitted no ranking


def test_staff_grades_count_from_three_submissions_on_and_several_by_their_mean(room, cast):
    room.grade({0: 90, 1: 80})
    room.submissions[1].staff_grades.create(points=70, by=cast.people["assistant"])
    assert ANCHORS not in inputs_of(room.assignment).files

    tried = inputs_of(room.assignment, [ExtraGrade(room.submissions[3].pk, room.by.pk, 60)])

    assert rows_of(tried, ANCHORS) == [["item", "score"], ["id00", "90"], ["id01", "75"], ["id03", "60"]]


def test_labels_never_meet_even_where_a_team_is_called_like_a_student():
    taken: set[str] = set()

    assert [unlike(one, taken) for one in ("Ada", " ada ", "ADA")] == ["Ada", "ada (2)", "ADA (3)"]


# -- runs ---------------------------------------------------------------------------------------------------


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_grades_are_those_of_the_command_line_byte_for_byte(cast, tmp_path):
    room = GradingRoom(cast)
    room.grade({0: 92, 3: 70, 6: 41})
    run = start_run(assignment=room.assignment, by=room.by)

    assert run_next(worker="test")
    assert draw_waiting() == 1

    run.refresh_from_db()
    for name, content in inputs_of(room.assignment).files.items():
        (tmp_path / name).write_bytes(content)
    asked = ["grade", str(tmp_path / "feedback.csv"), "--roster", str(tmp_path / "roster.csv")]
    asked += ["--anchors", str(tmp_path / ANCHORS), "--anchors-as-evidence", "--scale", "0:100"]
    said = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "out")])
    assert said.exit_code == 0, said.output
    assert (tmp_path / "out" / "grades.csv").read_bytes() == (run.job.results / "grades.csv").read_bytes()
    table = csv.DictReader((tmp_path / "out" / "grades.csv").read_text().splitlines())
    label = labels(room)
    drawn = [(label[one.submission_id], one.rank, one.points, one.staff) for one in run.grades.all()]
    assert drawn == [
        (row["item"], int(row["rank"]), float(row["points"]), float(row["staff"]) if row["staff"] else None)
        for row in table
    ]
    assert run.grades.get(submission=room.submissions[3]).points == 70
    given = next(one for one in final_grades(run) if one.submission == room.submissions[3])
    assert (given.points, given.low, given.high, given.is_staff_grade) == (70, None, None, True)


def test_the_same_class_is_not_graded_twice_unless_it_was_cancelled(room):
    cancelled = start_run(assignment=room.assignment, by=room.by)
    cancel_run(run=cancelled, by=room.by)

    first, again = room.run(), start_run(assignment=room.assignment, by=room.by)
    assert (cancelled.job.state, first.number, again.pk) == ("cancelled", 2, first.pk)
    room.grade({0: 50, 1: 51, 2: 52})
    changed = start_run(assignment=room.assignment, by=room.by)

    assert (changed.number, changed.inputs_sha256 == first.inputs_sha256) == (3, False)


def test_a_run_is_a_job_that_no_visitor_finds_nothing_deletes_and_takes_nobody_room(room):
    job, client = room.run().job, Client()
    Job.objects.filter(pk=job.pk).update(disk_bytes=1 << 40)

    assert client.get(job.get_absolute_url()).status_code == 404
    assert client.get(f"/api/v1/jobs/{job.key}").status_code in (401, 404)
    assert client.post(f"{job.get_absolute_url()}delete").status_code == 404
    assert delete_expired_jobs() == 0
    assert Job.objects.filter(pk=job.pk).exists()
    assert (job.results / "grades.csv").is_file()
    refuse_without_disk_space(visitor="somebody", size=1)  # or it would be Full


@pytest.mark.both
def test_death_between_the_job_and_the_rows_loses_and_doubles_nothing(room, monkeypatch):
    run = start_run(assignment=room.assignment, by=room.by)
    finish(run)

    def die(*args: object, **named: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(results, "record", die)  # the last step of the transaction
        with pytest.raises(SystemExit):
            draw_waiting()
    assert not RunGrade.objects.filter(run=run).exists()
    assert GradingRun.objects.get(pk=run.pk).drawn_at is None

    assert (draw_waiting(), draw_waiting()) == (1, 0)
    stale = GradingRun.objects.get(pk=run.pk)
    stale.drawn_at = None  # as somebody sees it who looked before
    assert not draw_run(run=stale)
    assert RunGrade.objects.filter(run=run).count() == 8
    assert room.assignment.events.filter(verb="run-done").count() == 1


def test_a_run_starts_once_reviews_are_in_and_something_was_submitted(cast):
    for phase, words in (
        (Phase.REVIEWING, "in a different phase now"),
        (Phase.CLOSED, "No rankings have been submitted"),
    ):
        move(cast.assignment, phase)
        with pytest.raises(Refused, match=words):
            start_run(assignment=cast.assignment, by=cast.people["instructor"])

    assert not Job.objects.exists()


def test_the_run_that_was_approved_last_is_the_one(room):
    first = room.run()
    with pytest.raises(Refused):
        approve_run(run=start_run(assignment=room.assignment, by=room.by, seed=1), by=room.by)
    second = room.run(seed=1)

    approve_run(run=second, by=room.by)
    assert approved_run(room.assignment) == second
    approve_run(run=first, by=room.by)

    assert approved_run(room.assignment) == first
    assert last_run(room.assignment) == second


def test_an_erased_person_is_in_no_file_and_grades_stay(room):
    gone = room.members[2]
    address, gone_name = gone.person.email, gone.shown_name
    room.submissions[2].staff_grades.create(points=50, by=room.by, reason="id02 hurried")
    run = start_run(assignment=room.assignment, by=room.by)
    with pytest.raises(Refused, match="in progress"):
        erase_member(member=gone, by=room.by)
    finish(run)  # and nobody has drawn it yet

    erase_member(member=gone, by=room.by)

    whole = b"".join(path.read_bytes() for path in run.job.folder.rglob("*") if path.is_file())
    assert [word for word in ("id02", address) if word.encode() in whole] == []
    run.refresh_from_db()
    assert run.grades.count() == 8
    kept = {path.name: path.read_bytes() for path in (run.job.folder / "input").iterdir()}
    assert sha256_of(kept) == run.inputs_sha256
    assert StaffGrade.objects.get().reason == ""
    gone.refresh_from_db()
    client = room.cast.client("instructor")
    page = client.get(f"{room.assignment.get_absolute_url()}grading/runs/{run.key}/").content.decode()
    assert "Its grades are kept. Grade again" in page
    assert f"runs/{run.key}/report" not in page
    assert "Files: <a" in page  # what is left of them
    assert gone_name not in page
    approve_run(run=run, by=room.by)
    exports = client.get(f"{room.assignment.get_absolute_url()}exports").content.decode()
    assert "Grade again to get a report" in exports
    assert "report.html" not in exports
    again = room.run()
    assert compare_runs(run, again).reasons == [ShiftReason("roster")]


# -- what students get -----------------------------------------------------------------------------------


def test_everybody_has_the_grade_of_the_submission_and_a_mark_for_reviewing(room):
    room.plan()
    run = room.run()

    found = final_grades(run)

    assert statistics.fmean(one.points for one in found) == pytest.approx(75, abs=0.1)
    assert statistics.pstdev(one.points for one in found) == pytest.approx(10, abs=0.1)

    assert [one.membership for one in found] == sorted(room.members, key=lambda one: (one.name, one.pk))
    for one in found:
        said = (one.grade.points, one.grade.points_low, one.grade.points_high)
        assert (one.points, one.low, one.high, one.by_hand) == (*said, False)
    grades = {one.membership: one for one in found}
    full, no_show = grades[room.members[0]], grades[room.members[-1]]
    assert (no_show.reviewing, no_show.reviewing_parts["given"]) == (0, 0)
    assert no_show.total == round(0.8 * no_show.points, 2)
    assert full.reviewing == round((full.reviewer.quality + 100) / 2, 2)
    assert full.total == round(0.8 * full.points + 0.2 * full.reviewing, 2)


def test_a_grade_set_by_hand_has_the_letter_of_its_points_and_with_quotas_is_a_letter(room):
    room.plan(letters="A>=85,B>=70,C")
    set_grade(submission=room.submissions[7], by=room.by, points=70, reason="a page was lost")

    one = next(one for one in final_grades(room.run()) if one.membership == room.members[7])
    assert (one.points, one.letter, one.low, one.high, one.by_hand) == (70, "B", None, None, True)

    room.plan(points_rule="quotas", letters="A:25%,B:75%")
    for points, letter in ((90, ""), (None, "C"), (None, "")):
        with pytest.raises(Refused, match="Choose one of: A, B"):
            set_grade(submission=room.submissions[7], by=room.by, points=points, letter=letter, reason="x")
    set_grade(submission=room.submissions[7], by=room.by, letter="A", reason="agreed")
    grades = {one.membership: one for one in final_grades(room.run())}
    one = grades[room.members[7]]
    assert (one.grade.letter, one.letter, one.points, one.total) == ("B", "A", None, None)
    others = [one.letter for member, one in grades.items() if member != room.members[7]]
    assert (sorted(others), {one.points for one in grades.values()}) == (["A", "A", *"BBBBB"], {None})


def test_rankings_alone_give_a_standing_and_no_points(room):
    """The rule is staff grades, and two are too few: nobody's rank becomes a number of points."""
    room.grade({0: 50, 3: 50})
    run = room.run()

    assert (run.points_rule, run.has_points) == ("standing", False)
    assert {(one.points, one.letter, one.total) for one in final_grades(run)} == {(None, "", None)}
    ranks = sorted(run.grades.values_list("rank", flat=True))
    assert ranks == list(range(1, 9))
    for one in run.grades.all():
        assert one.rank_low <= one.rank <= one.rank_high
        assert one.percentile == pytest.approx(100 * (9 - one.rank) / 8)
        assert one.percentile_low <= one.percentile <= one.percentile_high

    room.grade({6: 80})
    assert room.run().points_rule == "staff"
    assert ANCHORS in inputs_of(room.assignment).files
    room.plan()  # a curve makes the points, and staff grades do not
    assert ANCHORS not in inputs_of(room.assignment).files


def test_complete_counts_in_full_and_no_submission_counts_nothing(room):
    room.plan(points_rule="complete", scale_high=20)
    gone = room.submissions[2]
    gone.reviews.update(state="released", ended_at=timezone.now())
    gone.versions.update(submitted_at=None)
    run = room.run()

    grades = {one.membership: one for one in final_grades(run)}

    done, absent = grades[room.members[0]], grades[room.members[2]]
    reviewing = 0.2 * 20 * done.reviewing / 100
    assert (done.letter, done.points, done.total) == ("complete", None, round(0.8 * 20 + reviewing, 2))
    assert (absent.letter, absent.submission) == ("incomplete", None)
    assert absent.total == round(0.2 * 20 * absent.reviewing / 100, 2)
    set_grade(submission=room.submissions[0], by=room.by, letter="incomplete", reason="an empty page")
    assert {one.membership: one.letter for one in final_grades(run)}[room.members[0]] == "incomplete"
