"""The sections of the report, in order: one table, from which the page is laid out, and the parts they show.

To add a section, write a function that makes its HTML from the result, and enter it in ``SECTIONS``: under
its name in ``parts``, which ``body`` then uses as ``$name``. The report lists it, and the result page of the
service shows it after the sections that it arranges by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import TYPE_CHECKING, Any

from peerage._words import plural
from peerage.report.class_plot import class_plots
from peerage.report.data_section import coverage, data_section
from peerage.report.graders import class_figures, grader_names, grader_plot, grader_table
from peerage.report.item_tables import criteria_table, grade_table, method_tables, staff_tables
from peerage.report.page import Links, packed, paragraphs, printable, render, text

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult


@dataclass(frozen=True, slots=True)
class Section:
    """One section: what links lead to, its name, its label in the list of sections, its title, its HTML."""

    anchor: str
    name: str
    label: str
    title: str
    body: str
    parts: Mapping[str, Callable[[GradingResult], str]] = field(default_factory=dict)


GRADES = """\
<p>The first item of a step is above the first of the next, at the level of the intervals; neighbours may
well be level. The plain mean, or mean rank, is the sum that anybody can check; the method also weighs who
graded what. Infit says how much the reviews of an item differ: 1 is what the method expects, 2 is twice the
variance. More columns are in grades.csv.</p>"""
GRADERS = """\
<p>“Agrees” is the share of a grader's ordered pairs that the other graders' estimate orders alike, and
“Pairs” is how many there are: the evidence. Too little evidence is not the same as unreliable. The mark runs
from 0 (chance or below) to 100 (typical of the class or above) for the most that the evidence allows, the
upper end of “Likely”: little evidence costs little. An infit above 1 says that reviews are further from the
class than even this reliability explains.</p>"""
AGREEMENT = """\
<p>All of these say how far peers agree among themselves, not how far they are right.</p>"""
COVERAGE = """\
<p>Grades compare items through chains of reviews. One part means that everything hangs together; levels are
sets of items that never lose to a lower one.</p>"""

SECTIONS = (
    Section("summary", "summary", "In short", "In short", "$summary"),
    Section("data", "data", "The data", "The data, and how good it is", "$data"),
    Section("class", "class", "The class", "The class on one plot", "$class_words\n$class_plots"),
    Section(
        "grade-table",
        "grades",
        "Grades",
        "Grades",
        f"{GRADES}\n$grades\n$criteria",
        {"criteria": criteria_table},
    ),
    Section(
        "grader-list",
        "graders",
        "Graders",
        "Graders",
        f"$grader_words\n{GRADERS}\n$grader_plot\n$graders",
    ),
    Section(
        "agreement",
        "agreement",
        "Agreement",
        "How well the class agrees",
        f"{AGREEMENT}\n$class_figures",
        {"class_figures": class_figures},
    ),
    Section(
        "coverage",
        "coverage",
        "Comparisons",
        "Who was compared with whom",
        f"{COVERAGE}\n$coverage",
        {"coverage": coverage},
    ),
    Section("method-comparison", "methods", "Methods", "What other methods say", "$method_words\n$methods"),
    Section("staff", "staff", "Where staff should look", "Where staff should look", "$staff_words\n$staff"),
    Section(
        "how",
        "how",
        "How it was made",
        "How the grades were made",
        "$appeal\n<h3>Provenance</h3>\n$provenance",
    ),
)


def class_page(result: GradingResult, *, anonymous: bool, title: str | None = None) -> str:
    """The whole report."""
    aside = '<p class="aside">Graders are numbered; their names are left out.</p>' if anonymous else ""
    parts = report_parts(result, anonymous=anonymous)
    return render(
        "report.html",
        title=parts["title"] if title is None else printable(title),
        figures=parts["figures"],
        anonymous=aside,
        navigation=navigation(),
        sections=sections_html(parts),
    )


def navigation(sections: Iterable[Section] | None = None) -> str:
    """Links to the sections, or to all, as items of a list."""
    shown = SECTIONS if sections is None else sections
    return "\n".join(f'<li><a href="#{section.anchor}">{section.label}</a></li>' for section in shown)


def sections_html(parts: Mapping[str, str], sections: Iterable[Section] | None = None) -> str:
    """The sections, or all, with their parts filled in."""
    return "\n".join(_html(section, parts) for section in (SECTIONS if sections is None else sections))


def _html(section: Section, parts: Mapping[str, str]) -> str:
    title = f"{section.name}-title"
    return (
        f'<section id="{section.anchor}" aria-labelledby="{title}">\n'
        f'<h2 id="{title}">{section.title}</h2>\n'
        f"{Template(section.body).substitute(parts)}\n</section>"
    )


# -- what the sections are made of ----------------------------------------------------------------------


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
    sentence = result.sentences.get
    parts = {
        "title": printable(_title(result)),
        "figures": _figures(result),
        "summary": paragraphs(
            sentence("chance"),
            sentence("method"),
            sentence("criteria"),
            sentence("steps"),
            sentence("best"),
            sentence("points"),
            sentence("letters"),
            sentence("complete"),
            sentence("self_reviews"),
            sentence("unreviewed"),
        ),
        "data": data_section(result, anonymous=anonymous),
        "class_words": paragraphs(sentence("intervals"), sentence("score"), sentence("edges")),
        "class_plots": class_plots(result, links),
        "grades": grades.html(apart=apart),
        "grader_words": paragraphs(sentence("graders")),
        "grader_plot": grader_plot(result, names),
        "graders": graders.html(apart=apart),
        "method_words": paragraphs(sentence("comparison")),
        "methods": method_tables(result, links),
        "staff_words": _staff_words(result),
        "staff": staff_tables(result, links, anonymous=anonymous),
        "appeal": _appeal(result),
        "provenance": _provenance(result),
        **_own_parts(result),
    }
    long = [table for table in (grades, graders) if apart and table.carries_rows]
    return {**parts, **{f"{table.name}_rows": packed(table.rows) for table in long}}


def _own_parts(result: GradingResult) -> dict[str, str]:
    """The parts that sections make by themselves."""
    return {name: make(result) for section in SECTIONS for name, make in section.parts.items()}


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
    budget_words = f"For {plural(budget, 'staff review')}, as asked." if budget else None
    return paragraphs(
        "Ten minutes of staff time help most where the grade is least certain.",
        budget_words,
        result.sentences.get("disputed"),
        result.sentences.get("tails"),
        result.sentences.get("validity"),
        result.sentences.get("strategic"),
    )


def _appeal(result: GradingResult) -> str:
    """How the grades were made, in words that can be repeated to a student."""
    sentence = result.sentences.get
    weight = (
        "Each grader counts as much as their agreement with the class suggests: a grader who orders work much"
        " as others do moves the scores more."
        if result.graders["reliability"].n_unique() > 1
        else "Every grader counts the same."
    )
    return paragraphs(
        "Grades are estimated from all the reviews of the class together, not taken from any single one.",
        weight,
        sentence("method"),
        sentence("fit"),
        sentence("uncertainty"),
        sentence("validity"),
        "Who appeals can ask three things. What does the grade rest on? The command peerage explain FILE ITEM"
        " lists every review of it and what it contributed. Would another method say otherwise? The methods"
        " are side by side above. How sure is it? The interval and the chances of the letters say; where they"
        " reach across a boundary, a staff grade settles it.",
        "The same file, version, settings and seed give the same grades, to the last digit.",
    )


def _provenance(result: GradingResult) -> str:
    """What made this result, as a list of terms."""
    rows = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in _flat(result.provenance)
    )
    return f'<dl class="provenance">{rows}</dl>'


def _flat(record: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows = []
    for name, value in record.items():
        words = f"{prefix}{name}".replace("_", " ")
        if isinstance(value, dict):
            rows += _flat(value, f"{words}: ")
        elif isinstance(value, list):  # what it lists is in results.json: it names people
            rows.append((words, str(len(value))))
        elif value is not None:
            rows.append((words, _plain(value)))
    return rows


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
