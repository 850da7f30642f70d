"""Requests to addresses that strangers name: none of them reaches into the operator's network."""

import socket
import threading
import time
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

import pytest
from tests.web.receiver import receiving

from peerage_web.lti import platform_client
from peerage_web.lti.platform_client import PlatformError
from peerage_web.shared import outgoing
from peerage_web.shared.outgoing import NotReachedError, UnsafeAddressError, checked_url, post, refuse_private

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
    "240.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1",
    # what tells a machine in a cloud its secrets
    "192.0.0.192", "100.100.100.200", "168.63.129.16", "fd00:ec2::254",
    # IPv4 in IPv6: mapped, compatible, translated, 6to4, NAT64 of everybody and of one network, Teredo
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::93.184.215.14",
    "::ffff:0:127.0.0.1", "2002:7f00:1::", "2002:a00:1::1", "2002:c000:c0::", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::c000:c0", "64:ff9b:1::7f00:1", "64:ff9b:1::5db8:d70e",
    "2001:0:53aa:64c:0:0:0:1", "2001:0:7f00:1:0:0:a247:28f1", "2001:0:5db8:d70e:0:0:f5ff:fffe",
    # of a site, discarded, for documentation, for segments, never given out
    "fec0::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1",
]  # fmt: skip
PUBLIC = [
    "93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
    "::ffff:93.184.215.14", "2002:5db8:d70e::1", "64:ff9b::5db8:d70e", "2001:0:5db8:d70e:0:0:a247:28f1",
]  # fmt: skip


def as_a_webhook() -> None:
    post("https://hooks.example/", b"{}", {})


def as_a_call_to_a_platform() -> None:
    platform_client.call("GET", "https://hooks.example/")


@pytest.fixture
def connected(monkeypatch) -> list[str]:
    """Addresses that something was sent to; nobody answers there."""
    reached = []

    def refuse(address, *args, **named):
        reached.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr("urllib3.util.connection.create_connection", refuse)
    return reached


def stand_for(monkeypatch, *addresses: str) -> None:
    """From now on every name stands for these."""
    entries = [
        (socket.AF_INET6 if ":" in text else socket.AF_INET, socket.SOCK_STREAM, 6, "", (text, 443))
        for text in addresses
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: entries)


def test_networks_that_are_not_public_are_refused():
    for text in PRIVATE:
        with pytest.raises(UnsafeAddressError):
            refuse_private(ip_address(text), private=False)
        refuse_private(ip_address(text), private=True)

    for text in PUBLIC:
        refuse_private(ip_address(text), private=False)


def test_hosts_that_an_operator_named_may_be_on_a_network_of_their_own(connected, monkeypatch):
    stand_for(monkeypatch, "10.0.0.1")

    with pytest.raises(PlatformError, match="refused"):
        platform_client.call("GET", "https://lms.example/", private=True)

    assert connected == ["10.0.0.1"]


def test_a_host_with_several_addresses_is_tried_at_each(connected, monkeypatch):
    stand_for(monkeypatch, *PUBLIC[:2])

    with pytest.raises(NotReachedError, match="refused"):
        as_a_webhook()

    assert connected == PUBLIC[:2]


ODD = [
    ("http://example.org/", "https"),
    ("ftp://example.org/", "https"),
    ("file:///etc/passwd", "https"),
    ("https:///path", "host"),
    ("https://user@example.org/", "user"),
    ("https://:word@example.org/", "user"),
    ("https://example.org:25/", "port"),
    ("https://example.org:99999/", "valid web address"),
    ("https://[::1", "valid web address"),
    ("https://127.0.0.1/", "private network"),
    ("https://[::ffff:10.0.0.1]:8443/", "private network"),
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


@pytest.mark.parametrize("send", [as_a_webhook, as_a_call_to_a_platform])
def test_one_private_address_among_public_ones_is_enough_to_refuse(send, connected, monkeypatch):
    stand_for(monkeypatch, "93.184.215.14", "10.0.0.1")

    with pytest.raises((UnsafeAddressError, PlatformError), match="private network"):
        send()

    assert connected == []


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


def test_whoever_drips_while_shaking_hands_is_cut_off():
    """TLS takes the socket over before there is a request; the deadline is still that of the whole."""
    over = threading.Event()

    def drip(server: socket.socket) -> None:
        sock, _address = server.accept()
        with sock, suppress(OSError):
            sock.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")  # a long greeting begins
            while not over.wait(0.05):
                sock.sendall(b"\x00")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, args=(server,), daemon=True).start()
        parts = urlsplit(f"https://127.0.0.1:{server.getsockname()[1]}/")
        began = time.monotonic()
        with pytest.raises(NotReachedError, match="in time"):
            outgoing.send("GET", parts, headers={}, private=True, seconds=0.5, most_bytes=100)
        over.set()

        assert time.monotonic() - began < 10
