"""How messages name options on pages and in the API; the labels of the forms' fields are here, once."""

from __future__ import annotations

from typing import Any

from peerage._options import OptionStyle

FIELDS = {
    "method": "Method",
    "scale": "Scale of the points",
    "letters": "Letter grades",
    "anchors": "Staff grades of some items",
    "anchors_as_evidence": "Items that staff graded get that grade, and the others learn from it",
    "roster": "Roster",
    "owners": "Roster",
    "peer_scale": "Scale the graders used",
    "own_work": "Reviews of one's own work",
    "staff_budget": "Items that staff could still grade",
    "interval": "Level of the intervals",
    "compare": "Compare with every other method that fits (takes longer)",
    "title": "Name of the grade in grade books",
    "grade_as": "Grade books for import hold",
    "format": "Layout",
    "sheet": "Sheet of the workbook",
    "delimiter": "Columns are divided by",
    "criteria": "Several criteria, and how much each counts",
    "duplicates": "A grader rated an item twice",
    "missing": "A rank or score is missing",
    "direction": "Which end is best?",
    "lower_is_better": "Which end is best?",
    "zeros": "A zero in the table is",
    "ids": "Names that differ in case or blanks are",
    "words": "Words of the scale, best first",
    "question": "Question of the form",
}
LOWER_IS_BETTER = "Lower is better (grades such as 1.0 to 5.0)"
CHOICES: dict[str, dict[Any, str]] = {
    "duplicates": {
        "error": "Stop and tell me",
        "first": "Keep the first",
        "last": "Keep the last",
        "mean": "Take the mean",
    },
    "own_work": {"drop": "Left out", "keep": "Counted"},
    "grade_as": {"points": "points", "letter": "letters"},
    "missing": {"error": "Stop and tell me", "drop": "Leave such rows out"},
    "direction": {"ranks": "1 is best (ranks)", "scores": "Larger is better (scores)"},
    "lower_is_better": {True: LOWER_IS_BETTER},
    "zeros": {"scores": "A score", "empty": "Not reviewed"},
    "ids": {"exact": "Different", "fold": "The same (join them)"},
}
ROLES = {
    "grader": "Who graded",
    "item": "What was graded",
    "rank": "Rank given (1 is best)",
    "score": "Score given",
    "task": "Assignment or question",
    "list": "List within a grader",
    "weight": "How often it counts",
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
        """The label of a field, and of the choice."""
        label = f"“{FIELDS.get(name, name)}”"
        known = CHOICES.get(name, {})
        return label if value is None else f"{label}: {known.get(value) or _text(value)}"

    def column(self, role: str, header: str | None = None) -> str:
        """The label of a column's field."""
        label = f"“{ROLES.get(role, role)}”"
        return label if header is None else f"{label}: {header}"

    def offers(self, name: str) -> bool:
        """Whether there is a field for it."""
        return name in FIELDS


class FormFields:
    """The API: `missing=drop`, a field of the form that is sent."""

    def option(self, name: str, value: Any = None) -> str:
        """A field by its name."""
        own = {"columns": "column", "owners": "roster"}.get(name, name)
        return own if value is None else f"{own}={_text(value)}"

    def column(self, role: str, header: str | None = None) -> str:
        """One of the fields `column`."""
        return f"column={role}={'…' if header is None else header}"

    def offers(self, name: str) -> bool:
        """Every one."""
        return True


def _text(value: Any) -> str:
    return ":".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)


# by where a job came from
NAMINGS: dict[str, OptionStyle] = {"page": PageFields(), "api": FormFields(), "class": PageFields()}
