"""Grading a job's files: the same steps and the same bytes as `peerage grade`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage_web.work.archive import write_archive
from peerage_web.work.bounds import Bounds
from peerage_web.work.files import Files
from peerage_web.work.options import Options
from peerage_web.work.parts import write_parts
from peerage_web.work.reading import read_feedback, read_people, source

if TYPE_CHECKING:
    from peerage.grading import GradingResult

BOOKS = ("canvas", "moodle")
STEPS = 16  # about how many steps a visitor sees


def grade_files(
    files: Files, options: Options, bounds: Bounds, out: str, *, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """Write every file of the result into the folder `out`; the figures that introduce it."""
    from peerage.grading import write_results, write_run
    from peerage.report import write_report

    files.enter()
    started = time.perf_counter()
    result = run(files, options, bounds, on_step=on_step)
    on_step("writing the files")
    folder = Path(out)
    write_results(result, folder)
    write_report(result, folder / "report.html")
    write_parts(result, folder)
    _write_books(result, files, options, folder)
    write_run(
        result,
        folder,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        elapsed=round(time.perf_counter() - started, 3),
    )
    write_archive(folder)
    return summary(result)


def run(files: Files, options: Options, bounds: Bounds, *, on_step: Callable[[str], None]) -> GradingResult:
    """The grades; call it from inside the folder of the files."""
    from peerage.grading import grade
    from peerage.reading import content_of

    on_step(f"reading {files.feedback}")
    content = content_of(files.feedback)
    feedback = read_feedback(files, options, bounds, content)
    return grade(
        feedback,
        method=options.method,
        scale=options.scale,
        peer_scale=options.peer_scale,
        letters=options.letters,
        anchors=files.anchors,
        anchors_as_evidence=options.anchors_as_evidence,
        staff_budget=options.staff_budget,
        interval=options.interval,
        compare=options.compare,
        owners=read_people(files, options, content),
        seed=options.seed,
        on_step=on_step,
        source=source(files, content),
    )


def summary(result: GradingResult) -> dict[str, Any]:
    """What the first lines of a result page say."""
    counts = result.preflight.counts
    return {
        "items": counts.items,
        "graders": counts.graders,
        "reviews": counts.reviews,
        "tasks": counts.tasks,
        "method": result.method.code,
        "warnings": len(result.preflight.warnings),
        "converged": bool(result.fitted.converged_),
    }


def _write_books(result: GradingResult, files: Files, options: Options, folder: Path) -> None:
    """For grade books: a row per student of the roster; without one, per item."""
    import polars as pl

    from peerage.grading import gradebook, write_table

    roster: Any = files.roster or pl.DataFrame({"student": result.items["item"].unique(maintain_order=True)})
    for book in BOOKS:
        write_table(gradebook(result, roster, book, title=options.title), folder / f"gradebook-{book}.csv")
