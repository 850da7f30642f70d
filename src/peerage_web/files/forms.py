"""What visitors fill in. The rules are the library's; so are the messages beside a field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.safestring import mark_safe

from peerage._options import option_style
from peerage.errors import DataError, PeerageError
from peerage.grading.options import GradingOptions
from peerage.models.registry import METHODS
from peerage.reading.formats import LAYOUTS as TABLE_LAYOUTS
from peerage.reading.rules import parse_criteria
from peerage_web.files.services.jobs import offered_days
from peerage_web.sandbox.contract.jobs import (
    CHOICE_LABELS,
    COLUMN_LABELS,
    FIELD_LABELS,
    LOWER_IS_BETTER,
    JobOptions,
    PageFields,
)

PLACEHOLDER = "grader,item,rank\nstudent 14,essay 7,1\nstudent 14,essay 3,2"
DUPLICATES = list(CHOICE_LABELS["duplicates"].items())
MISSING = list(CHOICE_LABELS["missing"].items())
LAYOUTS = [
    ("auto", "Find out"),
    *((layout.name, layout.words.capitalize()) for layout in TABLE_LAYOUTS.values()),
]
DELIMITERS = [("", "Find out"), (",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar |")]
OWN_WORK = list(CHOICE_LABELS["own_work"].items())
DIRECTIONS = [("auto", "Find out"), *CHOICE_LABELS["direction"].items(), ("lower", LOWER_IS_BETTER)]
IDS = list(CHOICE_LABELS["ids"].items())
ZEROS = [("auto", "Find out, or ask me"), *CHOICE_LABELS["zeros"].items()]
INTERVALS = [("0.8", "80 %"), ("0.9", "90 %"), ("0.95", "95 %"), ("0.99", "99 %")]


class StartForm(forms.Form):
    """A file, or rows pasted as text."""

    file = forms.FileField(required=False, allow_empty_file=True, max_length=1000, label="File")
    text = forms.CharField(
        required=False,
        strip=False,
        label="Rows, with their column names in the first line",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "placeholder": PLACEHOLDER}),
    )

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if not fields.get("file") and not str(fields.get("text", "")).strip() and not self.errors:
            raise forms.ValidationError("Choose a file first, or paste some rows.")
        return fields


class ReadingForm(forms.Form):
    """How the file is to be read. What it holds is known only after reading, so names are free text.

    Of a column, nothing means that it is to be guessed, and a space that there is none.
    """

    format = forms.ChoiceField(choices=LAYOUTS, required=False)
    sheet = forms.CharField(required=False, max_length=200)
    sheet_shown = forms.CharField(required=False, max_length=200)  # whose columns these are
    delimiter = forms.ChoiceField(choices=DELIMITERS, required=False)
    direction = forms.ChoiceField(choices=DIRECTIONS, required=False)
    zeros = forms.ChoiceField(choices=ZEROS, required=False)
    ids = forms.ChoiceField(choices=IDS, required=False)
    words = forms.CharField(required=False, max_length=300)
    question = forms.CharField(required=False, max_length=2000)
    duplicates = forms.ChoiceField(choices=DUPLICATES, required=False)
    missing = forms.ChoiceField(choices=MISSING, required=False)
    criteria = forms.CharField(required=False, max_length=1000)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        for role in COLUMN_LABELS:
            self.fields[f"column_{role}"] = forms.CharField(required=False, strip=False, max_length=2000)

    def options(self, before: JobOptions) -> JobOptions:
        """The options with what was filled in; what cannot be meant is left as it was.

        Another layout or sheet has other columns: those named before are forgotten.
        """
        fields = self.cleaned_data
        layout = fields.get("format") or before.format
        sheet = fields.get("sheet") or None
        columns = {
            role: fields[f"column_{role}"].strip() for role in COLUMN_LABELS if fields.get(f"column_{role}")
        }
        fresh = layout != before.format or sheet != (fields.get("sheet_shown") or None)
        if fresh:
            columns = {}
        return replace(
            before,
            format=layout,
            sheet=sheet,
            columns=columns,
            delimiter=fields.get("delimiter") or None,
            duplicates=fields.get("duplicates") or before.duplicates,
            missing=fields.get("missing") or before.missing,
            zeros=fields.get("zeros") or before.zeros,
            ids=fields.get("ids") or before.ids,
            words=fields.get("words") or None,
            question=None if fresh else fields.get("question") or None,
            criteria=_criteria(fields.get("criteria") or ""),
            **_direction(fields.get("direction") or direction_of(before)),
        )


def _criteria(text: str) -> dict[str, float]:
    """By weight; what cannot be meant goes on without one, and the library says what is wrong with it."""
    try:
        return parse_criteria(text)
    except DataError:
        return {text: 0.0}


def direction_of(options: JobOptions) -> str:
    """The choice among DIRECTIONS that the options are."""
    return "lower" if options.lower_is_better else options.direction


def _direction(choice: str) -> dict[str, Any]:
    return {"direction": "auto" if choice == "lower" else choice, "lower_is_better": choice == "lower"}


def _table_file(label: str, help_text: str) -> forms.FileField:
    """A second file beside the feedback; what is wrong with it, even that it is empty, the library says."""
    return forms.FileField(
        required=False, allow_empty_file=True, max_length=1000, label=label, help_text=help_text
    )


class GradingForm(forms.Form):
    """How the class is to be graded; everything may be left as it is."""

    method = forms.ChoiceField(required=False, choices=lambda: method_choices(), label=FIELD_LABELS["method"])
    scale = forms.CharField(
        required=False,
        max_length=100,
        label=FIELD_LABELS["scale"],
        help_text=mark_safe("Lowest and highest, such as <code>0:100</code>. Leave it empty for ranks only."),
    )
    letters = forms.CharField(
        required=False,
        max_length=500,
        label=FIELD_LABELS["letters"],
        help_text=mark_safe(
            "Shares of the class, as <code>A:20%,B:30%,C:50%</code>, or points each letter begins at, as"
            " <code>A>=85,B>=70,C</code>. Leave it empty for none."
        ),
    )
    anchors = _table_file(
        FIELD_LABELS["anchors"],
        mark_safe(
            "A file with the columns <code>item</code> and <code>score</code>. They tie the points to what"
            " staff would give, and show how well the class agrees with staff."
        ),
    )
    anchors_gone = forms.BooleanField(required=False)
    anchors_as_evidence = forms.BooleanField(required=False, label=FIELD_LABELS["anchors_as_evidence"])
    roster = _table_file(
        FIELD_LABELS["roster"],
        mark_safe(
            "A file that says who made what: columns <code>student</code>, and <code>item</code> or"
            " <code>group</code>. It finds people who graded their own work, and fills grade books."
        ),
    )
    roster_gone = forms.BooleanField(required=False)
    own_work = forms.ChoiceField(
        required=False,
        choices=OWN_WORK,
        label=FIELD_LABELS["own_work"],
        help_text="Known from the roster; without one, a grader who is called like an item is its author.",
    )
    peer_scale = forms.CharField(
        required=False,
        max_length=100,
        label=FIELD_LABELS["peer_scale"],
        help_text=mark_safe("Where it is another one than above, such as <code>1:5</code>."),
    )
    staff_budget = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=1000,
        label=FIELD_LABELS["staff_budget"],
        help_text="The result says which ones would help most.",
    )
    interval = forms.TypedChoiceField(
        required=False, choices=INTERVALS, coerce=float, empty_value=None, label=FIELD_LABELS["interval"]
    )
    compare = forms.BooleanField(required=False, label=FIELD_LABELS["compare"])
    title = forms.CharField(
        required=False, max_length=100, label=FIELD_LABELS["title"], initial=JobOptions().title
    )

    grade_as = forms.ChoiceField(
        required=False, choices=list(CHOICE_LABELS["grade_as"].items()), label=FIELD_LABELS["grade_as"]
    )

    @classmethod
    def from_options(cls, options: JobOptions) -> GradingForm:
        values = {**options.to_dict(), "compare": bool(options.compare), "interval": f"{options.interval:g}"}
        return cls(initial={name: value for name, value in values.items() if name in cls.base_fields})

    def clean_scale(self) -> str:
        return self._checked("scale")

    def clean_peer_scale(self) -> str:
        return self._checked("peer_scale")

    def clean_letters(self) -> str:
        return self._checked("letters")

    def _checked(self, field: str) -> str:
        text = str(self.cleaned_data[field]).strip()
        try:
            with option_style(PageFields()):
                GradingOptions.from_dict({field: text or None}).check()
        except PeerageError as error:
            raise forms.ValidationError(str(error)) from error
        return text

    def options(self, before: JobOptions) -> JobOptions:
        """The options with what was filled in and can be meant; the rest as it was."""
        fields = self.cleaned_data
        return replace(
            before,
            method=fields.get("method") or None,
            scale=fields.get("scale") or None,
            peer_scale=fields.get("peer_scale") or None,
            letters=fields.get("letters") or None,
            anchors_as_evidence=bool(fields.get("anchors_as_evidence")),
            own_work=fields.get("own_work") or before.own_work,
            staff_budget=fields.get("staff_budget") or 0,
            interval=fields.get("interval") or before.interval,
            compare=("all",) if fields.get("compare") else (),
            title=fields.get("title") or before.title,
            grade_as=fields.get("grade_as") or before.grade_as,
        )


def method_choices() -> list[tuple[str, Any]]:
    """Every method under its one honest line; by itself, and with the reliability of graders."""
    choices: list[tuple[str, Any]] = [("", "Chosen for you, by what the file holds")]
    for method in METHODS.values():
        kinds = [(method.code, f"{method.code}: every grader counts the same")]
        if method.reliability:
            kinds.insert(0, (f"{method.code}+G", f"{method.code}+G: careful graders count more"))
        choices.append((method.summary, kinds))
    return choices


class RetentionForm(forms.Form):
    """What becomes of a result."""

    name = forms.CharField(
        label="A name for this result", required=False, max_length=100, help_text="As in “Essay 2, autumn”."
    )
    days = forms.TypedChoiceField(label="Keep it", required=False, coerce=int, empty_value=None)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        until = [(str(days), f"for {days} days from now") for days in offered_days()]
        self.fields["days"].choices = [("", "as it is"), *until]  # type: ignore[attr-defined]
