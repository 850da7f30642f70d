"""A roster from a file."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class RosterForm(forms.Form):
    """A file with the roster."""

    file = forms.FileField(label=_("Roster (CSV or Excel)"), allow_empty_file=True)


COLUMN_LABELS = {
    "student_id": _("Student number"),
    "email": _("E-mail address"),
    "name": _("Full name"),
    "first_name": _("First name"),
    "last_name": _("Last name"),
    "section": _("Section"),
    "group": _("Group or team"),
}


class ColumnsForm(forms.Form):
    """Which column of the file is what."""

    def __init__(self, header: list[str], *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        choices = [("", _("– not in the file –")), *((one, one) for one in header)]
        for role, label in COLUMN_LABELS.items():
            self.fields[role] = forms.ChoiceField(label=label, required=False, choices=choices)
