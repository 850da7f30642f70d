"""/healthz and /readyz."""

import os
import time

import pytest
from django.db import OperationalError, connection

from peerage_web.shared import heartbeats


@pytest.fixture
def processes(settings, monkeypatch):
    """Heartbeats of a task worker and of maintenance."""
    for kind in ("task_worker", "maintenance"):
        heartbeats.beat(settings.HEARTBEATS, kind, "one")
    monkeypatch.setattr("peerage_web.sandbox.parent.is_warm", lambda: True)
    return settings.HEARTBEATS


def test_healthz_asks_nothing_of_the_database(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_readyz_when_all_is_well(client, processes):
    answer = client.get("/readyz")

    checks = {"database": "ok", "task_worker": "ok", "maintenance": "ok", "kernels": "ok", "disk": "ok"}
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "checks": checks})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("task_worker", "no heartbeat"),
        ("maintenance", "no heartbeat"),
        ("kernels", "being compiled or loaded"),
        ("disk", "almost full"),
        ("database", "does not answer"),
    ],
)
def test_readyz_misses_what_is_not_there(client, processes, monkeypatch, settings, missing, said):
    def away(execute, *what):
        if missing == "database":
            raise OperationalError
        return execute(*what)

    monkeypatch.setattr("peerage_web.sandbox.parent.is_warm", lambda: missing != "kernels")
    settings.LEAST_FREE = 1 << 62 if missing == "disk" else 0
    for silent in processes.glob(f"{missing}.*"):
        long_ago = time.time() - heartbeats.SILENT - 1
        os.utime(silent, (long_ago, long_ago))

    with connection.execute_wrapper(away):
        answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"][missing]) == (503, said)
    assert list(answer.json()["checks"].values()).count("ok") == 4


def test_health_is_told_to_those_who_ask_by_number(client, settings):
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["peerage.example.org"], True

    assert client.get("/healthz", headers={"Host": "192.0.2.7"}).status_code == 200
    page = client.get("/", headers={"Host": "192.0.2.7"})
    assert (page.status_code, "PEERAGE_HOSTS" in page.content.decode()) == (400, True)
    assert [client.post(path).status_code for path in ("/healthz", "/readyz")] == [405, 405]


def test_old_heartbeats_and_those_of_an_earlier_service_are_forgotten(processes):
    long_ago = time.time() - heartbeats.FORGOTTEN - 1
    os.utime(processes / "task_worker.one", (long_ago, long_ago))
    heartbeats.beat(processes, "task_worker", "place.1234")

    heartbeats.forget_old(processes)
    assert sorted(path.name for path in processes.iterdir()) == ["maintenance.one", "task_worker.place.1234"]
    heartbeats.forget_heartbeats_of(processes, "place")

    assert [path.name for path in processes.iterdir()] == ["maintenance.one"]
