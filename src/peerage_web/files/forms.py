"""What visitors fill in. The rules are the library's; so are the messages beside a field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.safestring import mark_safe

from peerage._options import option_style
from peerage.errors import DataError, PeerageError
from peerage.grading.options import GradingOptions
from peerage.models.registry import METHODS
from peerage.reading.reading import Reading, parse_criteria
from peerage_web.files.services.jobs import offered_days
from peerage_web.sandbox.contract.jobs import (
    CHOICE_LABELS,
    COLUMN_LABELS,
    FIELD_LABELS,
    JobOptions,
    PageFields,
)

PLACEHOLDER = "grader,item,rank\nstudent 14,essay 7,1\nstudent 14,essay 3,2"
FIND_OUT = "Find out, or ask me"
LAYOUTS = [("auto", FIND_OUT), *CHOICE_LABELS["format"].items()]
DELIMITERS = [("", "Find out"), (",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar |")]
SELF_REVIEWS = list(CHOICE_LABELS["self_reviews"].items())
DIRECTIONS = [("auto", FIND_OUT), *CHOICE_LABELS["direction"].items()]
FILL_DOWN = [("", CHOICE_LABELS["fill_down"][False]), ("on", CHOICE_LABELS["fill_down"][True])]
OFFERED_COLUMNS = 200  # that one can choose from
INTERVALS = [("0.8", "80 %"), ("0.9", "90 %"), ("0.95", "95 %"), ("0.99", "99 %")]


class StartForm(forms.Form):
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


def _choice(name: str, choices: Sequence[tuple[str, Any]] | None = None) -> forms.ChoiceField:
    return forms.ChoiceField(
        choices=choices or list(CHOICE_LABELS[name].items()), required=False, label=FIELD_LABELS[name]
    )


def _text(name: str, help_text: str = "", most: int = 300, widget: Any = forms.TextInput) -> forms.CharField:
    return forms.CharField(
        required=False, max_length=most, label=FIELD_LABELS[name], help_text=help_text, widget=widget
    )


def _lines(name: str, help_text: str) -> forms.CharField:
    """Several texts, one per line: they may hold commas."""
    area = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})
    return _text(name, mark_safe(f"{help_text} One per line."), most=20_000, widget=area)


class ReadingForm(forms.Form):
    """What the visitor says about the file, and no more: nothing that was found counts as said by them.

    What the file holds is known only after reading, so names are free text. Of a column, nothing means that
    it is to be found out, and a space that there is none.
    """

    format = _choice("format", LAYOUTS)
    header = _choice("header")
    sheet = _text("sheet", widget=forms.Select)
    delimiter = _choice("delimiter", DELIMITERS)
    question = _text("question", most=2000, widget=forms.Select)
    direction = _choice("direction", DIRECTIONS)
    winner = _text("winner", mark_safe("As in <code>0=left, 1=right</code>."))
    words = _text("words", mark_safe("As in <code>excellent, good, fair, poor</code>."))
    items = _lines("items", "Of a table with a column per item; <code>P*</code> stands for P1, P2, …")
    ignore = _lines("ignore", "Such as <code>Email</code>.")
    empty = _lines("empty", "Such as <code>0</code> or <code>99</code>; <code>none</code> if all count.")
    totals = _lines("totals", "Such as <code>Average</code>; <code>none</code> if all are reviews.")
    fill_down = _choice("fill_down", FILL_DOWN)
    duplicates = _choice("duplicates")
    missing = _choice("missing")
    ids = _choice("ids")
    criteria = _text("criteria", mark_safe("As in <code>clarity=2, method=1</code>."), most=1000)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        for role, label in COLUMN_LABELS.items():
            self.fields[f"column_{role}"] = forms.CharField(
                required=False, strip=False, max_length=2000, label=label, widget=forms.Select
            )

    @classmethod
    def from_reading(cls, reading: Reading, inspection: Mapping[str, Any], *, is_read: bool) -> ReadingForm:
        """The fields that concern such a file, with what was said so far."""
        form = cls(initial=_initial(reading))
        sheets, questions = inspection["sheets"], inspection["questions"]
        form._offer("sheet", FIND_OUT, [*sheets, ("all", CHOICE_LABELS["sheet"]["all"])])
        form._offer("question", "Choose a question", questions)
        roles = (*inspection["required"], *inspection["optional"])
        for role in COLUMN_LABELS:
            form._offer_columns(role, reading.columns.get(role), inspection, is_read=is_read)
        layout, table = inspection["layout"], bool(inspection["header"])
        shown = {
            **dict.fromkeys(_OF_TABLES, table),
            "items": table and (layout in ("matrix", "transposed") or bool(reading.items)),
            "criteria": table and (layout == "long" or bool(reading.criteria)),
            "sheet": len(sheets) > 1,
            "delimiter": bool(inspection["delimiter"]),
            "question": len(questions) > 1 or reading.question is not None,
            "winner": layout == "pairs" or bool(reading.winner),
            **{f"column_{role}": role in roles for role in COLUMN_LABELS},
        }
        for name, is_shown in shown.items():
            if not is_shown:
                del form.fields[name]
        return form

    def _offer(self, name: str, nothing: str, choices: Sequence[str | tuple[str, str]]) -> None:
        named = [(choice, choice) if isinstance(choice, str) else choice for choice in choices]
        self.fields[name].widget.choices = [("", nothing), *named]

    def _offer_columns(
        self, role: str, said: str | None, inspection: Mapping[str, Any], *, is_read: bool
    ) -> None:
        """Every column with a name; the one that was found comes first, and counts if nobody objects."""
        header = [name for name in dict.fromkeys(inspection["header"]) if name][:OFFERED_COLUMNS]
        nothing = "none found" if is_read and said is None else FIND_OUT
        if said is None and role in inspection["columns"]:
            nothing = f"{inspection['columns'][role] or 'the column without a name'} (found)"
        none = [] if role in inspection["required"] else [(" ", "none")]
        beyond = [said] if said and said not in header else []
        self._offer(f"column_{role}", nothing, [*none, *header, *beyond])

    @property
    def columns(self) -> list[forms.BoundField]:
        return [field for field in self if field.name.startswith("column_")]

    @property
    def others(self) -> list[forms.BoundField]:
        return [field for field in self if not field.name.startswith("column_")]

    def reading(self, before: Reading) -> Reading:
        """The reading with what was filled in; what cannot be meant, or was not asked, is as it was.

        Another layout or sheet has other columns: what was said about those before is forgotten.
        """
        sent = {name: value for name, value in self.cleaned_data.items() if name in self.data}
        said: dict[str, Any] = {
            name: sent[name] or getattr(Reading(), name) for name in (*_CHOICES, *_TEXTS) if name in sent
        }
        said |= {name: _split_lines(sent[name]) for name in _LISTS if name in sent}
        if "fill_down" in sent:
            said["fill_down"] = bool(sent["fill_down"])
        if "criteria" in sent:
            said["criteria"] = _criteria(sent["criteria"])
        if "winner" in sent:
            said["winner"] = _codes(sent["winner"])
        named = {role: sent[f"column_{role}"] for role in COLUMN_LABELS if f"column_{role}" in sent}
        kept = {role: name for role, name in before.columns.items() if role not in named}
        said["columns"] = {**kept, **{role: name.strip() for role, name in named.items() if name}}
        if any(said.get(name, getattr(before, name)) != getattr(before, name) for name in _DECIDE_COLUMNS):
            said |= {name: getattr(Reading(), name) for name in _ABOUT_COLUMNS}
        return replace(before, **said)


_CHOICES = ("format", "header", "direction", "duplicates", "missing", "ids")
_TEXTS = ("sheet", "delimiter", "question", "words")
_LISTS = ("items", "ignore", "empty", "totals")
_OF_TABLES = ("format", "header", "ignore", "fill_down", "totals")
_DECIDE_COLUMNS = ("format", "sheet", "header", "delimiter")
_ABOUT_COLUMNS = ("columns", "items", "ignore", "winner", "question")


def _initial(reading: Reading) -> dict[str, Any]:
    return {
        **{name: getattr(reading, name) for name in (*_CHOICES, *_TEXTS)},
        **{name: "\n".join(getattr(reading, name)) for name in _LISTS},
        **{f"column_{role}": name or " " for role, name in reading.columns.items()},
        "fill_down": "on" if reading.fill_down else "",
        "winner": ", ".join(f"{code}={side}" for code, side in reading.winner.items()),
        "criteria": ", ".join(
            f"{name}={weight:g}" if weight else name for name, weight in reading.criteria.items()
        ),
    }


def _split_lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _codes(text: str) -> dict[str, str]:
    """By code; a word without a side goes on without one, and the library says what is wrong with it."""
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {code.strip(): side.strip() for code, _, side in pairs}


def _criteria(text: str) -> dict[str, float]:
    """By weight; what cannot be meant goes on without one, and the library says what is wrong with it."""
    try:
        return parse_criteria(text)
    except DataError:
        return {text: 0.0}


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
        help_text=mark_safe(
            "Lowest and highest, such as <code>0:100</code>. Leave it empty for ranks only. Rankings need"
            " staff grades or a curve as well."
        ),
    )
    curve = forms.CharField(
        required=False,
        max_length=100,
        label=FIELD_LABELS["curve"],
        help_text=mark_safe(
            "Mean of the class and standard deviation, on that scale, such as <code>75:10</code>. Leave it"
            " empty for none."
        ),
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
    complete = forms.BooleanField(
        required=False,
        label=FIELD_LABELS["complete"],
        help_text="No points and no letters: complete if somebody reviewed it.",
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
    self_reviews = forms.ChoiceField(
        required=False,
        choices=SELF_REVIEWS,
        label=FIELD_LABELS["self_reviews"],
        help_text="Known from the roster; without one, a grader who is called like an item is its author.",
    )
    favours = forms.ChoiceField(
        required=False,
        choices=list(CHOICE_LABELS["favours"].items()),
        label=FIELD_LABELS["favours"],
        help_text="Needs a roster. The result says who they are, and what changes without these reviews.",
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

    def clean_curve(self) -> str:
        return self._checked("curve")

    def clean(self) -> dict[str, Any]:
        """What goes together is checked together, and said beside the field that it is about."""
        fields = super().clean() or {}
        if self.errors:
            return fields
        asked = {name: fields.get(name) or None for name in ("scale", "peer_scale", "curve", "letters")}
        try:
            with option_style(PageFields()):
                GradingOptions.from_dict({**asked, "complete": bool(fields.get("complete"))}).check()
        except PeerageError as error:
            beside = None if fields.get("complete") else "curve" if asked["curve"] else "letters"
            self.add_error(beside, str(error))
        return fields

    def _checked(self, field: str) -> str:
        text = str(self.cleaned_data[field]).strip()
        try:
            with option_style(PageFields()):
                getattr(GradingOptions.from_dict({field: text or None}), f"read_{field}")()
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
            curve=fields.get("curve") or None,
            letters=fields.get("letters") or None,
            complete=bool(fields.get("complete")),
            anchors_as_evidence=bool(fields.get("anchors_as_evidence")),
            self_reviews=fields.get("self_reviews") or before.self_reviews,
            favours=fields.get("favours") or before.favours,
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
    name = forms.CharField(
        label="A name for this result", required=False, max_length=100, help_text="As in “Essay 2, autumn”."
    )
    days = forms.TypedChoiceField(label="Keep it", required=False, coerce=int, empty_value=None)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        until = [(str(days), f"for {days} days from now") for days in offered_days()]
        self.fields["days"].choices = [("", "as it is"), *until]  # type: ignore[attr-defined]
