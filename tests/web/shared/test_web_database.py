"""A database that is away or locked is no bug; one that returns serves the first who comes; our locks."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from tests.web.at_work import PATIENCE, at_once, beginning_meanwhile, draft

from peerage_web.accounts.models import Person
from peerage_web.shared.database import exclusively, release_connections

pytestmark = pytest.mark.django_db
TRANSACTIONS = pytest.mark.django_db(transaction=True)
KEY = "k" * 43


def away(kind):
    def refuse(execute, sql, params, many, context):
        raise kind("the server closed the connection")

    return connection.execute_wrapper(refuse)


@pytest.fixture
def visitor(client):
    client.raise_request_exception = False
    return client


def test_page_says_that_the_service_is_not_ready(visitor):
    for kind, path in ((OperationalError, f"/j/{KEY}/"), (InterfaceError, f"/j/{KEY}/progress")):
        with away(kind):
            answer = visitor.get(path)
        assert (answer.status_code, answer["Retry-After"]) == (503, "15")
        assert b"The database is not responding" in answer.content
        assert b"broken" not in answer.content


def test_api_says_so_too(visitor):
    for path in (f"/api/v1/jobs/{KEY}", "/api/v1/methods"):
        with away(OperationalError):
            answer = visitor.get(path)
        problem = json.loads(answer.content)
        assert (answer.status_code, problem["type"]) == (503, "/api/v1/problems/busy")
        assert "not responding" in problem["detail"]
        assert answer["Retry-After"]


def test_a_session_that_cannot_be_saved_is_no_bad_request(visitor, settings):
    settings.SESSION_SAVE_EVERY_REQUEST = True
    visitor.force_login(Person.objects.create_user("ada@example.org"))

    def refuse(execute, sql, *rest):
        if sql.startswith("UPDATE") and "django_session" in sql:
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        assert visitor.get("/privacy").status_code == 503
    assert visitor.get("/privacy").status_code == 200


def test_bug_is_still_a_bug(visitor, monkeypatch):
    monkeypatch.setattr("peerage_web.files.views.access.jobs_with", lambda key: 1 / 0)

    answer = visitor.get(f"/j/{KEY}/")

    assert answer.status_code == 500
    assert b"Something went wrong on our side" in answer.content


@pytest.mark.both
@TRANSACTIONS
def test_connection_is_given_back_before_the_answer_is_sent(client):
    """Or eight clients who take their answers slowly would have all that there are; not to SQLite."""
    page = draft().get_absolute_url()
    assert connection.connection is not None

    assert client.get(page).status_code == 200

    assert (connection.connection is None) == (connection.vendor == "postgresql")
    with transaction.atomic():
        release_connections()
        assert connection.connection is not None  # it is in the middle of something


# -- PostgreSQL that was away ------------------------------------------------------------------------

CONNECTIONS = 8  # more than the four on which psycopg's pool itself spends its five seconds


@pytest.fixture
def pooled(tmp_path):
    """A pool of its own on the test's database, whose socket can be taken away and given back."""
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL has connections that die")
    where = tmp_path / "socket"
    own = connection.copy("pooled")
    own.settings_dict["HOST"], real = str(where), own.settings_dict["HOST"]
    own.settings_dict["OPTIONS"]["pool"]["max_size"] = CONNECTIONS
    where.symlink_to(real)
    yield own, where, Path(real)
    own.close()
    own.close_pool()


def ask(own):
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT 1")
            return cursor.fetchone()
    finally:
        own.close()


def fill(own):
    """As a crowd does: all connections are in use at once, and idle afterwards."""
    together = threading.Barrier(CONNECTIONS)

    def use(_):
        mine = own.copy("pooled")
        with mine.cursor() as cursor:
            together.wait(60)
            cursor.execute("SELECT pg_backend_pid()")
            [found] = cursor.fetchone()
        mine.close()
        return found

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        return set(threads.map(use, range(CONNECTIONS)))


@TRANSACTIONS
def test_dead_connections_of_a_crowd_do_not_cost_the_next_visitor_anything(pooled):
    own, _, _ = pooled
    pids = fill(own)
    assert len(pids) == CONNECTIONS
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid, 60000) FROM unnest(%s) AS pid", [sorted(pids)])

    assert ask(own) == (1,)


@TRANSACTIONS
def test_server_that_ends_every_connection_at_once_is_away(pooled, monkeypatch):
    own, _, _ = pooled
    own.settings_dict["OPTIONS"]["pool"]["timeout"] = 1
    monkeypatch.setattr("peerage_web.shared.postgresql.base._lives", lambda found: found.close())

    with pytest.raises(OperationalError, match="ends every connection"):
        ask(own)


@TRANSACTIONS
@pytest.mark.full
def test_who_comes_after_a_long_absence_does_not_wait_for_the_next_try(pooled):
    """Tries to connect 0, 1, 3, 7 and 15 seconds after the first would let nobody in from 8 to 13."""
    own, where, real = pooled
    where.unlink()
    gone = time.monotonic()
    with pytest.raises(OperationalError):
        ask(own)

    time.sleep(max(0.0, gone + 8.3 - time.monotonic()))
    where.symlink_to(real)

    assert ask(own) == (1,)


# -- a lock for the whole service -------------------------------------------------------------------


@pytest.mark.both
@TRANSACTIONS
def test_nobody_else_is_inside_at_the_same_time():
    inside, most = [], []

    def enter(_number):
        with exclusively("start"):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)  # time for another to come in, if it could
            inside.pop()

    for _ in range(3):
        at_once(enter, range(8))

    assert most == [1] * 24


@pytest.mark.both
@TRANSACTIONS
def test_who_comes_second_waits_until_the_first_transaction_has_ended():
    order = []

    def enter():
        with exclusively("start"):
            order.append("second")

    with exclusively("start"):
        second = beginning_meanwhile(enter)
        order.append("first")
    second.result(PATIENCE)

    assert order == ["first", "second"]


@pytest.mark.both
@TRANSACTIONS
def test_lock_of_another_name_does_not_wait():
    if connection.vendor == "sqlite":  # it has one writer in all, so every lock is the same one
        assert connection.transaction_mode == "IMMEDIATE"
        return

    def enter():
        with exclusively("something else"):
            return "inside"

    with exclusively("start"):
        assert beginning_meanwhile(enter).result(60) == "inside"
