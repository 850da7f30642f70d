"""What an operator finds when somebody abuses the service: networks, not people, and not for long."""

import json

import pytest

from peerage_web.shared import traces


@pytest.fixture(autouse=True)
def folder(settings):
    settings.TRACES = settings.DATA / "traces"
    return settings.TRACES


def test_addresses_are_shortened():
    kept = {
        "192.0.2.77": "192.0.2.0/24",
        "2001:db8:1:2:3::4": "2001:db8:1::/48",
        "::ffff:192.0.2.77": "192.0.2.0/24",
        "": "unknown",
        "<script>": "unknown",
    }

    assert {address: traces.shorten_address(address) for address in kept} == kept


def test_requests_leave_a_trace_without_address_and_key(client, folder, db):
    answer = client.get("/j/a-secret-key/", REMOTE_ADDR="192.0.2.77")

    (path,) = folder.iterdir()
    (line,) = map(json.loads, path.read_text().splitlines())
    assert path.stat().st_mode & 0o777 == 0o600
    assert (line["from"], line["method"], line["status"]) == ("192.0.2.0/24", "GET", answer.status_code)
    assert line["path"] == "/j/…/"
    assert line["request"] == answer.headers["X-Request-ID"]
    assert "192.0.2.77" not in path.read_text()


def test_watchers_leave_none_and_instances_can_do_without(client, settings, folder, db):
    client.get("/healthz")
    settings.TRACE_DAYS = 0
    client.get("/privacy")
    assert not folder.exists()

    settings.TRACE_DAYS = 3
    assert "is kept for 3 days" in client.get("/privacy").content.decode()


def test_old_traces_are_forgotten(settings, folder):
    folder.mkdir()
    for day in ("2020-01-01", "2099-01-01"):
        (folder / f"{day}.jsonl").touch()

    traces.forget_old_traces()

    assert [path.stem for path in folder.iterdir()] == ["2099-01-01"]


def test_a_day_has_a_bound(client, folder, db, monkeypatch):
    monkeypatch.setattr(traces, "MOST", 10)

    for _ in range(3):
        client.get("/privacy")

    (path,) = folder.iterdir()
    assert len(path.read_text().splitlines()) == 1
