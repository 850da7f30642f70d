"""A job as both sides know it: its files, how they are to be read and graded, and the files of its result.

Messages name options as the visitor does, on pages and in the API; the labels of the forms' fields are here,
once.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from peerage._options import OptionStyle, option, use_option_style
from peerage.grading.options import GradingOptions
from peerage.grading.output.books import BOOKS, BookOptions
from peerage.reading.formats import LAYOUTS
from peerage.reading.reading import Reading
from peerage.results import ResultFile, result_files

# -- options, and what they are called -----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class JobOptions(GradingOptions, BookOptions):
    """The options of `peerage grade`, under the same names, each stated in the library; and the reading."""

    reading: Reading = option(Reading(), Reading, "What the file means.")

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "reading": reading_to_dict(self.reading)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        others = {name: value for name, value in values.items() if name != "reading"}
        return replace(super().from_dict(others), reading=Reading.from_dict(values.get("reading", {})))


def reading_to_dict(reading: Reading) -> dict[str, Any]:
    """What a reading says, ready for JSON: what its `reading.toml` holds."""
    usual = Reading().to_dict()
    return {name: value for name, value in reading.to_dict().items() if value != usual[name]}


FIELD_LABELS = {
    "method": "Method",
    "scale": "Scale of the points",
    "letters": "Letter grades",
    "curve": "Curve",
    "complete": "Complete or incomplete only",
    "anchors": "Staff grades of some items",
    "anchors_as_evidence": "Items that staff graded get that grade, and the others learn from it",
    "roster": "Roster",
    "owners": "Roster",
    "peer_scale": "Scale the graders used",
    "self_reviews": "Reviews of one's own submission",
    "favours": "Reviews inside a group that seems to favour its own work",
    "staff_budget": "Items that staff could still grade",
    "interval": "Level of the intervals",
    "compare": "Compare with every other method that fits (takes longer)",
    "title": "Name of the grade in grade books",
    "grade_as": "Grade books for import hold",
    "format": "Layout",
    "columns": "Which column is which?",
    "sheet": "Sheet of the workbook",
    "header": "The first line holds",
    "delimiter": "Columns are divided by",
    "items": "Columns of items",
    "ignore": "Columns to leave out",
    "criteria": "Several criteria, and how much each counts",
    "duplicates": "A grader rated an item twice",
    "missing": "A rank or score is missing",
    "direction": "Which end is best?",
    "winner": "Codes of the winner",
    "empty": "Values that mean “not reviewed”",
    "totals": "Rows of totals to leave out",
    "fill_down": "Rows without a grader",
    "ids": "Names that differ in case or blanks are",
    "words": "Words of the scale, best first",
    "question": "Question of the form",
}
CHOICE_LABELS: dict[str, dict[Any, str]] = {
    "format": {layout.name: layout.words.capitalize() for layout in LAYOUTS.values()},
    "sheet": {"all": "All sheets together"},
    "header": {"first": "Names of the columns", "none": "A review: there are no names"},
    "duplicates": {
        "error": "Stop and tell me",
        "first": "Keep the first",
        "last": "Keep the last",
        "mean": "Take the mean",
        "keep": "Count both",
    },
    "self_reviews": {"drop": "Left out", "keep": "Counted"},
    "favours": {"keep": "Counted", "drop": "Left out"},
    "grade_as": {"points": "points", "letter": "letters"},
    "missing": {"error": "Stop and tell me", "drop": "Leave such rows out"},
    "direction": {
        "ranks": "1, or what stands first, is best",
        "worst-first": "1, or what stands first, is worst",
        "scores": "Larger is better (scores)",
        "lower-is-better": "Lower is better (grades such as 1.0 to 5.0)",
    },
    "fill_down": {False: "Stop and tell me", True: "Have the grader above"},
    "ids": {"exact": "Different", "fold": "The same (join them)"},
}
COLUMN_LABELS = {
    "grader": "Who graded",
    "item": "What was graded",
    "rank": "Rank given (1 is best)",
    "score": "Score given",
    "task": "Assignment or question",
    "list": "List within a grader",
    "weight": "How often it counts",
    "shown": "When it was shown (1 is first)",
    "order": "The ranking, best first",
    "left": "First of the two",
    "right": "Second of the two",
    "winner": "Which one won",
    "top": "The better one",
    "bottom": "The other one",
}


class PageFields:
    """“A rank or score is missing”: “Leave such rows out”."""

    def option(self, name: str, value: Any = None) -> str:
        label = f"“{FIELD_LABELS.get(name, name)}”"
        choices = CHOICE_LABELS.get(name, {})
        return label if value is None or value is True else f"{label}: {choices.get(value) or _text(value)}"

    def column(self, role: str, header: str | None = None) -> str:
        label = f"“{COLUMN_LABELS.get(role, role)}”"
        return label if header is None else f"{label}: {header}"

    def offers(self, name: str) -> bool:
        return name in FIELD_LABELS


class FormFields:
    """The API: `missing=drop`, a field of the form that is sent."""

    def option(self, name: str, value: Any = None) -> str:
        field = {"columns": "column", "owners": "roster"}.get(name, name)
        return field if value is None else f"{field}={_text(value)}"

    def column(self, role: str, header: str | None = None) -> str:
        return f"column={role}={'…' if header is None else header}"

    def offers(self, name: str) -> bool:
        return name != "roster_column"  # columns of a roster are known by their names alone


def _text(value: Any) -> str:
    return ":".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)


# by where a job came from
OPTION_STYLES: dict[str, OptionStyle] = {"page": PageFields(), "api": FormFields(), "class": PageFields()}

# -- the files of a job: in `input` what the visitor gave, under its own names -------------------------------

MAX_NAME_BYTES = 180  # of a file; file systems take 255
FILE_BYTES = 1 << 30  # of one file that a child writes
WRITTEN_BYTES = 2 << 30  # of everything that a child writes
WRITTEN_FILES = 100_000  # in its folder
ANSWER_BYTES = 96 << 20  # of one message of a child; the tables of an archive are the largest
THREADS = 64  # of one child
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class JobFiles:
    """Where a job's files are; roster and anchors may be missing."""

    folder: str
    feedback: str
    roster: str | None = None
    anchors: str | None = None
    origin: str = "page"  # where the visitor is, which decides how messages name options

    def enter(self) -> None:
        """Work from inside the input folder, so that messages name files and options as the visitor does."""
        os.chdir(Path(self.folder) / "input")
        use_option_style(OPTION_STYLES[self.origin])


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much feedback one job may hold; checked where it is read."""

    reviews: int
    list_length: int


def safe_name(wanted: str, taken: Collection[str] = (), default: str = "feedback.csv") -> str:
    """A name that cannot lead out of the folder, hide, or meet another file."""
    name = _UNSAFE.sub("_", wanted.replace("\\", "/").rpartition("/")[2]).strip(" .")
    if not name or name == "-" or set(name) == {"_"}:
        name = default
    stem, dot, ending = name.rpartition(".")
    if dot and len(ending) <= 10:
        name = f"{_cut(stem, MAX_NAME_BYTES - len(ending.encode()) - 1)}.{ending}"
    name = _cut(name, MAX_NAME_BYTES)
    while name in taken:
        name = f"2-{name}"
    return name


def _cut(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


# -- what a child leaves behind: the files of a result, and the shape of a preview ---------------------------

GRADING_STEPS = 16  # about how many steps of grading a visitor sees
RESULT_FILES = {
    file.name: file
    for file in result_files(
        "always", "report", books=[book for book in BOOKS.values() if book.imported or book.ending != "csv"]
    )  # the plain grade book as CSV says what grades.csv says
}
RESULT_ARCHIVE = "everything.zip"
RESULT_CONTENT_TYPES = {name: file.content_type for name, file in RESULT_FILES.items()} | {
    RESULT_ARCHIVE: "application/zip"
}
RESULT_TABLES = ("grades", "graders")  # of the result page; may be long
EXAMPLE_FILES = ("feedback.csv", "roster.csv")
EMPTY_PREVIEW: dict[str, Any] = {
    "inspection": None,
    "reading": None,
    "sentences": [],
    "preflight": None,
    "direction": None,
    "method": None,
    "anchors": None,
    "problem": None,
}


def written_files(folder: Path) -> list[ResultFile]:
    """The files of a result that are there: a standing gives no grade books for import."""
    return [file for name, file in RESULT_FILES.items() if (folder / name).is_file()]


def read_result_parts(folder: Path) -> dict[str, str]:
    """The pieces of the result page."""
    parts: dict[str, str] = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    return parts


def result_rows_file(folder: Path, table: str) -> Path:
    """Where the rows of a long table are: JSON, compressed."""
    return folder / f"rows-{table}.json.gz"


Work = TypeVar("Work", bound=Callable[..., Any])


def without_kernels(work: Work) -> Work:
    """Mark work that calls no compiled kernel: it is done while those are still being compiled."""
    work.needs_kernels = False  # type: ignore[attr-defined]
    return work


def needs_kernels(work: Callable[..., Any]) -> bool:
    """Whether it may call one."""
    return bool(getattr(work, "needs_kernels", True))
