"""Scores: two columns, once, in order, none lost; what teachers changed is not overwritten unasked."""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.classes.cast import allocate, grading_run, submit, submit_ranking
from tests.web.lti.strict_platform import Moodle, Platform
from tests.web.lti.tool import Tool, as_moodle, register, text_of

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import duplicate_assignment
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.models import GradingPlan, GradingRun
from peerage_web.classes.release.feedback import handle_of
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.classes.release.services import rate, reveal
from peerage_web.classes.roster.services import change_role
from peerage_web.lti import keys, maintenance, outbox, score_delivery
from peerage_web.lti.contexts import bind_link
from peerage_web.lti.line_items import ScoreScale, adjust_column, ensure_column
from peerage_web.lti.models import LtiLineItem, LtiPlace, LtiRegistration, LtiScore
from peerage_web.lti.outbox import fill_outbox
from peerage_web.lti.platform_client import stated_reason
from peerage_web.lti.roster import fetch_members
from peerage_web.lti.score_delivery import send_scores
from peerage_web.shared.outgoing import Response

pytestmark = pytest.mark.django_db


class Class:
    """A connected course whose students the platform knows, with releases made by hand."""

    def __init__(self, tool: Tool, platform: Platform, assignment: Assignment, members: list) -> None:
        self.platform, self.assignment, self.members = platform, assignment, members
        self.page = f"/c/{assignment.course.key}/platform"
        self.context = tool.connect(assignment.course, has_two_columns=True)
        for number, member in enumerate(members, start=1):
            platform.members[f"s{number}"] = {"roles": ["Learner"]}
            LtiPlace.objects.create(
                context=self.context, subject=f"s{number}", membership=member, platform_role=Role.STUDENT
            )
        self.column = platform.item(assignment.key, "submission")
        grades = {"lineitem": self.column, "lineitems": self.context.line_items_url}
        bind_link(context=self.context, link_id="link-1", assignment=assignment, grades=grades)

    def release(self, *points: float | None, reviewing: float | None = None) -> Release:
        self.retract()
        run = grading_run(self.assignment, None)
        made = Release.objects.create(assignment=self.assignment, number=run.number, run=run)
        for member, one in zip(self.members, points, strict=False):
            total = None if one is None or reviewing is None else 0.8 * one + 0.2 * reviewing
            ReleasedGrade.objects.create(
                release=made, membership=member, points=one, reviewing=reviewing, total=total
            )
        return made

    def retract(self) -> None:
        self.assignment.releases.filter(ended_at=None).update(ended_at=timezone.now())

    def work_off(self, rounds: int = 12) -> None:
        """Until nothing is due, with the clock of the outbox turned on."""
        for _ in range(rounds):
            fill_outbox()
            hurry()
            send_scores()
            if not LtiScore.objects.filter(state="waiting").exists():
                return

    def send(self, *points: float | None, reviewing: float | None = None) -> None:
        """Release, and work off."""
        self.release(*points, reviewing=reviewing)
        self.work_off()

    def shown(self, tag: str = "submission") -> dict[str, float]:
        (address,) = [one["id"] for one in self.platform.items.values() if one["tag"] == tag]
        return {
            user: one["resultScore"] for (item, user), one in self.platform.results.items() if item == address
        }

    def states(self) -> Counter[str]:
        return Counter(LtiScore.objects.values_list("state", flat=True))


def hurry() -> None:
    """As if the waiting were over."""
    LtiScore.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    LtiRegistration.objects.update(calls_after=None)


@pytest.fixture
def room(cast, tool, platform) -> Class:
    return Class(tool, platform, cast.assignment, cast.students[:3])


@pytest.fixture
def staff(cast) -> Client:
    return cast.client("instructor")


@as_moodle
def test_restored_columns_are_used_and_not_doubled(room, cast, tool, platform):
    """Moodle copies a course with both columns, which carry the id of the old assignment."""
    platform.item(room.assignment.key, "reviewing", scoreMaximum=100)
    platform.restore("ctx-1", "ctx-2")
    copy = duplicate_assignment(
        assignment=room.assignment, by=cast.people["instructor"], title="Copy", course=cast.other
    )
    context = tool.connect(cast.other, "ctx-2", has_two_columns=True)
    grades = {"lineitems": context.line_items_url}
    bind_link(context=context, link_id="copied", assignment=copy, grades=grades)

    for item in LtiLineItem.objects.filter(context=context):
        ensure_column(item)
        adjust_column(item)

    found = [one for address, one in platform.items.items() if address.endswith("of=ctx-2")]
    columns = [(copy.key, "submission"), (copy.key, "reviewing")]
    assert [(one["resourceId"], one["tag"]) for one in found] == columns


def test_one_column_has_the_total_grade_and_two_say_which_weights_to_set(room, platform, staff):
    room.send(70.0, reviewing=80.0)
    two = text_of(staff.get(room.page))

    staff.post(f"{room.page}/columns", {"columns": "one"})
    room.work_off()

    one = text_of(staff.get(room.page))
    assert "Poster: submission 80%, reviewing 20%" in two
    assert ("reviewing 20%" in one, "Total grade" in one) == (False, True)
    assert (room.shown(), room.shown("reviewing")) == ({"s1": 72.0}, {})
    (total,) = [score for score in platform.scores if score.given == 72.0]
    assert total.body["comment"] == "submission 70, reviewing 80%"
    staff.post(f"{room.page}/columns", {"columns": "two"})
    room.work_off()
    assert (room.shown(), room.shown("reviewing")) == ({"s1": 70.0}, {"s1": 80.0})


@pytest.mark.parametrize(("calls", "maximum"), [([], 20), ([None, 403], 100)])  # may be read, and not written
def test_a_scale_that_was_changed_after_linking_changes_the_column_or_staff_are_told(
    room, platform, staff, calls, maximum
):
    platform.items[room.column]["scoreMaximum"] = 100
    platform.scripts["items"] = calls
    GradingPlan.objects.create(assignment=room.assignment, scale_high=20)
    room.release(18.0, reviewing=80.0)

    room.work_off()

    page = text_of(staff.get(room.page))
    assert (platform.items[room.column]["scoreMaximum"], room.shown()) == (maximum, {"s1": 18.0})
    told = "did not change the maximum of the column for “Poster” to 20" in page
    assert told == (maximum == 100)


# -- the plain way ----------------------------------------------------------------------------------


def test_both_scores_arrive_once(room, platform):
    room.release(70.5, 80.0, 90.25, reviewing=80.0)

    room.work_off()
    room.work_off()

    assert room.shown() == {"s1": 70.5, "s2": 80.0, "s3": 90.25}
    assert room.shown("reviewing") == {"s1": 80.0, "s2": 80.0, "s3": 80.0}
    assert len(platform.scores) == 6
    assert room.states() == {"sent": 6}
    assert [one.get("label") for one in platform.items.values()] == [None, "Poster (reviewing)"]


def test_a_grade_is_sent_once_its_student_has_rated_and_seen_it(room, cast, staff):
    """Or the platform would show it before, and a low grade could be paid back."""
    author, reviewer = room.members[0], cast.students[-1]
    submission = submit(room.assignment, author)
    (review,) = allocate(room.assignment, reviewer, [submission])
    said = [{"review": review.pk, "prompt": None, "text": "Clear."}]
    submit_ranking(room.assignment, reviewer, comments=said)
    room.release(40.0, 80.0)
    ReleasedGrade.objects.filter(membership=author).update(submission=submission)

    room.work_off()
    assert room.shown() == {"s2": 80.0}
    page = staff.get(room.page)
    (column, _other) = page.context["columns"]
    assert (column["unseen"], column["sent"]) == (1, 1)
    assert "once its student has seen it here" in text_of(page)

    rate(assignment=room.assignment, member=author, ratings={handle_of(review): 2})
    assert reveal(assignment=room.assignment, member=author)
    room.work_off()
    assert room.shown() == {"s1": 40.0, "s2": 80.0}

    room.release(50.0, 80.0)  # who has seen one rates nothing any more
    ReleasedGrade.objects.filter(membership=author).update(submission=submission)
    room.work_off()
    assert room.shown() == {"s1": 50.0, "s2": 80.0}


def test_a_grade_that_nobody_looks_at_is_sent_after_a_week(room, platform, monkeypatch):
    held = {room.members[0].pk}
    monkeypatch.setattr(outbox, "held_back", lambda release: held)
    made = room.release(40.0, 80.0)
    room.work_off()
    assert room.shown() == {"s2": 80.0}

    held.clear()
    Release.objects.filter(pk=made.pk).update(made_at=timezone.now() - outbox.HOLD)
    LtiLineItem.objects.update(filled_at=timezone.now() - timedelta(hours=1))
    room.work_off()

    assert room.shown() == {"s1": 40.0, "s2": 80.0}


def test_a_score_carries_its_scale_its_letter_and_when_the_submission_was_submitted(room, platform):
    submission = submit(room.assignment, room.members[0])
    GradingPlan.objects.create(assignment=room.assignment, scale_low=0, scale_high=20)
    room.release(13.0)
    ReleasedGrade.objects.update(submission=submission, letter="B")

    room.work_off()

    (sent,) = platform.scores
    submitted = submission.versions.get().submitted_at
    assert sent.body["submission"]["submittedAt"] == submitted.isoformat(timespec="milliseconds")
    assert (sent.given, sent.maximum, sent.body["comment"]) == (13.0, 20, "B")


def test_platforms_get_no_more_than_students_see_and_never_a_place_as_points(room, platform):
    made = room.release(70.0, 80.0, reviewing=80.0)
    ReleasedGrade.objects.update(letter="B")
    for shown, given, comment in (
        (["points", "letter"], 70.0, "B"),
        (["points"], 70.0, None),
        (["letter", "standing"], None, None),
        ([], None, None),
    ):
        Release.objects.update(shown=shown)
        item = LtiLineItem.objects.get(kind="submission")
        wanted = outbox._wanted(item, Release.objects.get(pk=made.pk)).values()
        sent = {(one["given"], one["comment"] or None) for one in wanted if one["given"] in (70.0, None)}
        assert sent == ({(given, comment)} if given is not None else set()), shown

    ReleasedGrade.objects.update(points=None, total=None)  # a standing, or quotas
    Release.objects.update(shown=["points", "letter", "standing"])
    assert outbox._wanted(item, Release.objects.get(pk=made.pk)) == {}


def test_complete_is_all_of_the_points_on_platforms_and_incomplete_none(room, platform):
    GradingPlan.objects.create(assignment=room.assignment, scale_high=20, points_rule="complete")
    made = room.release(None, None)
    GradingRun.objects.update(options={"complete": True}, plan={"scale": "0:20"})
    grades = list(ReleasedGrade.objects.filter(release=made).order_by("pk"))
    for grade, letter in zip(grades, ("complete", "incomplete"), strict=True):
        ReleasedGrade.objects.filter(pk=grade.pk).update(letter=letter)

    room.work_off()

    sent = {(one.given, one.maximum, one.body["comment"]) for one in platform.scores}
    assert sent == {(20.0, 20, "complete"), (0.0, 20, "incomplete")}


def test_teachers_and_those_who_left_get_no_score(room, platform):
    assistant, dropped, _student = room.members
    change_role(member=assistant, by=None, role=Role.ASSISTANT)
    change_role(member=dropped, by=None, role=Role.DROPPED)
    room.release(70.0, 80.0, 90.0, reviewing=80.0)

    room.work_off()

    assert room.shown() == {"s3": 90.0}
    assert [one for one in platform.log if one[2] == 400] == []


def test_who_comes_after_the_release_gets_the_score_then(room, platform, tool):
    late = LtiPlace.objects.get(subject="s3")
    late.delete()
    room.send(70.0, 80.0, 90.0, reviewing=80.0)
    before = room.shown()

    late.save()
    LtiLineItem.objects.update(is_current=False)  # as taking a place does
    room.work_off()

    assert (before, room.shown()["s3"]) == ({"s1": 70.0, "s2": 80.0}, 90.0)
    assert len(platform.scores) == 6


# -- release, retract, release again ----------------------------------------------------------------


def test_a_new_release_sends_only_what_is_new_and_retracting_takes_grades_back(room, platform):
    """Moodle answers 409, edX 400, to two scores within a second; our timestamps say which is newer."""
    room.send(70.0, 80.0, 90.0, reviewing=80.0)
    before = len(platform.scores)

    room.send(71.0, 80.0, 90.0, reviewing=80.0)
    assert (len(platform.scores) - before, room.shown()["s1"]) == (1, 71.0)

    room.retract()
    room.work_off()
    assert room.shown() == {}

    room.send(75.0, 80.0, 90.0, reviewing=80.0)
    assert room.shown() == {"s1": 75.0, "s2": 80.0, "s3": 90.0}
    assert [one for one in platform.log if one[2] == 409] == []


def test_what_is_replaced_or_retracted_before_it_was_sent_is_not_sent(room, platform):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    fill_outbox()
    room.retract()
    room.work_off()
    assert (platform.scores, room.states()) == ([], {"replaced": 6})

    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    fill_outbox()
    room.release(60.0, 80.0, 90.0, reviewing=80.0)
    room.work_off()

    assert room.shown()["s1"] == 60.0
    assert [one.given for one in platform.scores if one.user == "s1" and one.item == room.column] == [60.0]


# -- what goes wrong on the way ---------------------------------------------------------------------


def test_a_course_whose_scores_cannot_be_written_is_held_back_and_stops_no_other(room, monkeypatch):
    tried = []

    def fail(*asked: object) -> None:
        tried.append(asked)
        raise ValueError("a plan that cannot be read")

    monkeypatch.setattr(outbox, "_wanted", fail)
    room.release(70.0, 80.0, 90.0, reviewing=80.0)

    columns = LtiLineItem.objects.count()
    assert (fill_outbox(), fill_outbox(), len(tried)) == (0, 0, columns)
    noted = Event.objects.filter(verb="background-failed")
    assert set(noted.values_list("data__reason", flat=True)) == {"platform-grades"}


@pytest.mark.parametrize("how", [409, 429, 503, "hang up", "take it and hang up"])
def test_scores_arrive_once_whatever_happens_on_the_way(room, platform, how):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    platform.scripts["scores"] = [None, how, None, how]

    room.work_off()

    assert room.states() == {"sent": 6}
    assert room.shown() == {"s1": 70.0, "s2": 80.0, "s3": 90.0}
    assert len(platform.scores) == 6, "each was accepted once"


@pytest.mark.parametrize("looked_up", ["at once", "later", "never"])
def test_an_answer_that_was_lost_is_looked_up_not_sent_as_another(room, platform, looked_up):
    room.release(70.0)
    platform.scripts["scores"] = ["take it and hang up"]
    if looked_up == "later":
        platform.scripts["results"] = [None, 503]
    if looked_up == "never":  # a platform without results: that it refuses the timestamp has to do
        platform.scopes.remove("https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly")
        room.context.scopes = [one for one in room.context.scopes if "result" not in one]
        room.context.save()

    room.work_off()

    codes = [one[2] for one in platform.log if "/scores" in one[1]]
    assert (len(platform.scores), codes[:2], room.states()) == (1, [200, 409], {"sent": 1})


@pytest.mark.both
@pytest.mark.parametrize("where", ["_mark_open", "_post", "_arrived"])
def test_a_killed_worker_loses_no_score_and_sends_none_twice(room, platform, where, monkeypatch):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    fill_outbox()
    real = getattr(score_delivery, where)

    def killed(*given):
        real(*given) if where != "_arrived" else None
        raise SystemExit

    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr(score_delivery, where, killed)
            with pytest.raises(SystemExit):
                send_scores()
        hurry()

    room.work_off()

    assert room.states() == {"sent": 6}
    assert room.shown() == {"s1": 70.0, "s2": 80.0, "s3": 90.0}
    assert len(platform.scores) == 6


@pytest.mark.both
def test_who_dies_while_filling_leaves_the_outbox_as_it_was(room, platform, monkeypatch):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    real, seen = outbox._write, []

    def killed(*given):
        seen.append(real(*given))
        if len(seen) == 2:
            raise SystemExit
        return seen[-1]

    with monkeypatch.context() as patch:
        patch.setattr(outbox, "_write", killed)
        with pytest.raises(SystemExit):
            fill_outbox()

    assert LtiScore.objects.count() == 0
    room.work_off()
    assert len(platform.scores) == 6


def test_a_column_is_made_once_though_the_answer_was_lost(room, platform):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    platform.scripts["items"] = [None, "take it and hang up"]

    room.work_off()

    assert [one["tag"] for one in platform.items.values()] == ["submission", "reviewing"]
    assert room.states() == {"sent": 6}


def test_a_platform_that_is_away_holds_up_its_own_scores_only(room, platform, cast):
    other = Platform(tool_keys=platform.tool_keys, issuer="https://other.example").start()
    try:
        second = Class(Tool(other, register(other)), other, cast.elsewhere, cast.other_students[:1])
        room.release(70.0, 80.0, 90.0, reviewing=80.0)
        second.release(50.0)
        platform.scripts["scores"] = [503] * 20
        fill_outbox()

        send_scores()

        assert second.shown() == {"s1": 50.0}
        assert [one[2] for one in platform.log if "/scores" in one[1]] == [503], "asked once, then left alone"
        assert LtiScore.objects.filter(state="waiting").count() == 6
    finally:
        other.stop()


@pytest.mark.parametrize("manner", [Platform, Moodle], indirect=True)
def test_what_the_platform_refuses_is_told_in_its_own_words_and_can_be_tried_again(
    room, platform, cast, staff
):
    room.release(70.0)
    platform.members["s1"]["roles"] = ["Mentor"]

    room.work_off()
    listed = text_of(cast.client("operator").get("/operator/platforms/"))
    shown = text_of(staff.get(room.page))
    platform.members["s1"]["roles"] = ["Learner"]
    staff.post(f"{room.page}/grades", {"do": "again", "score": LtiScore.objects.get().pk})
    room.work_off()

    assert "127.0.0.1 responded with 400: this user cannot have a grade (né)" in listed
    assert "127.0.0.1 responded with 400: this user cannot have a grade (né)" in shown
    assert (room.shown(), room.states()) == ({"s1": 70.0}, {"sent": 1})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[]", "no reason given"),
        (b'{"errors": [{"message": "late"}]}', "late"),
        (b"<html><head><title>Down &amp; out</title></head><body><p>x</p></body></html>", "Down & out"),
        (b"<h1>Not <b>here</b></h1><script>1</script>", "Not here"),
        (b"plain words", "plain words"),
    ],
)
def test_a_refusal_without_words_in_its_status_line_is_told_by_what_a_reader_would_see(body, words):
    assert stated_reason(Response(400, {}, body, "Bad Request")) == words


def test_students_are_counted_once_in_each_column_however_often_they_were_sent(room, cast):
    room.send(70.0, 80.0)
    room.send(71.0, 80.0)
    room.send(71.0)  # the second one's is taken back

    (column, _other) = outbox.columns_of(cast.course)
    (platform,) = outbox.registrations_with_counts()
    assert (column["sent"], platform["scores"]) == (1, {"sent": 1})


# -- columns that are gone --------------------------------------------------------------------------


def test_an_activity_that_was_deleted_and_added_again_gets_all_grades_in_its_new_column(room, platform):
    room.send(70.0, 80.0)
    platform.item(room.assignment.key, "submission")
    del platform.items[room.column]
    platform.results.clear()

    room.send(71.0, 80.0)
    room.work_off()

    assert room.shown() == {"s1": 71.0, "s2": 80.0}


@as_moodle
def test_a_column_that_is_gone_is_offered_to_be_looked_for_or_made_again(room, platform, cast, staff):
    room.send(70.0, 80.0)
    platform.items.clear()
    platform.results.clear()
    room.send(71.0, 81.0)
    asked = len(platform.log)
    room.work_off()
    before, states = text_of(staff.get(room.page)), room.states()
    quiet = len(platform.log) == asked  # what is gone is not asked for again and again

    chosen = {"do": "columns", "column": LtiLineItem.objects.get(kind="submission").pk}
    assistant = cast.client("assistant").post(f"{room.page}/grades", chosen)
    staff.post(f"{room.page}/grades", chosen)
    room.work_off()

    assert ("no such column" in before, quiet, states) == (True, True, {"refused": 2, "sent": 2})
    assert (assistant.status_code, room.shown()) == (403, {"s1": 71.0, "s2": 81.0})
    log = staff.get(f"/c/{cast.course.key}/activity-log")
    assert "a missing gradebook column of “Poster”" in text_of(log)


def test_the_column_of_a_link_that_was_added_by_hand_is_found(room, platform):
    room.release(70.0)
    added = platform.item("", "", resourceLinkId="link-2")
    del platform.items[room.column]
    bind_link(context=room.context, link_id="link-2", assignment=room.assignment, grades=None)

    room.work_off()

    assert [score.item for score in platform.scores] == [added]


def test_a_redirect_is_a_refusal(room, platform):
    room.release(70.0)
    platform.scripts["scores"] = ["redirect"]

    room.work_off()

    assert (platform.scores, room.states()) == ([], {"refused": 1})
    assert "does not follow" in LtiScore.objects.get().problem


def test_while_a_platform_is_paused_scores_wait_and_no_roster_is_fetched(room, platform, staff):
    room.release(70.0, 80.0, 90.0, reviewing=80.0)
    LtiRegistration.objects.update(paused_at=timezone.now())
    room.work_off(2)
    waiting = room.states()
    for page in (staff.get(room.page), staff.post(f"{room.page}/roster")):
        assert "has paused this platform" in text_of(page)
    assert platform.log == []

    LtiRegistration.objects.update(paused_at=None)
    room.work_off()

    assert (waiting, room.states()) == ({"waiting": 6}, {"sent": 6})


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_slow_platform_does_not_hold_up_maintenance(room, platform):
    """Nor does it lose anything: what is on its way in a thread is found again."""
    over = threading.Event()
    room.release(70.0)
    platform.scripts["scores"] = [over]

    maintenance.maintain()

    assert maintenance._sender.is_alive()
    over.set()
    maintenance._sender.join(60)
    hurry()
    maintenance.maintain()
    maintenance._sender.join(60)
    assert (room.shown(), room.states()) == ({"s1": 70.0}, {"sent": 1})


# -- keys and tokens --------------------------------------------------------------------------------


def test_our_key_rotates_in_the_middle_of_a_run(room, platform):
    room.send(70.0)
    keys.make_key(signs_from=timezone.now())
    known = keys.public_keys()
    platform.tool_keys = lambda: known
    platform.tokens.clear()  # the platform has forgotten our token, so that a new one is signed for

    room.send(71.0)

    assert (len(known["keys"]), room.shown()) == (2, {"s1": 71.0})


def test_a_key_that_the_platform_has_not_fetched_yet_loses_nothing(room, platform):
    room.release(70.0)
    old = platform.tool_keys
    keys.replace_keys()
    room.work_off(2)
    waiting = room.states()
    known = keys.public_keys()
    platform.tool_keys = lambda: known

    room.work_off()

    assert old()["keys"][0]["kid"] not in str(known)
    assert (waiting, room.states()) == ({"waiting": 1}, {"sent": 1})


def test_two_clients_of_one_issuer_use_their_own_tokens(room, platform, cast):
    platform.clients.append("client-b")
    other = Tool(platform, register(platform, "client-b"))
    second = other.connect(cast.other, "ctx-2")
    room.send(70.0)

    fetch_members(context=room.context)
    fetch_members(context=second)

    owners = [client for client, scope in platform.tokens.values() if "contextmembership" in scope]
    assert owners == ["client-a", "client-b"]


def test_the_next_key_is_shown_before_it_signs(db):
    first = keys.make_key(signs_from=timezone.now() - timedelta(days=181))

    keys.rotate_keys()
    keys.rotate_keys()

    shown = [one["kid"] for one in keys.public_keys()["keys"]]
    assert (len(shown), keys._signing_key()[0]) == (2, first.kid)


def test_a_key_under_another_secret_is_followed_by_a_new_one(db, settings):
    first = keys.make_key(signs_from=timezone.now())
    keys.sign({"sub": "a"})
    settings.SECRET_KEY = "another secret key, as long as it has to be"

    keys.sign({"sub": "a"})

    assert [key["kid"] == first.kid for key in keys.public_keys()["keys"]] == [False, True]


def test_private_keys_are_sealed(db):
    keys.public_keys()

    (key,) = keys.shown_keys()
    assert "PRIVATE" not in key.private
    assert set(key.public) == {"kty", "n", "e", "kid", "alg", "use"}


# -- what teachers changed there --------------------------------------------------------------------


@pytest.fixture
def held(room, platform) -> LtiScore:
    """Of a grade of 70 that a teacher has changed to 95; we would send 72."""
    room.send(70.0)
    platform.results[(room.column, "s1")]["resultScore"] = 95.0
    room.send(72.0)
    return LtiScore.objects.get(state="held")


def test_a_grade_that_a_teacher_wrote_is_not_overwritten_unasked(room, platform, staff):
    """Before ours was there, or over it."""
    platform.results[(room.column, "s2")] = {"resultScore": 55.0, "resultMaximum": 100}
    room.send(70.0, 80.0, 90.0)
    assert room.states() == {"held": 1, "sent": 2}
    platform.results[(room.column, "s1")]["resultScore"] = 95.0
    room.release(72.0, 82.0, 92.0)

    room.work_off()

    assert room.shown() == {"s1": 95.0, "s2": 55.0, "s3": 92.0}
    assert "Changed on the platform" in text_of(staff.get(room.page))
    assert set(LtiScore.objects.filter(state="held").values_list("found", flat=True)) == {55.0, 95.0}


@pytest.mark.parametrize(("do", "shown"), [("ours", 72.0), ("theirs", 95.0)])
def test_staff_decide_whose_grade_holds(room, held, cast, staff, do, shown):
    address, decision = f"{room.page}/grades", {"do": do, "score": held.pk}

    assistant = cast.client("assistant").post(address, decision)
    other = cast.client("stranger").post(f"/c/{cast.other.key}/platform/grades", decision)
    untouched = LtiScore.objects.filter(state="held").count()
    staff.post(address, decision)
    room.work_off()

    assert (assistant.status_code, other.status_code, untouched) == (403, 302, 1)
    assert room.shown() == {"s1": shown}
    assert not LtiScore.objects.filter(state__in=("held", "waiting")).exists()


@as_moodle
def test_a_grade_that_is_locked_on_the_platform_is_read_back_and_told(room, platform, held, staff):
    platform.overridden.add((room.column, "s1"))

    staff.post(f"{room.page}/grades", {"do": "ours", "score": held.pk})
    room.work_off()
    page = text_of(staff.get(room.page))
    platform.overridden.clear()
    staff.post(f"{room.page}/grades", {"do": "again", "score": held.pk})
    room.work_off()

    assert "still shows 95" in page
    assert (room.shown(), LtiScore.objects.get(pk=held.pk).state) == ({"s1": 72.0}, "sent")


# -- scales -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "points", "given", "maximum"),
    [
        (0, 100, 70.5, 70.5, 100),
        (0, 20, 13.25, 13.25, 20),
        (1, 6, 4.5, 4.5, 6),
        (0, 2.5, 2.0, 80.0, 100),
        (-10, 10, 0.0, 50.0, 100),
        (0, 100, -3.0, 0.0, 100),
    ],
)
def test_grades_are_said_as_platforms_take_them(low, high, points, given, maximum):
    scale = ScoreScale(low, high)

    assert (scale.convert("submission", points), scale.maximum("submission")) == (given, maximum)
    assert (scale.convert("reviewing", 80.0), scale.maximum("reviewing")) == (80.0, 100)
