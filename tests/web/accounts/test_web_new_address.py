"""Another e-mail address: confirmed at the new one, told to the old one, known to rosters under both."""

import re

import pytest
from django.test import Client
from tests.web.page_facts import broken_rules

from peerage_web.accounts.models import Mail, OneTimeLink, Person
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.mail import send_waiting_mail
from peerage_web.accounts.services.users import get_or_create_person

pytestmark = pytest.mark.django_db
PASSWORD = "four plain words here"


@pytest.fixture
def person() -> Person:
    return Person.objects.create_user("old@example.org", PASSWORD, name="Ada")


@pytest.fixture
def client(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def ask(client: Client, email: str = "new@example.org", old: str = PASSWORD):
    return client.post("/account/address", {"email": email, "old": old}, follow=True)


def link_in(mail: Mail) -> str:
    return re.search(r"/link/\S+", mail.text)[0]


def test_address_is_changed_once_the_link_at_the_new_one_is_opened(client, person, mailoutbox):
    assert broken_rules(client.get("/account/address")) == []
    ask(client)
    person.refresh_from_db()
    assert person.email == "old@example.org", "not before"
    mail = Mail.objects.get()
    link = link_in(mail)
    send_waiting_mail()
    assert [message.to for message in mailoutbox] == [["new@example.org"]]
    assert broken_rules(client.get(link)) == []

    client.post(link)

    person.refresh_from_db()
    assert person.email == "new@example.org"
    told = Mail.objects.exclude(pk=mail.pk).get()
    assert (told.to, "new@example.org" in told.text) == ("old@example.org", True)
    assert Client().login(username="new@example.org", password=PASSWORD)
    assert client.get(link).status_code == 410, "once"
    assert get_or_create_person(email="old@example.org") == person, "known under both"
    assert Person.objects.count() == 1


def test_the_link_is_for_its_person_alone_and_for_an_address_that_is_still_free(client, person):
    ask(client)
    link = link_in(Mail.objects.get())
    other = Client()
    other.force_login(Person.objects.create_user("other@example.org"))

    for stranger in (Client(), other):
        assert stranger.get(link).status_code == 302
        assert stranger.post(link).headers["Location"].startswith("/sign-in")
    Person.objects.create_user("new@example.org")  # meanwhile
    assert client.post(link).status_code == 422

    person.refresh_from_db()
    assert person.email == "old@example.org"


def test_password_is_asked_for_and_links_to_the_old_address_end(client, person):
    assert ask(client, old="another password").status_code == 422
    assert not Mail.objects.exists()
    reset = make_link(kind=OneTimeLink.Kind.RESET, person=person)
    ask(client)

    client.post(link_in(Mail.objects.get()))

    assert Client().get(reset).status_code == 410


def test_address_of_another_account_is_told_to_its_owner_alone(client, person):
    other = Person.objects.create_user("new@example.org")

    answer = ask(client)

    assert "Open the link in the e-mail" in answer.content.decode(), "as if nobody had it"
    assert [mail.person for mail in Mail.objects.all()] == [other]
    assert not OneTimeLink.objects.exists()
