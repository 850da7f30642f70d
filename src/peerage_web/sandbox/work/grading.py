"""Grading a job's files: the same steps and the same bytes as `peerage grade`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerage_web.sandbox.contract import Bounds, Files, Options
from peerage_web.sandbox.contract.results import FILES
from peerage_web.sandbox.work.reading import read_feedback, read_people, source
from peerage_web.sandbox.work.results import write_archive, write_parts

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult


def grade_files(
    files: Files, options: Options, bounds: Bounds, out: str, *, on_step: Callable[[str], None]
) -> dict[str, Any]:
    """Write every file of the result into the folder `out` of the job; the figures that introduce it."""
    from peerage.results import Run, times_since, write_files

    files.enter()
    started = time.perf_counter()
    result = run(files, options, bounds, on_step=on_step)
    on_step("writing the files")
    folder = Path("..", out)  # we are in the folder of the input
    made = Run(result=result, roster=files.roster, book=options, times=lambda: times_since(started))
    write_files(made, folder, FILES.values())
    write_parts(result, folder)
    write_archive(folder)
    return summary(result)


def run(files: Files, options: Options, bounds: Bounds, *, on_step: Callable[[str], None]) -> GradingResult:
    """The grades; call it from inside the folder of the files."""
    from peerage.grading.run import grade_with
    from peerage.reading.content import content_of

    on_step(f"reading {files.feedback}")
    content = content_of(files.feedback)
    return grade_with(
        read_feedback(files, options, bounds, content),
        options,
        anchors=files.anchors,
        owners=read_people(files, options, content),
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
