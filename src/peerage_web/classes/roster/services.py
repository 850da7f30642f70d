"""Who is in a course: adding, changing, dropping and inviting them. Effects are immediate."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import OneTimeLink, Person
from peerage_web.accounts.services.links import make_link
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.accounts.services.users import get_or_create_person
from peerage_web.classes.activity_log.services import changed_fields, record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import STAFF, Role
from peerage_web.shared.errors import Refused


def add_member(
    *,
    course: Course,
    by: Person,
    email: str,
    role: Role,
    name: str = "",
    section: str = "",
    student_id: str = "",
) -> Membership:
    """Add somebody, or take them back under this role; Refused where they are in the course already."""
    with transaction.atomic():
        person = get_or_create_person(email=email, name=name)
        before = Membership.objects.filter(course=course, person=person).first()
        if before is not None and before.role != Role.DROPPED:
            raise Refused(_("%(email)s is already in this course.") % {"email": person.email})
        _refuse_taken_id(course, student_id, but=before)
        if before is not None:
            _take_back(before, role, by)
            return before
        member = Membership.objects.create(
            course=course, person=person, role=role, name=name, section=section, student_id=student_id
        )
        record("member-added", by=by, course=course, subject=member, role=role.value)
    return member


def change_member(*, member: Membership, by: Person, **changes: str) -> None:
    with transaction.atomic():
        if "student_id" in changes:
            _refuse_taken_id(member.course, changes["student_id"], but=member)
        for field, (before, after) in changed_fields(member, changes).items():
            setattr(member, field, after)
            record(
                "member-changed",
                by=by,
                course=member.course,
                subject=member,
                field=field,
                before=before,
                after=after,
            )
        member.save()


def change_role(*, member: Membership, by: Person | None, role: Role, even_the_last: bool = False) -> None:
    """Give somebody another role; it holds from their next request on.

    `even_the_last`: a learning platform has taken the role away, and no course may keep it for them.
    """
    if role == member.role:
        return
    with transaction.atomic():
        if not even_the_last:
            _keep_an_instructor(member)
        if role == Role.DROPPED:
            drop_member(member=member, by=by, even_the_last=even_the_last)
            return
        if member.role == Role.DROPPED:
            _take_back(member, role, by)
            return
        before, member.role = member.role, role
        member.save(update_fields=["role"])
        record(
            "member-changed",
            by=by,
            course=member.course,
            subject=member,
            field="role",
            before=before,
            after=role.value,
        )


def drop_member(*, member: Membership, by: Person | None, even_the_last: bool = False) -> None:
    """Somebody leaves the course: they see nothing of it any more, and what they did stays."""
    if member.role == Role.DROPPED:
        return
    with transaction.atomic():
        if not even_the_last:
            _keep_an_instructor(member)
        member.role, member.dropped_at = Role.DROPPED, timezone.now()
        member.save(update_fields=["role", "dropped_at"])
        record("member-dropped", by=by, course=member.course, subject=member)


def _take_back(member: Membership, role: Role, by: Person | None) -> None:
    member.role, member.dropped_at = role, None
    member.save(update_fields=["role", "dropped_at"])
    record("member-returned", by=by, course=member.course, subject=member, role=role.value)


def _keep_an_instructor(member: Membership) -> None:
    """A course always has one; the rows are locked, so that the last two cannot take each other's role."""
    if member.role != Role.INSTRUCTOR:
        return
    instructors = Membership.objects.select_for_update().filter(course=member.course_id, role=Role.INSTRUCTOR)
    if not [instructor for instructor in instructors if instructor.pk != member.pk]:
        raise Refused(_("A course needs an instructor. Make somebody else an instructor first."))


def _refuse_taken_id(course: Course, student_id: str, but: Membership | None) -> None:
    if not student_id:
        return
    others = Membership.objects.filter(course=course, student_id=student_id)
    if but is not None:
        others = others.exclude(pk=but.pk)
    if others.exists():
        raise Refused(_("Student number %(number)s belongs to somebody else.") % {"number": student_id})


@dataclass(frozen=True, slots=True)
class Invitation:
    """Somebody who was invited; `link` sets a password, and is empty for who has one."""

    member: Membership
    link: str

    @property
    def address(self) -> str:
        """To copy, where no mail is sent; empty where it would open more than a place in this course."""
        elsewhere = Membership.objects.filter(person=self.member.person).exclude(pk=self.member.pk)
        person = self.member.person
        if not self.link or person.is_operator or person.may_create_courses or elsewhere.exists():
            return ""
        return settings.BASE_URL + self.link


def invite(*, members: Iterable[Membership], by: Person) -> list[Invitation]:
    """Send each of them the way in: a link to set a password, or word that the course is there."""
    invited = []
    for member in members:
        if member.role == Role.DROPPED or member.person.is_from_elsewhere:
            continue  # who comes through a learning platform has the way in there
        with transaction.atomic():
            invited.append(Invitation(member, _invite(member, by)))
    return invited


def _invite(member: Membership, by: Person) -> str:
    person = member.person
    # on a password nobody has yet, a link sets it; elsewhere the person signs in as always
    new = not person.has_usable_password()
    link = make_link(kind=OneTimeLink.Kind.INVITATION, person=person, by=by) if new else ""
    queue_mail(
        person=person,
        kind="invitation",
        context={"course": member.course, "link": link, "role": Role(member.role).label, "by": by.shown_name},
        language=member.course.language,
        about=f"course {member.course_id}",
    )
    Membership.objects.filter(pk=member.pk).update(invited_at=timezone.now())
    record("invited", by=by, course=member.course, subject=member)
    return link


def is_staff_role(role: str) -> bool:
    """Whether only instructors may give it: staff, and observers, who see everybody."""
    return role in STAFF or role == Role.OBSERVER
