"""Who is who, for limits and shares."""

from datetime import UTC, datetime

from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from peerage_web.accounts.models import Person
from peerage_web.shared.networks import network_of
from peerage_web.shared.visitors import visitor_of


def visit(address: str, user: object = None, **headers: str):
    request = RequestFactory().get("/", REMOTE_ADDR=address, headers=headers)
    request.user = user or AnonymousUser()
    return visitor_of(request)


def test_network_is_what_one_customer_has():
    networks = {
        "192.0.2.7": "192.0.2.7",
        "::ffff:192.0.2.7": "192.0.2.7",
        "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
        "[2001:db8:1:2::9]": "2001:db8:1:2::/64",
        "fe80::1%eth0": "fe80::/64",
        "unknown": "unknown",
        "": "",
    }

    assert {address: network_of(address) for address in networks} == networks


def test_addresses_of_one_customer_are_one_visitor():
    assert visit("2001:db8:1:2::1") == visit("2001:db8:1:2:ffff::9")
    assert visit("2001:db8:1:2::1") != visit("2001:db8:1:3::1")
    assert visit("192.0.2.7") != visit("192.0.2.8")


def test_colleagues_behind_one_address_are_two_visitors(settings):
    settings.GRADE_A_FILE = "sign-in"
    ada, bob = Person(pk=1, email="ada@example.org"), Person(pk=2, email="bob@example.org")

    assert visit("192.0.2.7", ada) != visit("192.0.2.7", bob)
    assert visit("192.0.2.7", ada) == visit("198.51.100.1", ada)
    assert visit("192.0.2.7") not in (visit("192.0.2.7", ada), visit("192.0.2.7", bob))


def test_account_counts_only_where_people_sign_in(settings):
    settings.GRADE_A_FILE = "public"

    assert visit("192.0.2.7", Person(pk=1)) == visit("192.0.2.7")


def test_address_is_the_one_that_our_proxy_saw(settings):
    made_up = {"X-Forwarded-For": "203.0.113.1, 2001:db8::5"}

    assert visit("192.0.2.7", **made_up) == visit("192.0.2.7")
    settings.PROXY = True
    assert visit("192.0.2.7", **made_up) == visit("2001:db8::77")
    assert visit("127.0.0.1", **made_up) == visit("127.0.0.2", **{"X-Forwarded-For": "2001:db8::5"})


def test_visitor_is_a_hash_that_changes_every_day(monkeypatch):
    def on(day: int, address: str) -> str:
        monkeypatch.setattr("django.utils.timezone.now", lambda: datetime(2030, 1, day, tzinfo=UTC))
        return visit(address)

    marks = [on(1, "192.0.2.1"), on(1, "192.0.2.1"), on(1, "192.0.2.2"), on(2, "192.0.2.1")]

    assert marks[0] == marks[1]
    assert len(set(marks)) == 3
    assert not any("192.0.2" in mark for mark in marks)
