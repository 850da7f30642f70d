"""A preview of a job's files before they are graded: what is in them, and the pre-flight in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract import Bounds, Files, Options, problem_of
from peerage_web.sandbox.contract.results import EMPTY_PREVIEW
from peerage_web.sandbox.work.reading import read_feedback, read_people

if TYPE_CHECKING:
    from peerage.checking.findings import Finding
    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback

ROWS = 8
COLUMNS = 300  # shown; what has more is no table of reviews, and its page would be as large as the file
CELL = 200  # characters of one cell
CASES = 5  # examples of a finding
SHEETS = 8  # of a workbook that are tried


def preview_files(
    files: Files, options: Options, bounds: Bounds, *, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """What can be said about the files; `problem` is None where they can be graded as they are.

    Of a workbook whose first sheet has no columns of reviews, the first sheet that can be graded is shown.
    """
    files.enter()
    on_step(f"reading {files.feedback}")
    found = _previewed(files, options, bounds, on_step)
    for sheet in _other_sheets(found, options):
        other = _previewed(files, replace(options, sheet=sheet), bounds, on_step)
        if other["problem"] is None:
            first = found["inspection"]["sheet"]
            other["preflight"]["notes"].append(
                f"sheet “{sheet}” is read; “{first}” has no columns of reviews"
            )
            return other
    return found


def _other_sheets(found: dict[str, Any], options: Options) -> list[str]:
    """Those to be tried: none where the visitor named one, or where the first has merely a wrong value."""
    inspection = found["inspection"]
    if options.sheet is not None or inspection is None or not inspection["problems"]:
        return []
    return [sheet for sheet in inspection["sheets"] if sheet != inspection["sheet"]][:SHEETS]


def _previewed(
    files: Files, options: Options, bounds: Bounds, on_step: Callable[[str], None]
) -> dict[str, Any]:
    found = {**EMPTY_PREVIEW}
    try:
        found["inspection"] = _inspection(files, options)
        feedback = read_feedback(files, options, bounds)
        found["direction"] = None if feedback.direction is None else feedback.direction.to_dict()
        found |= _checked(feedback, files, options, on_step)
    except PeerageError as error:
        found["problem"] = problem_of(error)
    return found


def _inspection(files: Files, options: Options) -> dict[str, Any] | None:
    from peerage import inspect

    named: dict[str, Any] = {**options.opening, **options.columns}
    try:
        found = inspect(
            files.feedback,
            options.format,
            rows=ROWS,
            question=options.question,
            **named,
        )
    except DataError:  # the reader says the same, and is asked next
        return None
    shown = found.to_dict()
    return {
        **shown,
        "header": [_short(name) for name in shown["header"][:COLUMNS]],
        "width": len(shown["header"]),
        "rows": [[_short(cell) for cell in row[:COLUMNS]] for row in shown["rows"]],
        "problems": shown["problems"][:20],
    }


def _short(cell: str) -> str:
    return cell if len(cell) <= CELL else cell[: CELL - 1] + "…"


def _checked(
    feedback: Feedback, files: Files, options: Options, on_step: Callable[[str], None]
) -> dict[str, Any]:
    from peerage.checking.preflight import check
    from peerage.models.default import choose

    preflight = check(feedback, read_people(files, options), own_work=options.own_work, on_step=on_step)
    choice = choose(feedback)
    return {
        "preflight": _preflight(preflight),
        "method": {"code": choice.code, "reason": choice.reason},
        "anchors": None if files.anchors is None else _anchors(files.anchors, feedback),
    }


def _preflight(preflight: Preflight) -> dict[str, Any]:
    return {
        "counts": asdict(preflight.counts),
        "warnings": len(preflight.warnings),
        "findings": [_finding(finding) for finding in preflight.findings],
        "notes": list(preflight.notes),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    names = ("code", "severity", "found", "means", "advice")
    return {
        **{name: getattr(finding, name) for name in names},
        "count": len(finding.cases),
        "examples": finding.examples(CASES),
    }


def _anchors(name: str, feedback: Feedback) -> dict[str, Any]:
    """How many items staff graded, and which of those nobody reviewed."""
    from peerage.grading.staff.anchors import read_anchors

    staff = read_anchors(name, feedback)
    return {
        "items": len(staff.items),
        "unknown": list(staff.unknown[:20]),
        "unknown_count": len(staff.unknown),
    }
