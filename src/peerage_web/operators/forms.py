"""Forms of the operators' page."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class DiskSpaceForm(forms.Form):
    """Room for the files of a course."""

    megabytes = forms.IntegerField(
        label=_("Storage limit (MB)"),
        required=False,
        min_value=1,
        max_value=10**8,
        help_text=_("Leave empty to use the default limit for courses."),
    )


class CourseCreatorForm(forms.Form):
    """Somebody who may create courses."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
