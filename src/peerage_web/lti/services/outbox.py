"""The outbox: from grades that were released to scores that wait. Nothing is sent here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.utils import timezone

from peerage_web.classes.models import HandedInRanking, Release, ReleasedGrade, Submission
from peerage_web.classes.words import Role
from peerage_web.lti.models import LtiLineItem, LtiPlace, LtiScore
from peerage_web.lti.queries.scales import scale_of
from peerage_web.lti.queries.unseen import held_back, may_be_sent_now

State = LtiScore.State
OPEN = (State.WAITING, State.HELD)


def fill_outbox() -> int:
    """Bring every column up to its assignment's present release; how many scores were written.

    Whoever has something to rate sees the grade in Peerage first, after rating (see `queries.unseen`).
    A column says which release it has. Who dies in between leaves it as it was, and the next looks again.
    """
    now_released = Release.objects.filter(assignment=OuterRef("assignment"), ended_at=None).values("pk")[:1]
    columns = LtiLineItem.objects.annotate(wanted=Subquery(now_released))
    behind = columns.filter(
        Q(is_current=False)
        | (Q(release__isnull=False, wanted__isnull=False) & ~Q(release=F("wanted")))
        | Q(release__isnull=True, wanted__isnull=False)
        | Q(release__isnull=False, wanted__isnull=True)
        | may_be_sent_now()
    )
    count = 0
    for number in behind.order_by("pk").values_list("pk", flat=True)[:200]:
        count += _bring_up(number)
    return count


def _bring_up(number: int) -> int:
    with transaction.atomic():
        item = (
            LtiLineItem.objects.select_for_update(of=("self",))
            .select_related("assignment", "context")
            .filter(pk=number)
            .first()
        )
        if item is None:
            return 0
        now = timezone.now()  # who looks from now on is found the next time
        release = Release.objects.filter(assignment=item.assignment_id, ended_at=None).first()
        held = held_back(release) if release is not None else set()
        maximum = scale_of(item.assignment).maximum(item.kind)
        wanted = _wanted(item, release)
        last = _last_scores(item)
        written = [
            _write(item, place, release, wanted.get(place.pk), maximum, last.get(place.pk))
            for place in item.context.places.select_related("membership")
            if place.membership_id not in held
        ]
        LtiLineItem.objects.filter(pk=item.pk).update(
            release=release,
            maximum=maximum,
            is_current=True,
            filled_at=now,
            checked_at=None if any(written) else F("checked_at"),
        )
    return sum(written)


def _wanted(item: LtiLineItem, release: Release | None) -> dict[int, dict[str, Any]]:
    """Place to what its score is to say; only of students, for platforms refuse grades of teachers."""
    if release is None:
        return {}
    places = {
        one.membership_id: one.pk
        for one in LtiPlace.objects.filter(context=item.context_id, membership__role=Role.STUDENT)
    }
    grades = ReleasedGrade.objects.filter(release=release, membership__in=places)
    handed_in, scale = _handed_in(item, release), scale_of(item.assignment)
    found = {}
    for one in grades:
        points = one.points if item.kind == LtiLineItem.Kind.WORK else one.reviewing
        given = scale.said(item.kind, points)
        if given is not None:
            found[places[one.membership_id]] = {
                "given": given,
                "comment": one.letter if item.kind == LtiLineItem.Kind.WORK else "",
                "submitted_at": handed_in.get(_whose(item, one)),
            }
    return found


def _whose(item: LtiLineItem, one: ReleasedGrade) -> int | None:
    return one.work_id if item.kind == LtiLineItem.Kind.WORK else one.membership_id


def _handed_in(item: LtiLineItem, release: Release) -> Mapping[int | None, datetime]:
    """When works or rankings came in: without it, a grade after the deadline looks late."""
    if item.kind == LtiLineItem.Kind.WORK:
        rows = Submission.objects.filter(work__assignment=item.assignment_id, handed_in_at__isnull=False)
        return dict(rows.values_list("work").annotate(last=Max("handed_in_at")))
    rankings = HandedInRanking.objects.filter(ranking__assignment=item.assignment_id)
    return dict(rankings.values_list("ranking__reviewer").annotate(last=Max("handed_in_at")))


def _last_scores(item: LtiLineItem) -> dict[int, LtiScore]:
    """Place to what was last to be said; later ones win."""
    rows = item.scores.exclude(state=State.REPLACED).order_by("pk")
    return {one.place_id: one for one in rows}


def _write(
    item: LtiLineItem,
    place: LtiPlace,
    release: Release | None,
    wanted: dict[str, Any] | None,
    maximum: float,
    last: LtiScore | None,
) -> bool:
    """One more score, if it says something new; what still waited before it is said no more."""
    given = wanted["given"] if wanted is not None else None
    if last is None and given is None:
        return False
    if last is not None and _says_the_same(last, given, maximum):
        return False
    if given is None and place.membership.role != Role.STUDENT:
        return False  # who left the course keeps the grade that the platform has
    item.scores.filter(place=place, state__in=OPEN).update(state=State.REPLACED)
    if given is None and not item.scores.filter(place=place, attempts__gt=0).exists():
        return False  # nothing of ours was ever there
    LtiScore.objects.create(
        line_item=item,
        place=place,
        release=release,
        maximum=maximum,
        not_before=timezone.now(),
        **(wanted or {"given": None}),
    )
    return True


def _says_the_same(last: LtiScore, given: float | None, maximum: float) -> bool:
    """Kept and refused ones, too: nobody is asked twice about the same grade."""
    return last.given == given and (given is None or last.maximum == maximum)
