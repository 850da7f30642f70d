"""A criterion of the rubric with its levels, as staff write it."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.rubrics.models import RubricCriterion, RubricLevel
from peerage_web.classes.rubrics.services import MOST_LEVELS, CriterionDraft, LevelDraft

MOST_POINTS = 1000
MOST_ROWS = 50  # that are shown again where somebody sends more levels than there may be


class LevelRow(NamedTuple):
    """The fields of one level."""

    name: BoundField
    points: BoundField
    text: BoundField


class CriterionForm(forms.Form):
    """Rows of levels that are left empty do not count."""

    name = forms.CharField(
        label=_("Criterion"), max_length=RubricCriterion._meta.get_field("name").max_length
    )
    description = forms.CharField(
        label=_("Description (optional)"),
        required=False,
        max_length=RubricCriterion._meta.get_field("description").max_length,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    required = forms.BooleanField(label=_("Reviewers must choose a level"), required=False, initial=True)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        sent = [name for name in self.data if name.startswith("level_name_")]
        self.count = min(max(MOST_LEVELS, len(sent)), MOST_ROWS)
        for number in range(1, self.count + 1):
            self._add_level(number)

    def _add_level(self, number: int) -> None:
        self.fields[f"level_name_{number}"] = forms.CharField(
            label=gettext("Level %(number)d") % {"number": number},
            required=False,
            max_length=RubricLevel._meta.get_field("name").max_length,
        )
        self.fields[f"level_points_{number}"] = forms.FloatField(
            label=gettext("Points"), required=False, min_value=0, max_value=MOST_POINTS
        )
        self.fields[f"level_text_{number}"] = forms.CharField(
            label=gettext("What it means (optional)"),
            required=False,
            max_length=RubricLevel._meta.get_field("description").max_length,
        )

    @property
    def rows(self) -> list[LevelRow]:
        """As the page draws them."""
        names = ("level_name", "level_points", "level_text")
        return [
            LevelRow(*(self[f"{name}_{number}"] for name in names)) for number in range(1, self.count + 1)
        ]

    def clean(self) -> dict[str, Any]:
        """A level has a name and points, or is none."""
        values = super().clean() or {}
        for number in range(1, self.count + 1):
            name, points = values.get(f"level_name_{number}"), values.get(f"level_points_{number}")
            says_more = points is not None or values.get(f"level_text_{number}")
            if says_more and name == "":
                self.add_error(f"level_name_{number}", gettext("Enter a name for this level."))
            if name and points is None and f"level_points_{number}" not in self.errors:
                self.add_error(f"level_points_{number}", gettext("Enter the points for this level."))
        return values

    @property
    def draft(self) -> CriterionDraft:
        """What was written."""
        values = self.cleaned_data
        levels = [
            LevelDraft(
                values[f"level_name_{number}"],
                values[f"level_points_{number}"],
                values[f"level_text_{number}"],
            )
            for number in range(1, self.count + 1)
            if values[f"level_name_{number}"]
        ]
        return CriterionDraft(values["name"], levels, values["description"], values["required"])


def initial_of(criterion: RubricCriterion) -> dict[str, Any]:
    """The form of a criterion that is there."""
    told = {
        "name": criterion.name,
        "description": criterion.description,
        "required": criterion.required,
    }
    return told | initial_levels(criterion, with_texts=True)


def initial_levels(criterion: RubricCriterion, *, with_texts: bool = False) -> dict[str, Any]:
    """Its levels; without what they mean, for the next criterion, which often has the same levels."""
    told: dict[str, Any] = {}
    for number, level in enumerate(criterion.levels.all(), start=1):
        told[f"level_name_{number}"], told[f"level_points_{number}"] = level.name, f"{level.points:.10g}"
        if with_texts:
            told[f"level_text_{number}"] = level.description
    return told


def usual_levels() -> dict[str, Any]:
    """Of the first criterion of a rubric."""
    names = (gettext("Excellent"), gettext("Good"), gettext("Fair"), gettext("Poor"))
    told: dict[str, Any] = {}
    for number, name in enumerate(names, start=1):
        told[f"level_name_{number}"], told[f"level_points_{number}"] = name, str(len(names) - number)
    return told
