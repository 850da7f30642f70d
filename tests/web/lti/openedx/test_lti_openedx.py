"""Against Open edX's own LTI consumer: launches, Deep Linking, a paged roster, both scores.

`make openedx` makes its environment and runs this; without that environment it is skipped aloud.
"""

import html
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.accounts.test_web_mail import free_port
from tests.web.classes.cast import grading_run
from tests.web.lti.conftest import known_key
from tests.web.lti.tool import FRAME, OWN, WINDOW, text_of

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.lti import platform_client, roster
from peerage_web.lti.models import LtiContext, LtiDeployment, LtiPlace, LtiRegistration, LtiScore
from peerage_web.lti.outbox import fill_outbox
from peerage_web.lti.score_delivery import send_scores

HERE = Path(__file__).parent
PYTHON = HERE.parents[3] / ".venv-openedx" / "bin" / "python"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore:No directory at"),  # of static files
    pytest.mark.skipif(
        not PYTHON.is_file() and "OPENEDX" not in os.environ, reason="no Open edX: run `make openedx`"
    ),
]
INPUT = re.compile(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"')


class OpenEdx:
    """The platform's process, and a browser between it and us."""

    def __init__(self, tool: str) -> None:
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        command = [str(PYTHON), str(HERE / "lms.py"), str(port), tool]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=HERE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, what: str, user: int = 1) -> dict:
        return json.loads(self.get(f"{self.base}/control/{what}?user={user}"))

    @staticmethod
    def get(address: str, data: bytes | None = None) -> str:
        with urlopen(Request(address, data=data), timeout=300) as answer:
            return answer.read().decode()

    def launch(self, client: Client, user: int, what: str = "launch", headers: dict = WINDOW):
        """All steps that a browser takes; our answer to the launch."""
        start = urlsplit(self.ask(what, user)["url"])
        to_platform = client.get(f"{start.path}?{start.query}", headers=WINDOW)
        assert to_platform.status_code == 302, text_of(to_platform)
        page = self.get(to_platform["Location"])
        fields = {name: html.unescape(value) for name, value in INPUT.findall(page)}
        assert {"id_token", "state"} <= set(fields), page
        return client.post("/lti/launch", fields, headers=headers)


@pytest.fixture
def openedx(live_server, settings) -> Iterator[OpenEdx]:
    settings.BASE_URL = live_server.url.replace("localhost", "127.0.0.1")
    settings.ALLOWED_HOSTS = ["*"]
    known_key()
    platform_client._tokens.clear()
    started = OpenEdx(settings.BASE_URL)
    about = started.ask("about")
    made = LtiRegistration.objects.create(
        name="Open edX",
        issuer=about["issuer"],
        client_id=about["client_id"],
        auth_url=about["oidc_callback"],
        token_url=about["token_url"],
        jwks_url=about["keyset_url"],
    )
    LtiDeployment.objects.create(
        registration=made, deployment_id=about["deployment_id"], approved_at=timezone.now()
    )
    yield started
    started.stop()


def release(assignment: Assignment) -> None:
    made = Release.objects.create(assignment=assignment, number=1, run=grading_run(assignment, None))
    for place in LtiPlace.objects.filter(membership__role=Role.STUDENT):
        number = int(place.subject.removeprefix("external-"))
        ReleasedGrade.objects.create(
            release=made, membership=place.membership, points=60 + number, reviewing=80 + number
        )


def test_a_whole_class_on_open_edx(openedx, monkeypatch):
    """One story, for starting the platform is what takes the time."""
    monkeypatch.setattr(roster, "PER_PAGE", 2)  # so that five people are three pages
    teacher, student = Client(), Client()

    # Deep Linking, from a course that is new to us
    where = openedx.launch(teacher, 1, "deep-link", FRAME)["Location"]
    teacher.post(where, {"name": "Physics"}, headers=OWN)
    answer = teacher.post(where, {"assignment": "new", "title": "Poster"}, headers=OWN)
    token = re.search(r'name="JWT" value="([^"]+)"', answer.content.decode())[1]
    back = re.search(r'action="([^"]+)"', answer.content.decode())[1]
    openedx.get(html.unescape(back), f"JWT={token}".encode())
    (link,) = openedx.ask("state")["links"]
    course, assignment = Course.objects.get(), Assignment.objects.get()
    assert link["custom"]["peerage_assignment"] == assignment.key

    # launches as instructor and as student
    Assignment.objects.update(phase=Phase.SUBMITTING)
    assert openedx.launch(teacher, 1)["Location"] == assignment.get_absolute_url()
    assert openedx.launch(student, 2)["Location"] == assignment.get_absolute_url()
    assert teacher.get(f"/c/{course.key}/settings").status_code == 200
    assert student.get(assignment.get_absolute_url()).status_code == 200
    assert student.get(f"/c/{course.key}/settings").status_code == 403

    teacher.post(f"/c/{course.key}/platform/columns", {"columns": "two"})

    # the roster, page by page
    address = f"/c/{course.key}/platform/roster"
    preview = teacher.post(address)
    assert [one.row["name"] for one in preview.context["changes"].add] == ["Ben", "Cem", "Dia"]
    teacher.post(address, {"fingerprint": preview.context["fingerprint"]})
    roles = dict(course.memberships.values_list("name", "role"))
    assert roles == {"Teacher": "instructor", **dict.fromkeys(("Ada", "Ben", "Cem", "Dia"), "student")}
    assert LtiContext.objects.get().synced_at is not None

    # both scores
    release(assignment)
    fill_outbox()
    while send_scores():
        pass
    found = openedx.ask("state")
    problems = list(LtiScore.objects.exclude(problem="").values_list("problem", flat=True))
    assert problems == []
    arrived = {(one["line_item__tag"], one["user_id"]): one["score_given"] for one in found["scores"]}
    assert arrived == {
        **{("submission", f"external-{number}"): 60.0 + number for number in range(2, 6)},
        **{("reviewing", f"external-{number}"): 80.0 + number for number in range(2, 6)},
    }
    assert [one["tag"] for one in found["items"]] == ["submission", "reviewing"]
    assert {one["user"]: one["score"] for one in found["published"]} == {
        f"external-{number}": (60 + number) / 100 for number in range(2, 6)
    }, "the grade book of the platform has the submission"

    # taken back, and given again
    Release.objects.update(ended_at=timezone.now())
    fill_outbox()
    LtiScore.objects.update(not_before=timezone.now())
    while send_scores():
        pass
    left = [one for one in openedx.ask("state")["scores"] if one["score_given"] is not None]
    assert left == []
