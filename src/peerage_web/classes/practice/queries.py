"""The practice round as a student sees it: examples, the order so far, and an answer to every choice."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.practice.models import PracticeAnswer, PracticeExample
from peerage_web.classes.reassignment.lists import label_of
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
    items: tuple[PracticeTry, ...]
    tiers: Tiers
    version: int
    finished_at: datetime | None

    @property
    def unranked(self) -> list[str]:
        """Labels of examples that have no place."""
        return [item.label for item in self.items if item.place is None]


def labelled(assignment: Assignment, member: Membership) -> dict[str, PracticeExample]:
    """Label to example in the order in which this student sees them: always the same, and another for others.

    In the order of the list, the first would be the best for everybody.
    """
    mixed = sorted(
        assignment.practice_examples.all(),
        key=lambda example: hashlib.sha256(f"{example.key} {member.pk}".encode()).digest(),
    )
    return {label_of(number): example for number, example in enumerate(mixed)}


def practice_of(assignment: Assignment, member: Membership) -> PracticeSheet:
    """The page of a student. What is kept are numbers of examples; ones that are gone are left out."""
    examples = labelled(assignment, member)
    kept = PracticeAnswer.objects.filter(assignment=assignment, membership=member).first()
    labels = {example.pk: label for label, example in examples.items()}
    tiers = [[labels[pk] for pk in tier if pk in labels] for tier in (kept.tiers if kept is not None else [])]
    tiers = [sorted(tier) for tier in tiers if tier]
    return PracticeSheet(
        items=_tries(examples, tiers, assignment.ties_allowed),
        tiers=tiers,
        version=kept.version if kept is not None else 0,
        finished_at=kept.finished_at if kept is not None else None,
    )


def _tries(examples: dict[str, PracticeExample], tiers: Tiers, ties: bool) -> tuple[PracticeTry, ...]:
    places = {label: place for place, tier in enumerate(tiers, start=1) for label in tier}
    staff = {label: example.place for label, example in examples.items()}
    return tuple(
        PracticeTry(label, example, places.get(label), _answer(label, places, staff, ties))
        for label, example in examples.items()
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


def _agree(label: str, other: str, mine: dict[str, int], staff: dict[str, int], ties: bool) -> bool:
    """Where students cannot tie, any order of what staff tied is as good as another."""
    theirs = _sign(staff[label] - staff[other])
    return _sign(mine[label] - mine[other]) == theirs or (theirs == 0 and not ties)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
