"""The page on which staff write the rubric, and its form."""

from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page
from peerage_web.classes.permissions import Action
from peerage_web.classes.rubrics import services
from peerage_web.classes.rubrics.models import RubricCriterion, RubricLevel
from peerage_web.classes.rubrics.queries import criteria_of, is_open
from peerage_web.classes.rubrics.services import MOST_LEVELS, CriterionDraft, LevelDraft
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.views.errors import refusal_as_message, refusal_on

MOST_POINTS = 1000
MOST_ROWS = 50  # that are shown again where somebody sends more levels than there may be


class LevelRow(NamedTuple):
    name: BoundField
    points: BoundField
    text: BoundField


class CriterionForm(forms.Form):
    """Rows of levels that are left empty do not count."""

    name = forms.CharField(
        label=gettext_lazy("Criterion"), max_length=RubricCriterion._meta.get_field("name").max_length
    )
    description = forms.CharField(
        label=gettext_lazy("Description (optional)"),
        required=False,
        max_length=RubricCriterion._meta.get_field("description").max_length,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    required = forms.BooleanField(
        label=gettext_lazy("Reviewers must choose a level"), required=False, initial=True
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        sent = [name for name in self.data if name.startswith("level_name_")]
        self.count = min(max(MOST_LEVELS, len(sent)), MOST_ROWS)
        for number in range(1, self.count + 1):
            self._add_level(number)

    def _add_level(self, number: int) -> None:
        self.fields[f"level_name_{number}"] = forms.CharField(
            label=_("Level %(number)d") % {"number": number},
            required=False,
            max_length=RubricLevel._meta.get_field("name").max_length,
        )
        self.fields[f"level_points_{number}"] = forms.FloatField(
            label=_("Points"), required=False, min_value=0, max_value=MOST_POINTS
        )
        self.fields[f"level_text_{number}"] = forms.CharField(
            label=_("What it means (optional)"),
            required=False,
            max_length=RubricLevel._meta.get_field("description").max_length,
        )

    @property
    def rows(self) -> list[LevelRow]:
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
                self.add_error(f"level_name_{number}", _("Enter a name for this level."))
            if name and points is None and f"level_points_{number}" not in self.errors:
                self.add_error(f"level_points_{number}", _("Enter the points for this level."))
        return values

    @property
    def draft(self) -> CriterionDraft:
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
    names = (_("Excellent"), _("Good"), _("Fair"), _("Poor"))
    told: dict[str, Any] = {}
    for number, name in enumerate(names, start=1):
        told[f"level_name_{number}"], told[f"level_points_{number}"] = name, str(len(names) - number)
    return told


@allowed(Action.EDIT_RUBRIC, "GET", "POST", keeps_typed=True)
def rubric(request: HttpRequest, here: RequestScope) -> HttpResponse:
    last = here.assignment.rubric.last()
    initial = initial_levels(last) if last is not None else usual_levels()
    form = CriterionForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.add_criterion(assignment=here.assignment, by=here.person, draft=form.draft)
            messages.success(request, _("Added."))
            return _back(here)
    return _page(request, here, form)


@allowed(Action.EDIT_RUBRIC, "GET", "POST", keeps_typed=True)
def criterion(request: HttpRequest, here: RequestScope) -> HttpResponse:
    criterion = here.objects["criterion"]
    form = CriterionForm(request.POST or None, initial=initial_of(criterion))
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.change_criterion(criterion=criterion, by=here.person, draft=form.draft)
            messages.success(request, _("Saved."))
            return _back(here)
    return _page(request, here, form, criterion=criterion)


@allowed(Action.EDIT_RUBRIC, "POST")
def move_up(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        services.move_up(criterion=here.objects["criterion"], by=here.person)
    return _back(here)


@allowed(Action.EDIT_RUBRIC, "POST")
def remove(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        services.remove_criterion(criterion=here.objects["criterion"], by=here.person)
        messages.success(request, _("Removed."))
    return _back(here)


def _page(request: HttpRequest, here: RequestScope, form: CriterionForm, **context: Any) -> HttpResponse:
    return page(
        request,
        here,
        "rubrics/rubric",
        422 if form.errors else 200,
        form=form,
        criteria=criteria_of(here.assignment),
        is_open=is_open(here.assignment),
        **context,
    )


def _back(here: RequestScope) -> HttpResponse:
    return redirect("rubric", here.course.key, here.assignment.key)
