"""What staff fill in about grading; what makes no sense, services and the library say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.grading.models import GradingPlan, PointsRule, Shown
from peerage_web.classes.grading.services import offered_methods, refuse_nonsense
from peerage_web.shared.errors import Refused

MOST = 1_000_000  # points


def method_choices() -> list[tuple[str, Any]]:
    """Every method for rankings, under the library's own line about it."""
    return [("", gettext("Chosen by Peerage (recommended)")), *offered_methods()]


class PointsRuleForm(forms.Form):
    """What turns rankings into points or letters: asked with a new assignment, and in its settings."""

    points_rule = forms.ChoiceField(
        label=_("How points are made"),
        choices=PointsRule.choices,
        initial=PointsRule.STAFF,
        widget=forms.RadioSelect,
        help_text=_(
            "Rankings say which submissions are better, not how good they are. This rule turns them "
            "into points or letters."
        ),
    )
    curve_mean = forms.FloatField(
        label=_("Mean of the curve"), min_value=-MOST, max_value=MOST, required=False
    )
    curve_sd = forms.FloatField(
        label=_("Standard deviation of the curve"),
        min_value=0,
        max_value=MOST,
        required=False,
        help_text=_("About two thirds of the class get points within this distance of the mean."),
    )
    scale_low = forms.FloatField(label=_("Minimum points"), min_value=-MOST, max_value=MOST)
    scale_high = forms.FloatField(label=_("Maximum points"), min_value=-MOST, max_value=MOST)
    letters = forms.CharField(
        label=_("Letter grades"),
        required=False,
        max_length=300,
        help_text=_(
            "Points at which each letter begins, such as A>=85,B>=70,C. For quotas: shares of the "
            "class, such as A:20%,B:30%,C:50%. Leave empty for no letter grades."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """A curve has two numbers; what else makes no sense, the library says."""
        values = super().clean() or {}
        curve = values.get("points_rule") == PointsRule.CURVE
        for name in ("curve_mean", "curve_sd"):
            if values.get(name) is None and name not in self.errors:
                if curve:
                    self.add_error(name, gettext("A curve needs its mean and its standard deviation."))
                else:
                    values[name] = getattr(GradingPlan(), name)
        if not RULE_FIELDS & self.errors.keys():
            try:
                refuse_nonsense(self.plan(values))
            except Refused as error:
                self.add_error("points_rule", str(error))
        return values

    @staticmethod
    def plan(values: dict[str, Any]) -> GradingPlan:
        """Of an assignment that is not there yet."""
        return GradingPlan(assignment=Assignment(), **{name: values[name] for name in RULE_FIELDS})


RULE_FIELDS = PointsRuleForm.base_fields.keys()


def rule_values(plan: GradingPlan) -> dict[str, Any]:
    """What its fields start with: numbers as people write them."""
    values = {name: getattr(plan, name) for name in RULE_FIELDS}
    return {name: f"{value:.10g}" if isinstance(value, float) else value for name, value in values.items()}


class PlanForm(PointsRuleForm):
    method = forms.ChoiceField(
        label=_("Method"),
        required=False,
        choices=lazy(method_choices, list),
        help_text=_("How rankings are combined. The recommended choice suits nearly every class."),
    )
    shown = forms.MultipleChoiceField(
        label=_("What students see"),
        choices=Shown.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "This applies from the next release. Without points, students do not see their total grade "
            "either, and learning platforms receive no points."
        ),
    )
    rubric_counts = forms.BooleanField(
        label=_("The rubric counts: the points of the chosen levels enter the grade beside the rankings"),
        required=False,
        help_text=_("Otherwise the levels are feedback only."),
    )
    missing_get = forms.ChoiceField(
        label=_("Students without a submission get"),
        choices=GradingPlan.Missing.choices,
        help_text=_("They are in every list and gradebook either way."),
    )
    late_penalty = forms.FloatField(
        label=_("Points deducted per day late"),
        min_value=0,
        max_value=MOST,
        help_text=_(
            "Every day that has begun counts. The deduction is made after grading, so it changes nobody "
            "else’s grade. 0 means none."
        ),
    )
    late_penalty_most = forms.FloatField(
        label=_("Maximum deduction"),
        required=False,
        min_value=0,
        max_value=MOST,
        help_text=_("Leave empty for no maximum."),
    )
    review_weight = forms.IntegerField(
        label=_("Reviewing, as a percentage of the total grade"),
        min_value=0,
        max_value=100,
        help_text=_("The rest is the grade for the submission."),
    )
    completeness_weight = forms.IntegerField(
        label=_("Completeness, as a percentage of the reviewing mark"),
        min_value=0,
        max_value=100,
        help_text=_("The share of assigned reviews that were submitted."),
    )
    helpfulness_weight = forms.IntegerField(
        label=_("Helpfulness, as a percentage of the reviewing mark"),
        min_value=0,
        max_value=100,
        help_text=_(
            "How authors rated the comments before they saw a grade. The rest is quality: how "
            "well a ranking agrees with those of the other reviewers."
        ),
    )
    rates_helpfulness = forms.BooleanField(
        label=_("Authors rate how helpful comments were before they see their grade"), required=False
    )
    appeal_days = forms.IntegerField(
        label=_("Days during which students can appeal after they receive a grade"),
        min_value=0,
        max_value=365,
        help_text=_("0 means no appeals."),
    )
    appeals_each = forms.IntegerField(label=_("Appeals per student"), min_value=1, max_value=20, initial=1)
    has_survey = forms.BooleanField(
        label=_("Ask students afterwards what they thought of the peer review"), required=False
    )

    @classmethod
    def of(cls, plan: GradingPlan, sent: QueryDict | None) -> PlanForm:
        names = [name for name in cls.base_fields if name not in {"review_weight", *RULE_FIELDS}]
        initial = {**rule_values(plan), **{name: getattr(plan, name) for name in names}}
        for name in ("late_penalty", "late_penalty_most"):
            if initial[name] is not None:
                initial[name] = f"{initial[name]:.10g}"
        return cls(sent, initial={**initial, "review_weight": plan.assignment.review_weight})

    def clean(self) -> dict[str, Any]:
        """Parts of one mark cannot be more than all of it; ratings that nobody gives cannot count."""
        values = super().clean()
        if (values.get("completeness_weight") or 0) + (values.get("helpfulness_weight") or 0) > 100:
            self.add_error(
                "helpfulness_weight", gettext("Completeness and helpfulness together exceed 100%.")
            )
        if values.get("helpfulness_weight") and not values.get("rates_helpfulness"):
            text = gettext("Helpfulness can count only if authors rate it. Tick the box below, or enter 0.")
            self.add_error("helpfulness_weight", text)
        if not values.get("late_penalty_most"):
            values["late_penalty_most"] = None
        return values


class PointsForm(forms.Form):
    points = forms.FloatField(label=gettext_lazy("Points"), min_value=-MOST, max_value=MOST)
    reason = forms.CharField(
        label=gettext_lazy("Reason (visible to staff only)"), required=False, max_length=1000
    )


class OverrideForm(forms.Form):
    """A grade set by hand: points, or a letter where the assignment has no points."""

    points = forms.FloatField(label=gettext_lazy("Points"), min_value=-MOST, max_value=MOST)
    letter = forms.CharField(label=gettext_lazy("Grade"), max_length=20)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Kept in the activity log, in case someone asks later."),
    )
    member = forms.TypedChoiceField(label=gettext_lazy("For"), required=False, coerce=int, empty_value=None)

    def __init__(
        self, *args: Any, members: list[tuple[int, str]], letters: list[tuple[str, str]], **named: Any
    ) -> None:
        super().__init__(*args, **named)
        if letters:
            del self.fields["points"]
            self.fields["letter"] = forms.ChoiceField(label=gettext("Grade"), choices=letters)
        else:
            del self.fields["letter"]
        everybody = ("", gettext("all authors"))
        self.fields["member"].choices = [everybody, *members]  # type: ignore[attr-defined]
