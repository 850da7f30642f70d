"""/healthz and /readyz."""

from __future__ import annotations

import os
import time

import pytest
from django.db import OperationalError, connection

from peerage_web.shared import heartbeats


@pytest.fixture
def processes(settings, monkeypatch):
    """Heartbeats of a task worker and of maintenance."""
    settings.HEARTBEATS = settings.DATA / "heartbeats"
    for kind in ("task_worker", "maintenance"):
        heartbeats.beat(settings.HEARTBEATS, kind, "one")
    monkeypatch.setattr("peerage_web.sandbox.is_warm", lambda: True)
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
@pytest.mark.parametrize("kind", ["task_worker", "maintenance"])
def test_readyz_misses_a_silent_process(client, processes, kind):
    long_ago = time.time() - heartbeats.SILENT - 1
    os.utime(processes / f"{kind}.one", (long_ago, long_ago))

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"][kind]) == (503, "no heartbeat")


@pytest.mark.django_db
def test_readyz_waits_for_the_kernels(client, processes, monkeypatch):
    monkeypatch.setattr("peerage_web.sandbox.is_warm", lambda: False)

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"]["kernels"]) == (503, "being compiled or loaded")


@pytest.mark.django_db
def test_readyz_misses_room_on_the_disk(client, processes, settings):
    settings.LEAST_FREE = 1 << 62

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"]["disk"]) == (503, "almost full")


@pytest.mark.django_db
def test_readyz_misses_the_database(client, processes):
    def away(*anything):
        raise OperationalError

    with connection.execute_wrapper(away):
        answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"]["database"]) == (503, "does not answer")


def test_health_is_told_to_those_who_ask_by_number(client, settings):
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["peerage.example.org"], True

    assert client.get("/healthz", headers={"Host": "192.0.2.7"}).status_code == 200
    assert client.get("/", headers={"Host": "192.0.2.7"}).status_code == 400


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_takes_no_other_verb(client, path):
    assert client.post(path).status_code == 405


def test_old_heartbeats_are_forgotten(processes):
    long_ago = time.time() - heartbeats.FORGOTTEN - 1
    os.utime(processes / "task_worker.one", (long_ago, long_ago))

    heartbeats.forget_old(processes)

    assert [path.name for path in processes.iterdir()] == ["maintenance.one"]


def test_heartbeats_of_an_earlier_service_are_forgotten(processes):
    heartbeats.beat(processes, "task_worker", "place.1234")

    heartbeats.forget_heartbeats_of(processes, "place")

    assert sorted(path.name for path in processes.iterdir()) == ["maintenance.one", "task_worker.one"]
