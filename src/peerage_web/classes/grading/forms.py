"""What staff fill in about grading; what makes no sense, services and the library say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.grading.services import offered_methods

MOST = 1_000_000  # points


def method_choices() -> list[tuple[str, Any]]:
    """Every method for rankings, under the library's own line about it."""
    return [("", gettext("Chosen by Peerage (recommended)")), *offered_methods()]


class PlanForm(forms.Form):
    """How an assignment is graded."""

    method = forms.ChoiceField(
        label=_("Method"),
        required=False,
        choices=lazy(method_choices, list),
        help_text=_("Methods with +G count careful reviewers for more."),
    )
    scale_low = forms.FloatField(label=_("Lowest points"), min_value=-MOST, max_value=MOST)
    scale_high = forms.FloatField(label=_("Highest points"), min_value=-MOST, max_value=MOST)
    letters = forms.CharField(
        label=_("Letter grades"),
        required=False,
        max_length=300,
        help_text=_(
            "Points at which each letter begins, as A>=85,B>=70,C; or shares of the class, as"
            " A:20%,B:30%,C:50%. Leave it empty for none."
        ),
    )
    review_weight = forms.IntegerField(
        label=_("Of the whole mark, per cent for reviewing"),
        min_value=0,
        max_value=100,
        help_text=_("The rest is the grade of the work."),
    )
    completeness_weight = forms.IntegerField(
        label=_("Of the mark for reviewing, per cent for completeness"),
        min_value=0,
        max_value=100,
        help_text=_("The share of the reviews asked for that were handed in."),
    )
    helpfulness_weight = forms.IntegerField(
        label=_("Of the mark for reviewing, per cent for helpfulness"),
        min_value=0,
        max_value=100,
        help_text=_(
            "As authors rated the comments, before they saw a grade. The rest is quality: how far an order"
            " agrees with what the other reviewers found."
        ),
    )
    rates_helpfulness = forms.BooleanField(
        label=_("Authors rate how helpful comments were, before they see their grade"), required=False
    )
    appeal_days = forms.IntegerField(
        label=_("Days after the release in which students can appeal"),
        min_value=0,
        max_value=365,
        help_text=_("0: there are no appeals."),
    )
    appeals_each = forms.IntegerField(label=_("Appeals per student"), min_value=1, max_value=20, initial=1)
    has_survey = forms.BooleanField(
        label=_("Ask students afterwards what they thought of the reviewing"), required=False
    )

    @classmethod
    def of(cls, plan: GradingPlan, sent: QueryDict | None) -> PlanForm:
        """Filled with the plan."""
        names = [name for name in cls.base_fields if name != "review_weight"]
        initial = {name: getattr(plan, name) for name in names}
        for name in ("scale_low", "scale_high"):
            initial[name] = f"{initial[name]:.10g}"
        return cls(sent, initial={**initial, "review_weight": plan.assignment.review_weight})

    def clean(self) -> dict[str, Any]:
        """Parts of one mark cannot be more than all of it; ratings that nobody gives cannot count."""
        given = super().clean() or {}
        if (given.get("completeness_weight") or 0) + (given.get("helpfulness_weight") or 0) > 100:
            self.add_error(
                "helpfulness_weight", gettext("Completeness and helpfulness together exceed 100 %.")
            )
        if given.get("helpfulness_weight") and not given.get("rates_helpfulness"):
            text = gettext("Helpfulness can only count where authors rate it. Tick that below, or write 0.")
            self.add_error("helpfulness_weight", text)
        return given


class PointsForm(forms.Form):
    """A staff grade."""

    points = forms.FloatField(label=gettext_lazy("Points"), min_value=-MOST, max_value=MOST)
    reason = forms.CharField(label=gettext_lazy("Why (for staff)"), required=False, max_length=1000)


class OverrideForm(forms.Form):
    """A grade set by hand."""

    points = forms.FloatField(label=gettext_lazy("Points"), min_value=-MOST, max_value=MOST)
    reason = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Kept in the record, for whoever asks later."),
    )
    member = forms.TypedChoiceField(label=gettext_lazy("For"), required=False, coerce=int, empty_value=None)

    def __init__(self, *args: Any, members: list[tuple[int, str]], **named: Any) -> None:
        super().__init__(*args, **named)
        everybody = ("", gettext("everybody who made it"))
        self.fields["member"].choices = [everybody, *members]  # type: ignore[attr-defined]
