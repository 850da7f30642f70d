"""Slow clients are cut off, and do not hold up the others."""

from __future__ import annotations

import socket
import time

import pytest

from peerage_web.operations import clients
from peerage_web.operations.clients import Metered


@pytest.fixture
def pair():
    """Our end of a connection, and the client's."""
    ours, theirs = socket.socketpair()
    metered = Metered(ours.detach())
    yield metered, theirs
    metered.close()
    theirs.close()


def read_bytes_one_by_one(connection: Metered) -> None:
    while connection.recv(1):
        time.sleep(0.001)


def test_what_is_sent_arrives(pair):
    ours, theirs = pair

    theirs.sendall(b"hello")

    assert ours.recv(100) == b"hello"


def test_client_that_sends_nothing_more_is_cut_off(pair, monkeypatch):
    ours, theirs = pair
    monkeypatch.setattr(clients, "GRACE", 0.05)
    theirs.sendall(b"POST")
    ours.recv(100)

    with pytest.raises(ConnectionResetError, match="too slowly"):
        ours.recv(100)

    assert ours.too_slow


def test_client_that_sends_bytes_one_by_one_is_cut_off(pair, monkeypatch):
    ours, theirs = pair
    monkeypatch.setattr(clients, "GRACE", 0.05)
    monkeypatch.setattr(clients, "RATE", 1 << 40)
    theirs.sendall(bytes(1000))

    with pytest.raises(ConnectionResetError, match="too slowly"):
        read_bytes_one_by_one(ours)


def test_client_that_keeps_the_pace_gets_more_time(pair, monkeypatch):
    ours, theirs = pair
    monkeypatch.setattr(clients, "GRACE", 0.0)
    monkeypatch.setattr(clients, "RATE", 1)
    theirs.sendall(bytes(1000))
    ours.begin()
    ours._received = 1000  # a thousand bytes have bought a thousand seconds

    assert len(ours.recv(2000)) == 1000


def test_next_request_has_its_own_time(pair, monkeypatch):
    ours, theirs = pair
    ours._started -= clients.GRACE + 1

    ours.begin()
    theirs.sendall(b"again")

    assert ours.recv(100) == b"again"


def test_request_that_is_broken_off_is_not_taken_for_whole(pair):
    ours, theirs = pair
    theirs.sendall(b"half")
    ours.recv(100)

    theirs.close()

    with pytest.raises(ConnectionResetError, match="broken off"):
        ours.recv(100)


def test_connection_that_ends_between_requests_ends_quietly(pair):
    ours, theirs = pair

    theirs.close()

    assert ours.recv(100) == b""


def test_client_that_does_not_read_is_cut_off(pair, monkeypatch):
    ours, _ = pair
    monkeypatch.setattr(clients, "GRACE", 0.05)
    monkeypatch.setattr(clients, "RATE", 1 << 40)

    with pytest.raises(ConnectionResetError, match="taken too slowly"):
        ours.sendall(bytes(1 << 24))


def test_many_slow_clients_do_not_hold_up_a_quick_one(service):
    slow = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(20)]
    for client in slow:
        client.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx")

    answer = service.ask("/healthz")

    for client in slow:
        client.close()
    assert answer == (200, '{"status": "ok"}')
