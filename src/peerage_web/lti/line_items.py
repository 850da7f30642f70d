"""Columns of the platform's grade book (line items): found, or made; their scale, and what is in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from django.utils.translation import gettext as _
from django.utils.translation import override

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.lti import words
from peerage_web.lti.models import LtiLineItem, LtiScore, origin_of
from peerage_web.lti.platform_client import PlatformError, ask, next_page, read_json, under
from peerage_web.lti.words import clean_list, clean_text

LONGEST = 1000  # characters of an address
PER_CENT = 100.0
MOST_RESULTS = 100  # pages
ONE = "application/vnd.ims.lis.v2.lineitem+json"
MANY = "application/vnd.ims.lis.v2.lineitemcontainer+json"
RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The scale of an assignment's grades. Platforms take whole numbers as a maximum, and nothing below 0."""

    low: float
    high: float

    def maximum(self, kind: str) -> float:
        """Out of how many."""
        as_it_is = kind == LtiLineItem.Kind.SUBMISSION and self.low >= 0 and self.high == int(self.high)
        return float(self.high) if as_it_is else PER_CENT

    def convert(self, kind: str, points: float | None) -> float | None:
        """The points of a submission, or the mark for reviewing, as the platform is told them."""
        if points is None:
            return None
        if kind == LtiLineItem.Kind.SUBMISSION and (self.low < 0 or self.high != int(self.high)):
            points = PER_CENT * (points - self.low) / (self.high - self.low)
        return round(max(points, 0.0), 4)


def scale_of(assignment: Assignment) -> ScoreScale:
    """As staff have set it, or as it is by default."""
    plan = GradingPlan.objects.filter(assignment=assignment).first() or GradingPlan()
    return ScoreScale(plan.scale_low, plan.scale_high)


def ensure_column(item: LtiLineItem) -> str:
    """The column's address; found by what we called it, or made. Twice makes no second one."""
    if item.url:
        return item.url
    context = item.context
    if not context.line_items_url or words.SCOPE_ITEMS not in context.scopes:
        raise PlatformError(
            "the platform does not allow Peerage to add a gradebook column in this course", 403
        )
    url = _find_column(item) or _find_column_of_links(item) or _create_column(item)
    LtiLineItem.objects.filter(pk=item.pk).update(url=url, problem="")
    item.url = url
    return url


def _find_column(item: LtiLineItem) -> str:
    """By what we called it; a platform that restores a course keeps the ids of the old one in the copy."""
    if url := _find_named_column(item, item.assignment.key):
        return url
    taken = set(
        LtiLineItem.objects.filter(context=item.context).exclude(pk=item.pk).values_list("url", flat=True)
    )
    named = (_find_named_column(item, key) for key in _older_names(item.assignment))
    return next((url for url in named if url and url not in taken), "")


def _older_names(assignment: Assignment) -> Iterator[str]:
    """Of what it was copied from in other courses; a copy inside its course has columns of its own."""
    source, seen = assignment.copied_from, {assignment.pk}
    while source is not None and source.pk not in seen:
        if source.course_id != assignment.course_id:
            yield source.key
        seen.add(source.pk)
        source = source.copied_from


def _find_named_column(item: LtiLineItem, key: str) -> str:
    """Platforms need not heed what is asked for, so each is looked at."""
    context = item.context
    address = under(context.line_items_url, "", resource_id=key, tag=item.kind)
    answer = ask(context.deployment.registration, "GET", address, scope=words.SCOPE_ITEMS, accept=MANY)
    for column in clean_list(read_json(answer)):
        if isinstance(column, dict) and column.get("resourceId") == key and column.get("tag") == item.kind:
            return _address(item, column)
    return ""


def adjust_column(item: LtiLineItem) -> None:
    """Tell the column what it is out of now, and whose it is; where that is refused, remember why.

    Scores say what they are out of, so they arrive right in any case, converted to the column's scale.
    """
    now = f"{item.maximum:g} {item.url}"
    if item.adjusted_for == now or words.SCOPE_ITEMS not in item.context.scopes:
        return
    refusal = ""
    try:
        _put_column(item)
    except PlatformError as error:
        if error.status == 404:  # gone: that is seen, and dealt with, when a score is sent
            return
        if error.is_passing:
            raise
        refusal = str(error)[:500]
    LtiLineItem.objects.filter(pk=item.pk).update(adjusted_for=now, unadjusted=refusal)


def _put_column(item: LtiLineItem) -> None:
    registration = item.context.deployment.registration
    answer = ask(registration, "GET", item.url, scope=words.SCOPE_ITEMS, accept=ONE)
    column = words.clean_dict(read_json(answer))
    wanted = {"scoreMaximum": int(item.maximum), "resourceId": item.assignment.key, "tag": item.kind}
    if column and any(column.get(name) != value for name, value in wanted.items()):
        sent = {**column, **wanted}
        ask(registration, "PUT", item.url, scope=words.SCOPE_ITEMS, accept=ONE, send=sent, kind=ONE)


def find_moved_column(item: LtiLineItem) -> bool:
    """Whether a column that is gone is there under another address, which is then ours.

    An activity that was deleted and added again has a new one, which carries the name of the assignment or
    belongs to one of its links.
    """
    if not item.context.line_items_url or words.SCOPE_ITEMS not in item.context.scopes:
        return False
    url = _find_column(item) or _find_column_of_links(item)
    if not url or url == item.url:
        return False
    forget_column(item)
    LtiLineItem.objects.filter(pk=item.pk).update(url=url)
    item.url = url
    return True


def forget_column(item: LtiLineItem) -> None:
    """It has no address any more, and the outbox writes everything anew: the next column is empty."""
    item.scores.exclude(state__in=(LtiScore.State.REPLACED, LtiScore.State.WAITING)).update(
        state=LtiScore.State.REPLACED
    )
    LtiLineItem.objects.filter(pk=item.pk).update(url="", problem="", checked_at=None, is_current=False)


def _find_column_of_links(item: LtiLineItem) -> str:
    """Of links that were added without Deep Linking, which name no assignment."""
    if item.kind != LtiLineItem.Kind.SUBMISSION:
        return ""
    context = item.context
    for link in context.links.filter(assignment=item.assignment_id).order_by("-pk"):
        address = under(context.line_items_url, "", resource_link_id=link.link_id)
        answer = ask(context.deployment.registration, "GET", address, scope=words.SCOPE_ITEMS, accept=MANY)
        for column in clean_list(read_json(answer)):
            named = words.clean_dict(column)
            is_other = named.get("tag") == LtiLineItem.Kind.REVIEWING
            if named.get("resourceLinkId") == link.link_id and not is_other:
                return _address(item, column)
    return ""


def _create_column(item: LtiLineItem) -> str:
    assignment = item.assignment
    sent: dict[str, Any] = {
        "label": _label(item),
        "scoreMaximum": int(scale_of(assignment).maximum(item.kind)),
        "resourceId": assignment.key,
        "tag": item.kind,
    }
    if item.kind == LtiLineItem.Kind.SUBMISSION and item.link_id:
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
    return _address(item, read_json(answer))


def _label(item: LtiLineItem) -> str:
    title = item.assignment.title
    if item.kind == LtiLineItem.Kind.SUBMISSION:
        return title
    with override(item.assignment.course.language or "en"):
        return _("%(title)s (reviewing)") % {"title": title}


def _address(item: LtiLineItem, column: Any) -> str:
    named = clean_text(words.clean_dict(column).get("id"), LONGEST)
    url = urljoin(item.context.line_items_url, named) if named else ""
    if not url or origin_of(url) != origin_of(item.context.line_items_url):
        raise PlatformError("the platform's response has no address for the column, or one on another host")
    return url


def read_results(item: LtiLineItem, **query: str) -> dict[str, float] | None:
    """What the column shows, by user, out of our own maximum; None where the platform does not tell.

    `user_id` asks for one of them; platforms need not heed it.
    """
    if words.SCOPE_RESULTS not in item.context.scopes:
        return None
    registration = item.context.deployment.registration
    address, results, pages = under(item.url, "results", **query), dict[str, float](), 0
    first = address
    while address:
        pages += 1
        if pages > MOST_RESULTS:
            raise PlatformError("the platform's list of results has too many pages")
        try:
            answer = ask(registration, "GET", address, scope=words.SCOPE_RESULTS, accept=RESULTS)
        except PlatformError as error:
            if error.is_passing:
                raise
            return None  # it offers that, and does not do it
        for result in clean_list(read_json(answer)):
            _read_result(result, item, results)
        address = next_page(first, address, answer.headers.get("link", ""))
    return results


def _read_result(result: Any, item: LtiLineItem, results: dict[str, float]) -> None:
    if not isinstance(result, dict):
        return
    score, most = result.get("resultScore"), result.get("resultMaximum", item.maximum)
    if isinstance(score, int | float) and isinstance(most, int | float) and most > 0:
        results[str(result.get("userId"))] = float(score) * item.maximum / float(most)
