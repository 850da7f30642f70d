"""What the page of a release shows staff: what students see or would see, and what would change."""

from __future__ import annotations

from dataclasses import dataclass

from peerage_web.classes.models import Assignment, GradingRun, Membership, Release, ReleasedGrade
from peerage_web.classes.queries.grading.final import final_grades
from peerage_web.classes.queries.grading.runs import approved_run
from peerage_web.classes.queries.release.current import current_release
from peerage_web.classes.queries.release.told import differs, scale_of, snapshot


@dataclass(frozen=True, slots=True)
class Line:
    """One student: what they see now, and what they would see if the approved run was released now."""

    membership: Membership
    now: ReleasedGrade | None
    then: ReleasedGrade | None

    @property
    def shown(self) -> ReleasedGrade | None:
        """What the page tells of them."""
        return self.then if self.then is not None else self.now

    @property
    def changes(self) -> bool:
        """Whether a release now would change what they see."""
        return self.then is not None and (self.now is None or differs(self.now, self.then))


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """All lines, and where they are from."""

    run: GradingRun | None  # that would be released
    release: Release | None  # that students see
    lines: list[Line]

    @property
    def changed(self) -> list[Line]:
        """Whom a release now would show something else."""
        return [one for one in self.lines if one.changes]

    @property
    def seen(self) -> int:
        """How many have seen their grade in the present release."""
        return sum(one.now is not None and one.now.seen_at is not None for one in self.lines)

    def line_of(self, member: Membership) -> Line:
        """One student's; empty for whom there is no grade."""
        found = next((one for one in self.lines if one.membership.pk == member.pk), None)
        return found if found is not None else Line(member, None, None)

    @property
    def digits(self) -> int:
        """After the point, for the scale of the run."""
        low, high = scale_of(self.run) if self.run is not None else (0.0, 100.0)
        return 1 if high - low >= 20 else 2


def release_page(assignment: Assignment) -> ReleasePage:
    """Of an assignment; a fixed number of queries."""
    run, release = approved_run(assignment), current_release(assignment)
    now = {one.membership_id: one for one in _grades_of(release)} if release is not None else {}
    then = {one.membership.pk: snapshot(one) for one in final_grades(run)} if run is not None else {}
    people = {one.membership_id: one.membership for one in [*now.values(), *then.values()]}
    order = sorted(people.values(), key=lambda one: (one.shown_name.casefold(), one.pk))
    return ReleasePage(run, release, [Line(one, now.get(one.pk), then.get(one.pk)) for one in order])


def _grades_of(release: Release) -> list[ReleasedGrade]:
    return list(release.grades.select_related("membership__person"))
