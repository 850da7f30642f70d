"""Courses and links of a platform, and what of ours they belong to; the way back there from our mail."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import duplicate_assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.courses.services import make_course
from peerage_web.classes.enums import STAFF, Role
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiDeployment, LtiLineItem, LtiLink, LtiRegistration, origin_of
from peerage_web.lti.people import PlatformUser, take_place
from peerage_web.lti.platform_client import PlatformError, checked
from peerage_web.lti.words import clean_dict, clean_list, clean_text
from peerage_web.shared.errors import Refused

LONGEST = 1000  # characters of an address


def deployment_of(*, registration: LtiRegistration, claims: dict[str, Any]) -> LtiDeployment:
    """Where the launch comes from; one that is new waits until somebody here has approved it."""
    name = clean_text(claims.get(words.DEPLOYMENT))
    deployment, _made = LtiDeployment.objects.get_or_create(registration=registration, deployment_id=name)
    if deployment.approved_at is None:
        raise Refused(
            _(
                "The administrator of this Peerage site has not approved this part of your "
                "learning platform yet (deployment %(name)s). Ask for approval, then open "
                "Peerage again."
            )
            % {"name": name[:60]}
        )
    return deployment


def context_of(*, deployment: LtiDeployment, claims: dict[str, Any]) -> LtiContext:
    """The platform's course, with the services that it offers for it."""
    said = clean_dict(claims.get(words.CONTEXT))
    name = clean_text(said.get("id"))
    if not name:
        raise Refused(
            _("Open Peerage from a course. The learning platform did not say which course you came from.")
        )
    title = (clean_text(said.get("title"), 1000) or clean_text(said.get("label"), 1000))[:200]
    context, _made = LtiContext.objects.select_related("course").get_or_create(
        deployment=deployment, context_id=name, defaults={"title": title}
    )
    _learn(context, title, claims)
    return context


def _learn(context: LtiContext, title: str, claims: dict[str, Any]) -> None:
    """What the platform says about it today; what it does not mention stays as it was."""
    members, grades = claims.get(words.MEMBERSHIPS), claims.get(words.GRADES)
    news: dict[str, Any] = {"title": title or context.title}
    if isinstance(members, dict):
        news["memberships_url"] = service_address(members.get("context_memberships_url"))
    if isinstance(grades, dict):
        offered = clean_list(grades.get("scope"))
        news["scopes"] = sorted(scope for scope in words.SCOPES if scope in offered)
        news["line_items_url"] = service_address(grades.get("lineitems")) or context.line_items_url
    if any(getattr(context, name) != value for name, value in news.items()):
        for name, value in news.items():
            setattr(context, name, value)
        context.save(update_fields=list(news))


def service_address(value: Any) -> str:
    """An address of a service that can be called; empty where it is none."""
    address = clean_text(value, LONGEST)
    try:
        return checked(address) if address else ""
    except PlatformError:
        return ""


def connect_new(
    *, context: LtiContext, by: Person, user: PlatformUser, name: str, language: str = "", time_zone: str
) -> Course:
    """A new course of ours for the platform's; its instructor is who asked."""
    with transaction.atomic():
        title = name.strip()[:200] or _("Course")
        course = make_course(by=by, name=title, language=language, time_zone=time_zone)
        connect(context=context, course=course, by=by, user=user)
    return course


def connect(*, context: LtiContext, course: Course, by: Person, user: PlatformUser) -> None:
    """A course of ours becomes that of the platform's; Refused where one of them is taken or not theirs."""
    with transaction.atomic():
        mine = Membership.objects.filter(course=course, person=by, role=Role.INSTRUCTOR)
        if not mine.exists():
            raise Refused(_("Only an instructor of the course can connect it."))
        if not LtiContext.objects.filter(pk=context.pk, course=None).update(course=course):
            raise Refused(_("This course is already connected. Open Peerage again from your course."))
        context.course = course
        record("lti-connected", by=by, course=course, title=context.title)
        take_place(context=context, person=by, user=user, role=Role.INSTRUCTOR)


def courses_to_connect(person: Person) -> list[Course]:
    """Those that somebody may connect."""
    mine = Membership.objects.filter(person=person, role=Role.INSTRUCTOR)
    return list(Course.objects.filter(memberships__in=mine))


def assignment_for(
    *, context: LtiContext, link_id: str, custom: dict[str, Any], member: Membership
) -> Assignment | None:
    """What a link opens; None where it does not say, or where that is not this course's to open.

    A link in a copy of a course names the assignment that it was made for. Where the copy has its own, that
    is it; else staff who launch get one, if the platform says that the course was copied from the other, or
    if they are staff there, too.
    """
    links = LtiLink.objects.filter(context=context, link_id=link_id).select_related("assignment__course")
    if (link := links.first()) is not None:
        return link.assignment
    named = clean_text(custom.get(words.ASSIGNMENT_FIELD), 16)
    source = Assignment.objects.filter(key=named).select_related("course").first() if named else None
    if source is None:
        return None
    if source.course_id == context.course_id:
        return source
    own = Assignment.objects.filter(course=context.course, copied_from=source).order_by("pk").first()
    if own is not None or member.role not in STAFF or not _may_copy(context, source, custom, member):
        return own
    return duplicate_assignment(
        assignment=source, by=member.person, title=source.title, course=context.course
    )


def _may_copy(context: LtiContext, source: Assignment, custom: dict[str, Any], member: Membership) -> bool:
    there = Membership.objects.filter(course=source.course_id, person=member.person_id, role__in=STAFF)
    if there.exists():
        return True
    history = clean_text(custom.get(words.HISTORY_FIELD), 4000)  # unresolved, it is the name of the variable
    before = {name.strip() for name in history.split(",")} - {""}
    same = LtiContext.objects.filter(
        deployment__registration=context.deployment.registration_id, course=source.course_id
    )
    return same.filter(context_id__in=before).exists()


def bind_link(
    *, context: LtiContext, link_id: str, assignment: Assignment, grades: dict[str, Any] | None
) -> None:
    """Remember what a link opens, and the columns of the grade book that go with it."""
    with transaction.atomic():
        LtiLink.objects.get_or_create(context=context, link_id=link_id, defaults={"assignment": assignment})
        if grades:
            _bind_columns(context, link_id, assignment, grades)


def _bind_columns(context: LtiContext, link_id: str, assignment: Assignment, grades: dict[str, Any]) -> None:
    url = service_address(grades.get("lineitem"))
    # Open edX names the first column of a link there is, which may be our other one
    if LtiLineItem.objects.filter(context=context, url=url, kind=LtiLineItem.Kind.REVIEWING).exists():
        url = ""
    if not url and not context.line_items_url:
        return
    for kind in _columns(context):
        item, _made = LtiLineItem.objects.get_or_create(
            context=context, assignment=assignment, kind=kind, defaults={"link_id": link_id}
        )
        moved = kind == LtiLineItem.Kind.SUBMISSION and url and item.url != url and item.link_id == link_id
        if moved:
            LtiLineItem.objects.filter(pk=item.pk).update(url=url, problem="")


def _columns(context: LtiContext) -> list[LtiLineItem.Kind]:
    kinds = LtiLineItem.Kind
    return [kinds.SUBMISSION, kinds.REVIEWING] if context.has_two_columns else [kinds.SUBMISSION]


def choose_columns(*, context: LtiContext, by: Person, two: bool) -> None:
    """One column with the total grade, or two that the platform weighs; grades that were sent follow."""
    with transaction.atomic():
        if (
            not LtiContext.objects.filter(pk=context.pk)
            .exclude(has_two_columns=two)
            .update(has_two_columns=two)
        ):
            return
        first = LtiLineItem.objects.filter(context=context, kind=LtiLineItem.Kind.SUBMISSION)
        for item in first if two else ():
            LtiLineItem.objects.get_or_create(
                context=context,
                assignment=item.assignment,
                kind=LtiLineItem.Kind.REVIEWING,
                defaults={"link_id": item.link_id},
            )
        LtiLineItem.objects.filter(context=context).update(is_current=False)
        after = _("two columns") if two else _("one column")
        record("lti-columns", by=by, course=context.course, title=context.title, after=after)


def disconnect(*, context: LtiContext, by: Person) -> None:
    """The platform's course belongs to none of ours any more; people and grades stay as they are."""
    with transaction.atomic():
        record("lti-disconnected", by=by, course=context.course, title=context.title)
        context.links.all().delete()
        context.places.all().delete()
        context.line_items.all().delete()
        LtiContext.objects.filter(pk=context.pk).update(course=None)


_COURSE = re.compile(r"/c/([^/]+)")
_CANVAS = re.compile(r"(/courses/[0-9]+)/external_content/")
_MOODLE = "/mod/lti/return.php"


def note_course_page(*, context: LtiContext, claims: dict[str, Any]) -> None:
    """Remember where the course is on the platform, as far as a launch says it."""
    said = clean_dict(claims.get(words.PRESENTATION)).get("return_url")
    page = course_page(clean_text(said, 1000), context.deployment.registration)
    if page and page != context.page_url:
        LtiContext.objects.filter(pk=context.pk).update(page_url=page)


def course_page(return_url: str, registration: LtiRegistration) -> str:
    """The page of the course. The address itself is for tools that are done, and has a session's key."""
    origin, parts = origin_of(return_url), urlsplit(return_url) if return_url else None
    if parts is None or origin not in registration.origins:
        return ""
    if parts.path.endswith(_MOODLE):
        course = parse_qs(parts.query).get("course", [""])[0]
        folder = parts.path.removesuffix(_MOODLE)
        return f"{origin}{folder}/course/view.php?id={course}" if _is_number(course) else ""
    canvas = _CANVAS.match(parts.path)
    return f"{origin}{canvas[1]}" if canvas else ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def courses_there(*, person: Person, path: str) -> list[dict[str, str]]:
    """Where this person opens Peerage: the course of the page, or every course of theirs."""
    contexts = LtiContext.objects.filter(places__membership__person=person, course__isnull=False)
    contexts = contexts.select_related("course", "deployment__registration").distinct()
    named = _COURSE.match(path)
    chosen = [context for context in contexts if named is not None and _key(context) == named[1]]
    return [_course_there(context) for context in chosen or contexts]


def _key(context: LtiContext) -> str:
    return context.course.key if context.course is not None else ""


def _course_there(context: LtiContext) -> dict[str, str]:
    registration = context.deployment.registration
    title = context.title or (context.course.name if context.course is not None else "")
    return {"title": title, "platform": registration.name, "url": context.page_url or registration.home_url}
