"""Classes through the API: what is read, what is written, and what is said where it cannot be."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from tests.web.classes.cast import allocate, move, submit
from tests.web.classes.crowd import Crowd
from tests.web.classes.grading_room import GradingRoom, finish

from peerage_web.accounts.models import Mail
from peerage_web.accounts.services.tokens import Scope, add_token
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking


class Program:
    """Speaks with the token of somebody."""

    def __init__(self, cast, word: str = "instructor") -> None:
        self.course = f"/api/v1/courses/{cast.course.key}"
        self.assignment = f"{self.course}/assignments/{cast.assignment.key}"
        self.token = add_token(name=word, days=9, scope=Scope(cast.course.pk, cast.people[word]))

    def __call__(self, method: str, path: str, body: object = None):
        sent = b"" if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}"}
        return Client().generic(method, path, sent, content_type="application/json", headers=headers)


@pytest.fixture
def program(cast) -> Program:
    return Program(cast)


# -- the course and its people ---------------------------------------------------------------------


def test_a_program_begins_with_its_course_and_people_come_in_parts(cast, program):
    (course,) = program("GET", "/api/v1/courses").json()
    whole = program("GET", f"{program.course}/people").json()
    part = program("GET", f"{program.course}/people?limit=2&offset=1").json()

    assert (course["key"], course["name"], course["role"]) == (cast.course.key, "Course", "instructor")
    assert (whole["count"], len(whole["people"])) == (9, 9)
    assert (part["count"], part["people"]) == (9, whole["people"][1:3])
    assert whole["people"][-1]["email"].startswith("student")


def test_a_course_is_changed_and_recorded(cast, program):
    nowhere = program("PATCH", program.course, {"time_zone": "Nowhere"})
    answer = program("PATCH", program.course, {"name": "Biology", "time_zone": "Asia/Tokyo"})

    assert (nowhere.status_code, nowhere.json()["detail"]) == (422, "'Nowhere' is not a time zone.")
    assert (answer.status_code, answer.json()["name"], answer.json()["term"]) == (200, "Biology", "")
    cast.course.refresh_from_db()
    assert (cast.course.name, cast.course.time_zone) == ("Biology", "Asia/Tokyo")
    assert Event.objects.filter(verb="course-changed", actor=cast.people["instructor"]).count() == 2


def test_a_student_is_added_changed_and_dropped(cast, program):
    new = {"email": "New@Example.org", "name": "New", "student_id": "77", "invite": True}
    made = program("POST", f"{program.course}/people", new)
    place = f"{program.course}/people/{made.json()['member']}"

    changed = program("PATCH", place, {"section": "North", "group": "Blue"})
    gone = program("DELETE", place)

    said = made.json()
    assert (made.status_code, said["email"], said["role"]) == (201, "new@example.org", "student")
    assert Mail.objects.get().person.email == "new@example.org"
    assert (changed.json()["section"], changed.json()["group"]) == ("North", "Blue")
    assert (gone.status_code, program("GET", place).json()["role"]) == (204, "dropped")


def test_staff_are_for_instructors_tokens_and_the_last_instructor_stays(cast, program):
    helper = Program(cast, "assistant")
    other, last = (f"{helper.course}/people/{cast.member(word).pk}" for word in ("observer", "instructor"))

    added = helper("POST", f"{helper.course}/people", {"email": "a@example.org", "role": "assistant"})
    raised = helper("PATCH", other, {"role": "instructor"})
    renamed = helper("PATCH", other, {"name": "Else"})
    dropped = helper("DELETE", last)
    left = program("DELETE", last)

    assert {one.status_code for one in (added, raised, renamed, dropped)} == {403}
    assert "may not: invite staff" in added.json()["detail"]
    assert (left.status_code, left.json()["type"]) == (422, "/api/v1/problems/request")


def test_a_roster_is_put_whole_and_twice_is_once_and_with_a_bad_row_not_at_all(cast, program):
    rows = [{"email": f"student{n}@example.org", "section": "A"} for n in range(1, 4)]
    fresh = {"email": "fresh@example.org"}
    body = {"students": [*rows, fresh, fresh], "drop_missing": True}

    tried = program("PUT", f"{program.course}/roster", {**body, "try_only": True}).json()
    before = cast.course.memberships.filter(role=Role.STUDENT).count()
    done = program("PUT", f"{program.course}/roster", body).json()
    again = program("PUT", f"{program.course}/roster", body).json()

    counts = ("added", "changed", "taken_back", "as_before", "dropped", "staff", "repeated")
    nothing = dict.fromkeys(counts, 0)
    assert tried == done == nothing | {"added": 1, "changed": 3, "dropped": 2, "repeated": 1}
    assert before == 5
    assert again == nothing | {"as_before": 4, "repeated": 1}
    assert Event.objects.filter(verb="roster-imported").count() == 1

    good = {"email": "good@example.org"}
    wrong = {"students": [good, {"email": "no address"}, {**good, "name": "G"}]}
    bad = program("PUT", f"{program.course}/roster", wrong)

    assert (bad.status_code, bad.json()["type"]) == (422, "/api/v1/problems/data")
    problems = [(one["line"], one["rule"]) for one in bad.json()["problems"]]
    assert problems == [(2, "is not an e-mail address"), (3, "is already in line 1")]
    assert not cast.course.memberships.filter(person__email="good@example.org").exists()


# -- assignments and their phases -------------------------------------------------------------------


def test_an_assignment_is_created_and_its_dates_move(program):
    made = program(
        "POST",
        f"{program.course}/assignments",
        {"title": "Essay", "due_at": "2030-01-01T12:00:00+01:00", "reviews_due_at": "2030-01-08T12:00:00Z"},
    ).json()
    path = f"{program.course}/assignments/{made['key']}"

    changed = program("PATCH", path, {"due_at": "2030-01-02T12:00:00Z", "late_until": "2030-01-03T00:00:00Z"})
    cleared = program("PATCH", path, {"late_until": None}).json()

    assert (made["phase"], made["due_at"]) == ("setup", "2030-01-01T11:00:00Z")
    assert changed.json()["late_until"] == "2030-01-03T00:00:00Z"
    assert (cleared["late_until"], cleared["due_at"]) == (None, "2030-01-02T12:00:00Z")


def test_dates_that_release_are_for_instructors_tokens(cast):
    helper, dated = Program(cast, "assistant"), {"release_at": "2040-01-01T12:00:00Z"}

    made = helper("POST", f"{helper.course}/assignments", {"title": "Essay", **dated})
    moved = helper("PATCH", helper.assignment, dated)
    cast.assignment.release_at = datetime(2040, 1, 1, 12, tzinfo=UTC)
    cast.assignment.save()
    same = helper("PATCH", helper.assignment, {**dated, "title": "Poster 2"})

    assert [one.status_code for one in (made, moved, same)] == [403, 403, 200]
    assert "may not: release grades" in moved.json()["detail"]


def test_what_cannot_be_meant_is_refused(program):
    for body in (
        {"due_at": 1700000000},
        {"due_at": "2030-01-01T12:00:00"},
        {"due_at": "2030-13-01T12:00:00Z"},
        {"due_at": "9999-12-31T23:59:59-12:00"},
        {"title": None},
        {"title": "a\x00b"},
        {"due_at": "2030-01-01T12:00:00Z", "reviews_due_at": "2029-01-01T12:00:00Z"},
        {"phase": "closed"},
    ):
        answer = program("PATCH", program.assignment, body)

        said = (answer.status_code, answer.headers["Content-Type"])
        assert said == (422, "application/problem+json"), body


def test_steps_are_taken_and_what_is_in_the_way_is_said(cast, program):
    before = program("GET", program.assignment).json()
    path = f"{program.assignment}/phase"
    took = program("POST", path, {"step": "publish"})
    stuck = program("POST", path, {"step": "stop-submitting"})
    wrong = program("POST", path, {"step": "close"})

    onward = before["onward"]
    assert (before["phase"], onward["step"], onward["to"]) == ("setup", "publish", "submitting")
    assert (took.status_code, took.json()["phase"]) == (200, "submitting")
    assert stuck.status_code == wrong.status_code == 422
    assert stuck.json()["detail"].startswith("There are 0 submissions")
    assert Event.objects.get(verb="phase-moved").actor == cast.people["instructor"]

    move(cast.assignment, Phase.CLOSED)
    released = Program(cast, "assistant")("POST", path, {"step": "release"})

    assert (released.status_code, "release grades" in released.json()["detail"]) == (403, True)


def test_dates_that_have_come_move_it_on_before_it_is_read(cast, program):
    move(cast.assignment, Phase.REVIEWING)
    past = cast.assignment.created_at - timedelta(days=1)
    cast.assignment.due_at, cast.assignment.reviews_due_at = past, past + timedelta(hours=1)
    cast.assignment.save()

    assert program("GET", program.assignment).json()["phase"] == "closed"


# -- submissions, rankings and grades ----------------------------------------------------------------------


@pytest.fixture
def lists(cast):
    """The first student holds the submissions of two others."""
    submissions = [submit(cast.assignment, one) for one in cast.students[1:3]]
    allocate(cast.assignment, cast.students[0], submissions)
    move(cast.assignment, Phase.REVIEWING)
    return [one.pk for one in submissions]


def test_submissions_say_who_made_them_and_a_ranking_is_submitted_for_somebody(cast, program, lists):
    submissions = program("GET", f"{program.assignment}/submissions").json()
    path = f"{program.assignment}/rankings/{cast.students[0].pk}"
    body = {"order": [[lists[1]], [lists[0]]], "comments": [{"submission": lists[0], "text": "Clear."}]}

    put = program("PUT", path, body)
    again = program("PUT", path, body)
    read = program("GET", f"{program.assignment}/rankings").json()

    assert (submissions["count"], [one["submission"] for one in submissions["submissions"]]) == (2, lists)
    assert submissions["submissions"][0]["authors"][0]["email"] == "student2@example.org"
    assert submissions["submissions"][0]["label"] == cast.students[1].student_id
    assert (put.status_code, put.json()["order"]) == (200, [[lists[1]], [lists[0]]])
    assert again.json() == put.json() == read["rankings"][0]
    assert put.json()["comments"] == [
        {"submission": lists[0], "prompt": None, "question": "", "text": "Clear."}
    ]
    kept = SubmittedRanking.objects.get()
    assert (kept.submitted_by, kept.ranking.reviewer) == (cast.people["instructor"], cast.students[0])


def test_what_a_reviewer_wrote_is_not_lost(cast, program, lists):
    review = cast.students[0].reviews.get(submission=lists[0])
    Ranking.objects.create(assignment=cast.assignment, reviewer=cast.students[0], tiers=[["A"]], version=4)
    Comment.objects.create(review=review, text="Typed by hand.", version=2)

    body = {"order": [[lists[0], lists[1]]], "comments": [{"submission": lists[0], "text": "Sent."}]}
    put = program("PUT", f"{program.assignment}/rankings/{cast.students[0].pk}", body)

    assert put.json()["comments"][0]["text"] == "Typed by hand.\n\n* * *\n\nSent."
    assert put.json()["order"] == [sorted(lists)]


def test_an_order_that_is_not_whole_or_not_theirs_is_refused(cast, program, lists):
    path = f"{program.assignment}/rankings/{cast.students[0].pk}"
    said = [
        program("PUT", path, {"order": order}).json()["detail"]
        for order in ([[lists[0]]], [[lists[0]], [lists[0]], [lists[1]]], [[lists[0]], [10**6]], [])
    ]

    assert said == [
        "The ranking is not complete yet. Submission B is not ranked yet. "
        "If you cannot review it, report it.",
        f"Submission {lists[0]} is ranked twice.",
        f"Submission 1000000 is not assigned to this reviewer. Assigned: {lists[0]}, {lists[1]}.",
        "The ranking is not complete yet. Submissions A, B are not ranked yet. "
        "If you cannot review one of them, report it.",
    ]
    assert not SubmittedRanking.objects.exists()


def test_a_class_is_graded_from_start_to_release(cast, program):
    """Through the API alone; what it reads is what the run's rows say."""
    room = GradingRoom(cast)
    room.plan()
    before = program("GET", f"{program.assignment}/grades")
    started = program("POST", f"{program.assignment}/runs", {})
    run = cast.assignment.grading_runs.get()
    finish(run)
    draw_run(run=run)

    listed = program("GET", f"{program.assignment}/runs").json()
    program("POST", f"{program.assignment}/runs/{run.key}/approve")
    grades = program("GET", f"{program.assignment}/grades?limit=500").json()

    assert (before.status_code, before.json()["type"]) == (409, "/api/v1/problems/not-now")
    assert (started.status_code, started.json()["state"], listed[0]["is_ready"]) == (202, "queued", True)
    assert grades["run"]["approved_at"] is not None
    by_submission = {one["submission"]: one["points"] for one in grades["grades"]}
    assert by_submission == dict(run.grades.values_list("submission", "points"))
    assert grades["count"] == len(room.members) == 8

    worst = room.submissions[-1].pk
    path = f"{program.assignment}/submissions/{worst}/grade"
    put = program("PUT", path, {"points": 93.5, "reason": "A page was missing in the copy."})
    with_it = program("GET", f"{program.assignment}/grades").json()["grades"]
    gone = program("DELETE", path)
    again = program("GET", f"{program.assignment}/grades").json()["grades"]

    assert (put.status_code, gone.status_code) == (200, 204)
    (theirs,) = [one for one in with_it if one["submission"] == worst]
    assert (theirs["points"], theirs["by_hand"], theirs["low"]) == (93.5, True, None)
    assert again == grades["grades"]
    too_much = program("PUT", path, {"points": 101, "reason": "x"})
    assert (too_much.status_code, "outside the scale" in too_much.json()["detail"]) == (422, True)


def test_queries_do_not_grow_with_rows(cast, program):
    course = [program.course + one for one in ("/people", "/assignments")]
    addresses = [*course, *(program.assignment + one for one in ("", "/submissions", "/rankings"))]
    move(cast.assignment, Phase.REVIEWING)
    crowd = Crowd(cast)
    counted = []
    for rows in (3, 9):
        crowd.grow(rows)
        counted.append({one: queries(program, one) for one in addresses})

    few, many = counted
    assert [one for one in addresses if many[one] > few[one]] == []


def queries(program: Program, address: str) -> int:
    program("GET", address)  # what only the first one asks for is not counted
    with CaptureQueriesContext(connection) as captured:
        assert program("GET", address).status_code == 200
    return len(captured)
