"""Logs: JSON, with the request's id, and without anything that leads to a visitor."""

import json
import logging
from contextlib import redirect_stderr
from io import StringIO

import pytest
from django.db import OperationalError

from peerage_web.configuration.logs import JsonLines, StandardError, without_secrets


def line_of(message: str, error: BaseException | None = None, **extra: object) -> dict[str, object]:
    info = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("peerage_web", logging.ERROR, __file__, 1, message, (), info)
    record.__dict__.update(extra)
    return json.loads(JsonLines().format(record))


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_secrets_are_dropped():
    texts = {
        "Not Found: /j/secret-key/": "Not Found: /j/…/",
        "GET /j/secret-key?page=2": "GET /j/…?page=2",
        "GET /j/secret-key/files/grades.csv": "GET /j/…/files/grades.csv",
        "POST /api/v1/jobs/secret-key": "POST /api/v1/jobs/…",
        "Invalid request from ip=192.0.2.7: bad": "Invalid request from ip=… bad",
    }

    assert {text: without_secrets(text) for text in texts} == texts


def test_line_carries_the_fields():
    line = line_of("request", fields={"status": 200})

    del line["time"]
    assert line == {"level": "error", "logger": "peerage_web", "message": "request", "status": 200}


def test_traceback_keeps_kind_and_cause_and_drops_words_that_are_not_about_the_machine():
    error = ValueError("grader 'a name from a file'")
    error.__cause__ = raised(KeyError("first"))

    line = line_of("failed", raised(error))
    machine = line_of("failed", raised(OperationalError("no such table")))

    assert [part.split(" at ")[0] for part in line["traceback"].split(" <- ")] == ["ValueError", "KeyError"]
    assert line["traceback"].endswith(" raised")
    assert "a name from a file" not in json.dumps(line)
    assert machine["traceback"].startswith("OperationalError (no such table) at ")


def test_lines_go_to_what_is_standard_error_now(capsys):
    handler = StandardError()

    with redirect_stderr(StringIO()) as elsewhere:
        handler.emit(logging.makeLogRecord({"msg": "there"}))
    handler.emit(logging.makeLogRecord({"msg": "here"}))

    assert (elsewhere.getvalue(), capsys.readouterr().err) == ("there\n", "here\n")


@pytest.mark.django_db
def test_request_is_logged_without_its_key_and_health_not_at_all(client, caplog):
    caplog.set_level(logging.INFO, logger="peerage_web.requests")

    client.get("/healthz")
    client.get("/j/a-key-that-nobody-has/")

    [line] = [record.fields for record in caplog.records if record.name == "peerage_web.requests"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/j/…/", 404)


def test_request_id_of_a_proxy_is_kept_if_it_is_one(client):
    for given, kept in (("abcdefgh-1", True), ("short", False), ("with space", False)):
        answer = client.get("/healthz", headers={"X-Request-ID": given})
        assert (answer.headers["X-Request-ID"] == given) == kept
