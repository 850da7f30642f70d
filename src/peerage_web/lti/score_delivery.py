"""Sending the outbox: each score once, in order, with the time of its first try; what fails waits."""

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from peerage_web.lti import words
from peerage_web.lti.line_items import adjust_column, ensure_column, find_moved_column, read_results
from peerage_web.lti.models import LtiLineItem, LtiRegistration, LtiScore
from peerage_web.lti.platform_client import PlatformError, access_token, ask, under

log = logging.getLogger(__name__)
State = LtiScore.State
BATCH = 60  # in one round
PATIENCE = 5.0  # seconds of a round
LEASE = timedelta(minutes=2)  # of a try; who dies in it has not lost the score
WAIT = timedelta(seconds=30)  # doubled with every attempt
LONGEST_WAIT = timedelta(hours=6)
MOST_ATTEMPTS = 30  # a week and more
FRESH = timedelta(minutes=10)  # how long a look at the column's grades counts
SAME = 0.005  # of the maximum: platforms round
OK = 200
SCORE = "application/vnd.ims.lis.v1.score+json"


def send_scores() -> int:
    """Send what is due; how many arrived. A platform that is away holds up its own scores only."""
    sent, deadline = 0, time.monotonic() + PATIENCE
    for number in list(due_scores().values_list("pk", flat=True)[:BATCH]):
        sent += _send(number)
        if time.monotonic() > deadline:
            break
    return sent


def due_scores() -> Any:
    """What can be tried now, the longest waiting first."""
    now = timezone.now()
    registration = "line_item__context__deployment__registration__"
    waiting = LtiScore.objects.filter(state=State.WAITING, not_before__lte=now)
    patient = Q(**{f"{registration}calls_after": None}) | Q(**{f"{registration}calls_after__lte": now})
    active = waiting.filter(patient, **{f"{registration}paused_at": None})
    return active.order_by("not_before", "pk")


def _send(number: int) -> int:
    """One score. It is taken by moving its time on, and marked as open until its answer is known."""
    score = _take(number)
    if score is None:
        return 0
    registration = score.line_item.context.deployment.registration
    try:
        ensure_column(score.line_item)
        adjust_column(score.line_item)
        if _hold(score):
            return 0
        access_token(registration, words.SCOPE_SCORES)  # or the next call could fail for want of it
        _mark_open(score)
        _post_to_column(score, registration)
    except PlatformError as error:
        _remember(score, registration, error)
        return 0
    if _is_overridden(score):
        return 0
    _arrived(score)
    LtiRegistration.objects.filter(pk=registration.pk).exclude(problem="").update(
        problem="", calls_after=None
    )
    return 1


def _take(number: int) -> LtiScore | None:
    with transaction.atomic():
        score = due_scores().select_for_update(of=("self",)).filter(pk=number).first()
        if score is None:
            return None
        score.attempts += 1
        score.not_before = timezone.now() + LEASE
        if score.timestamp is None:
            score.timestamp = _timestamp(score)
        score.save(update_fields=["attempts", "not_before", "timestamp"])
    related = ("place", "line_item__assignment__course", "line_item__context__deployment__registration")
    return LtiScore.objects.select_related(*related).get(pk=number)


def _timestamp(score: LtiScore) -> datetime:
    """Now, and later than all before it: platforms refuse two within a second."""
    earlier = LtiScore.objects.filter(line_item=score.line_item_id, place=score.place_id)
    last = earlier.exclude(timestamp=None).order_by("-timestamp").values_list("timestamp", flat=True).first()
    now = timezone.now()
    return max(now, last + LtiScore.APART) if last is not None else now


def _hold(score: LtiScore) -> bool:
    """Whether a teacher has changed this grade on the platform since we last wrote it: staff decide then.

    Looked for once for each batch of a column; what staff have decided about is not asked again.
    """
    item = score.line_item
    fresh = item.checked_at is not None and item.checked_at > timezone.now() - FRESH
    if fresh or score.is_open:
        return False
    results = read_results(item)
    if results is not None:
        _hold_changed(item, results)
    LtiLineItem.objects.filter(pk=item.pk).update(checked_at=timezone.now())
    return LtiScore.objects.filter(pk=score.pk, state=State.HELD).exists()


def _hold_changed(item: LtiLineItem, results: dict[str, float]) -> None:
    waiting = item.scores.filter(state=State.WAITING, is_open=False, found=None).select_related("place")
    for score in waiting:
        shown = results.get(score.place.subject)
        if shown is None or _close(shown, score.given, item.maximum):
            continue
        ours = item.scores.filter(place=score.place_id, pk__lt=score.pk).exclude(timestamp=None)
        # any that may have arrived counts as ours: one whose answer was lost, too
        if any(_close(shown, before.given, item.maximum) for before in ours):
            continue
        LtiScore.objects.filter(pk=score.pk, state=State.WAITING).update(state=State.HELD, found=shown)


def _close(shown: float, given: float | None, maximum: float) -> bool:
    return given is not None and abs(shown - given) <= SAME * maximum


def _mark_open(score: LtiScore) -> None:
    score.was_open = score.is_open  # type: ignore[attr-defined]
    LtiScore.objects.filter(pk=score.pk).update(is_open=True)


def _post_to_column(score: LtiScore, registration: LtiRegistration) -> None:
    """To the column; where it is gone, to the one that has taken its place."""
    try:
        _post(score, registration)
    except PlatformError as error:
        if error.status != 404 or error.unsent:
            raise
        if not find_moved_column(score.line_item):
            _note_missing_column(score.line_item, error)
            raise
        _post(score, registration)


def _note_missing_column(item: LtiLineItem, error: PlatformError) -> None:
    """All that waits for it is refused at once; staff can have it looked for, or made again."""
    problem = str(error)[:500]
    LtiLineItem.objects.filter(pk=item.pk).update(problem=problem)
    item.scores.filter(state=State.WAITING, is_open=False).update(
        state=State.REFUSED, status=error.status, problem=problem
    )


def _post(score: LtiScore, registration: LtiRegistration) -> None:
    address = under(score.line_item.url, "scores")
    ask(
        registration,
        "POST",
        address,
        scope=words.SCOPE_SCORES,
        accept="application/json",
        send=score_message(score),
        kind=SCORE,
    )


def score_message(score: LtiScore) -> dict[str, Any]:
    """What the platform gets. Without a grade it shows none any more."""
    assert score.timestamp is not None  # `_take` has set it
    graded = score.given is not None
    sent: dict[str, Any] = {
        "userId": score.place.subject,
        "timestamp": score.timestamp.isoformat(timespec="milliseconds"),
        "activityProgress": "Completed" if graded else "Submitted",
        "gradingProgress": "FullyGraded" if graded else "PendingManual",
    }
    if graded:
        sent |= {"scoreGiven": score.given, "scoreMaximum": _whole(score.maximum)}
    if score.comment:
        sent["comment"] = score.comment
    if score.submitted_at is not None:
        sent["submission"] = {"submittedAt": score.submitted_at.isoformat(timespec="milliseconds")}
    return sent


def _whole(number: float) -> int | float:
    return int(number) if number == int(number) else number


def _is_overridden(score: LtiScore) -> bool:
    """Whether the platform took the grade and still shows the other one, which a teacher has locked there.

    Asked where staff chose ours; the platform says 200 all the same (Moodle).
    """
    if score.found is None:
        return False
    try:
        results = read_results(score.line_item, user_id=score.place.subject)
    except PlatformError:  # it has arrived, and nobody can tell what is shown
        return False
    shown = results.get(score.place.subject) if results is not None else score.given
    if shown is None or _close(shown, score.given, score.line_item.maximum):
        return False
    LtiScore.objects.filter(pk=score.pk, state=State.WAITING).update(
        state=State.REFUSED,
        found=shown,
        is_open=False,
        status=OK,
        problem=f"the platform accepted the grade and still shows {shown:g}",
    )
    return True


def _arrived(score: LtiScore) -> None:
    LtiScore.objects.filter(pk=score.pk).exclude(state=State.SENT).update(
        state=State.SENT, sent_at=timezone.now(), is_open=False, status=OK, problem=""
    )


def _remember(score: LtiScore, registration: LtiRegistration, error: PlatformError) -> None:
    """What the platform said, and what follows: later, not at all, or it was there already."""
    log.warning("score %s did not arrive (attempt %s): %s", score.pk, score.attempts, error.status)
    changes: dict[str, Any] = {"problem": str(error)[:500], "status": error.status}
    was_open = getattr(score, "was_open", score.is_open)
    if error.status in (400, 409) and was_open:
        try:
            if _is_there(score, error.status):
                _arrived(score)
                return
        except PlatformError as away:  # whether it is there cannot be seen now
            _postpone(score, registration, away, changes)
            return
    if error.is_passing and score.attempts < MOST_ATTEMPTS:
        _postpone(score, registration, error, changes)
        return
    if error.status == 409 and score.attempts < MOST_ATTEMPTS:
        # theirs is newer than our first try: say it again as of now
        changes |= {"timestamp": None, "not_before": timezone.now() + LtiScore.APART, "is_open": False}
        LtiScore.objects.filter(pk=score.pk, state=State.WAITING).update(**changes)
        return
    changes |= {"state": State.REFUSED, "is_open": False}
    LtiScore.objects.filter(pk=score.pk, state=State.WAITING).update(**changes)


def _postpone(
    score: LtiScore, registration: LtiRegistration, error: PlatformError, changes: dict[str, Any]
) -> None:
    """Until later, with all others of this platform: what is away for one is away for all."""
    wait = min(WAIT * 2 ** min(score.attempts - 1, 12), LONGEST_WAIT)
    if error.retry_after is not None:
        wait = min(max(timedelta(seconds=error.retry_after), timedelta(seconds=1)), LONGEST_WAIT)
    later = timezone.now() + wait
    if error.unsent or (error.status is not None and error.status < 500):  # it has not taken this one
        changes["is_open"] = getattr(score, "was_open", score.is_open)
    LtiScore.objects.filter(pk=score.pk, state=State.WAITING).update(not_before=later, **changes)
    LtiRegistration.objects.filter(pk=registration.pk).update(
        calls_after=timezone.now() + min(wait, timedelta(minutes=5)), problem=changes["problem"]
    )


def _is_there(score: LtiScore, status: int) -> bool:
    """Whether a try whose answer was lost has arrived: the column shows it, or refuses its timestamp."""
    results = read_results(score.line_item)
    if results is None:
        return status == 409  # the same timestamp, and they have it
    shown = results.get(score.place.subject)
    if score.given is None or shown is None:
        return score.given is None and shown is None
    return _close(shown, score.given, score.line_item.maximum)
