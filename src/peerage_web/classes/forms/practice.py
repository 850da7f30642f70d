"""The practice round."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class ExampleForm(forms.Form):
    """One example of the practice round."""

    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("For staff only."))
    text = forms.CharField(
        label=_("The example"),
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=_("What students read, in Markdown."),
    )
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        help_text=_("A PDF, an image, or text; students see it as reviewers see works."),
    )
    place = forms.IntegerField(
        label=_("Place"),
        min_value=1,
        max_value=99,
        help_text=_("1 is best. Examples with the same place are on a par."),
    )
    because = forms.CharField(
        label=_("Why it belongs there"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Students read this as the answer to their choice."),
    )

    def __init__(self, *args: Any, has_file: bool = False, **named: Any) -> None:
        super().__init__(*args, **named)
        self.has_file = has_file

    def clean(self) -> dict[str, Any]:
        """There has to be something to read."""
        given = super().clean() or {}
        if not (given.get("text") or given.get("file") or self.has_file or self.errors):
            self.add_error("text", _("Write the example, or choose a file."))
        return given
