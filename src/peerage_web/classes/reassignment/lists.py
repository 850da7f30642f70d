"""Lists of reviews while reviewing runs: adding, ending and replacing reviews; who has not submitted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from peerage_web.accounts.models import Person
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import (
    AllocationInput,
    Reviewer,
    allocation_input,
    begun_by,
    finished_by,
)
from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.assignments.queries import personal_dates
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.names import by_name, name_key
from peerage_web.shared.database import exclusively

State = Review.State
AT_ONCE = 500  # rows of one statement


def locked_lists(assignment: Assignment) -> AbstractContextManager[None]:
    """A transaction in which nobody else changes who reviews what in this assignment."""
    return exclusively(f"lists of assignment {assignment.pk}")


def label_of(number: int) -> str:
    """A, B, … Z, AA, AB, …: the labels of a list, from 0."""
    first, last = divmod(number, 26)
    return (label_of(first - 1) if first else "") + chr(ord("A") + last)


def number_of_label(label: str) -> int:
    """The other way; -1 for what is none of these labels."""
    number = 0
    for letter in label:
        if not "A" <= letter <= "Z":
            return -1
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def new_run(
    assignment: Assignment, kind: AllocationRun.Kind, by: Person | None, **fields: Any
) -> AllocationRun:
    """How the reviews that follow were made."""
    return AllocationRun.objects.create(
        assignment=assignment,
        kind=kind,
        made_by=by,
        design=fields.pop("design", assignment.design),
        seed=fields.pop("seed", assignment.seed),
        **fields,
    )


def add_reviews(
    *,
    run: AllocationRun,
    pairs: Sequence[tuple[int, int]],
    in_place_of: Mapping[tuple[int, int], Review] | None = None,
    free: Mapping[int, list[tuple[str, int]]] | None = None,
) -> list[Review]:
    """Put submissions into reviewers' lists (pairs of both), each at the end, under the next label.

    `free` are labels and positions of submissions that nobody had seen and that are gone: they are given
    anew.
    """
    last: dict[int, tuple[int, int]] = defaultdict(lambda: (-1, 0))
    existing = Review.objects.filter(assignment=run.assignment_id).order_by()
    if len(pairs) <= AT_ONCE:
        existing = existing.filter(reviewer__in={who for who, _submission in pairs})
    # what is given anew is taken as well, though its rows are gone
    anew = [(who, *place) for who, places in (free or {}).items() for place in places]
    for who, label, position in (*existing.values_list("reviewer", "label", "position"), *anew):
        number, place = last[who]
        last[who] = max(number, number_of_label(label)), max(place, position)
    reviews = []
    for who, submission in pairs:
        if free and free.get(who):
            label, place = free[who].pop(0)
        else:
            last[who] = last[who][0] + 1, last[who][1] + 1
            label, place = label_of(last[who][0]), last[who][1]
        before = (in_place_of or {}).get((who, submission))
        reviews.append(
            Review(
                assignment_id=run.assignment_id,
                reviewer_id=who,
                submission_id=submission,
                run=run,
                label=label,
                position=place,
                in_place_of=before,
            )
        )
    return Review.objects.bulk_create(reviews, batch_size=AT_ONCE)


def end_reviews(reviews: Iterable[Review], state: Review.State) -> None:
    """They are no longer to be done; what was written stays with them."""
    now, numbers = timezone.now(), [review.pk for review in reviews]
    for start in range(0, len(numbers), AT_ONCE):
        part = Review.objects.filter(pk__in=numbers[start : start + AT_ONCE], state=State.OPEN)
        part.update(state=state, ended_at=now)


def replace(
    *, run: AllocationRun, ended: Sequence[Review], room: AllocationInput | None = None
) -> list[Review]:
    """For every ended review the least reviewed submission that its reviewer may see and never saw.

    Fewer come back where nothing is left for somebody: their list is shorter then.
    """
    assignment = run.assignment
    room = room or allocation_input(assignment)
    people, loads = room.by_pk, _loads(room, assignment)
    seen = _seen(assignment, {review.reviewer_id for review in ended})
    in_place_of: dict[tuple[int, int], Review] = {}
    for review in ended:
        reviewer = people.get(review.reviewer_id)
        if reviewer is None:  # not in the course any more
            continue
        submission = _least_reviewed(assignment, room, reviewer, seen[reviewer.pk], loads)
        if submission is None:
            continue
        seen[reviewer.pk].add(submission)
        loads[submission] += 1
        in_place_of[reviewer.pk, submission] = review
    return add_reviews(run=run, pairs=list(in_place_of), in_place_of=in_place_of)


def _seen(assignment: Assignment, reviewers: set[int]) -> dict[int, set[int]]:
    """Reviewer to all submissions they ever had."""
    pairs: dict[int, set[int]] = defaultdict(set)
    rows = Review.objects.filter(assignment=assignment, reviewer__in=reviewers)
    for who, submission in rows.order_by().values_list("reviewer", "submission"):
        pairs[who].add(submission)
    return pairs


def _loads(room: AllocationInput, assignment: Assignment) -> dict[int, int]:
    open_ones = Count("pk", filter=Q(state=State.OPEN))
    reviews = Review.objects.filter(assignment=assignment).order_by()
    counted = reviews.values_list("submission").annotate(number=open_ones)
    return {
        **dict.fromkeys(room.authors, 0),
        **{submission: n for submission, n in counted if submission in room.authors},
    }


def _least_reviewed(
    assignment: Assignment,
    room: AllocationInput,
    reviewer: Reviewer,
    seen: set[int],
    loads: Mapping[int, int],
) -> int | None:
    """Of equally many, one that follows from the instance's secret: it says nothing about its author."""
    apart = assignment.sections == Assignment.Sections.APART and reviewer.section
    eligible = [
        submission
        for submission in loads
        if submission != reviewer.submission
        and submission not in seen
        and (not apart or room.sections[submission] == reviewer.section)
    ]
    return min(
        eligible, key=lambda submission: (loads[submission], _lot(reviewer.pk, submission)), default=None
    )


def _lot(reviewer: int, submission: int) -> bytes:
    return salted_hmac("peerage.replacement", f"{reviewer}:{submission}", algorithm="sha256").digest()


def names_of(members: Iterable[int]) -> dict[int, str]:
    """Members by key, as staff call them."""
    wanted = list(dict.fromkeys(members))
    names: dict[int, str] = {}
    for start in range(0, len(wanted), AT_ONCE):
        part = Membership.objects.filter(pk__in=wanted[start : start + AT_ONCE]).select_related("person")
        names |= {member.pk: member.shown_name for member in part}
    return names


# -- Who has submissions to review and has not submitted a ranking, and whose submissions went to others


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Somebody with open reviews and no ranking."""

    member: int
    name: str
    reviews: int
    begun: bool
    dropped: bool
    due_at: datetime | None
    last_login: datetime | None

    @property
    def is_absent(self) -> bool:
        """Whether nothing is to be expected: they left, or have not begun."""
        return self.dropped or not self.begun


def unfinished(assignment: Assignment) -> list[Unfinished]:
    """Those who left first, then those who have not begun, then the others; by name."""
    open_ones = Review.objects.filter(assignment=assignment, state=Review.State.OPEN).order_by()
    held = dict(open_ones.values_list("reviewer").annotate(number=Count("pk")))
    done, begun = finished_by(assignment), begun_by(assignment)
    members = Membership.objects.filter(pk__in=held.keys() - done).select_related("person")
    extensions = {
        extension.membership_id: extension for extension in Extension.objects.filter(assignment=assignment)
    }
    reviewers = [
        Unfinished(
            member.pk,
            member.shown_name,
            held[member.pk],
            member.pk in begun,
            member.role == Role.DROPPED,
            personal_dates(assignment, extensions.get(member.pk))["reviews_due_at"],
            member.person.last_login,
        )
        for member in members
    ]
    return sorted(
        reviewers,
        key=lambda reviewer: (not reviewer.dropped, reviewer.begun, name_key(reviewer.name), reviewer.member),
    )


def released(assignment: Assignment) -> list[Membership]:
    """People whose submissions went to others."""
    theirs = Review.objects.filter(assignment=assignment, state=Review.State.RELEASED).order_by()
    reviewers = Membership.objects.filter(pk__in=theirs.values("reviewer")).select_related("person")
    return by_name(reviewers.exclude(role=Role.DROPPED))[:200]
