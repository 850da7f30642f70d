"""The form fields that say how a file is read and graded: the options of the command line, by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints

from peerage._options import option_style
from peerage.errors import DataError
from peerage.feedback.choices import Duplicates, Ids, Missing
from peerage.grading.options import GradingOptions, OwnWork
from peerage.grading.output.books import BookOptions, GradeAs
from peerage.reading.options import ReadingOptions
from peerage.reading.rules import DirectionOption, Zeros, parse_criteria
from peerage_web.api.bodies import LARGEST_SEED
from peerage_web.api.validation import FieldsError, without_duplicates
from peerage_web.sandbox.contract.jobs import FormFields, JobOptions

ROLES = ("grader", "item", "score", "rank", "task", "list",
         "weight", "order", "left", "right", "winner", "top", "bottom")  # fmt: skip
if TYPE_CHECKING:
    Format = str
else:
    Format = Literal[ReadingOptions.table()["format"].choices]
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
    default = standard or "" if option.kind in (str, tuple) else standard
    return Field(default, **{name: fact for name, fact in (facts | more).items() if fact is not None})


class ReadingFields(Schema):
    """How to read the feedback. What is not said is found out."""

    model_config = ConfigDict(extra="forbid")

    format: Format = _field(ReadingOptions, "format")
    column: list[Text] = Field(
        default=[],
        max_length=len(ROLES),
        description="What the file calls a column, as ROLE=HEADER; may be repeated.",
        examples=[["item=paper", "grader=reviewer"]],
    )
    columns: Annotated[str, StringConstraints(max_length=5000)] = Field(
        "", description="The same as one JSON object, role to header.", examples=['{"item": "paper"}']
    )
    duplicates: Duplicates = _field(ReadingOptions, "duplicates")
    missing: Missing = _field(ReadingOptions, "missing")
    direction: DirectionOption = _field(ReadingOptions, "direction")
    lower_is_better: bool = _field(ReadingOptions, "lower_is_better")
    zeros: Zeros = _field(ReadingOptions, "zeros")
    words: Text = _field(ReadingOptions, "words")
    ids: Ids = _field(ReadingOptions, "ids")
    question: Text = _field(ReadingOptions, "question")
    skip_rows: int = _field(ReadingOptions, "skip_rows", le=1000)
    sheet: Text = _field(ReadingOptions, "sheet")
    encoding: Word = _field(ReadingOptions, "encoding")
    delimiter: Word = _field(ReadingOptions, "delimiter")
    criteria: Text = Field(
        "",
        description=ReadingOptions.table()["criteria"].help,
        examples=list(ReadingOptions.table()["criteria"].examples),
    )


class CheckFields(ReadingFields):
    """How to read and check the feedback."""

    min_reviews: int = Field(3, ge=1, le=1000, description="Report items with fewer reviews than this.")


class GradeFields(ReadingFields):
    """How to read and grade the feedback."""

    method: Word = _field(
        GradingOptions, "method", description="A code of GET methods; chosen for you if not given."
    )
    scale: Word = _field(GradingOptions, "scale")
    peer_scale: Word = _field(GradingOptions, "peer_scale")
    letters: Text = _field(GradingOptions, "letters")
    anchors_as_evidence: bool = _field(GradingOptions, "anchors_as_evidence")
    own_work: OwnWork = _field(GradingOptions, "own_work")
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
    """The options, as the rest of the service passes them around."""
    fields = asked.model_dump(exclude={"column", "columns", "min_reviews", "compare", "criteria"})
    usual = JobOptions()
    kept = {name: getattr(usual, name) if value == "" else value for name, value in fields.items()}
    compare = getattr(asked, "compare", "")
    codes = tuple(code.strip() for code in compare.split(",") if code.strip())
    return JobOptions(columns=_columns(asked), criteria=_criteria(asked.criteria), compare=codes, **kept)


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
        if not (role.strip() and equals and header.strip()):
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
    twice = [name for name in known if len(request.POST.getlist(name)) > 1 and name != "column"]
    twice += [name for name in files if len(request.FILES.getlist(name)) > 1]
    if faults or twice:
        raise FieldsError([*faults, *((name, "is given twice") for name in twice)])


def _unknown(name: str, files: tuple[str, ...]) -> str:
    return "must be sent as a file, with a file name" if name in files else "is not a field of this form"
