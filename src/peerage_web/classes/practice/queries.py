"""The practice round as a student sees it: examples, the order so far, and an answer to every choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.practice.models import PracticeAnswer, PracticeExample
from peerage_web.classes.reviewing.ranking_input import Tiers


@dataclass(frozen=True, slots=True)
class PracticeFeedback:
    """What staff say to a choice: whether they agree, and if not, how they see it to other examples."""

    agrees: bool
    above: tuple[str, ...] = ()  # labels of examples that staff put above this one
    below: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PracticeTry:
    """One example; without an answer as long as there is nothing to compare it with."""

    label: str
    example: PracticeExample
    place: int | None
    answer: PracticeFeedback | None


@dataclass(frozen=True, slots=True)
class PracticeSheet:
    """Everything on the page."""

    items: tuple[PracticeTry, ...]
    bins: Tiers
    version: int
    finished_at: datetime | None

    @property
    def unranked(self) -> list[str]:
        """Labels of examples that have no place."""
        return [one.label for one in self.items if one.place is None]

    @property
    def staff_order(self) -> list[PracticeTry]:
        """As staff ranked them, best first."""
        return sorted(self.items, key=lambda one: one.example.place)


def letters(number: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    first, last = divmod(number, 26)
    return (letters(first - 1) if first else "") + chr(ord("A") + last)


def labelled(assignment: Assignment) -> dict[str, PracticeExample]:
    """Label to example, in the order in which they are shown."""
    return {letters(number): one for number, one in enumerate(assignment.practice_examples.all())}


def practice_of(assignment: Assignment, member: Membership) -> PracticeSheet:
    """The page of a student. What is kept are numbers of examples; ones that are gone are left out."""
    examples = labelled(assignment)
    kept = PracticeAnswer.objects.filter(assignment=assignment, membership=member).first()
    label_of = {one.pk: label for label, one in examples.items()}
    bins = [[label_of[pk] for pk in one if pk in label_of] for one in (kept.bins if kept is not None else [])]
    bins = [sorted(one) for one in bins if one]
    return PracticeSheet(
        items=_tries(examples, bins, assignment.ties_allowed),
        bins=bins,
        version=kept.version if kept is not None else 0,
        finished_at=kept.finished_at if kept is not None else None,
    )


def _tries(examples: dict[str, PracticeExample], bins: Tiers, ties: bool) -> tuple[PracticeTry, ...]:
    places = {label: place for place, one in enumerate(bins, start=1) for label in one}
    staff = {label: one.place for label, one in examples.items()}
    return tuple(
        PracticeTry(label, one, places.get(label), _answer(label, places, staff, ties))
        for label, one in examples.items()
    )


def _answer(label: str, mine: dict[str, int], staff: dict[str, int], ties: bool) -> PracticeFeedback | None:
    """Compared with every other example that has a place."""
    others = [other for other in mine if other != label]
    if label not in mine or not others:
        return None
    wrong = [other for other in others if not _agree(label, other, mine, staff, ties)]

    def where(sign: int) -> Sequence[str]:
        return tuple(other for other in wrong if _sign(staff[other] - staff[label]) == sign)

    return PracticeFeedback(not wrong, above=tuple(where(-1)), below=tuple(where(1)), beside=tuple(where(0)))


def _agree(one: str, other: str, mine: dict[str, int], staff: dict[str, int], ties: bool) -> bool:
    """Where students cannot tie, any order of what staff tied is as good as another."""
    theirs = _sign(staff[one] - staff[other])
    return _sign(mine[one] - mine[other]) == theirs or (theirs == 0 and not ties)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
