"""Pages about grading, as staff use them."""

from __future__ import annotations

import pytest
from tests.web.classes.cast import hand_in, move
from tests.web.classes.grading_room import GradingRoom, finish

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.comparison import compare_runs
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.models import GradingPlan, GradingRun, Override, StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.grading.services import start_run
from peerage_web.classes.record.models import Event
from peerage_web.classes.reviewing.models import HandedInRanking
from peerage_web.files.models import Job

PLAN = {
    "method": "",
    "scale_low": "0",
    "scale_high": "100",
    "letters": "A>=85,B>=70,C",
    "review_weight": "20",
    "completeness_weight": "40",
    "helpfulness_weight": "0",
    "rates_helpfulness": "on",
    "appeal_days": "7",
    "appeals_each": "1",
    "has_survey": "on",
}


@pytest.fixture
def room(cast) -> GradingRoom:
    return GradingRoom(cast)


@pytest.fixture
def at(cast) -> str:
    return f"{cast.assignment.get_absolute_url()}grading/"


@pytest.fixture
def staff(cast):
    return cast.client("instructor")


def path_of(at: str, run: GradingRun, rest: str = "") -> str:
    return f"{at}runs/{run.key}/{rest}"


# -- runs ---------------------------------------------------------------------------------------------


def test_a_class_is_graded_followed_and_read(room, staff, at):
    assert "Grade the class now" in staff.get(at).content.decode()

    started = staff.post(f"{at}start")
    run = GradingRun.objects.get()
    assert started["Location"] == path_of(at, run)
    waiting = staff.get(path_of(at, run)).content.decode()
    assert "Next in line" in waiting
    part = staff.get(path_of(at, run, "progress"), headers={"HX-Request": "true"})
    assert part.status_code == 200
    mark = part.context["mark"]
    assert staff.get(path_of(at, run, f"progress?seen={mark}")).status_code == 204

    finish(run)
    done = staff.get(path_of(at, run, "progress"), headers={"HX-Request": "true"})
    assert done.headers["HX-Refresh"] == "true"
    shown = staff.get(path_of(at, run)).content.decode()

    assert "At a glance" in shown
    assert "id03" in shown
    assert run.inputs_sha256 in shown
    assert room.assignment.grading_runs.get().drawn_at is not None
    assert "Nothing has changed since run 1" in staff.get(at).content.decode()
    staff.post(f"{at}plan", PLAN)
    assert "Settings have changed since run 1" in staff.get(at).content.decode()


def test_files_of_a_run_are_those_the_library_wrote(room, staff, at):
    run = room.run()

    for name, path in (("grades.csv", run.job.results), ("feedback.csv", run.job.folder / "input")):
        answer = staff.get(path_of(at, run, f"file?name={name}"))
        assert b"".join(answer.streaming_content) == (path / name).read_bytes()
    report = staff.get(path_of(at, run, "report"))
    assert b"<html" in b"".join(report.streaming_content)
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    for name in ("../labels.json", "labels.json", "parts.json", ""):
        assert staff.get(path_of(at, run, f"file?name={name}")).status_code == 302


def test_runs_that_were_cancelled_or_failed_say_so_in_the_library_s_words(room, staff, at):
    stopped = start_run(assignment=room.assignment, by=room.by)
    staff.post(path_of(at, stopped, "cancel"))
    failed = start_run(assignment=room.assignment, by=room.by)
    said = {"title": "Not graded", "detail": "the staff grade 120 lies beyond the scale", "problems": []}
    Job.objects.filter(pk=failed.job.pk).update(state="failed", problem=said)

    assert "This run was cancelled" in staff.get(path_of(at, stopped)).content.decode()
    assert said["detail"] in staff.get(path_of(at, failed)).content.decode()


def test_a_run_is_explained_and_approved_by_instructors(room, staff, at, cast):
    run = room.run()

    marks = staff.get(path_of(at, run)).content.decode()
    assert "Completeness: 100 out of 100 (4 of 4 reviews submitted). Weight: 50%." in marks
    assert "Completeness: 0 out of 100 (0 of 4 reviews submitted). Weight: 100%." in marks
    assert staff.get(path_of(at, run, "compare"))["Location"] == path_of(at, run)  # with nothing
    wanted = [one.work_id for one in run.grades.filter(attention__isnull=False).order_by("attention")]
    listed = [row.work.pk for row in staff.get(f"{at}look").context["listed"]]
    assert wanted
    assert listed[: len(wanted)] == wanted

    assert cast.client("assistant").post(path_of(at, run, "approve")).status_code == 403
    assert approved_run(room.assignment) is None
    staff.post(path_of(at, run, "approve"))
    assert approved_run(room.assignment) == run
    assert "This run is approved." in staff.get(path_of(at, run)).content.decode()


def test_works_that_nobody_ranked_are_named(room, staff, at):
    lone = room.works[0]
    for handed in HandedInRanking.objects.filter(ranking__assignment=room.assignment):
        gone = set(Review.objects.filter(work=lone).values_list("pk", flat=True))
        handed.bins = [place for place in handed.bins if not gone & set(place)]
        handed.save()
    run = room.run()

    shown = staff.get(path_of(at, run)).content.decode()

    assert "1 submission has no grade because nobody ranked it" in shown
    final = next(one for one in final_grades(run) if one.work == lone)
    assert (final.points, final.total) == (None, None)


# -- the plan -------------------------------------------------------------------------------------------


def test_the_plan_is_kept_and_recorded(cast, staff, at):
    """In any phase: it may be made before anything is graded."""
    assert staff.get(f"{at}plan").status_code == 200
    assert staff.post(f"{at}plan", PLAN).status_code == 302

    plan = GradingPlan.objects.get()
    assert (plan.letters, plan.completeness_weight) == ("A>=85,B>=70,C", 40)
    changed = Event.objects.filter(verb="plan-changed").values_list("data__field", flat=True)
    assert set(changed) == {"letters", "completeness_weight"}


def test_a_plan_that_makes_no_sense_is_refused_in_the_library_s_words(cast, staff, at):
    StaffGrade.objects.create(
        work=hand_in(cast.assignment, cast.students[0]), points=60, by=cast.people["instructor"]
    )
    for changes, said in (
        ({"letters": "A>=120,B"}, "lies outside the scale 0:100"),
        ({"letters": "A:20%,B:30%"}, "must add up to 100"),
        ({"scale_high": "0"}, "must be greater than the minimum"),
        ({"helpfulness_weight": "70"}, "together exceed 100"),
        ({"method": "nonsense"}, "Select a valid choice"),
        ({"helpfulness_weight": "10", "rates_helpfulness": ""}, "count only if authors rate it"),
        ({"scale_high": "10", "letters": ""}, "Withdraw them"),  # staff graded on it
    ):
        answer = staff.post(f"{at}plan", {**PLAN, **changes})

        assert (answer.status_code, said in answer.content.decode()) == (422, True), said
        assert not GradingPlan.objects.exists()


# -- staff look at works ----------------------------------------------------------------------------------


def test_staff_grade_a_work_change_it_and_take_it_back(cast, staff, at):
    move(cast.assignment, Phase.REVIEWING)
    judge = f"{at}look/{hand_in(cast.assignment, cast.students[0]).pk}/"

    beyond = staff.post(f"{judge}grade", {"points": "101", "reason": "typed"})
    assert beyond.status_code == 422
    assert "101 is outside the scale, which goes from 0 to 100." in beyond.content.decode()
    assert 'value="typed"' in beyond.content.decode()
    assert not StaffGrade.objects.exists()

    staff.post(f"{judge}grade", {"points": "71.5", "reason": "clear"})
    staff.post(f"{judge}grade", {"points": "75"})
    assert list(StaffGrade.objects.filter(withdrawn_at=None).values_list("points", flat=True)) == [75]
    staff.post(f"{judge}withdraw")
    assert StaffGrade.objects.filter(withdrawn_at=None).count() == 0
    assert StaffGrade.objects.count() == 2


def test_staff_put_works_in_order_with_ties(room, staff, at):
    first, second, third = (work.pk for work in room.works[:3])

    staff.post(f"{at}ranking", {f"place-{first}": "2", f"place-{second}": "1", f"place-{third}": "2"})
    assert StaffRanking.objects.get().bins == [[second], sorted([first, third])]
    run = room.run()

    feedback = (run.job.folder / "input" / "feedback.csv").read_text()
    assert "instructor@example.org (staff),id01,1\n" in feedback
    assert "instructor@example.org (staff),id02,2\n" in feedback
    alone = {f"place-{first}": "", f"place-{second}": "", f"place-{third}": "1"}
    assert staff.post(f"{at}ranking", alone).status_code == 422
    staff.post(f"{at}ranking", {"withdraw": "yes"})
    assert not StaffRanking.objects.filter(withdrawn_at=None).exists()


# -- by hand ------------------------------------------------------------------------------------------------


def test_one_grade_is_set_by_hand_with_a_reason_and_taken_back(room, staff, at):
    run = room.run()
    page = f"{at}works/{room.works[5].pk}/"

    assert staff.post(page, {"points": "88"}).status_code == 422  # no reason
    assert staff.post(page, {"points": "88", "reason": "the scan lost a page"}).status_code == 302
    listed = staff.get(path_of(at, run)).content.decode()
    assert "by hand" in listed
    assert "the scan lost a page" in staff.get(page).content.decode()
    staff.post(page, {"withdraw": str(Override.objects.get().pk)})

    assert Override.objects.get().withdrawn_at is not None
    assert not any(one.by_hand for one in final_grades(run))
    entries = Event.objects.filter(verb__startswith="grade-").order_by("pk")
    assert list(entries.values_list("verb", flat=True)) == ["grade-set", "grade-unset"]


# -- two runs -----------------------------------------------------------------------------------------------


def test_two_runs_say_who_moved_and_why(room, staff, at):
    first = room.run()
    for number, points in ((0, 95), (3, 40), (6, 60)):
        StaffGrade.objects.create(work=room.works[number], points=points, by=room.by)
    second = room.run()

    compared = compare_runs(first, second)
    by_work = {move.work: move for move in compared.moves}

    assert [reason.code for reason in compared.reasons] == ["all-staff", "staff-begin"]
    judged = by_work[room.works[3].pk]
    assert [(one.code, one.figures["after"]) for one in judged.reasons] == [("staff-added", 40)]
    before, after = (run.grades.get(work=room.works[3]).points for run in (first, second))
    assert judged.points == pytest.approx(after - before)
    assert by_work[room.works[1].pk].reasons == []
    far = [abs(move.points) for move in compared.moves]
    assert far == sorted(far, reverse=True)
    shown = staff.get(path_of(at, second, "compare?with=1")).content.decode()
    assert "staff graded it: 40" in shown
    assert "The staff grades of 3 submissions were added, changed or withdrawn." in shown
