"""Pages about grading, as staff use them."""

import re
from pathlib import Path

import pytest
from tests.web.classes.cast import move, submit
from tests.web.classes.grading_room import GradingRoom, finish
from tests.web.page_facts import fields

import peerage_web
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.comparison import compare_runs
from peerage_web.classes.grading.final_grades import final_grades
from peerage_web.classes.grading.models import GradingPlan, GradingRun, Override, StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import approved_run
from peerage_web.classes.grading.services import start_run
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.files.models import Job
from peerage_web.templatetags import peerage_classes


@pytest.fixture
def room(cast) -> GradingRoom:
    return GradingRoom(cast)


@pytest.fixture
def at(cast) -> str:
    return f"{cast.assignment.get_absolute_url()}grading/"


@pytest.fixture
def staff(cast):
    return cast.client("instructor")


@pytest.fixture
def plan(staff, at) -> dict[str, object]:
    """The form as it is, with letters, and completeness that counts for less."""
    changes = {"letters": "A>=85,B>=70,C", "completeness_weight": "40"}
    return {**fields(staff.get(f"{at}plan")), "shown": ["points", "letter", "interval"], **changes}


def path_of(at: str, run: GradingRun, rest: str = "") -> str:
    return f"{at}runs/{run.key}/{rest}"


def test_points_have_the_decimals_of_their_scale_on_every_page():
    templates = Path(peerage_web.__file__).parent.rglob("templates/**/*.html")
    shown = re.compile(r"\b(?:points|points_low|points_high|grade.total|reviewing)\|floatformat")
    assert [path.name for path in templates if shown.search(path.read_text())] == []

    wide, narrow = GradingPlan(), GradingPlan(scale_low=1, scale_high=5)
    assert peerage_classes.points(89.76, wide.decimals) == "89.8"
    assert peerage_classes.points(4.136, narrow.decimals) == "4.14"
    assert GradingRun(options={"scale": "1:5"}).decimals == 2


def test_a_class_is_graded_followed_and_read(room, staff, at, plan):
    assert "Grade the class now" in staff.get(at).content.decode()

    started = staff.post(f"{at}start")
    run = GradingRun.objects.get()
    assert started["Location"] == path_of(at, run)
    waiting = staff.get(path_of(at, run)).content.decode()
    assert "Waiting: this site is getting ready." in waiting  # no task worker lives in this test
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
    staff.post(f"{at}plan", plan)
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
    wanted = [one.submission_id for one in run.grades.filter(attention__isnull=False).order_by("attention")]
    listed = [row.submission.pk for row in staff.get(f"{at}staff-reviews").context["listed"]]
    assert wanted
    assert listed[: len(wanted)] == wanted

    assert cast.client("assistant").post(path_of(at, run, "approve")).status_code == 403
    assert approved_run(room.assignment) is None
    staff.post(path_of(at, run, "approve"))
    assert approved_run(room.assignment) == run
    assert "This run is approved." in staff.get(path_of(at, run)).content.decode()


def test_submissions_that_nobody_ranked_are_named(room, staff, at):
    lone = room.submissions[0]
    gone = set(lone.reviews.values_list("pk", flat=True))
    for submitted in SubmittedRanking.objects.all():
        submitted.tiers = [place for place in submitted.tiers if not gone & set(place)]
        submitted.save()
    run = room.run()

    shown = staff.get(path_of(at, run)).content.decode()

    assert "1 submission has no grade because nobody ranked it" in shown
    final = next(one for one in final_grades(run) if one.submission == lone)
    assert (final.points, final.total) == (None, None)


def test_the_plan_is_kept_and_recorded(cast, staff, at, plan):
    """In any phase: it may be made before anything is graded."""
    assert staff.post(f"{at}plan", plan).status_code == 302

    kept = GradingPlan.objects.get()
    assert (kept.letters, kept.completeness_weight) == ("A>=85,B>=70,C", 40)
    changed = cast.assignment.events.filter(verb="plan-changed").values_list("data__field", flat=True)
    assert set(changed) == {"letters", "completeness_weight"}


def test_a_plan_that_makes_no_sense_is_refused_in_the_library_s_words(cast, staff, at, plan):
    submission = submit(cast.assignment, cast.students[0])
    submission.staff_grades.create(points=60, by=cast.people["instructor"])
    for changes, said in (
        ({"letters": "A>=120,B"}, "lies outside the scale 0:100"),
        ({"letters": "A:20%,B:80%"}, "Shares of the class are quotas"),
        ({"points_rule": "quotas"}, "Quotas need the share of the class"),
        ({"points_rule": "complete"}, "This rule gives no letter grades"),
        ({"points_rule": "standing"}, "This rule gives no letter grades"),
        ({"points_rule": "curve", "curve_mean": "", "curve_sd": ""}, "needs its mean and its"),
        ({"points_rule": "curve", "curve_mean": "110", "curve_sd": "10"}, "110, is outside the scale from 0"),
        ({"points_rule": "curve", "curve_mean": "75", "curve_sd": "0"}, "must be greater than 0"),
        ({"scale_high": "0"}, "must be greater than the minimum"),
        ({"helpfulness_weight": "70"}, "together exceed 100"),
        ({"helpfulness_weight": "10", "rates_helpfulness": ""}, "count only if authors rate it"),
        ({"scale_high": "10", "letters": ""}, "Withdraw them"),  # staff graded on it
    ):
        answer = staff.post(f"{at}plan", {**plan, **changes})

        assert (answer.status_code, said in answer.content.decode()) == (422, True), said
        assert not GradingPlan.objects.exists()


def test_points_of_the_page_are_saved_together_or_none_changed_and_taken_back(cast, staff, at):
    move(cast.assignment, Phase.REVIEWING)
    first, second, third, same = (submit(cast.assignment, student).pk for student in cast.students[:4])
    where, counted = f"{at}staff-reviews", StaffGrade.objects.filter(withdrawn_at=None)

    beyond = staff.post(where, {f"points-{first}": "101"})
    wrong = staff.post(where, {f"points-{first}": "60", f"points-{second}": "much", f"reason-{third}": "why"})

    assert (beyond.status_code, wrong.status_code, StaffGrade.objects.count()) == (422, 422, 0)
    assert "101 is outside the scale, which goes from 0 to 100." in beyond.content.decode()
    html = wrong.content.decode()
    assert html.count('value="60"') == html.count('value="much"') == html.count('value="why"') == 1

    sent = {f"points-{first}": "60", f"points-{second}": "71.5", f"points-{third}": "", f"reason-{third}": ""}
    sent[f"points-{same}"] = "50"
    answer = staff.post(where, sent, follow=True)
    assert "3 staff grades are saved." in answer.content.decode()
    sent |= {f"points-{first}": "90", f"points-{second}": "75", f"points-{third}": "80"}
    staff.post(where, {**sent, "withdraw": first})

    assert dict(counted.values_list("submission", "points")) == {second: 75, third: 80, same: 50}
    assert StaffGrade.objects.count() == 5, "what was withdrawn or not changed is not saved again"


def test_staff_put_submissions_in_order_with_ties(room, staff, at):
    first, second, third = (submission.pk for submission in room.submissions[:3])

    staff.post(f"{at}ranking", {f"place-{first}": "2", f"place-{second}": "1", f"place-{third}": "2"})
    assert StaffRanking.objects.get().tiers == [[second], sorted([first, third])]
    run = room.run()

    feedback = (run.job.folder / "input" / "feedback.csv").read_text()
    assert "instructor@example.org (staff),id01,1,\n" in feedback
    assert "instructor@example.org (staff),id02,2,\n" in feedback
    alone = {f"place-{first}": "", f"place-{second}": "", f"place-{third}": "1"}
    assert staff.post(f"{at}ranking", alone).status_code == 422
    staff.post(f"{at}ranking", {"withdraw": "yes"})
    assert not StaffRanking.objects.filter(withdrawn_at=None).exists()


def test_one_grade_is_set_by_hand_with_a_reason_and_taken_back(room, staff, at):
    room.plan()
    run = room.run()
    page = f"{at}submissions/{room.submissions[5].pk}/"

    assert staff.post(page, {"points": "88"}).status_code == 422  # no reason
    assert staff.post(page, {"points": "88", "reason": "the scan lost a page"}).status_code == 302
    listed = staff.get(path_of(at, run)).content.decode()
    assert "by hand" in listed
    assert "the scan lost a page" in staff.get(page).content.decode()
    staff.post(page, {"withdraw": str(Override.objects.get().pk)})

    assert Override.objects.get().withdrawn_at is not None
    assert not any(one.by_hand for one in final_grades(run))
    entries = room.assignment.events.filter(verb__startswith="grade-").order_by("pk")
    assert list(entries.values_list("verb", flat=True)) == ["grade-set", "grade-unset"]


def test_two_runs_say_who_moved_and_why(room, staff, at):
    room.grade({0: 95, 3: 50, 6: 60})
    first = room.run()
    StaffGrade.objects.filter(points=50).update(points=40)
    second = room.run()

    compared = compare_runs(first, second)
    by_submission = {move.submission: move for move in compared.moves}

    assert [reason.code for reason in compared.reasons] == ["all-staff"]
    graded = by_submission[room.submissions[3].pk]
    assert [(one.code, one.figures["after"]) for one in graded.reasons] == [("staff-changed", 40)]
    before, after = (run.grades.get(submission=room.submissions[3]).points for run in (first, second))
    assert graded.points == pytest.approx(after - before)
    assert by_submission[room.submissions[1].pk].reasons == []
    far = [abs(move.points) for move in compared.moves]
    assert far == sorted(far, reverse=True)
    shown = staff.get(path_of(at, second, "compare?with=1")).content.decode()
    assert "its staff grade changed from 50 to 40" in shown
    assert "The staff grade of 1 submission was added, changed or withdrawn." in shown

    room.plan()
    by_curve = compare_runs(second, room.run())
    assert (by_curve.same_scale, by_curve.reasons[0].code) == (False, "rule")
    shown = staff.get(path_of(at, GradingRun.objects.get(number=3), "compare?with=2")).content.decode()
    assert "How points are made changed from staff grades to a curve." in shown
    assert "The curve changed" not in shown
    assert "Largest changes in rank first." in shown
    pages = [staff.get(path_of(at, run)).content.decode() for run in (second, by_curve.after)]
    assert ["a staff grade can disagree with a rank" in page for page in pages] == [True, False]
