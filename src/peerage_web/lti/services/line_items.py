"""Columns of the platform's grade book: found, or made; and what is in them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from django.utils.translation import gettext as _
from django.utils.translation import override

from peerage_web.lti import words
from peerage_web.lti.models import LtiLineItem
from peerage_web.lti.models.platforms import origin_of
from peerage_web.lti.queries.scales import scale_of
from peerage_web.lti.services.calls import ask
from peerage_web.lti.services.members import next_page
from peerage_web.lti.services.tokens import text
from peerage_web.lti.services.web import PlatformError

LONGEST = 1000
MOST_RESULTS = 100  # pages
ONE = "application/vnd.ims.lis.v2.lineitem+json"
MANY = "application/vnd.ims.lis.v2.lineitemcontainer+json"
RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"


def under(address: str, part: str, **query: str) -> str:
    """An address below a column's; platforms put questions behind it, which stay at the end."""
    parts = urlsplit(address)
    path = f"{parts.path.rstrip('/')}/{part}" if part else parts.path
    asked = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *query.items()])
    return urlunsplit((parts.scheme, parts.netloc, path, asked if query else parts.query, ""))


def make_sure(item: LtiLineItem) -> str:
    """The column's address; found by what we called it, or made. Twice makes no second one."""
    if item.url:
        return item.url
    context = item.context
    if not context.line_items_url or words.SCOPE_ITEMS not in context.scopes:
        raise PlatformError("the platform lets Peerage make no column in its grade book here", 403)
    url = _found(item) or _made(item)
    LtiLineItem.objects.filter(pk=item.pk).update(url=url, problem="")
    item.url = url
    return url


def _found(item: LtiLineItem) -> str:
    """Platforms need not heed what is asked for, so each is looked at."""
    context, key = item.context, item.assignment.key
    address = under(context.line_items_url, "", resource_id=key, tag=item.kind)
    answer = ask(context.deployment.registration, "GET", address, scope=words.SCOPE_ITEMS, accept=MANY)
    listed = answer.json()
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and one.get("resourceId") == key and one.get("tag") == item.kind:
            return _address(item, one)
    return ""


def _made(item: LtiLineItem) -> str:
    assignment = item.assignment
    sent: dict[str, Any] = {
        "label": _label(item),
        "scoreMaximum": int(scale_of(assignment).maximum(item.kind)),
        "resourceId": assignment.key,
        "tag": item.kind,
    }
    if item.kind == LtiLineItem.Kind.WORK and item.link_id:
        sent["resourceLinkId"] = item.link_id
    answer = ask(
        item.context.deployment.registration,
        "POST",
        item.context.line_items_url,
        scope=words.SCOPE_ITEMS,
        accept=ONE,
        send=sent,
        kind=ONE,
    )
    return _address(item, answer.json())


def _label(item: LtiLineItem) -> str:
    title = item.assignment.title
    if item.kind == LtiLineItem.Kind.WORK:
        return title
    with override(item.assignment.course.language or "en"):
        return _("%(title)s (reviewing)") % {"title": title}


def _address(item: LtiLineItem, found: Any) -> str:
    named = text(found.get("id"), LONGEST) if isinstance(found, dict) else ""
    url = urljoin(item.context.line_items_url, named) if named else ""
    if not url or origin_of(url) != origin_of(item.context.line_items_url):
        raise PlatformError("the platform's answer does not say where its column is, or it is elsewhere")
    return url


def read_results(item: LtiLineItem) -> dict[str, float] | None:
    """What the column shows, by user, out of our own maximum; None where the platform does not tell."""
    if words.SCOPE_RESULTS not in item.context.scopes:
        return None
    registration = item.context.deployment.registration
    address, found, pages = under(item.url, "results"), dict[str, float](), 0
    first = address
    while address:
        pages += 1
        if pages > MOST_RESULTS:
            raise PlatformError("the platform's list of results does not end")
        try:
            answer = ask(registration, "GET", address, scope=words.SCOPE_RESULTS, accept=RESULTS)
        except PlatformError as error:
            if error.is_passing:
                raise
            return None  # it offers that, and does not do it
        listed = answer.json()
        for one in listed if isinstance(listed, list) else []:
            _take(one, item, found)
        address = next_page(first, address, answer.headers.get("link", ""))
    return found


def _take(one: Any, item: LtiLineItem, found: dict[str, float]) -> None:
    if not isinstance(one, dict):
        return
    score, most = one.get("resultScore"), one.get("resultMaximum", item.maximum)
    if isinstance(score, int | float) and isinstance(most, int | float) and most > 0:
        found[str(one.get("userId"))] = float(score) * item.maximum / float(most)
