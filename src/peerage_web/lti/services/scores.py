"""What people decide about scores: whose grade holds, and whether to try again."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Course
from peerage_web.classes.services.record import record
from peerage_web.lti.models import LtiLineItem, LtiScore

State = LtiScore.State


def settle(*, course: Course, by: Person, ours: bool, scores: list[int]) -> int:
    """Staff have seen that a grade was changed on the platform: ours goes out, or theirs stays."""
    with transaction.atomic():
        held = LtiScore.objects.select_for_update(of=("self",)).filter(
            line_item__assignment__course=course, state=State.HELD, pk__in=scores
        )
        found = list(held.select_related("place__membership", "line_item__assignment"))
        for one in found:
            one.state, one.not_before = (State.WAITING if ours else State.KEPT), timezone.now()
            one.save(update_fields=["state", "not_before"])
            record(
                "lti-settled",
                by=by,
                assignment=one.line_item.assignment,
                subject=one.place.membership,
                after=_("ours was sent") if ours else _("theirs stays"),
            )
    return len(found)


def try_again(*, score: int, course: Course | None = None) -> bool:
    """A score that was refused goes out once more, unless a newer one has taken its place."""
    found = LtiScore.objects.filter(pk=score, state=State.REFUSED)
    if course is not None:
        found = found.filter(line_item__assignment__course=course)
    one = found.first()
    if one is None:
        return False
    newer = LtiScore.objects.filter(line_item=one.line_item_id, place=one.place_id, pk__gt=one.pk)
    if newer.exists():
        return False
    LtiLineItem.objects.filter(pk=one.line_item_id).update(checked_at=None)
    return bool(
        found.update(
            state=State.WAITING, not_before=timezone.now(), attempts=0, timestamp=None, is_open=False
        )
    )
