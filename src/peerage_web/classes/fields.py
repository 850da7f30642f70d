"""A date and a time of day."""

from typing import Any

from django import forms

# what browsers send for such a field, with and without seconds, and what a hidden one holds
INPUT_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"]


class MomentField(forms.DateTimeField):
    def __init__(self, **named: Any) -> None:
        widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
        super().__init__(widget=widget, input_formats=INPUT_FORMATS, **named)
