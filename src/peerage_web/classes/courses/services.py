"""Courses: creating and changing them."""

from functools import cache
from zoneinfo import available_timezones

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import changed_fields, record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.shared.errors import Refused


def create_course(
    *, by: Person, name: str, term: str = "", time_zone: str = "UTC", language: str = ""
) -> Course:
    if not by.may_create_courses:
        raise Refused(_("This account cannot create courses. Ask the administrator of this site."))
    return make_course(by=by, name=name, term=term, time_zone=time_zone, language=language)


def make_course(
    *, by: Person, name: str, term: str = "", time_zone: str = "UTC", language: str = ""
) -> Course:
    """The same for whom something else allows it: an approved learning platform, for its instructors."""
    _check_zone(time_zone)
    with transaction.atomic():
        course = Course.objects.create(
            name=name, term=term, time_zone=time_zone, language=language, created_by=by
        )
        Membership.objects.create(course=course, person=by, role=Role.INSTRUCTOR, name=by.name)
        record("course-created", by=by, course=course)
    return course


def change_course(*, course: Course, by: Person, **changes: str | int) -> None:
    """Change name, term, time zone, language or the months for which it is kept."""
    _check_zone(str(changes.get("time_zone", course.time_zone)))
    with transaction.atomic():
        for field, (before, after) in changed_fields(course, changes).items():
            setattr(course, field, after)
            record("course-changed", by=by, course=course, field=field, before=before, after=after)
        course.save()


def hide_course(*, course: Course, by: Person, hidden: bool) -> None:
    """Only staff see a hidden course, at the end of their list; and nothing moves on by date."""
    if (course.hidden_at is not None) == hidden:
        return
    with transaction.atomic():
        course.hidden_at = timezone.now() if hidden else None
        course.save(update_fields=["hidden_at"])
        record("course-hidden" if hidden else "course-shown", by=by, course=course)


@cache
def zones() -> tuple[str, ...]:
    """Every time zone, sorted; looked up once, for it reads hundreds of files."""
    return tuple(sorted(available_timezones()))


def _check_zone(name: str) -> None:
    if name not in zones():
        raise Refused(_("%(zone)r is not a time zone.") % {"zone": name})
