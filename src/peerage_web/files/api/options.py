"""The form fields that say how a file is read and graded: the options of the command line, by name."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints

from peerage._options import option_style
from peerage.errors import DataError
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.grading.options import Favours, GradingOptions, SelfReviews
from peerage.grading.output.books import BookOptions, GradeAs
from peerage.reading.formats import FORMATS
from peerage.reading.reading import DirectionOption, HeaderOption, Reading, parse_criteria
from peerage_web.api.validation import LARGEST_SEED, FieldsError, without_duplicates
from peerage_web.files.readings import reading_from_text
from peerage_web.sandbox.contract.errors import READING_CHARACTERS
from peerage_web.sandbox.contract.jobs import FormFields, JobOptions

ROLES = ("grader", "item", "score", "rank", "task", "list",
         "weight", "shown", "order", "left", "right", "winner", "top", "bottom")  # fmt: skip
if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[FORMATS]
MOST_NAMES = 300  # columns, rows or values that are named
REPEATED = ("column", "items", "ignore", "winner", "empty", "totals")
Text = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(max_length=40, pattern=r"^[^\x00]*$")]


def _field(kind: Any, name: str, **more: Any) -> Any:
    """The field of an option: its default and its words are the library's, the bounds perhaps tighter."""
    option = kind.table()[name]
    standard = getattr(kind(), name)
    facts: dict[str, Any] = {"description": option.help, "ge": option.low, "le": option.high}
    if option.examples and option.kind is str:
        facts["examples"] = list(option.examples)
    # a form has no way to say "nothing"
    nothing: dict[type, Any] = {str: "", tuple: "", list: []}
    default = standard or nothing.get(option.kind, standard)
    return Field(default, **{name: fact for name, fact in (facts | more).items() if fact is not None})


class ReadingFields(Schema):
    """What the file means. What is not said is named in the file, or asked: see `ambiguous-reading`."""

    model_config = ConfigDict(extra="forbid")

    reading: Annotated[str, StringConstraints(max_length=READING_CHARACTERS)] = Field(
        "",
        description="All of it at once: a `reading` of the problem `ambiguous-reading` as a JSON object, or"
        " the text of a `reading.toml`. Fields given beside it win.",
        examples=['{"direction": "scores"}'],
    )
    format: Format = _field(Reading, "format")
    column: list[Text] = Field(
        default=[],
        max_length=len(ROLES),
        description="What the file calls a column, as ROLE=HEADER; ROLE= says that it has none. May be"
        " repeated.",
        examples=[["item=paper", "grader=reviewer"]],
    )
    columns: Annotated[str, StringConstraints(max_length=5000)] = Field(
        "",
        description="The same as a JSON object that maps roles to headers.",
        examples=['{"item": "paper"}'],
    )
    items: list[Text] = _field(Reading, "items", max_length=MOST_NAMES)
    ignore: list[Text] = _field(Reading, "ignore", max_length=MOST_NAMES)
    direction: DirectionOption = _field(Reading, "direction")
    winner: list[Text] = Field(
        default=[],
        max_length=20,
        description=f"{Reading.table()['winner'].help} As CODE=SIDE; may be repeated.",
        examples=[["0=left", "1=right"]],
    )
    empty: list[Text] = _field(Reading, "empty", max_length=MOST_NAMES)
    totals: list[Text] = _field(Reading, "totals", max_length=MOST_NAMES)
    fill_down: bool = _field(Reading, "fill_down")
    duplicates: Duplicates = _field(Reading, "duplicates")
    missing: Missing = _field(Reading, "missing")
    words: Text = _field(Reading, "words")
    ids: Ids = _field(Reading, "ids")
    question: Text = _field(Reading, "question")
    sheet: Text = _field(Reading, "sheet")
    header: HeaderOption = _field(Reading, "header")
    skip_rows: int = _field(Reading, "skip_rows", le=1000)
    encoding: Word = _field(Reading, "encoding")
    delimiter: Word = _field(Reading, "delimiter")
    criteria: Text = Field(
        "",
        description=Reading.table()["criteria"].help,
        examples=list(Reading.table()["criteria"].examples),
    )


class CheckFields(ReadingFields):
    """How to read and check the feedback."""

    min_reviews: int = Field(3, ge=1, le=1000, description="Report items with fewer reviews.")


class GradeFields(ReadingFields):
    """How to read and grade the feedback."""

    method: Word = _field(
        GradingOptions, "method", description="A code from GET /methods. If left out, Peerage chooses."
    )
    scale: Word = _field(GradingOptions, "scale")
    peer_scale: Word = _field(GradingOptions, "peer_scale")
    curve: Word = _field(GradingOptions, "curve")
    letters: Text = _field(GradingOptions, "letters")
    complete: bool = _field(GradingOptions, "complete")
    anchors_as_evidence: bool = _field(GradingOptions, "anchors_as_evidence")
    self_reviews: SelfReviews = _field(GradingOptions, "self_reviews")
    favours: Favours = _field(GradingOptions, "favours")
    staff_budget: int = _field(GradingOptions, "staff_budget", le=10_000)
    interval: float = _field(GradingOptions, "interval")
    compare: Text = _field(GradingOptions, "compare")
    seed: int = _field(GradingOptions, "seed", le=LARGEST_SEED)
    title: Text = _field(BookOptions, "title")
    grade_as: GradeAs = _field(BookOptions, "grade_as")


FILES = {
    "file": "The feedback: CSV, TSV, Excel, PGF, PrefLib or Parquet.",
    "roster": "Who made what: columns student, and item or group or both.",
    "anchors": "Staff grades of some items: columns item, score, perhaps source.",
}


def describe_files(*names: str) -> dict[str, Any]:
    """For `openapi_extra`: what the files of a form are, and that it has no other fields."""
    words = {name: {"description": FILES[name]} for name in names}
    schema = {"additionalProperties": False, "properties": words}
    return {"requestBody": {"content": {"multipart/form-data": {"schema": schema}}}}


def options_of(asked: ReadingFields) -> JobOptions:
    """The options, as the rest of the service passes them around; an empty text says nothing."""
    sent = asked.model_dump(include=asked.model_fields_set)
    said = {name: value for name, value in sent.items() if value not in ("", [])}
    known = {*JobOptions.table()} - {"reading"}
    options = {name: value for name, value in said.items() if name in known}
    if "compare" in options:
        options["compare"] = tuple(code.strip() for code in options["compare"].split(",") if code.strip())
    return JobOptions(reading=_reading(asked, said), **options)


def _reading(asked: ReadingFields, said: dict[str, Any]) -> Reading:
    """What the field `reading` says, with what the others say beside it."""
    reading = _whole(asked.reading)
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in said.items()
        if name in Reading.table() and name not in ("columns", "winner", "criteria")
    }
    if "criteria" in said:
        plain["criteria"] = _criteria(said["criteria"])
    columns = {**reading.columns, **_columns(asked)}
    return replace(reading, columns=columns, winner={**reading.winner, **_codes(asked.winner)}, **plain)


def _whole(text: str) -> Reading:
    if not text.strip():
        return Reading()
    try:
        return reading_from_text(text)
    except ValueError as error:
        raise FieldsError([("reading", str(error))]) from error


def _codes(texts: list[str]) -> dict[str, str]:
    codes = {}
    for text in texts:
        code, _, side = (part.strip() for part in text.rpartition("="))
        if not code or side not in ("left", "right", "tie"):
            raise FieldsError([("winner", f"{text!r} is not CODE=SIDE, the side left, right or tie")])
        codes[code] = side
    return codes


def _criteria(text: str) -> dict[str, float]:
    try:
        with option_style(FormFields()):
            return parse_criteria(text)
    except DataError as error:
        raise FieldsError([("criteria", str(error).removeprefix("criteria: "))]) from error


def _columns(asked: ReadingFields) -> dict[str, str]:
    columns = _from_json(asked.columns) if asked.columns.strip() else {}
    for text in asked.column:
        role, equals, header = text.partition("=")
        if not (role.strip() and equals):
            raise FieldsError([("column", f"{text!r} is not ROLE=HEADER, as in item=paper")])
        columns[role.strip()] = header.strip()
    unknown = [role for role in columns if role not in ROLES]
    if unknown:
        raise FieldsError([("columns", f"has no role {unknown[0]!r}; roles are {', '.join(ROLES)}")])
    return columns


def _from_json(text: str) -> dict[str, str]:
    try:
        columns = json.loads(text, object_pairs_hook=without_duplicates)
    except (ValueError, RecursionError):
        columns = None
    if not isinstance(columns, dict) or not all(_is_header(name) for name in columns.values()):
        raise FieldsError([("columns", 'must be a JSON object of texts, such as {"item": "paper"}')])
    return columns


def _is_header(name: object) -> bool:
    return isinstance(name, str) and "\x00" not in name and name.isprintable()


def refuse_unknown_fields(request: HttpRequest, form: type[ReadingFields], files: tuple[str, ...]) -> None:
    """A misspelt option must not pass for the default."""
    known = form.model_fields
    faults = [(name, _unknown(name, files)) for name in request.POST if name not in known]
    faults += [(name, "is not a file of this form") for name in request.FILES if name not in files]
    twice = [name for name in known if len(request.POST.getlist(name)) > 1 and name not in REPEATED]
    twice += [name for name in files if len(request.FILES.getlist(name)) > 1]
    if faults or twice:
        raise FieldsError([*faults, *((name, "is given twice") for name in twice)])


def _unknown(name: str, files: tuple[str, ...]) -> str:
    return "must be sent as a file, with a file name" if name in files else "is not a field of this form"
