"""What instructors write on the page of tokens and webhooks."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

DAYS = [(30, _("30 days")), (90, _("90 days")), (180, _("180 days")), (365, _("a year"))]


class TokenForm(forms.Form):
    """A token of the course."""

    name = forms.CharField(label=_("What you call it"), max_length=100, help_text=_("Such as: grade book"))
    days = forms.TypedChoiceField(label=_("How long it lasts"), choices=DAYS, coerce=int, initial=180)
    may_write = forms.BooleanField(
        label=_("It may change things"),
        required=False,
        help_text=_("Without this it can only read."),
    )


class WebhookForm(forms.Form):
    """An address that is told what happens."""

    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=_("Where a program of yours waits for messages."),
    )
