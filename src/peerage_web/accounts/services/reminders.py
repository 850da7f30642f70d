"""Whether somebody wants reminders, and the link in each that turns them off without a sign-in."""

from __future__ import annotations

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from peerage_web.accounts.models import Person

_signer = Signer(salt="peerage.reminders")


def way_out(person: Person) -> str:
    """The path that leads this person out of reminders; it can do nothing else."""
    return reverse("reminders-off", args=[_signer.sign(str(person.pk))])


def find_by_way_out(*, text: str) -> Person | None:
    """Whose link it is; None for one that was made up."""
    try:
        number = int(_signer.unsign(text))
    except (BadSignature, ValueError):
        return None
    return Person.objects.filter(pk=number, erased_at=None).first()


def turn_reminders(*, person: Person, on: bool) -> None:
    """Send reminders to this person, or none."""
    Person.objects.filter(pk=person.pk).update(wants_reminders=on)
    person.wants_reminders = on
