"""Slow clients are cut off, and do not hold up the others."""

import socket
import time
from contextlib import ExitStack

import pytest
from tests.web.service import BOUND

from peerage_web.operations import slow_clients
from peerage_web.operations.slow_clients import MeteredSocket

TOKEN = b"a" * 32
UPLOAD = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=%b\r\nContent-Length: 1000000\r\n"
    b"Content-Type: multipart/form-data; boundary=part\r\n\r\n"
    b'--part\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n%b\r\n'
    b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ngrader,item'
) % (TOKEN, TOKEN)


@pytest.fixture
def pair():
    """Our end of a connection, and the client's."""
    ours, theirs = socket.socketpair()
    metered = MeteredSocket(ours.detach())
    yield metered, theirs
    metered.close()
    theirs.close()


def test_client_that_sends_nothing_more_is_cut_off(pair, monkeypatch):
    ours, theirs = pair
    theirs.sendall(b"POST")
    ours.recv(100)
    monkeypatch.setattr(slow_clients, "GRACE", 0.05)

    with pytest.raises(ConnectionResetError, match="too slowly"):
        ours.recv(100)

    assert ours.too_slow


def read_bytes_one_by_one(connection: MeteredSocket) -> None:
    while connection.recv(1):
        time.sleep(0.001)


def test_client_that_sends_bytes_one_by_one_is_cut_off(pair, monkeypatch):
    ours, theirs = pair
    monkeypatch.setattr(slow_clients, "GRACE", 0.05)
    monkeypatch.setattr(slow_clients, "RATE", 1 << 40)
    theirs.sendall(bytes(1000))

    with pytest.raises(ConnectionResetError, match="too slowly"):
        read_bytes_one_by_one(ours)


def test_client_that_keeps_the_pace_gets_more_time(pair, monkeypatch):
    ours, theirs = pair
    monkeypatch.setattr(slow_clients, "GRACE", 0.0)
    monkeypatch.setattr(slow_clients, "RATE", 1)
    theirs.sendall(bytes(1000))
    ours.begin()
    ours._received = 1000  # a thousand bytes have bought a thousand seconds

    assert len(ours.recv(2000)) == 1000


def test_next_request_has_its_own_time(pair, monkeypatch):
    ours, theirs = pair
    ours._started -= slow_clients.GRACE + 1

    ours.begin()
    theirs.sendall(b"again")

    assert ours.recv(100) == b"again"


def test_request_that_is_broken_off_is_not_taken_for_whole_and_between_two_it_ends_quietly(pair):
    ours, theirs = pair
    theirs.sendall(b"half")
    ours.recv(100)
    theirs.close()

    with pytest.raises(ConnectionResetError, match="broken off"):
        ours.recv(100)

    ours.begin()
    assert ours.recv(100) == b""


def test_client_that_does_not_read_is_cut_off(pair, monkeypatch):
    ours, _ = pair
    monkeypatch.setattr(slow_clients, "GRACE", 0.05)
    monkeypatch.setattr(slow_clients, "RATE", 1 << 40)

    with pytest.raises(ConnectionResetError, match="taken too slowly"):
        ours.sendall(bytes(1 << 24))


@pytest.mark.full
def test_slow_uploads_do_not_hold_up_a_quick_request_and_are_cut_off(own):
    with ExitStack() as opened:
        slow = [socket.create_connection(("127.0.0.1", own.port), BOUND) for _ in range(20)]
        for connection in slow:
            opened.enter_context(connection).sendall(UPLOAD)

        assert own.ask("/healthz") == (200, '{"status": "ok"}')
        assert slow[0].recv(1000).split(b"\r\n")[0] == b"HTTP/1.1 408 Request Timeout"


def test_address_has_so_many_threads_and_waits_for_its_own():
    shares = slow_clients.ThreadShares(2)

    entered = [shares.enter("greedy", number) for number in range(4)]
    assert entered == [True, True, False, False]
    assert shares.enter("other", "quick")

    assert [shares.leave("greedy") for _ in range(4)] == [2, 3, None, None]
    assert shares.leave("other") is None
    assert (dict(shares._busy), dict(shares._waiting)) == ({}, {})
