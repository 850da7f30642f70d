"""Reading a job's feedback and roster within the limits of the service, and what it can say about them.

A preview shows what is in the files, and the pre-flight in words, before they are graded.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract.errors import TooLargeError, describe_problem
from peerage_web.sandbox.contract.jobs import EMPTY_PREVIEW, EXAMPLE_FILES, Bounds, JobFiles, JobOptions

if TYPE_CHECKING:
    from peerage.checking.findings import Finding
    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback
    from peerage.reading.content import Content
    from peerage.roster.container import Roster

StepListener = Callable[[str], None]
EXAMPLE_SEED = 1  # of examples/ in the repository


def read_feedback(
    files: JobFiles, options: JobOptions, bounds: Bounds, content: Content | None = None
) -> Feedback:
    """The feedback; call it from inside the folder of the files. `content` is its file where it is read."""
    feedback = options.read(content or files.feedback)
    longest = int((feedback.list_starts[1:] - feedback.list_starts[:-1]).max())
    if feedback.n_entries > bounds.reviews:
        raise TooLargeError(
            f"the file has {feedback.n_entries:,} reviews; this service takes {bounds.reviews:,}"
        )
    if longest > bounds.list_length:
        raise TooLargeError(
            f"a grader has ranked {longest:,} items at once; this service takes {bounds.list_length:,}"
        )
    return feedback


def read_people(files: JobFiles, options: JobOptions, content: Content | None = None) -> Roster | None:
    """Who made what: from the roster, or from columns of the feedback itself."""
    from peerage.roster.input import roster_of_reviews
    from peerage.roster.reader import read_roster

    if files.roster is not None:
        return read_roster(files.roster)
    return roster_of_reviews(content or files.feedback, options.columns, **options.opening)


def read_graded_feedback(files: JobFiles, options: JobOptions, bounds: Bounds) -> Feedback:
    """What was graded: without reviews of own work, unless they are to be kept."""
    from peerage.checking.own_work import select_reviews

    feedback, people = read_feedback(files, options, bounds), read_people(files, options)
    roster = None if people is None else people.for_class(feedback.task_labels)
    return select_reviews(feedback, roster, options.own_work).feedback


def to_json(value: Any) -> str:
    """One JSON document, never with NaN in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_example(files: JobFiles, name: str, *, on_step: StepListener) -> None:
    """Feedback and roster of a bundled class, made anew: nothing has to be installed beside the program.

    Its truth stays out, and staff grades, which few have at first.
    """
    from peerage.simulation.classes import PRESETS, simulate

    files.enter()
    draft = Path(".draft")
    simulate(**PRESETS[name], seed=EXAMPLE_SEED).write(draft)
    for file in EXAMPLE_FILES:
        shutil.copyfile(draft / file, file)  # the oldest Landlock lets nothing be moved
    shutil.rmtree(draft)


# -- checking and previewing ---------------------------------------------------------------------------------

PREVIEW_ROWS = 8
# what has more columns is no table of reviews, and its page would be as large as the file
PREVIEW_COLUMNS = 300
CELL_CHARACTERS = 200
FINDING_EXAMPLES = 5
TRIED_SHEETS = 8  # of a workbook


def check_files(
    files: JobFiles, options: JobOptions, bounds: Bounds, min_reviews: int, *, on_step: StepListener
) -> str:
    """The pre-flight, as `peerage check --json` prints it."""
    from peerage.checking.preflight import check

    files.enter()
    feedback = read_feedback(files, options, bounds)
    preflight = check(feedback, read_people(files, options), min_reviews=min_reviews)
    return to_json({"file": files.feedback, **preflight.to_dict()})


def preview_files(
    files: JobFiles, options: JobOptions, bounds: Bounds, *, on_step: StepListener
) -> dict[str, Any]:
    """What can be said about the files; `problem` is None where they can be graded as they are.

    Of a workbook whose first sheet has no columns of reviews, the first sheet that can be graded is shown.
    """
    files.enter()
    on_step(f"reading {files.feedback}")
    preview = _preview(files, options, bounds, on_step)
    for sheet in _other_sheets(preview, options):
        other = _preview(files, replace(options, sheet=sheet), bounds, on_step)
        if other["problem"] is None:
            first = preview["inspection"]["sheet"]
            other["preflight"]["notes"].append(
                f"sheet “{sheet}” is read; “{first}” has no columns of reviews"
            )
            return other
    return preview


def _other_sheets(preview: dict[str, Any], options: JobOptions) -> list[str]:
    """Those to be tried: none where the visitor named one, or where the first has merely a wrong value."""
    inspection = preview["inspection"]
    if options.sheet is not None or inspection is None or not inspection["problems"]:
        return []
    return [sheet for sheet in inspection["sheets"] if sheet != inspection["sheet"]][:TRIED_SHEETS]


def _preview(files: JobFiles, options: JobOptions, bounds: Bounds, on_step: StepListener) -> dict[str, Any]:
    preview = {**EMPTY_PREVIEW}
    try:
        preview["inspection"] = _inspect(files, options)
        feedback = read_feedback(files, options, bounds)
        preview["direction"] = None if feedback.direction is None else feedback.direction.to_dict()
        preview |= _check(feedback, files, options, on_step)
    except PeerageError as error:
        preview["problem"] = describe_problem(error)
    return preview


def _inspect(files: JobFiles, options: JobOptions) -> dict[str, Any] | None:
    from peerage import inspect

    named: dict[str, Any] = {**options.opening, **options.columns}
    try:
        inspection = inspect(
            files.feedback, options.format, rows=PREVIEW_ROWS, question=options.question, **named
        ).to_dict()
    except DataError:  # the reader says the same, and is asked next
        return None
    return {
        **inspection,
        "header": [_shorten(name) for name in inspection["header"][:PREVIEW_COLUMNS]],
        "width": len(inspection["header"]),
        "rows": [[_shorten(cell) for cell in row[:PREVIEW_COLUMNS]] for row in inspection["rows"]],
        "problems": inspection["problems"][:20],
    }


def _shorten(cell: str) -> str:
    return cell if len(cell) <= CELL_CHARACTERS else cell[: CELL_CHARACTERS - 1] + "…"


def _check(feedback: Feedback, files: JobFiles, options: JobOptions, on_step: StepListener) -> dict[str, Any]:
    from peerage.checking.preflight import check
    from peerage.models.default import choose

    preflight = check(feedback, read_people(files, options), own_work=options.own_work, on_step=on_step)
    choice = choose(feedback)
    return {
        "preflight": _summarize_preflight(preflight),
        "method": {"code": choice.code, "reason": choice.reason},
        "anchors": None if files.anchors is None else _summarize_anchors(files.anchors, feedback),
    }


def _summarize_preflight(preflight: Preflight) -> dict[str, Any]:
    return {
        "counts": asdict(preflight.counts),
        "warnings": len(preflight.warnings),
        "findings": [_describe_finding(finding) for finding in preflight.findings],
        "notes": list(preflight.notes),
    }


def _describe_finding(finding: Finding) -> dict[str, Any]:
    names = ("code", "severity", "found", "means", "advice")
    return {
        **{name: getattr(finding, name) for name in names},
        "count": len(finding.cases),
        "examples": finding.examples(FINDING_EXAMPLES),
    }


def _summarize_anchors(name: str, feedback: Feedback) -> dict[str, Any]:
    """How many items staff graded, and which of those nobody reviewed."""
    from peerage.grading.staff.anchors import read_anchors

    staff = read_anchors(name, feedback)
    return {
        "items": len(staff.items),
        "unknown": list(staff.unknown[:20]),
        "unknown_count": len(staff.unknown),
    }
