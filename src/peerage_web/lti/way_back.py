"""From mail to the course on the platform, for those who sign in there; the link itself opens nothing."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from peerage_web.accounts.models import Person
from peerage_web.lti import words
from peerage_web.lti.models import LtiContext, LtiRegistration, origin_of
from peerage_web.lti.words import clean_dict, clean_text

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
