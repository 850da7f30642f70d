"""A service that has just been installed: nothing is compiled yet."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest
from tests.web.service import Service

POSTERS = Path(__file__).parents[3] / "examples" / "posters" / "feedback.csv"
LONG = 1800  # seconds after which a test gives up


@pytest.fixture
def fresh(tmp_path):
    """Ready, with its kernels in an empty folder of its own."""
    made = Service(
        tmp_path / "own", NUMBA_CACHE_DIR=str(tmp_path / "kernels"), PEERAGE_MAX_DIRECT_SECONDS="600"
    )
    made.start()
    yield made
    made.stop()


def post(service, path, body, kind):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=LONG)
    try:
        connection.request("POST", f"/api/v1/{path}", body, {"Content-Type": kind})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def form(data: bytes) -> tuple[bytes, str]:
    head = b'--part\r\nContent-Disposition: form-data; name="file"; filename="feedback.csv"\r\n\r\n'
    return head + data + b"\r\n--part--\r\n", "multipart/form-data; boundary=part"


@pytest.mark.once
@pytest.mark.long
def test_when_it_is_ready_everything_is_compiled(fresh, tmp_path):
    def kernels():
        return sorted(path.name for path in (tmp_path / "kernels").rglob("*.nb?"))

    before = kernels()
    plain = "application/json"
    answers = [
        post(fresh, "allocate", json.dumps({"students": list("abcdefgh"), "per_grader": 3}), plain),
        post(fresh, "plan", json.dumps({"students": 10, "per_student": 3}), plain),
        post(fresh, "check", *form(POSTERS.read_bytes())),
        post(fresh, "grade", *form(POSTERS.read_bytes())),
    ]

    assert [status for status, _ in answers] == [200] * 4, answers
    assert len(before) > 100
    assert kernels() == before
