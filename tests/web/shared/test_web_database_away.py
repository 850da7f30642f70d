"""A database that is away or locked is no bug: 503, and try again."""

from __future__ import annotations

import json

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction
from tests.web.at_work import draft

from peerage_web.accounts.models import Person
from peerage_web.shared.database import release_connections

pytestmark = pytest.mark.django_db
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
@pytest.mark.django_db(transaction=True)
def test_connection_is_given_back_before_the_answer_is_sent(client):
    """Or eight clients who take their answers slowly would have all that there are; not to SQLite."""
    page = draft().get_absolute_url()
    assert connection.connection is not None

    assert client.get(page).status_code == 200

    assert (connection.connection is None) == (connection.vendor == "postgresql")
    with transaction.atomic():
        release_connections()
        assert connection.connection is not None  # it is in the middle of something
