"""Grading a job's files: the same steps and the same bytes as `peerage grade`.

With the grades go the pieces of the result page, which computes nothing, and all files in one archive; later,
why one item stands where it stands.
"""

from __future__ import annotations

import gzip
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from peerage_web.sandbox.contract.errors import SENTENCE_CHARACTERS
from peerage_web.sandbox.contract.jobs import (
    RESULT_ARCHIVE,
    RESULT_FILES,
    RESULT_TABLES,
    Bounds,
    JobFiles,
    JobOptions,
    result_rows_file,
    written_files,
)
from peerage_web.sandbox.work.reading import (
    StepListener,
    read_feedback,
    read_graded_feedback,
    read_people,
    shorten,
    to_json,
)

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult
    from peerage.models.base import Estimator


def grade_files(
    files: JobFiles, options: JobOptions, bounds: Bounds, out: str, *, on_step: StepListener
) -> dict[str, Any]:
    """Write every file of the result into the folder `out` of the job; the figures that introduce it."""
    from peerage.results import Run, files_with_grades, times_since, write_files

    files.enter()
    started = time.perf_counter()
    result = _grade(files, options, bounds, on_step=on_step)
    on_step("writing the files")
    folder = Path("..", out)  # we are in the folder of the input
    run = Run(result=result, roster=files.roster, book=options, times=lambda: times_since(started))
    write_files(run, folder, files_with_grades(result, RESULT_FILES.values()))
    write_result_parts(result, folder)
    write_result_archive(folder)
    return _summarize(result)


def grade_at_once(
    files: JobFiles, options: JobOptions, bounds: Bounds, most: int, *, on_step: StepListener
) -> str | None:
    """What `results.json` would hold; None where the class has more than `most` reviews."""
    from peerage.grading.output.results_json import record

    files.enter()
    if read_feedback(files, options, bounds).n_entries > most:
        return None
    return to_json(record(_grade(files, options, bounds, on_step=on_step)))


def _grade(files: JobFiles, options: JobOptions, bounds: Bounds, *, on_step: StepListener) -> GradingResult:
    from peerage.grading.run import grade_with
    from peerage.reading.content import content_of

    on_step(f"reading {files.feedback}")
    content = content_of(files.feedback)
    feedback = read_feedback(files, options, bounds, content)
    return grade_with(
        feedback,
        options,
        anchors=files.anchors,
        owners=read_people(files, feedback, content),
        on_step=on_step,
        source={"file": files.feedback, "sha256": content.sha256},  # as on the command line
    )


def _summarize(result: GradingResult) -> dict[str, Any]:
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
        "agrees": "chance" not in result.sentences,
        "sentences": [shorten(text, SENTENCE_CHARACTERS) for text in result.fitted.feedback_.sentences],
    }


# -- what goes with the grades -------------------------------------------------------------------------------

# Sections of the report that the page has a place for; others follow as they are in the report.
ARRANGED_SECTIONS = {
    "summary", "data", "class", "grade-table", "grader-list", "agreement", "coverage", "method-comparison",
    "staff", "how",
}  # fmt: skip


def write_result_parts(result: GradingResult, folder: Path) -> None:
    """The pieces of the page in one file; rows that the page does not show at once in files of their own."""
    from peerage.report import report_parts
    from peerage.report.page import policy
    from peerage.report.sections import SECTIONS, navigation, sections_html

    parts = report_parts(result, explain="explain", apart=True)
    more = [section for section in SECTIONS if section.anchor not in ARRANGED_SECTIONS]
    parts |= {"more": sections_html(parts, more), "more_links": navigation(more)}
    for table in RESULT_TABLES:
        if rows := parts.pop(f"{table}_rows", None):
            result_rows_file(folder, table).write_bytes(gzip.compress(rows.encode(), mtime=0))
    parts["policy"] = policy()
    (folder / "parts.json").write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")


def write_result_archive(folder: Path) -> None:
    """Pack the files of a folder; the same files give the same bytes, whenever and wherever it is done."""
    with ZipFile(folder / RESULT_ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for name in (file.name for file in written_files(folder)):
            entry = ZipInfo(f"peerage-results/{name}")  # dated 1980, as ZIP files begin
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (folder / name).read_bytes())


# -- why an item stands where it stands ----------------------------------------------------------------------


def explain_item(
    files: JobFiles,
    options: JobOptions,
    bounds: Bounds,
    code: str,
    parameters: dict[str, Any],
    grades: str,
    made_with: dict[str, Any],
    item: str,
    task: str | None,
    *,
    on_step: StepListener,
) -> dict[str, Any]:
    """The explanation in words and figures, from the method and parameters that made the grades.

    `grades` is the table of them that was written, `made_with` the options it was made with.
    """
    import polars as pl

    from peerage.grading.explanation import ExplainedGrade, explain
    from peerage.uncertainty.chance import agreement_by_chance

    files.enter()
    feedback = read_graded_feedback(files, options, bounds)
    feedback.item_number(item, 0 if task is None else task)  # before the long fit
    fitted = _estimator(code, parameters).fit(feedback)
    explanation = explain(fitted, item, 0 if task is None else task, on_step=on_step)
    grade = ExplainedGrade.from_file(
        Path(grades), explanation.item, explanation.task, made_with, options.interval
    )
    given = grade.row  # rank and score as they were handed out: the posterior's, not the fit's
    explanation = replace(explanation, grade=grade, rank=int(given["rank"]), score=float(given["score"]))
    if fitted.score_scale != "rank":  # scores were handed out that allow for chance, and so do their changes
        (by_chance,) = agreement_by_chance(feedback.for_task(explanation.task))
        kept = 1.0 - by_chance.probability
        lists = explanation.lists.with_columns(pl.col("score_change") * kept)
        explanation = replace(explanation, lists=lists, spread=kept * explanation.spread)
    names = ("task", "item", "rank", "size", "score", "wins", "losses", "ties")
    return {
        "method": code,
        **{name: getattr(explanation, name) for name in names},
        "sentences": explanation.sentences(),
        "lists": explanation.lists.to_dicts(),
    }


def _estimator(code: str, parameters: dict[str, Any]) -> Estimator:
    """As it was when the grades were made, learned priors included: nothing is chosen or learned anew."""
    from peerage.models.registry import method

    return method(code).set_params(**parameters)
