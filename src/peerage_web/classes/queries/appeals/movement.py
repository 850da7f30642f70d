"""What accepting an appeal would change, for everybody, before anything is accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from peerage_web.classes.models import Appeal, GradingRun, Membership, Override, ReleasedGrade
from peerage_web.classes.queries.grading.final import final_grades, overrides_of
from peerage_web.classes.queries.grading.runs import approved_run
from peerage_web.classes.queries.release.current import current_release
from peerage_web.classes.queries.release.told import differs, snapshot


@dataclass(frozen=True, slots=True)
class Move:
    """One student for whom something would change."""

    membership: Membership
    before: ReleasedGrade | None
    after: ReleasedGrade
    is_theirs: bool  # who made the work that the appeal is about

    @property
    def change(self) -> float | None:
        """In points of the work."""
        if self.before is None or self.before.points is None or self.after.points is None:
            return None
        return self.after.points - self.before.points


@dataclass(frozen=True, slots=True)
class Movement:
    """Who moves: first who appealed, then others, those who move furthest first."""

    moves: list[Move]
    students: int

    @property
    def others(self) -> list[Move]:
        """But for those whose work it is about."""
        return [one for one in self.moves if not one.is_theirs]


def movement_by_run(appeal: Appeal, run: GradingRun) -> Movement:
    """If this run was released in place of what students see."""
    return _movement(appeal, run, ())


def movement_by_hand(appeal: Appeal) -> Movement:
    """If the work got its points by hand, and nothing was estimated anew."""
    run = approved_run(appeal.assignment)
    assert run is not None  # grades were released
    points = appeal.proposed_points or 0.0
    # what was set for one member of a team would stand before it
    whom = [member for work, member in overrides_of(appeal.assignment) if work == appeal.work_id]
    by_hand = [
        Override(work_id=appeal.work_id, membership_id=member, points=points) for member in {None, *whom}
    ]
    return _movement(appeal, run, by_hand)


def is_set_by_hand(appeal: Appeal) -> bool:
    """Whether staff have set the grade of this work, which no estimate moves."""
    return any(work == appeal.work_id for work, _member in overrides_of(appeal.assignment))


def _movement(appeal: Appeal, run: GradingRun, by_hand: Iterable[Override]) -> Movement:
    release = current_release(appeal.assignment)
    told = {one.membership_id: one for one in release.grades.all()} if release is not None else {}
    after = [snapshot(one) for one in final_grades(run, by_hand)]
    moves = [
        Move(one.membership, told.get(one.membership_id), one, is_theirs=one.work_id == appeal.work_id)
        for one in after
        if one.membership_id not in told or differs(told[one.membership_id], one)
    ]
    moves.sort(key=lambda one: (not one.is_theirs, -abs(one.change or 0.0), one.membership.pk))
    return Movement(moves, len(after))
