"""Example classes: every phase, with and without teams; nowhere but on one's own machine."""

import json
import logging

import pytest
from django.test import Client
from typer import Typer
from typer.testing import CliRunner

from peerage_web.accounts.models import Person
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import ORDER, Phase, Role
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.release.models import Helpfulness, ReleasedGrade
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.submissions.models import Submission
from peerage_web.commands.demo import demo
from peerage_web.demo.example_class import make_example

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch, tmp_path):
    """The library's work is done in this process: a child for each of hundreds of copies takes minutes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("peerage_web.sandbox.parent.run", _at_once)


def _at_once(work, *args, **bounds):
    return json.loads(json.dumps(work(*args, on_step=lambda step: None)))


@pytest.mark.parametrize(
    ("phase", "in_teams"),
    [
        (Phase.SUBMITTING, False),
        (Phase.ALLOCATING, False),
        (Phase.REVIEWING, False),
        (Phase.REVIEWING, True),
        pytest.param(Phase.CLOSED, False, marks=pytest.mark.full),  # a released class was closed before
        (Phase.RELEASED, False),
    ],
)
def test_a_class_in_every_phase(phase, in_teams):
    made = make_example(phase=phase, in_teams=in_teams)

    one = Assignment.objects.get(pk=made.assignment.pk)
    reached = ORDER.index(phase)
    assert one.phase == phase
    assert Membership.objects.filter(course=made.course, role=Role.STUDENT).count() == 24
    assert Submission.objects.filter(assignment=one).exists()
    assert Review.objects.filter(assignment=one).exists() == (reached > 2)
    assert Report.objects.filter(review__assignment=one).count() == int(reached > 2)
    assert SubmittedRanking.objects.filter(ranking__assignment=one).exists() == (reached > 2)
    assert {person.email.rpartition("@")[2] for person in Person.objects.all()} == {"example.org"}
    _look_at_grades(made)
    if phase == Phase.REVIEWING and not in_teams:
        _look_at_the_story(made)


def _look_at_grades(made):
    """Closed: a run to look at. Released: grades, which some have seen after they had rated comments."""
    run = GradingRun.objects.filter(assignment=made.assignment).first()
    released = made.assignment.phase == Phase.RELEASED
    assert (run is not None) == (released or made.assignment.phase == Phase.CLOSED)
    if run is None:
        return
    assert run.drawn_at is not None
    assert (run.approved_at is not None) == released
    assert run.grades.count() == Submission.objects.filter(assignment=made.assignment).count() == 23
    grades = ReleasedGrade.objects.filter(release__assignment=made.assignment, release__ended_at=None)
    assert grades.filter(points__isnull=False).count() == (23 if released else 0)
    assert (5 <= grades.filter(seen_at__isnull=False).count() <= 8) == released
    assert Helpfulness.objects.filter(review__assignment=made.assignment).exists() == released


def _look_at_the_story(made):
    """A late submission that joined, a no-show, and somebody who never submits."""
    kinds = list(made.assignment.allocation_runs.values_list("kind", flat=True))
    assert kinds == ["first", "late", "replacement"]
    students = Membership.objects.filter(course=made.course, role=Role.STUDENT).order_by("-pk")
    late, no_show, absent = students[:3]
    assert Review.objects.filter(submission__author=late).count() >= 4
    assert Review.objects.filter(reviewer=no_show, state="open").count() == 4
    assert not SubmittedRanking.objects.filter(ranking__reviewer=no_show).exists()
    assert not Submission.objects.filter(author=absent).exists()


def test_every_link_signs_in_and_a_second_one_is_a_course_of_its_own():
    made = make_example(phase=Phase.SETUP)
    for _word, path in made.links:
        client = Client()
        assert client.get(path).status_code == 200
        assert client.post(path, {"button": ""}).status_code == 302
        assert made.course.name in client.get("/courses").content.decode()

    second = make_example(phase=Phase.SETUP)

    assert {one.name for one in Course.objects.all()} == {"Example course", "Example course 2"}
    assert {one.phase for one in Assignment.objects.all()} == {Phase.SETUP}
    assert made.course != second.course
    assert Person.objects.count() == 27
    assert not Submission.objects.exists()


def test_the_command_prints_a_link_for_every_role(monkeypatch, settings, caplog):
    caplog.set_level(logging.WARNING, "peerage_web")  # as the command does; put back at the end
    monkeypatch.setattr("peerage_web.commands.demo.set_up_instance", lambda data: None)
    monkeypatch.setattr("peerage_web.operations.startup.prepare", lambda: None)
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    settings.ALLOWED_HOSTS = ["localhost", "testserver"]
    command = Typer()
    command.command()(demo)

    made = CliRunner().invoke(command, ["--phase", "setup", "--teams", "--data", "here"])

    said, start, _then, *links = made.stdout.splitlines()
    assert said == "Example course: 24 made-up students, phase setup."
    assert start == "Start it: peerage serve --data here"
    roles, addresses = zip(*map(str.split, links), strict=True)
    assert roles == ("instructor", "assistant", "observer", "student")
    for address in addresses:
        assert address.startswith(f"{settings.BASE_URL}/link/")
        assert Client().get(address).status_code == 200
    assert Assignment.objects.get().in_teams
    settings.HTTPS = True
    refused = CliRunner().invoke(command, [])
    assert (refused.exit_code, Course.objects.count()) == (2, 1)
    assert "this instance is open to others" in refused.stderr


def test_the_button_makes_one_here_and_nowhere_else(settings):
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
    here = {"SERVER_NAME": "127.0.0.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost"}
    client = Client(**here)

    page = client.get("/").content.decode()
    assert [part for part in ('action="/demo"', 'name="phase"', 'name="in_teams"') if part not in page] == []
    made = client.post("/demo", {"phase": "setup", "in_teams": "on"})
    assert made.status_code == 200
    assert {(one.phase, one.in_teams) for one in Assignment.objects.all()} == {(Phase.SETUP, True)}
    assert made.content.decode().count("/link/") >= 4

    elsewhere = [{**here, "REMOTE_ADDR": "192.0.2.7"}, {**here, "SERVER_NAME": "0.0.0.0"}]
    elsewhere.append({**here, "HTTP_X_FORWARDED_FOR": "192.0.2.7"})
    for how in elsewhere:
        assert 'action="/demo"' not in Client(**how).get("/").content.decode()
        assert Client(**how).post("/demo").status_code == 404

    Person.objects.create_user("boss@example.org", is_operator=True)  # somebody runs the instance now
    assert client.post("/demo").status_code == 404


@pytest.mark.parametrize("change", [{"HTTPS": True}, {"PROXY": True}, {"ALLOWED_HOSTS": ["peer.example"]}])
def test_a_public_instance_makes_none(settings, change):
    settings.ALLOWED_HOSTS = ["localhost", "testserver"]
    for name, value in change.items():
        setattr(settings, name, [*value, "testserver"] if isinstance(value, list) else value)

    answer = Client(SERVER_NAME="127.0.0.1", REMOTE_ADDR="127.0.0.1", HTTP_HOST="testserver").post("/demo")

    assert answer.status_code == 404
    assert not Course.objects.exists()
