"""Reading a job's feedback and roster within the limits of the service, and what it can say about them.

A preview shows what is in the files, and the pre-flight in words, before they are graded.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract.errors import SENTENCE_CHARACTERS, TooLargeError, describe_problem
from peerage_web.sandbox.contract.jobs import (
    EMPTY_PREVIEW,
    EXAMPLE_FILES,
    Bounds,
    JobFiles,
    JobOptions,
    reading_to_dict,
)

if TYPE_CHECKING:
    from peerage.checking.findings import Finding
    from peerage.checking.preflight import Preflight
    from peerage.feedback.container import Feedback
    from peerage.reading.content import Content
    from peerage.reading.reading import Reading
    from peerage.roster.container import Roster

StepListener = Callable[[str], None]
EXAMPLE_SEED = 1  # of examples/ in the repository


def read_feedback(
    files: JobFiles, options: JobOptions, bounds: Bounds, content: Content | None = None
) -> Feedback:
    """The feedback; call it from inside the folder of the files. `content` is its file where it is read."""
    from peerage.reading.reader import read
    from peerage.reading.reading import parse_criteria

    parse_criteria(options.reading.criteria)  # those of a page may be half a weight
    feedback = read(content or files.feedback, reading=options.reading)
    longest = int((feedback.list_starts[1:] - feedback.list_starts[:-1]).max())
    if feedback.n_entries > bounds.reviews:
        raise TooLargeError(
            f"the file has {feedback.n_entries:,} reviews; this service accepts at most {bounds.reviews:,}"
        )
    if longest > bounds.list_length:
        raise TooLargeError(
            f"a grader has ranked {longest:,} items in one list;"
            f" this service accepts at most {bounds.list_length:,}"
        )
    return feedback


def read_people(files: JobFiles, feedback: Feedback, content: Content | None = None) -> Roster | None:
    """Who made what: from the roster, or from columns of the feedback itself."""
    from peerage.roster.input import roster_of_reviews
    from peerage.roster.reader import read_roster

    if files.roster is not None:
        return read_roster(files.roster)
    return roster_of_reviews(content or files.feedback, feedback.reading)


def read_graded_feedback(files: JobFiles, options: JobOptions, bounds: Bounds) -> Feedback:
    """What was graded: without reviews of own work, unless they are to be kept."""
    from peerage.checking.self_reviews import select_reviews

    feedback = read_feedback(files, options, bounds)
    people = read_people(files, feedback)
    roster = None if people is None else people.for_class(feedback.task_labels)
    return select_reviews(feedback, roster, options.self_reviews).feedback


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


def check_files(
    files: JobFiles, options: JobOptions, bounds: Bounds, min_reviews: int, *, on_step: StepListener
) -> str:
    """The pre-flight, as `peerage check --json` prints it."""
    from peerage.checking.preflight import check

    files.enter()
    feedback = read_feedback(files, options, bounds)
    preflight = check(feedback, read_people(files, feedback), min_reviews=min_reviews)
    return to_json({"file": files.feedback, **preflight.to_dict()})


def preview_files(
    files: JobFiles, options: JobOptions, bounds: Bounds, *, on_step: StepListener
) -> dict[str, Any]:
    """What can be said about the files; `problem` is None where they can be graded as they are."""
    files.enter()
    on_step(f"reading {files.feedback}")
    preview = {**EMPTY_PREVIEW}
    reading = options.reading
    try:
        feedback = read_feedback(files, options, bounds)
        reading = feedback.reading
        preview["reading"] = reading_to_dict(reading)
        preview["sentences"] = [shorten(text, SENTENCE_CHARACTERS) for text in feedback.sentences]
        preview["direction"] = None if feedback.direction is None else feedback.direction.to_dict()
        preview |= _check(feedback, files, options, on_step)
    except PeerageError as error:
        preview["problem"] = describe_problem(error)
    return {**preview, "inspection": _inspect(files, reading, is_read=preview["reading"] is not None)}


def _inspect(files: JobFiles, reading: Reading, *, is_read: bool) -> dict[str, Any] | None:
    """What the file shows of itself; None where there is nothing to show.

    Which column is which is told where it was read so, or where somebody said so, never as a guess.
    """
    from peerage import inspect

    try:
        inspection = inspect(files.feedback, reading=reading, rows=PREVIEW_ROWS).to_dict()
    except DataError:  # the reader has said the same
        return None
    header, rows = inspection["header"], inspection["rows"]
    columns = {role: name for role, name in reading.columns.items() if name}
    if is_read and inspection["layout"] == "matrix" and header[:1] == [""]:
        columns.setdefault("grader", "")  # the only column of a matrix that may go without a name
    return {
        **inspection,
        "header": [shorten(name) for name in header[:PREVIEW_COLUMNS]],
        "width": len(header),
        "rows": [[shorten(cell) for cell in row[:PREVIEW_COLUMNS]] for row in rows],
        "columns": columns,
    }


def shorten(cell: str, most: int = CELL_CHARACTERS) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"


def _check(feedback: Feedback, files: JobFiles, options: JobOptions, on_step: StepListener) -> dict[str, Any]:
    from peerage.checking.preflight import check
    from peerage.models.default import choose

    preflight = check(
        feedback, read_people(files, feedback), self_reviews=options.self_reviews, on_step=on_step
    )
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
