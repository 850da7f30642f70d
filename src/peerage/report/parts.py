"""The parts of a report, each a piece of HTML that stands by itself in a page of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peerage._words import plural
from peerage.report.class_plot import class_plots
from peerage.report.class_sections import grade_table, grader_table
from peerage.report.data_section import data_section
from peerage.report.grader_plot import grader_plot
from peerage.report.links import Links
from peerage.report.markup import packed, paragraphs, printable, text
from peerage.report.method_sections import method_tables, staff_tables
from peerage.report.names import grader_names
from peerage.report.sections import own_parts

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult


def report_parts(
    result: GradingResult, *, anonymous: bool = False, explain: str | None = None, apart: bool = False
) -> dict[str, str]:
    """What the report is made of, by name; the title is text, everything else HTML.

    No part has a style or a script in it, so they fit into a page of the strictest policy.

    Parameters
    ----------
    anonymous : leave the graders' names out, as in the report.
    explain : an address that explains items. Items in plots and tables then lead to it, as
        `explain?item=…`, with `&task=…` where there are several tasks.
    apart : rows that a long table does not show at once become parts of their own, `grades_rows` and
        `graders_rows`: JSON, one array of cells per row. Else they are inside the table, as in the report.
    """
    names = grader_names(result.feedback, anonymous=anonymous)
    links = None if explain is None else Links(explain, several=result.feedback.n_tasks > 1)
    grades, graders = grade_table(result, links), grader_table(result, names)
    said = result.sentences.get
    parts = {
        "title": printable(_title(result)),
        "figures": _figures(result),
        "summary": paragraphs(
            said("method"),
            said("criteria"),
            said("steps"),
            said("letters"),
            said("own_work"),
            said("unreviewed"),
        ),
        "data": data_section(result, anonymous=anonymous),
        "class_words": paragraphs(said("intervals"), said("score"), said("points")),
        "class_plots": class_plots(result, links),
        "grades": grades.html(apart=apart),
        "grader_words": paragraphs(said("graders")),
        "grader_plot": grader_plot(result, names),
        "graders": graders.html(apart=apart),
        "method_words": paragraphs(said("comparison")),
        "methods": method_tables(result, links),
        "staff_words": _staff_words(result),
        "staff": staff_tables(result, links, anonymous=anonymous),
        "appeal": appeal(result),
        "provenance": provenance(result),
        **own_parts(result),
    }
    long = [table for table in (grades, graders) if apart and table.carries_rows]
    return {**parts, **{f"{table.name}_rows": packed(table.rows) for table in long}}


def _title(result: GradingResult) -> str:
    file = result.provenance["input"].get("file")
    return "Peer grading report" if file is None else f"Peer grading: {file}"


def _figures(result: GradingResult) -> str:
    """The numbers at the top."""
    counts, warnings = result.preflight.counts, len(result.preflight.warnings)
    shown = [
        (f"{counts.items:,}", "items"),
        (f"{counts.graders:,}", "graders"),
        (f"{counts.reviews:,}", "reviews"),
        (result.method.code, "method"),
        (str(warnings), "warning" if warnings == 1 else "warnings"),
    ]
    return "".join(f"<div><dt>{name}</dt><dd>{text(value)}</dd></div>" for value, name in shown)


def _staff_words(result: GradingResult) -> str:
    budget = result.provenance["options"]["staff_budget"]
    asked = f"For {plural(budget, 'staff review')}, as asked." if budget else None
    return paragraphs(
        "Ten minutes of staff time help most where the grade is least certain.",
        asked,
        result.sentences.get("validity"),
        result.sentences.get("strategic"),
    )


def appeal(result: GradingResult) -> str:
    """How the grades were made, in words that can be repeated to a student."""
    said = result.sentences.get
    weight = (
        "Each grader counts as much as their agreement with the class suggests: a grader who orders work much"
        " as others do moves the scores more."
        if result.graders["reliability"].n_unique() > 1
        else "Every grader counts the same."
    )
    return paragraphs(
        "Grades are estimated from all the reviews of the class together, not taken from any single one.",
        weight,
        said("method"),
        said("fit"),
        said("uncertainty"),
        said("validity"),
        "Who appeals can ask three things. What does the grade rest on? The command peerage explain FILE ITEM"
        " lists every review of it and what it contributed. Would another method say otherwise? The methods"
        " are side by side above. How sure is it? The interval and the chances of the letters say; where they"
        " reach across a boundary, a staff grade settles it.",
        "The same file, version, settings and seed give the same grades, to the last digit.",
    )


def provenance(result: GradingResult) -> str:
    """What made this result, as a list of terms."""
    rows = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in _flat(result.provenance)
    )
    return f'<dl class="provenance">{rows}</dl>'


def _flat(record: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found = []
    for name, value in record.items():
        words = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, dict):
            found += _flat(value, f"{words}: ")
        elif isinstance(value, list):  # what it lists is in results.json: it names people
            found.append((words, str(len(value))))
        elif value is not None:
            found.append((words, _plain(value)))
    return found


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
