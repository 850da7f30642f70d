"""Changing a rubric while nobody reviews by it, and saving the levels that reviewers choose."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.db.models import Max
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.reviewing.ranking_input import LevelInput, Unreadable
from peerage_web.classes.rubrics.models import ChosenLevel, RubricCriterion, RubricLevel
from peerage_web.classes.rubrics.queries import criteria_of, is_open
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused

MOST_CRITERIA = 20
FEWEST_LEVELS, MOST_LEVELS = 2, 7


@dataclass(frozen=True, slots=True)
class LevelDraft:
    name: str
    points: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class CriterionDraft:
    name: str
    levels: Sequence[LevelDraft]
    description: str = ""
    required: bool = True


def add_criterion(*, assignment: Assignment, by: Person, draft: CriterionDraft) -> RubricCriterion:
    with _lock(assignment):
        _refuse_begun(assignment)
        there = assignment.rubric.all()
        if len(there) >= MOST_CRITERIA:
            raise Refused(_("A rubric can have at most %(most)d criteria.") % {"most": MOST_CRITERIA})
        last = there.aggregate(last=Max("position"))["last"] or 0
        criterion = RubricCriterion(assignment=assignment, position=last + 1)
        _write(criterion, draft)
        _record(assignment, by)
    return criterion


def change_criterion(*, criterion: RubricCriterion, by: Person, draft: CriterionDraft) -> None:
    with _lock(criterion.assignment):
        _refuse_begun(criterion.assignment)
        _write(criterion, draft)
        _record(criterion.assignment, by)


def remove_criterion(*, criterion: RubricCriterion, by: Person) -> None:
    with _lock(criterion.assignment):
        _refuse_begun(criterion.assignment)
        criterion.delete()
        _record(criterion.assignment, by)


def move_up(*, criterion: RubricCriterion, by: Person) -> None:
    """Put it before the one above it; the first stays."""
    with _lock(criterion.assignment):
        _refuse_begun(criterion.assignment)
        above = criterion.assignment.rubric.filter(position__lt=criterion.position).last()
        if above is None:
            return
        above.position, criterion.position = criterion.position, above.position
        above.save(update_fields=["position"])
        criterion.save(update_fields=["position"])
        _record(criterion.assignment, by)


def copy_rubric(source: Assignment, copy: Assignment) -> None:
    """An assignment that is made as a copy has the same rubric."""
    for criterion in criteria_of(source):
        levels = [LevelDraft(level.name, level.points, level.description) for level in criterion.levels.all()]
        draft = CriterionDraft(criterion.name, levels, criterion.description, criterion.required)
        _write(RubricCriterion(assignment=copy, position=criterion.position), draft)


def _write(criterion: RubricCriterion, draft: CriterionDraft) -> None:
    _refuse_draft(criterion, draft)
    criterion.name, criterion.description = draft.name, draft.description
    criterion.required = draft.required
    criterion.save()
    criterion.levels.all().delete()  # nobody has chosen one yet
    RubricLevel.objects.bulk_create(
        RubricLevel(
            criterion=criterion,
            position=position,
            name=level.name,
            points=level.points,
            description=level.description,
        )
        for position, level in enumerate(draft.levels, start=1)
    )


def _refuse_draft(criterion: RubricCriterion, draft: CriterionDraft) -> None:
    others = criterion.assignment.rubric.exclude(pk=criterion.pk).values_list("name", flat=True)
    if draft.name.casefold() in {name.casefold() for name in others}:
        text = _("There is already a criterion named “%(name)s”. Give this one another name.")
        raise Refused(text % {"name": draft.name})
    if not FEWEST_LEVELS <= len(draft.levels) <= MOST_LEVELS:
        text = _("A criterion needs %(fewest)d to %(most)d levels. This one has %(count)d.")
        count = {"fewest": FEWEST_LEVELS, "most": MOST_LEVELS, "count": len(draft.levels)}
        raise Refused(text % count)
    names = [level.name.casefold() for level in draft.levels]
    twice = next((level.name for level in draft.levels if names.count(level.name.casefold()) > 1), None)
    if twice is not None:
        text = _("Two levels are named “%(name)s”. Give each level its own name.")
        raise Refused(text % {"name": twice})


def _refuse_begun(assignment: Assignment) -> None:
    """Whoever chose a level meant what it said then."""
    if not is_open(Assignment.objects.get(pk=assignment.pk)):
        raise Refused(_("The review phase has begun. The rubric can no longer be changed."))


def _lock(assignment: Assignment) -> AbstractContextManager[None]:
    return exclusively(f"rubric {assignment.pk}")


def _record(assignment: Assignment, by: Person) -> None:
    record("rubric-changed", by=by, assignment=assignment, count=assignment.rubric.count())


# -- what reviewers choose: called by `reviewing.services` while it holds the lock of the ranking ------------


def save_levels(
    assignment: Assignment, reviews: dict[str, Review], sent: Sequence[LevelInput]
) -> tuple[LevelInput, ...]:
    """Keep these choices, and say how they are kept. There is nothing to merge: the last one counts."""
    if not sent:
        return ()
    levels = RubricLevel.objects.filter(criterion__assignment=assignment)
    offered = {(level.criterion_id, level.pk) for level in levels}
    criteria = {criterion for criterion, _level in offered}
    rows = ChosenLevel.objects.filter(review__in=[reviews[choice.label].pk for choice in sent])
    kept = {(row.review_id, row.criterion_id): row for row in rows}
    saved = []
    for choice in sent:
        is_offered = (choice.criterion, choice.level) in offered
        if not is_offered and not (choice.level is None and choice.criterion in criteria):
            raise Unreadable(_("This is not a level of the rubric. Reload the page."))
        review = reviews[choice.label]
        row = kept.get((review.pk, choice.criterion)) or ChosenLevel(
            review=review, criterion_id=choice.criterion
        )
        if row.level_id != choice.level:
            row.level_id, row.version = choice.level, row.version + 1
            row.save()
        saved.append(LevelInput(choice.label, choice.criterion, row.level_id, row.version))
    return tuple(saved)
