"""What a row of an archive may hold beyond its kind and length: what pages and services would have taken.

The child has looked at kinds and ranges (`sandbox.work.archives`); here stands what needs the forms, the time
zones, and the library. Empty values pass: erasing a person leaves some.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from peerage.errors import PeerageError
from peerage.grading.letters import parse_letters
from peerage.grading.points import parse_curve, parse_scale
from peerage_web.classes.archives.tables import MODELS
from peerage_web.classes.assignments.forms import AssignmentForm
from peerage_web.classes.assignments.services import DATES, check_dates
from peerage_web.classes.courses.services import zones
from peerage_web.classes.fields import MomentField
from peerage_web.classes.grading.forms import OverrideForm, PlanForm, PointsForm
from peerage_web.classes.grading.models import GradingPlan, Shown
from peerage_web.classes.texts import VERBS
from peerage_web.shared.errors import Refused

FORMS: dict[str, type[forms.Form]] = {
    "Assignment": AssignmentForm,
    "GradingPlan": PlanForm,
    "StaffGrade": PointsForm,
    "Override": OverrideForm,
}
NOT_ASKED = {("Assignment", "reviews_per_student")}  # the API also takes 1
EMPTY: tuple[Any, ...] = (None, "", [])
LONGEST_KEPT = 120  # months
PER_CENT = range(101)


class BadValueError(ValueError):
    """Something that no page would have taken; `problem` says what."""

    def __init__(self, code: str, **figures: Any) -> None:
        super().__init__(f"{code} {figures}")
        self.problem = {"code": code, **figures}


def check_rows(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """BadValueError for the first value that does not hold, or for dates that are not in order."""
    for table in MODELS:
        checks = _checks_of(table)
        for row in tables.get(table, ()):
            for column, check in checks.items():
                if column in row and row[column] not in EMPTY and not _holds(check, row[column]):
                    raise BadValueError("value", table=table, row=row["id"], column=column)
    for row in tables.get("Assignment", ()):
        _check_dates_of(row)


def _check_dates_of(row: Mapping[str, Any]) -> None:
    """As the pages ask for them: a step is taken when its date comes, and must not come before the last."""
    try:
        check_dates({name: datetime.fromisoformat(row[name]) for name in DATES if row.get(name)})
    except Refused as error:
        raise BadValueError("dates", title=row.get("title", ""), why=error) from error


Check = Callable[[Any], object]


def _holds(check: Check, value: Any) -> bool:
    """A check says no by False, or by raising what forms and the library raise."""
    try:
        return check(value) is not False
    except (ValidationError, PeerageError, ValueError, TypeError, KeyError, AttributeError):
        return False


def _checks_of(table: str) -> dict[str, Check]:
    asked = FORMS[table].base_fields if table in FORMS else {}
    checks: dict[str, Check] = {
        name: field.clean
        for name, field in asked.items()
        if not isinstance(field, MomentField | forms.BooleanField) and (table, name) not in NOT_ASKED
    }
    return checks | {column: check for (where, column), check in OWN.items() if where == table}


def _is_options(value: Any) -> bool:
    if value.get("scale"):
        parse_scale(value["scale"])
    if value.get("curve"):
        parse_curve(value["curve"])
    if value.get("letters"):
        parse_letters(value["letters"])
    interval, seed = value.get("interval"), value.get("seed")
    return (interval is None or 0 < interval < 1) and (seed is None or isinstance(seed, int))


def _is_plan(value: Any) -> bool:
    """Of a run: the scale, what those without a submission get, what late ones lose; weights in per cent."""
    rest = dict(value)
    parse_scale(rest.pop("scale", None) or "0:100")
    missing = rest.pop("missing_get", GradingPlan.Missing.NOTHING)
    penalties = [rest.pop(name, None) for name in ("late_penalty", "late_penalty_most")]
    return (
        missing in GradingPlan.Missing.values
        and all(points is None or 0 <= points < math.inf for points in penalties)
        and all(weight in PER_CENT for weight in rest.values())
    )


def _is_shown(value: Any) -> bool:
    return set(value) <= set(Shown.values)


def _is_parts(value: Any) -> bool:
    """Of the mark for reviewing: figures, their weights, and which of them counted."""
    figures = {name: part for name, part in value.items() if name not in ("weights", "counted")}
    weights, counted = value.get("weights", {}), value.get("counted", [])
    numbers = [*figures.values(), *weights.values()]
    return all(number is None or isinstance(number, int | float) for number in numbers) and all(
        name in weights for name in counted
    )


def _is_texts(value: Any) -> bool:
    return all(isinstance(cell, str) for cell in value)


def _is_entry(value: Any) -> bool:
    return all(cell is None or isinstance(cell, str | int | float) for cell in value.values())


OWN: dict[tuple[str, str], Check] = {
    ("Course", "time_zone"): lambda value: value in zones(),
    ("Course", "language"): lambda value: value in dict(settings.LANGUAGES),
    ("Course", "keep_months"): lambda value: value <= LONGEST_KEPT,
    ("GradingPlan", "letters"): parse_letters,
    ("GradingRun", "options"): _is_options,
    ("GradingRun", "plan"): _is_plan,
    ("Release", "shown"): _is_shown,
    ("ReleasedGrade", "reviewing_parts"): _is_parts,
    ("SurveyQuestion", "choices"): _is_texts,
    ("Event", "verb"): lambda value: value in VERBS,
    ("Event", "data"): _is_entry,
}
