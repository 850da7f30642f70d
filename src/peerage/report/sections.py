"""The sections of the report, in order: one list, from which the page is laid out.

To add one, write a module with a function that makes its HTML from the result, and enter it below: under its
name in ``parts``, which ``body`` then uses as ``$name``. The report lists it, and the result page of the
service shows it after the sections that it arranges by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import TYPE_CHECKING

from peerage.report.agreement_section import class_figures
from peerage.report.coverage_plot import coverage_plots
from peerage.report.criteria_table import criteria_table
from peerage.report.data_section import coverage_table

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


def _coverage(result: GradingResult) -> str:
    return coverage_table(result) + coverage_plots(result)


GRADES = """\
<p>The first item of a step is above the first of the next, at the level of the intervals; neighbours may
well be level. The plain mean, or mean rank, is the sum that anybody can check; the method also weighs who
graded what. More columns are in grades.csv.</p>"""
GRADERS = """\
<p>“Agrees” is the share of a grader's ordered pairs that the other graders' estimate orders alike, and
“Pairs” is how many there are: the evidence. Too little evidence is not the same as unreliable. The mark runs
from 0 (chance or below) to 100 (typical of the class or above) for the most that the evidence allows, the
upper end of “Likely”: little evidence costs little.</p>"""
AGREEMENT = """\
<p>All of these say how far peers agree among themselves, not how far they are right.</p>"""
COVERAGE = """\
<p>Grades compare items through chains of reviews. One part means that everything hangs together; tiers are
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
        {"coverage": _coverage},
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


def own_parts(result: GradingResult) -> dict[str, str]:
    """The parts that sections make by themselves."""
    return {name: make(result) for section in SECTIONS for name, make in section.parts.items()}


def navigation(sections: Iterable[Section] | None = None) -> str:
    """Links to the sections, or to all, as items of a list."""
    shown = SECTIONS if sections is None else sections
    return "\n".join(f'<li><a href="#{one.anchor}">{one.label}</a></li>' for one in shown)


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
