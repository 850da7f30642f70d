"""/healthz and /readyz."""

from __future__ import annotations

import os
import time

import pytest
from django.db import OperationalError, connection

from peerage_web.operations import alive


@pytest.fixture
def processes(settings):
    """Signs of life of a worker and a keeper."""
    settings.ALIVE = settings.DATA / "alive"
    for kind in ("tasks", "keeper"):
        alive.beat(settings.ALIVE, kind, "one")
    return settings.ALIVE


def test_healthz_asks_nothing_of_the_database(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_readyz_when_all_is_well(client, processes):
    answer = client.get("/readyz")

    checks = {"database": "ok", "tasks": "ok", "keeper": "ok", "disk": "ok"}
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "checks": checks})


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["tasks", "keeper"])
def test_readyz_misses_a_silent_process(client, processes, kind):
    long_ago = time.time() - alive.SILENT - 1
    os.utime(processes / f"{kind}.one", (long_ago, long_ago))

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["checks"][kind]) == (503, "no sign of life")


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


def test_old_signs_are_forgotten(processes):
    long_ago = time.time() - alive.FORGOTTEN - 1
    os.utime(processes / "tasks.one", (long_ago, long_ago))

    alive.forget_old_signs(processes)

    assert [path.name for path in processes.iterdir()] == ["keeper.one"]


def test_signs_of_an_earlier_service_are_forgotten(processes):
    alive.beat(processes, "tasks", "place.1234")

    alive.forget_signs_of(processes, "place")

    assert sorted(path.name for path in processes.iterdir()) == ["keeper.one", "tasks.one"]
