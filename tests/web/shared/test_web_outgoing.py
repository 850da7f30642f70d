"""Requests to addresses that strangers name: none of them reaches into the operator's network."""

from __future__ import annotations

import socket
import time
from ipaddress import ip_address

import pytest
from tests.web.receiver import receiving

from peerage_web.shared import outgoing
from peerage_web.shared.outgoing import NotReachedError, UnsafeAddressError, checked_url, post, refuse_private

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "2001:0:53aa:64c:0:0:0:1",
]  # fmt: skip


def test_networks_that_are_not_public_are_refused():
    for text in PRIVATE:
        with pytest.raises(UnsafeAddressError):
            refuse_private(ip_address(text), private=False)
        refuse_private(ip_address(text), private=True)

    for text in ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e"):
        refuse_private(ip_address(text), private=False)


ODD = [
    ("http://example.org/", "https"),
    ("ftp://example.org/", "https"),
    ("file:///etc/passwd", "https"),
    ("https:///path", "host"),
    ("https://user@example.org/", "user"),
    ("https://:word@example.org/", "user"),
    ("https://example.org:25/", "port"),
    ("https://example.org:99999/", "address of the web"),
    ("https://[::1", "address of the web"),
    ("https://127.0.0.1/", "not public"),
    ("https://[::ffff:10.0.0.1]:8443/", "not public"),
    ("https://exämple.org/", "ASCII"),
    ("https://example.org/\r\nHost: x", "ASCII"),
    ("https://example.org/" + "x" * 500, "500"),
]


def test_odd_addresses_are_refused_before_anything_is_sent():
    for url, why in ODD:
        with pytest.raises(UnsafeAddressError, match=why):
            checked_url(url, private=False)

    for url in ("https://example.org/hook?a=1", "https://example.org:8443", "https://a.b:443/"):
        assert checked_url(url, private=False).hostname


def test_a_name_that_means_this_machine_is_not_reached():
    """Whatever way it is written: what counts is the address that it stands for."""
    with receiving() as receiver:
        port = receiver.url.split(":")[2].partition("/")[0]
        for host in ("localhost", "2130706433", "0x7f000001", "127.1"):
            with pytest.raises((UnsafeAddressError, NotReachedError)):
                post(f"https://{host}:{port}/", b"{}", {})

    assert receiver.got == []


def test_one_private_address_among_public_ones_is_enough_to_refuse(monkeypatch):
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, 443)) for text in ("93.184.215.14", "10.0.0.1")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: found)

    with pytest.raises(UnsafeAddressError):
        post("https://rebinding.example/", b"{}", {})


def test_the_name_is_looked_up_once(monkeypatch):
    """A name that means something else the second time gains nothing."""
    asked, real = [], socket.getaddrinfo

    def once(host, *args, **named):
        asked.append(host)
        return real("127.0.0.1", *args, **named)

    with receiving() as receiver:
        monkeypatch.setattr(socket, "getaddrinfo", once)
        url = receiver.url.replace("127.0.0.1", "hooks.example")
        assert post(url, b"{}", {}, private=True) == 200

    assert [host for host in asked if host == "hooks.example"] == ["hooks.example"]
    assert receiver.got[0][0]["host"].startswith("hooks.example:")


def test_redirects_are_not_followed_and_who_speaks_no_tls_or_is_away_is_not_reached():
    with receiving() as receiver:
        receiver.answers = [307]
        assert post(receiver.url, b"{}", {}, private=True) == 307
        with pytest.raises(NotReachedError, match="TLS"):
            post(receiver.url.replace("http://", "https://"), b"{}", {}, private=True)

    assert [path for _headers, _body, path in receiver.got] == ["/hook?a=1"]
    with pytest.raises(NotReachedError, match="refused"):
        post(receiver.url, b"{}", {}, private=True)


def test_whoever_drips_is_cut_off(monkeypatch):
    monkeypatch.setattr(outgoing, "SECONDS", 0.4)
    with receiving() as receiver:
        receiver.drips = True
        began = time.monotonic()
        with pytest.raises(NotReachedError):
            post(receiver.url, b"{}", {}, private=True)

        assert time.monotonic() - began < 30  # without an end it would drip for ever
