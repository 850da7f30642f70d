"""People who may sign in: adding them, and their passwords."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.password_validation import (
    CommonPasswordValidator,
    MinimumLengthValidator,
    NumericPasswordValidator,
    UserAttributeSimilarityValidator,
    validate_password,
)
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Identity, Person, SignIn, normalize_address
from peerage_web.shared.errors import Refused

SHORTEST = 10  # characters of a password
RULES: list[Any] = [
    MinimumLengthValidator(SHORTEST),
    CommonPasswordValidator(),
    NumericPasswordValidator(),
    UserAttributeSimilarityValidator(["email", "name"]),
]


def add_user(*, email: str, password: str, name: str = "") -> Person:
    person = Person(email=valid_address(email), name=name.strip()[:200])
    if Person.objects.filter(email=person.email).exists():
        raise Refused(
            _("There is already an account %(email)r. To change its password, run: peerage user password")
            % {"email": person.email}
        )
    set_password(person=person, password=password)
    return person


def get_or_create_person(*, email: str, name: str = "") -> Person:
    """Who has this address; a new person, who cannot sign in before using a link, where nobody has."""
    address = valid_address(email)
    known = people_by_address([address])
    if address in known:
        return known[address]
    person, _made = Person.objects.get_or_create(
        email=address, defaults={"name": name.strip()[:200], "password": "!"}
    )
    return person


def people_by_address(emails: Sequence[str], at_once: int = 500) -> dict[str, Person]:
    """Address to who has it, or had it before they changed it."""
    people: dict[str, Person] = {}
    for start in range(0, len(emails), at_once):  # databases bound how much one question may hold
        part = emails[start : start + at_once]
        former = Identity.objects.filter(issuer=Identity.EMAIL, subject__in=part).select_related("person")
        people |= {identity.subject: identity.person for identity in former}
        people |= {person.email: person for person in Person.objects.filter(email__in=part)}
    return people


def valid_address(email: str) -> str:
    """The address as it is kept; Refused where it cannot be one."""
    plain = normalize_address(email)
    try:
        validate_email(plain)
    except ValidationError:
        raise Refused(_("%(email)r is not an e-mail address.") % {"email": email}) from None
    if len(plain) > 254:
        raise Refused(_("An e-mail address can have at most 254 characters."))
    return plain


def change_password(*, email: str, password: str) -> None:
    """A new password; whoever is signed in under this address is signed out."""
    set_password(person=find_user(email=email), password=password)


def find_user(*, email: str) -> Person:
    person = Person.objects.filter(email=normalize_address(email)).first()
    if person is None:
        raise Refused(
            _("There is no account %(email)r. To see all accounts, run: peerage user list") % {"email": email}
        )
    return person


def make_operator(*, email: str, on: bool) -> None:
    """Let somebody run the instance, or no longer; somebody always does."""
    person = find_user(email=email)
    others = Person.objects.filter(is_operator=True, is_active=True).exclude(pk=person.pk)
    if not on and not others.exists():
        raise Refused(
            _("%(email)r is the only administrator. Make someone else an administrator first.")
            % {"email": person.email}
        )
    changes = {"is_operator": on, **({"may_create_courses": True} if on else {})}
    Person.objects.filter(pk=person.pk).update(**changes)


def set_password(*, person: Person, password: str) -> None:
    """A password that keeps the rules; Refused with all that it breaks. Ends every session of theirs."""
    try:
        validate_password(password, person, RULES)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None
    person.set_password(password)
    person.save()
    SignIn.objects.filter(person=person).delete()  # the sessions hold a hash of the old one, and end by that


def refuse_in_courses(*, person: Person) -> None:
    """Whoever is in a course cannot be removed as a whole: others' grades rest on what they did."""
    try:
        with transaction.atomic():
            Person.objects.get(pk=person.pk).delete()  # another object: this one keeps its key
            transaction.set_rollback(True)
    except ProtectedError:
        raise Refused(
            _("%(email)r is in a course. Erase their data there; their reviews stay, without their name.")
            % {"email": person.email}
        ) from None
