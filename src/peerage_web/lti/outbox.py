"""The outbox: from grades that were released to scores that wait, and what people see and decide there.

Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.record.services import record
from peerage_web.classes.release.feedback import received
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.classes.release.queries import asks_for_ratings
from peerage_web.classes.reviewing.models import HandedInRanking
from peerage_web.classes.submissions.models import Submission
from peerage_web.lti.line_items import scale_of
from peerage_web.lti.models import LtiLineItem, LtiPlace, LtiRegistration, LtiScore

State = LtiScore.State
OPEN = (State.WAITING, State.HELD)
HOLD = timedelta(days=7)  # after which a grade is sent whether its student has looked or not


def fill_outbox() -> int:
    """Bring every column up to its assignment's present release; how many scores were written.

    Whoever has something to rate sees the grade in Peerage first, after rating (see `held_back`).
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
        place.membership_id: place.pk
        for place in LtiPlace.objects.filter(context=item.context_id, membership__role=Role.STUDENT)
    }
    grades = ReleasedGrade.objects.filter(release=release, membership__in=places)
    handed_in, scale = _handed_in(item, release), scale_of(item.assignment)
    wanted = {}
    for grade in grades:
        points = grade.points if item.kind == LtiLineItem.Kind.WORK else grade.reviewing
        given = scale.convert(item.kind, points)
        if given is not None:
            wanted[places[grade.membership_id]] = {
                "given": given,
                "comment": grade.letter if item.kind == LtiLineItem.Kind.WORK else "",
                "submitted_at": handed_in.get(_whose(item, grade)),
            }
    return wanted


def _whose(item: LtiLineItem, grade: ReleasedGrade) -> int | None:
    return grade.work_id if item.kind == LtiLineItem.Kind.WORK else grade.membership_id


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
    return {score.place_id: score for score in rows}


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


# -- whose grade waits: students rate what they received before they see a grade ---------------------


def held_back(release: Release) -> set[int]:
    """Memberships that have something to rate, and have seen no grade of the assignment."""
    if not asks_for_ratings(release.assignment) or release.made_at <= timezone.now() - HOLD:
        return set()
    seen = ReleasedGrade.objects.filter(release__assignment=release.assignment_id, seen_at__isnull=False)
    grades = release.grades.exclude(membership__in=seen.values("membership")).select_related("work")
    works = {grade.work for grade in grades if grade.work is not None}
    written = received(sorted(works, key=lambda work: work.pk))
    to_rate = {work for work, reviews in written.items() if any(review.shown for review in reviews)}
    return {grade.membership_id for grade in grades if grade.work_id in to_rate}


def may_be_sent_now() -> Q:
    """Of columns: somebody has seen a grade, or the time is over, since the outbox was filled."""
    seen = ReleasedGrade.objects.filter(release=OuterRef("release"), seen_at__gt=OuterRef("filled_at"))
    over = Q(release__made_at__lte=timezone.now() - HOLD, filled_at__lt=F("release__made_at") + HOLD)
    return Q(Exists(seen)) | over


# -- what people decide: whose grade holds, and whether to try again ---------------------------------


def settle(*, course: Course, by: Person, ours: bool, scores: list[int]) -> int:
    """Staff have seen that a grade was changed on the platform: ours goes out, or theirs stays."""
    with transaction.atomic():
        held = LtiScore.objects.select_for_update(of=("self",)).filter(
            line_item__assignment__course=course, state=State.HELD, pk__in=scores
        )
        settled = list(held.select_related("place__membership", "line_item__assignment"))
        for score in settled:
            score.state, score.not_before = (State.WAITING if ours else State.KEPT), timezone.now()
            score.save(update_fields=["state", "not_before"])
            record(
                "lti-settled",
                by=by,
                assignment=score.line_item.assignment,
                subject=score.place.membership,
                after=_("the Peerage grade was sent") if ours else _("the platform grade was kept"),
            )
    return len(settled)


def try_again(*, score: int, course: Course | None = None) -> bool:
    """A score that was refused goes out once more, unless a newer one has taken its place."""
    refused = LtiScore.objects.filter(pk=score, state=State.REFUSED)
    if course is not None:
        refused = refused.filter(line_item__assignment__course=course)
    last = refused.first()
    if last is None:
        return False
    newer = LtiScore.objects.filter(line_item=last.line_item_id, place=last.place_id, pk__gt=last.pk)
    if newer.exists():
        return False
    LtiLineItem.objects.filter(pk=last.line_item_id).update(checked_at=None)
    return bool(
        refused.update(
            state=State.WAITING, not_before=timezone.now(), attempts=0, timestamp=None, is_open=False
        )
    )


# -- what is in it -----------------------------------------------------------------------------------


def registrations_with_counts() -> QuerySet[LtiRegistration]:
    """Every platform, with its courses and how its scores stand."""
    scores = "deployments__contexts__line_items__scores"
    counted = {
        name: Count(scores, filter=Q(**{f"{scores}__state": state}), distinct=True)
        for name, state in (("waiting", State.WAITING), ("sent", State.SENT), ("refused", State.REFUSED))
    }
    connected = Q(deployments__contexts__course__isnull=False)
    courses = Count("deployments__contexts", filter=connected, distinct=True)
    return LtiRegistration.objects.annotate(courses=courses, **counted)


def troubled_scores() -> QuerySet[LtiScore]:
    """Refused, or tried in vain so far; the newest first."""
    troubled = LtiScore.objects.filter(Q(state=State.REFUSED) | Q(state=State.WAITING, attempts__gt=0))
    related = ("line_item__assignment__course", "line_item__context__deployment__registration")
    return troubled.exclude(problem="").select_related(*related, "place").order_by("-pk")


def columns_of(course: Course) -> list[dict[str, Any]]:
    """Every column of a course, with how its scores stand."""
    items = LtiLineItem.objects.filter(context__course=course).select_related(
        "assignment", "context", "release"
    )
    counts = {
        name: Count("scores", filter=Q(scores__state=state))
        for name, state in (
            ("waiting", State.WAITING),
            ("held", State.HELD),
            ("sent", State.SENT),
            ("refused", State.REFUSED),
            ("kept", State.KEPT),
        )
    }
    return [
        {"item": item, "kind": item.kind} for item in items.annotate(**counts).order_by("assignment", "kind")
    ]


def scores_of(course: Course, *states: str) -> QuerySet[LtiScore]:
    """Scores of a course in these states, with whose they are."""
    scores = LtiScore.objects.filter(line_item__context__course=course, state__in=states)
    return scores.select_related("place__membership__person", "line_item__assignment").order_by("-pk")


def unknown_to_platform(course: Course) -> int:
    """Students with a released grade whom the platform does not know."""
    graded = ReleasedGrade.objects.filter(
        release__assignment__course=course,
        release__ended_at=None,
        release__assignment__lti_line_items__isnull=False,
        membership__role=Role.STUDENT,
        membership__lti_places__isnull=True,
    )
    return Membership.objects.filter(released_grades__in=graded).distinct().count()
