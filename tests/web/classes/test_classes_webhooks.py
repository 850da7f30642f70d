"""Webhooks: told in the transaction that causes it, signed, tried again under the same id, given up aloud."""

import base64
import hashlib
import hmac
import json
import threading
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from tests.web.classes.cast import move
from tests.web.receiver import Receiver, receiving

from peerage_web.accounts.models import ApiToken
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.erasure.services import erase_member
from peerage_web.classes.maintenance import maintain
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.roster.services import change_role
from peerage_web.classes.webhooks import delivery
from peerage_web.classes.webhooks import services as webhook_services
from peerage_web.classes.webhooks.events import notify
from peerage_web.classes.webhooks.models import Delivery, Webhook
from peerage_web.shared.errors import Refused


@pytest.fixture
def receiver(settings):
    settings.WEBHOOKS_PRIVATE = True
    with receiving() as found:
        yield found


@pytest.fixture
def hook(cast, receiver) -> Webhook:
    return webhook_services.add_webhook(course=cast.course, by=cast.people["instructor"], url=receiver.url)


def close(cast) -> None:
    move(cast.assignment, Phase.REVIEWING)
    take_step(assignment=cast.assignment, code="close", by=cast.people["instructor"])


def due_now() -> None:
    Delivery.objects.filter(next_at__isnull=False).update(next_at=timezone.now())


def verified(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """As a receiver does it, by the words of Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = ".".join([headers["webhook-id"], headers["webhook-timestamp"], body.decode()])
    made = base64.b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).decode()
    version, _comma, given = headers["webhook-signature"].partition(",")
    return version == "v1" and hmac.compare_digest(made, given)


def test_a_phase_that_changes_is_told(cast, receiver, hook):
    close(cast)

    assert delivery.send_waiting_deliveries() == 1
    ((headers, body, path),) = receiver.got
    said = json.loads(body)
    assert (said["type"], path) == ("phase.changed", "/hook?a=1")
    assert said["data"] == {
        "course": cast.course.key,
        "assignment": cast.assignment.key,
        "title": "Poster",
        "phase": "closed",
        "before": "reviewing",
        "after": "closed",
    }
    assert verified(headers, body, delivery.shown_secret(hook))
    assert not verified(headers, body + b" ", delivery.shown_secret(hook))
    assert Delivery.objects.get().taken_at is not None


def test_released_grades_are_told_without_names_and_reasons(cast, hook):
    events = {
        "grades-released": "grades.released",
        "grades-released-again": "grades.released",
        "grades-retracted": "grades.retracted",
    }
    for verb, kind in events.items():
        event = Event.objects.create(
            course=cast.course, assignment=cast.assignment, actor=cast.people["instructor"], verb=verb,
            subject=cast.students[0], data={"count": 5, "number": 2, "reason": "The appeal was right"},
        )  # fmt: skip

        notify(event)

        said = Delivery.objects.get().body
        Delivery.objects.all().delete()
        assert said["type"] == kind
        assert (said["data"]["count"], said["data"]["number"]) == (5, 2)
        assert "appeal was right" not in json.dumps(said)
        assert "instructor@" not in json.dumps(said)


def test_other_entries_other_courses_and_what_is_undone_are_not_told(cast, hook):
    record("course-created", by=None, course=cast.course)
    move(cast.elsewhere, Phase.REVIEWING)
    take_step(assignment=cast.elsewhere, code="close", by=None)
    with transaction.atomic():
        close(cast)
        assert Delivery.objects.count() == 1
        transaction.set_rollback(True)

    assert not Delivery.objects.exists()


def test_a_message_is_tried_again_under_the_same_id_and_not_before_its_time(cast, receiver, hook):
    receiver.answers = [500, 302, 200]
    close(cast)
    waits = []
    for _attempt in range(3):
        due_now()
        began = timezone.now()
        delivery.send_waiting_deliveries()
        delivery.send_waiting_deliveries()  # sends nothing
        one = Delivery.objects.get()
        waits.append(one.next_at and one.next_at - began)

    ids = {headers["webhook-id"] for headers, _body, _path in receiver.got}
    bodies = {body for _headers, body, _path in receiver.got}
    assert (len(receiver.got), len(ids), len(bodies)) == (3, 1, 1)
    assert all(verified(headers, body, delivery.shown_secret(hook)) for headers, body, _ in receiver.got)
    assert timedelta(minutes=1) <= waits[0] < timedelta(minutes=2)
    assert timedelta(minutes=3) <= waits[1] < timedelta(minutes=4)
    assert (waits[2], one.answer, one.attempts) == (None, "200", 3)


def test_who_dies_while_sending_has_not_lost_the_message(cast, receiver, hook, monkeypatch):
    close(cast)

    def dies(*args, **named):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("peerage_web.shared.outgoing.post", dies)
        with pytest.raises(KeyboardInterrupt):
            delivery.send_waiting_deliveries()
    due_now()

    assert delivery.send_waiting_deliveries() == 1


def test_a_message_is_given_up_sent_again_and_forgotten_when_it_is_old(cast, receiver, hook):
    receiver.answers = [503] * delivery.MOST_ATTEMPTS
    close(cast)
    for _attempt in range(delivery.MOST_ATTEMPTS + 2):
        due_now()
        delivery.send_waiting_deliveries()
    one = Delivery.objects.get()
    assert (one.attempts, one.next_at, one.taken_at, one.answer) == (9, None, None, "503")

    webhook_services.send_again(webhook=hook, delivery=str(one.pk))

    assert delivery.send_waiting_deliveries() == 1
    assert len({headers["webhook-id"] for headers, _body, _path in receiver.got}) == 1
    with pytest.raises(Refused):
        webhook_services.send_again(webhook=hook, delivery=str(one.pk))

    delivery.forget_old_deliveries()
    assert Delivery.objects.exists()
    Delivery.objects.update(made_at=timezone.now() - timedelta(days=91))
    delivery.forget_old_deliveries()
    assert not Delivery.objects.exists()


def test_a_receiver_that_is_gone_is_not_told_any_more(cast, receiver, hook):
    receiver.answers = [410]
    close(cast)
    delivery.send_waiting_deliveries()
    take_step(assignment=cast.assignment, code="review-again", by=None)

    assert Webhook.objects.get().ended_at is not None
    assert Delivery.objects.count() == 1
    assert Event.objects.filter(verb="webhook-gone").count() == 1


def test_a_private_address_is_refused_when_added_and_when_sent(cast, settings, receiver, hook):
    close(cast)
    settings.WEBHOOKS_PRIVATE = False
    delivery.send_waiting_deliveries()

    assert receiver.got == []
    assert Delivery.objects.get().answer == "it must start with https://"
    url = "https://169.254.169.254/latest/meta-data"
    with pytest.raises(Refused, match="private network"):
        webhook_services.add_webhook(course=cast.course, by=cast.people["instructor"], url=url)


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_maintenance_does_not_wait_for_receivers(cast, receiver, hook):
    """Its sign of life would be missed: a slow receiver of one course would take the service down."""
    receiver.holds = threading.Event()
    close(cast)

    maintain()  # comes back although nobody has answered yet
    sender = delivery.send_in_background()
    assert sender is not None
    assert sender.is_alive()
    receiver.holds.set()
    sender.join(timeout=60)

    assert len(receiver.got) == 1
    assert Delivery.objects.get().taken_at is not None
    assert delivery.send_in_background() is None


def test_a_token_is_shown_once_and_opens_the_course(cast):
    client, page = cast.client("instructor"), f"/c/{cast.course.key}/tokens-and-webhooks"
    sent = {"name": "grade book", "days": "90"}

    made = client.post(f"{page}/tokens", sent)
    token = made.context["made"]
    again = client.post(f"{page}/tokens", sent)

    assert token in made.content.decode()
    assert token not in client.get(page).content.decode()
    assert (again.status_code, "already" in again.content.decode()) == (422, True)  # the name is taken
    assert ApiToken.objects.get().may_write is False
    header = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/v1/courses", headers=header).json()[0]["key"] == cast.course.key
    client.post(f"{page}/tokens/{ApiToken.objects.get().pk}/revoke")
    assert client.get("/api/v1/courses", headers=header).status_code == 401
    client.post(f"{page}/tokens", {"name": "one that writes", "days": "90", "may_write": "on"})
    assert ApiToken.objects.get(name="one that writes").may_write is True
    assert set(Event.objects.values_list("verb", flat=True)) == {"token-made", "token-revoked"}


def test_a_webhook_is_added_tried_and_ended_on_the_page(cast, receiver: Receiver):
    client, page = cast.client("instructor"), f"/c/{cast.course.key}/tokens-and-webhooks"

    added = client.post(f"{page}/webhooks", {"url": receiver.url}, follow=True)
    hook = Webhook.objects.get()
    client.post(f"{page}/webhooks/{hook.pk}/try")
    delivery.send_waiting_deliveries()
    seen = client.get(f"{page}/webhooks/{hook.pk}/").content.decode()
    close(cast)
    client.post(f"{page}/webhooks/{hook.pk}/end")

    assert delivery.shown_secret(hook) in added.content.decode()
    assert "<td>delivered</td>" in seen
    assert Webhook.objects.get().ended_at is not None
    assert delivery.send_waiting_deliveries() == 0, "what waited is not sent either"
    assert [json.loads(body)["type"] for _headers, body, _path in receiver.got] == ["test"]


def test_whoever_is_erased_leaves_no_token_and_no_name(cast, receiver):
    helper = cast.people["assistant"]
    change_role(member=cast.member("assistant"), by=cast.people["instructor"], role=Role.INSTRUCTOR)
    webhook_services.add_course_token(course=cast.course, by=helper, name="mine", days=9, may_write=True)
    webhook_services.add_webhook(course=cast.course, by=helper, url=receiver.url)
    change_role(member=cast.member("assistant"), by=cast.people["instructor"], role=Role.ASSISTANT)

    erase_member(member=cast.member("assistant"), by=cast.people["instructor"])

    assert not ApiToken.objects.exists()
    assert Webhook.objects.get().made_by.erased_at is not None
