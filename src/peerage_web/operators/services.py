"""What operators do in the browser: try the mail, give courses more room, let people create courses."""

from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.accounts.models import OneTimeLink, Person
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.mail import queue_mail, write_mail
from peerage_web.accounts.services.users import get_or_create_person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.services.rate_limits import count_request

MEGABYTE = 1 << 20
TRIES = 5  # test mails of one operator in ten minutes
WINDOW = timedelta(minutes=10)


def send_test_mail(*, to: Person) -> None:
    """Send one at once, past the queue; Refused with what the server said where it does not take it."""
    if count_request(client=f"person {to.pk}", kind="test-mail", window=WINDOW) > TRIES:
        raise Busy(_("You can send up to five test e-mails in ten minutes. Try again later."))
    subject, text, _language = write_mail(person=to, kind="test", context={})
    try:
        EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [to.email]).send()
    except Exception as error:  # whatever a server, a line or a name does wrong
        words = f"{type(error).__name__}: {error}"[:300]
        raise Refused(_("The e-mail could not be sent: %(error)s") % {"error": words}) from error


def set_disk_space(*, course: Course, megabytes: int | None, by: Person) -> None:
    """How much disk the files of a course may take; None: as every course."""
    after = megabytes * MEGABYTE if megabytes is not None else None
    if after == course.most_bytes:
        return
    with transaction.atomic():
        before = course.most_bytes // MEGABYTE if course.most_bytes is not None else None
        record("course-changed", by=by, course=course, field="room", before=before, after=megabytes)
        Course.objects.filter(pk=course.pk).update(most_bytes=after)
    course.most_bytes = after


def allow_creating_courses(*, email: str) -> Person:
    """From now on, who has this address may create courses; who is new gets a link to set a password."""
    with transaction.atomic():
        person = get_or_create_person(email=email)
        if not person.is_active:
            raise Refused(_("This account is closed."))
        Person.objects.filter(pk=person.pk).update(may_create_courses=True)
        if not person.has_usable_password():
            link = make_link(kind=OneTimeLink.Kind.INVITATION, person=person)
            queue_mail(person=person, kind="may_create", context={"link": link})
    return person


def stop_creating_courses(*, person: Person) -> None:
    """Courses that are there stay as they are."""
    if person.is_operator:
        raise Refused(_("Administrators can always create courses."))
    Person.objects.filter(pk=person.pk).update(may_create_courses=False)
