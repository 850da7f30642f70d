"""Names and Roles: who is in the platform's course, page by page, within one origin."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urljoin

from peerage_web.lti import words
from peerage_web.lti.models import LtiContext
from peerage_web.lti.models.platforms import origin_of
from peerage_web.lti.services.calls import ask
from peerage_web.lti.services.people import full_name, usable_address
from peerage_web.lti.services.tokens import text
from peerage_web.lti.services.web import PlatformError
from peerage_web.lti.told import Listed, Told

PER_PAGE = 200  # asked for; platforms choose
MOST_PAGES = 500
MOST_PEOPLE = 20_000
_KIND = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
_LINK = re.compile(r"<([^<>]*)>\s*((?:;\s*[^,;<>]+(?:\"[^\"]*\")?\s*)*)")
_NEXT = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bnext\b[^\"]*\"|next)\s*(?:;|$)", re.IGNORECASE)


@dataclass(slots=True)
class Fetched:
    """Everybody, and whom we left out."""

    people: list[Listed] = field(default_factory=list)
    test_users: int = 0


def with_query(address: str, **asked: str) -> str:
    """The address with one more question behind it."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"


def fetch_members(*, context: LtiContext) -> Fetched:
    """Everybody of the platform's course; PlatformError where the list does not come whole."""
    if not context.memberships_url:
        raise PlatformError("the platform offers no list of this course's people")
    first = with_query(context.memberships_url, limit=str(PER_PAGE))
    found, address, seen = Fetched(), first, set[str]()
    while address:
        if address in seen or len(seen) >= MOST_PAGES:
            raise PlatformError("the platform's list of people does not end")
        seen.add(address)
        address = _one_page(context, address, found)
        if len(found.people) > MOST_PEOPLE:
            raise PlatformError(f"the platform's list has more than {MOST_PEOPLE:,} people")
    return found


def _one_page(context: LtiContext, address: str, found: Fetched) -> str:
    """Take one page in; the address of the next, or nothing."""
    registration = context.deployment.registration
    answer = ask(registration, "GET", address, scope=words.SCOPE_MEMBERS, accept=_KIND)
    page = answer.json()
    members = page.get("members") if isinstance(page, dict) else None
    if not isinstance(members, list):
        raise PlatformError("the platform's list of people has no members in it")
    for one in members:
        if isinstance(one, dict):
            _take(one, found)
    return next_page(context.memberships_url, address, answer.headers.get("link", ""))


def _take(one: dict[str, Any], found: Fetched) -> None:
    subject = text(one.get("user_id"))
    names = one.get("roles")
    names = names if isinstance(names, list) else []
    if not subject:
        return
    if words.is_test_user(names):
        found.test_users += 1
        return
    told = Told(
        subject, full_name(one), usable_address(one.get("email")), text(one.get("lis_person_sourcedid"), 100)
    )
    active = one.get("status", "Active") == "Active"
    found.people.append(Listed(told, words.role_of(names) if active else None))


def next_page(first: str, address: str, header: str) -> str:
    """The link to the next page, spelt as it came; one on another origin is refused, not followed."""
    for target, parameters in _LINK.findall(header):
        if _NEXT.search(parameters):
            following: str = urljoin(address, target)
            if origin_of(following) != origin_of(first):
                raise PlatformError("the next page of the list is on another origin")
            return following
    return ""
