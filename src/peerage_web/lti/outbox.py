"""The outbox: from grades that were released to scores that wait, and what people see and decide there.

Nothing is sent here.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.final_grades import worth_of
from peerage_web.classes.grading.texts import letter_in_words
from peerage_web.classes.quarantine import held_courses, one_course
from peerage_web.classes.release.feedback import received
from peerage_web.classes.release.models import Release, ReleasedGrade
from peerage_web.classes.release.queries import asks_for_ratings
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.submissions.models import SubmissionVersion
from peerage_web.lti.line_items import forget_column, scale_of
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
    columns_behind = list(behind.order_by("pk").values_list("pk", "assignment__course"))
    held = held_courses("platform-grades", {course for _number, course in columns_behind})
    count = 0
    for number, course in [row for row in columns_behind if row[1] not in held][:200]:
        with one_course(course, "platform-grades"):
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
    if release is None or not _shown_grade(item):
        return {}
    places = {
        place.membership_id: place.pk
        for place in LtiPlace.objects.filter(context=item.context_id, membership__role=Role.STUDENT)
    }
    grades = ReleasedGrade.objects.filter(release=release, membership__in=places)
    submitted, scale = _submitted(item, release), scale_of(item.assignment)
    wanted = {}
    for grade in grades.select_related("release__run"):
        given = scale.convert(item.kind, _points(grade, _shown_grade(item)))
        if given is not None:
            wanted[places[grade.membership_id]] = {
                "given": given,
                "comment": _comment(item, grade),
                "submitted_at": submitted.get(_whose(item, grade)),
            }
    return wanted


def _shown_grade(item: LtiLineItem) -> str:
    """Which of a student's grades the column shows; empty for a second one where one was chosen."""
    if item.kind == LtiLineItem.Kind.SUBMISSION:
        return "points" if item.context.has_two_columns else "total"
    return "reviewing" if item.context.has_two_columns else ""


def _points(grade: ReleasedGrade, which: str) -> float | None:
    """Never more than the student sees in Peerage: platforms show them what they get."""
    if which == "points":
        return worth_of(grade.release.run, grade.shown_points, grade.shown_letter)
    return grade.shown_total if which == "total" else grade.reviewing


def _comment(item: LtiLineItem, grade: ReleasedGrade) -> str:
    """The letter of a submission; beside a total grade, what it is made of."""
    if item.kind != LtiLineItem.Kind.SUBMISSION:
        return ""
    with override(item.assignment.course.language or "en"):
        letter = letter_in_words(grade.shown_letter)
        points = "" if grade.shown_points is None else f"{grade.shown_points:g}"
        of_submission = f"{points} {letter}".strip()
        if item.context.has_two_columns or grade.reviewing is None or not of_submission:
            return letter
        return _("submission %(points)s, reviewing %(mark)s%%") % {
            "points": of_submission,
            "mark": f"{grade.reviewing:g}",
        }


def _whose(item: LtiLineItem, grade: ReleasedGrade) -> int | None:
    return grade.submission_id if item.kind == LtiLineItem.Kind.SUBMISSION else grade.membership_id


def _submitted(item: LtiLineItem, release: Release) -> Mapping[int | None, datetime]:
    """When submissions or rankings came in: without it, a grade after the deadline looks late."""
    if item.kind == LtiLineItem.Kind.SUBMISSION:
        rows = SubmissionVersion.objects.filter(
            submission__assignment=item.assignment_id, submitted_at__isnull=False
        )
        return dict(rows.values_list("submission").annotate(last=Max("submitted_at")))
    rankings = SubmittedRanking.objects.filter(ranking__assignment=item.assignment_id)
    return dict(rankings.values_list("ranking__reviewer").annotate(last=Max("submitted_at")))


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
    grades = release.grades.exclude(membership__in=seen.values("membership")).select_related("submission")
    submissions = {grade.submission for grade in grades if grade.submission is not None}
    written = received(sorted(submissions, key=lambda submission: submission.pk))
    to_rate = {
        submission for submission, reviews in written.items() if any(review.shown for review in reviews)
    }
    return {grade.membership_id for grade in grades if grade.submission_id in to_rate}


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
    now = timezone.now()
    at = max(now, last.timestamp + LtiScore.APART) if last.timestamp is not None else None
    return bool(refused.update(state=State.WAITING, not_before=now, attempts=0, timestamp=at, is_open=False))


def find_columns_again(*, course: Course, by: Person, columns: list[int]) -> int:
    """Columns that are gone from the grade book are looked for, or made again, and get all grades anew."""
    with transaction.atomic():
        items = LtiLineItem.objects.select_for_update(of=("self",)).select_related("assignment")
        chosen = list(items.filter(context__course=course, pk__in=columns))
        for item in chosen:
            item.scores.filter(state=State.WAITING).update(state=State.REPLACED)
            forget_column(item)
            record("lti-column", by=by, assignment=item.assignment, title=item.assignment.title)
    return len(chosen)


# -- what is in it -----------------------------------------------------------------------------------


def _last_of_each() -> QuerySet[LtiScore]:
    """The present score of every student in every column: who was graded twice counts once."""
    same = LtiScore.objects.filter(line_item=OuterRef("line_item"), place=OuterRef("place"))
    newest = same.exclude(state=State.REPLACED).order_by("-pk").values("pk")[:1]
    # a grade that was taken back is none
    return LtiScore.objects.filter(pk=Subquery(newest)).exclude(state=State.SENT, given=None)


def registrations_with_counts() -> list[dict[str, Any]]:
    """Every platform, with its courses and how its scores stand; each student counts once for each column."""
    registration = "line_item__context__deployment__registration"
    counts: dict[int, dict[str, int]] = {}
    for number, state, count in _last_of_each().values_list(registration, "state").annotate(Count("pk")):
        counts.setdefault(number, {})[state] = count
    connected = Q(deployments__contexts__course__isnull=False)
    courses = Count("deployments__contexts", filter=connected, distinct=True)
    return [
        {"registration": registration, "scores": counts.get(registration.pk, {})}
        for registration in LtiRegistration.objects.annotate(courses=courses)
    ]


def troubled_scores() -> QuerySet[LtiScore]:
    """Refused, or tried in vain so far; the newest first."""
    troubled = LtiScore.objects.filter(Q(state=State.REFUSED) | Q(state=State.WAITING, attempts__gt=0))
    related = ("line_item__assignment__course", "line_item__context__deployment__registration")
    return troubled.exclude(problem="").select_related(*related, "place").order_by("-pk")


def columns_of(course: Course) -> list[dict[str, Any]]:
    """Every column of a course, with the number of students for each way in which a score can stand."""
    items = LtiLineItem.objects.filter(context__course=course).select_related(
        "assignment", "context", "release"
    )
    counts: dict[int, dict[str, int]] = {}
    scores = _last_of_each().filter(line_item__in=items)
    for number, state, count in scores.values_list("line_item", "state").annotate(Count("pk")):
        counts.setdefault(number, {})[state] = count
    releases = {item.release for item in items if item.release is not None and item.release.ended_at is None}
    held = {release.pk: held_back(release) for release in releases}
    return [
        {"item": item, "kind": item.kind, "unseen": _unseen(item, held), **counts.get(item.pk, {})}
        for item in items.order_by("assignment", "-kind")
        if _shown_grade(item) or item.pk in counts
    ]


def weights_to_set(columns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What staff have to set on the platform, where it adds two columns up."""
    assignments = [
        column["item"].assignment for column in columns if _shown_grade(column["item"]) == "reviewing"
    ]
    return [
        {
            "title": assignment.title,
            "submission": 100 - assignment.review_weight,
            "reviewing": assignment.review_weight,
        }
        for assignment in assignments
    ]


def _unseen(item: LtiLineItem, held_by_release: Mapping[int, set[int]]) -> int:
    """Students whose grade is sent once they have looked at it here, or when the time is over."""
    held = held_by_release.get(item.release_id or 0)
    if not held or item.release is None or not _shown_grade(item):
        return 0
    graded = {f"{_shown_grade(item)}__isnull": False}
    members = item.release.grades.filter(membership__in=held, **graded).values("membership")
    return LtiPlace.objects.filter(
        context=item.context_id, membership__in=members, membership__role=Role.STUDENT
    ).count()


def scores_of(course: Course, *states: str) -> QuerySet[LtiScore]:
    """Scores of a course in these states, with whose they are."""
    scores = LtiScore.objects.filter(line_item__context__course=course, state__in=states)
    return scores.select_related(
        "place__membership__person", "line_item__assignment", "line_item__context"
    ).order_by("-pk")


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
