"""A course."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.services.courses import zones


class CourseForm(forms.Form):
    """A course."""

    name = forms.CharField(label=_("Name of the course"), max_length=200)
    term = forms.CharField(label=_("Term"), max_length=60, required=False)
    time_zone = forms.CharField(
        label=_("Time zone"),
        max_length=60,
        initial="UTC",
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
        help_text=_("In which dates are shown and due, such as Europe/Berlin."),
    )
    language = forms.ChoiceField(
        label=_("Language of mail"),
        required=False,
        choices=settings.LANGUAGES,
        help_text=_("For people who have not chosen one themselves."),
    )

    def clean_time_zone(self) -> str:
        """One that clocks know."""
        name: str = self.cleaned_data["time_zone"].strip()
        if name not in zones():
            raise ValidationError(_("This is not a time zone. Write it like Europe/Berlin or Asia/Tokyo."))
        return name


class CourseSettingsForm(CourseForm):
    """A course that is there: also how long it is kept."""

    keep_months = forms.TypedChoiceField(
        label=_("How long it is kept"),
        coerce=int,
        choices=[
            (0, _("Without end")),
            (6, _("6 months after its last date")),
            (12, _("12 months after its last date")),
            (24, _("2 years after its last date")),
            (36, _("3 years after its last date")),
            (60, _("5 years after its last date")),
            (120, _("10 years after its last date")),
        ],
        help_text=_(
            "Then everything in it is deleted for good: works, rankings, comments, grades, the record, and"
            " accounts of students who are in no other course. Instructors are told by e-mail 30 days before."
        ),
    )
