"""Mail: queued in the reader's language, sent once, tried again, and without its secrets afterwards."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services import mail as services
from peerage_web.accounts.services.mail import MOST_ATTEMPTS, queue_mail, send_waiting_mail

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> Person:
    return Person.objects.create_user("a@example.org")


def queue(person: Person, **more) -> bool:
    return queue_mail(person=person, kind="reset", context={"link": "/link/abc-DEF_1"}, **more)


def test_mail_goes_out_once_and_forgets_its_link(person, mailoutbox):
    queue(person)
    assert "/link/abc-DEF_1" in Mail.objects.get().text

    assert (send_waiting_mail(), send_waiting_mail()) == (1, 0)

    (sent,) = mailoutbox
    assert sent.to == ["a@example.org"]
    assert "/link/abc-DEF_1" in sent.body
    assert "abc-DEF_1" not in Mail.objects.get().text


def test_mail_speaks_the_readers_language(person):
    person.language = "fr"

    queue(person)

    assert Mail.objects.get().subject == "Réinitialiser votre mot de passe Peerage"


def test_what_is_queued_once_is_not_queued_twice(person):
    made = [queue(person, once="reminder 7 2026-11-15") for _ in range(2)]

    assert (made, Mail.objects.count()) == ([True, False], 1)


def test_failure_is_kept_and_tried_again_until_it_gives_up_and_says_so(person, settings):
    settings.EMAIL_BACKEND = "tests.web.accounts.test_web_mail.Broken"
    queue(person)

    assert send_waiting_mail() == 0

    waiting = Mail.objects.get()
    assert (waiting.attempts, waiting.sent_at, waiting.given_up_at) == (1, None, None)
    assert waiting.problem == "ConnectionRefusedError: no server here"
    assert waiting.not_before > timezone.now()

    Mail.objects.update(attempts=MOST_ATTEMPTS - 1, not_before=timezone.now())
    send_waiting_mail()

    assert Mail.objects.get().given_up_at is not None
    Mail.objects.update(not_before=timezone.now())
    assert send_waiting_mail() == 0
    assert Mail.objects.get().attempts == MOST_ATTEMPTS


def test_one_round_sends_a_bounded_number(person, monkeypatch):
    monkeypatch.setattr(services, "BATCH", 2)
    for _ in range(3):
        queue(person)

    assert (send_waiting_mail(), send_waiting_mail()) == (2, 1)


def test_without_a_server_every_message_is_a_file_of_its_own(person, settings, tmp_path):
    settings.EMAIL_BACKEND = "peerage_web.accounts.mail_folder.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    for _ in range(20):
        queue(person)

    send_waiting_mail()

    texts = [path.read_text() for path in (tmp_path / "mail").iterdir()]
    assert [text.count("\nSubject: ") for text in texts] == [1] * 20


def test_a_real_server_gets_it_though_it_was_away_before(person, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port()
    queue(person, language="de")
    assert send_waiting_mail() == 0
    Mail.objects.update(not_before=timezone.now())  # the time for another try has come

    with mailbox() as (port, letters):
        settings.EMAIL_PORT = port
        assert send_waiting_mail() == 1

    (letter,) = letters
    assert letter.rcpt_tos == ["a@example.org"]
    message = message_from_bytes(letter.content, policy=policy.default)
    assert message["Subject"] == "Ihr Passwort für Peerage zurücksetzen"
    assert f"{settings.BASE_URL}/link/abc-DEF_1" in message.get_content()


@contextmanager
def mailbox() -> Iterator[tuple[int, list]]:
    """A real SMTP server, and what it was sent."""
    letters: list = []

    class Keep:
        async def handle_DATA(self, server, session, envelope) -> str:
            letters.append(envelope)
            return "250 OK"

    port = free_port()
    server = Controller(Keep(), hostname="127.0.0.1", port=port)
    server.start()
    try:
        yield port, letters
    finally:
        server.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Broken(BaseEmailBackend):
    """A server that is away."""

    def send_messages(self, messages) -> int:
        raise ConnectionRefusedError("no server here")
