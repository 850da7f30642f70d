"""Pages of accounts: every address of the URL configuration, signed in and out, with whose session it is."""

from itertools import product

import pytest
from django.test import Client
from django.utils import timezone
from tests.web.classes.addresses import Address, addresses

from peerage_web.accounts.models import OneTimeLink, Person, SignIn
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.mail import unsubscribe_path

pytestmark = pytest.mark.django_db
ADDRESSES = addresses("peerage_web.accounts.") + addresses("django.contrib.auth.")

# Every address has to stand in one of these: for everybody, or for whoever is signed in; and its methods.
OPEN = {
    "sign-in": ("GET", "POST"),
    "sign-out": ("POST",),
    "one-time-link": ("GET", "POST"),
    "reminders-off": ("GET", "POST"),
    "reset": ("GET", "POST"),
}
SIGNED_IN = {
    "password": ("GET", "POST"),
    "password-changed": ("GET",),
    "address": ("GET", "POST"),
    "account": ("GET", "POST"),
    "end-session": ("POST",),
    "end-other-sessions": ("POST",),
}
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE")


@pytest.fixture
def people() -> dict[str, Person]:
    return {
        word: Person.objects.create_user(f"{word}@example.org", name=word.title()) for word in ("me", "other")
    }


def session_of(person: Person) -> SignIn:
    key = f"{SignIn.objects.count()}-of-{person.pk}"
    return SignIn.objects.create(person=person, session_key=key, seen_at=timezone.now())


def client_of(person: Person | None) -> Client:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def values_for(person: Person, address: Address) -> dict[str, object]:
    if address.name == "reminders-off":
        return {"text": unsubscribe_path(person).rpartition("/")[2]}
    if "text" in address.keys:
        link = make_link(kind=OneTimeLink.Kind.SIGN_IN, person=person)
        return {"text": link.rpartition("/")[2]}
    return {"number": session_of(person).pk} if "number" in address.keys else {}


def ask(client: Client, method: str, path: str) -> int | str:
    answer = client.generic(method, path)
    if answer.status_code == 302 and answer["Location"].startswith("/sign-in"):
        return "sign-in"
    return answer.status_code


def test_every_address_of_accounts_is_in_one_of_the_two_lists():
    assert {one.name for one in ADDRESSES} == {*OPEN, *SIGNED_IN}, "say who may open the new address"
    assert not OPEN.keys() & SIGNED_IN.keys()


def test_every_address_answers_its_methods_to_whoever_may(people):
    wrong = []
    for address, person, method in product(ADDRESSES, (None, people["me"]), METHODS):
        methods = (OPEN | SIGNED_IN)[address.name]
        if method in methods:
            expected = {"sign-in"} if person is None and address.name in SIGNED_IN else {200, 302, 422}
        elif method == "HEAD" and "GET" in methods:
            continue
        elif person is None:
            expected = {405, "sign-in"}
        else:
            expected = {405, 302} if address.name == "sign-in" else {405}  # who is signed in is sent on
        path = address.path(**values_for(people["me"], address))
        got = ask(client_of(person), method, path)
        if got not in expected:
            wrong.append(f"{method} {path} {'by nobody' if person is None else 'signed in'}: {got}")
    assert wrong == []


def test_nobody_ends_the_sessions_of_somebody_else(people):
    mine, theirs = session_of(people["me"]), session_of(people["other"])
    client = client_of(people["me"])

    assert ask(client, "POST", f"/account/sessions/{theirs.pk}/end") == 404
    client.post("/account/sessions/end-others")

    assert list(SignIn.objects.filter(pk__in=[mine.pk, theirs.pk])) == [theirs]


def test_account_page_shows_and_changes_only_ones_own(people):
    session_of(people["other"])
    client = client_of(people["me"])

    page = client.get("/account")
    client.post("/account", {"name": "New", "language": "de", "email": "x@example.org", "is_operator": "on"})

    assert [one.person for one in page.context["sign_ins"]] == []
    assert "other@example.org" not in page.content.decode()
    me, other = (Person.objects.get(pk=people[word].pk) for word in ("me", "other"))
    assert (me.name, me.language, me.email, me.is_operator) == ("New", "de", "me@example.org", False)
    assert (other.name, other.language) == ("Other", "")


def test_made_up_links_are_gone(client):
    texts = ["x", "1", "1:x", ":", "%00", "x" * 500]
    paths = [f"/{word}/{text}" for word in ("reminders", "link") for text in texts]

    answers = {path: (client.get(path).status_code, client.post(path).status_code) for path in paths}

    assert answers == dict.fromkeys(paths, (410, 410))


def test_a_way_out_of_reminders_opens_nothing_else(people):
    client = client_of(None)
    client.post(unsubscribe_path(people["me"]), {"wanted": "no"})

    assert ask(client, "GET", "/account") == "sign-in"
    assert Person.objects.get(pk=people["other"].pk).wants_reminders
