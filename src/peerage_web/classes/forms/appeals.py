"""Forms of appeals."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class AppealForm(forms.Form):
    """What a student asks for."""

    reason = forms.CharField(
        label=_("Why should the grade be looked at again?"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("Say what was overlooked or misjudged, and where in your work it is."),
    )


class OpenForm(forms.Form):
    """One that staff open; the template draws the list of students, which may be long."""

    member = forms.IntegerField(label=_("Student"), min_value=1)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("The student reads this."),
    )


class ProposalForm(forms.Form):
    """What staff would give the work."""

    points = forms.FloatField(
        label=_("Points that you would give the work"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("Leave it empty to grade the class again as it is now."),
    )
    reason = forms.CharField(
        label=_("Why"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("For staff; it is kept with the grade."),
    )


class AnswerForm(forms.Form):
    """What the student is told."""

    answer = forms.CharField(
        label=_("Answer"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("The student reads this, and does not see who wrote it."),
    )
