"""Links that work once: looked at as often as one likes, used by sending their form, and then gone."""

from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone
from tests.web.page_facts import broken_rules, texts

from peerage_web.accounts.models import Identity, Mail, OneTimeLink, Person
from peerage_web.accounts.services.links import make_link, needs_first_account, use_link
from peerage_web.accounts.services.users import get_or_create_person
from peerage_web.commands import serve
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db

GOOD = "four plain words here"
Kind = OneTimeLink.Kind


@pytest.fixture
def person() -> Person:
    return get_or_create_person(email="New@Example.org", name="New")


def token(path: str) -> str:
    return path.rsplit("/", 1)[1]


def test_passwords_are_hashed_with_argon2(settings):
    from peerage_web.settings import PASSWORD_HASHERS

    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    person = Person.objects.create_user("a@example.org", password=GOOD)

    assert person.password.startswith("argon2$argon2id$")


def test_a_link_is_used_by_sending_its_form_not_by_opening_it(client, person):
    path = make_link(kind=Kind.INVITATION, person=person)

    looks = client.get(path), client.head(path)

    assert [one.status_code for one in looks] == [200, 200]
    assert broken_rules(looks[0]) == []
    assert client.post(path, {"name": "Renamed", "password": "short"}).status_code == 422
    assert OneTimeLink.objects.get().used_at is None

    answer = client.post(path, {"name": "Renamed", "password": GOOD})

    assert (answer.status_code, answer["Location"]) == (302, "/courses")
    person.refresh_from_db()
    assert (person.name, person.check_password(GOOD)) == ("Renamed", True)
    assert Identity.objects.get().subject == "new@example.org"
    assert client.get("/courses").status_code == 200


def test_a_used_link_is_gone(client, person):
    path = make_link(kind=Kind.INVITATION, person=person)
    client.post(path, {"name": "x", "password": GOOD})

    again = Client().post(path, {"name": "y", "password": GOOD + " 2"})

    assert again.status_code == 410
    assert texts(again, "h1") == ["This link no longer works"]
    with pytest.raises(Refused, match="already used"):  # who looked at it before it was used
        use_link(text=token(path), password=GOOD + " 2")
    person.refresh_from_db()
    assert person.check_password(GOOD)


def test_expired_and_replaced_links_are_gone(client, person):
    old, new = (make_link(kind=Kind.RESET, person=person) for _ in range(2))
    assert (client.get(old).status_code, client.get(new).status_code) == (410, 200)

    OneTimeLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert client.get(new).status_code == 410
    assert token(new) not in str(OneTimeLink.objects.values())  # the database does not hold it


def test_first_account_runs_the_instance_and_there_is_no_second(client):
    path = make_link(kind=Kind.FIRST, person=None)
    assert needs_first_account()

    client.post(path, {"name": "Boss", "email": "boss@example.org", "password": GOOD})

    boss = Person.objects.get()
    assert (boss.is_operator, boss.may_create_courses) == (True, True)
    assert not needs_first_account()
    later = make_link(kind=Kind.FIRST, person=None)
    with pytest.raises(Refused, match="already exists"):
        use_link(text=token(later), email="me@example.org", password=GOOD)
    assert list(Person.objects.all()) == [boss]


@pytest.mark.parametrize(
    ("https", "start"), [(True, "https://peerage.example.org"), (False, "http://localhost:8000")]
)
def test_the_link_for_the_first_account_is_where_browsers_are(https, start, settings, capsys, monkeypatch):
    settings.HTTPS, settings.BASE_URL = https, "https://peerage.example.org"
    monkeypatch.setattr(connections, "close_all", lambda: None)

    serve._offer_first_account("http://localhost:8000/")

    assert f": {start}/link/" in capsys.readouterr().out


# -- resets and sessions ----------------------------------------------------------------------------


def sign_in() -> Client:
    client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"})
    answer = client.post("/sign-in", {"username": "A@example.org", "password": GOOD})
    assert answer.status_code == 302
    return client


def test_sessions_are_listed_and_ended_at_once():
    Person.objects.create_user("a@example.org", password=GOOD)
    here, there = sign_in(), sign_in()
    page = here.get("/account")
    assert broken_rules(page) == []
    assert [one.browser for one in page.context["sign_ins"]] == ["Firefox, Linux"] * 2
    other = there.session.session_key
    number = next(one.pk for one in page.context["sign_ins"] if one.session_key == other)

    here.post(f"/account/sessions/{number}/end")

    assert there.get("/account").status_code == 302
    assert here.get("/account").status_code == 200


def test_reset_ends_all_sessions_and_does_not_tell_who_has_an_account(client):
    person = Person.objects.create_user("a@example.org", password=GOOD)
    old = sign_in()

    pages = [client.post("/reset", {"email": one}) for one in ("A@example.org", "b@example.org")]

    assert {(one.status_code, texts(one, "main")[0]) for one in pages} == {(200, texts(pages[0], "main")[0])}
    mail = Mail.objects.get()
    assert mail.person == person
    (path,) = [line for line in mail.text.splitlines() if "/link/" in line]
    assert client.post("/link/" + token(path), {"password": GOOD + " 2"}).status_code == 302
    person.refresh_from_db()
    assert person.check_password(GOOD + " 2")
    assert old.get("/account").status_code == 302


def test_resets_are_bounded_for_a_person_and_a_visitor(client):
    Person.objects.create_user("a@example.org", password=GOOD)

    answers = [client.post("/reset", {"email": "a@example.org"}).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]
    assert Mail.objects.count() == 3
