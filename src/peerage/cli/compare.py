"""`peerage compare`: several methods side by side; `peerage methods`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._options import takes_grading_options
from peerage.cli._reading import FeedbackFile, read_class, reads_feedback
from peerage.cli._terminal import ClusterAddress, console, print_json, progress
from peerage.grading.options import GradingOptions
from peerage.reading.reading import Reading

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.grading.comparison import Comparison
    from peerage.models.registry import Method
    from peerage.roster.input import Input

SHOWN = 20


@reads_feedback
@takes_grading_options("method", "params", "self_reviews")
def compare(
    file: FeedbackFile,
    *,
    methods: Annotated[
        str, typer.Option(metavar="CODES", help='Methods to compare: "bt+g,mals", or "all".')
    ] = "all",
    options: GradingOptions,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write all ranks to this CSV file.")] = None,
    cluster: ClusterAddress = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    reading: Reading,
) -> None:
    """Grade the class by several methods, and show where they disagree.

    The simple averages are always among them. Items are shown by how far
    the methods are apart on them.

    [bold]Examples[/bold]

        peerage compare feedback.csv

        peerage compare feedback.csv --methods pl+g,bt+g --out ranks.csv
    """
    from pathlib import Path

    from peerage.grading.comparison import compare_methods, methods_to_compare
    from peerage.grading.fitting import fit_method
    from peerage.grading.items import item_ranks, reading_order
    from peerage.grading.output.files import write_table

    feedback = _graded_feedback(read_class(file, None, None, reading), options)
    used, fitted = fit_method(feedback, options.method, dict(options.params))
    others = methods_to_compare(feedback, used.code, methods.split(","))
    order = reading_order(feedback, item_ranks(feedback, fitted.scores_))
    with progress(len(others)) as step:
        comparison = compare_methods(fitted, used.code, order, others, step, cluster)
    if out is not None:
        write_table(comparison.ranks, Path(out))
    if json:
        print_json(
            {
                "methods": list(comparison.codes),
                "summary": comparison.summary.to_dicts(),
                "ranks": comparison.ranks.to_dicts(),
            }
        )
    else:
        _show_comparison(comparison)


def _graded_feedback(data: Input, options: GradingOptions) -> Feedback:
    """What `peerage grade` grades: reviews of own work are left out, unless they are to be kept."""
    from peerage.checking.self_reviews import select_reviews

    people = None if data.roster is None else data.roster.for_class(data.feedback.task_labels)
    return select_reviews(data.feedback, people, options.self_reviews).feedback


def _show_comparison(comparison: Comparison) -> None:
    import polars as pl
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    screen = console()
    own = comparison.codes[0]
    summary = Table(title=f"Beside {own}", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    summary.add_column("Method", no_wrap=True)
    for name in ("Pairs otherwise", "Mean move", "Largest"):
        summary.add_column(name, justify="right")
    summary.add_column("Item moved most", overflow="fold")
    for row in comparison.summary.iter_rows(named=True):
        error = "–" if row["tau_error"] is None else f"{row['tau_error']:.1f} %"
        summary.add_row(
            row["method"], error, f"{row['mean_move']:.1f}", f"{row['largest_move']:,}", Text(row["item"])
        )
    screen.print(summary)
    spread = pl.max_horizontal(*comparison.codes) - pl.min_horizontal(*comparison.codes)
    apart = (
        comparison.ranks.with_columns(apart=spread).sort("apart", own, descending=[True, False]).head(SHOWN)
    )
    table = Table(
        title="Where they are furthest apart", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("Item", overflow="fold")
    for name in (own, "Best rank", "by", "Worst rank", "by"):
        table.add_column(name, justify="left" if name == "by" else "right", no_wrap=name != "by")
    for row in apart.iter_rows(named=True):
        best = min(comparison.codes, key=lambda code: row[code])
        worst = max(comparison.codes, key=lambda code: row[code])
        table.add_row(Text(row["item"]), f"{row[own]:,}", f"{row[best]:,}", best, f"{row[worst]:,}", worst)
    screen.print(table)
    screen.print(
        "Pairs otherwise: the share of pairs of items that the method puts the other way round. Where methods"
        " are far apart, the data cannot tell: look at the item, or ask for more reviews."
    )


# -- peerage methods ------------------------------------------------------------------------------------


def methods(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the methods, with one honest line each.

    [bold]Example[/bold]

        peerage methods
    """
    from peerage.models.registry import METHODS

    if not json:
        _show_methods(list(METHODS.values()))
        return
    print_json(
        [
            {
                "code": method.code,
                "with_reliability": method.with_reliability,
                "needs_scores": method.kind.needs_scores,
                "summary": method.summary,
            }
            for method in METHODS.values()
        ]
    )


def _show_methods(methods: Sequence[Method]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("Code", "With graders"):
        table.add_column(name, no_wrap=True)
    table.add_column("What it is")
    for method in methods:
        table.add_row(method.code, method.with_reliability or "–", method.summary)
    screen = console()
    screen.print(table)
    screen.print(
        "+G also estimates how reliable each grader is, and weighs their lists by it. The methods for orders"
        " differ from each other by less than their errors on real classes. Without --method, peerage grade"
        " takes the one that suits the feedback, and says which and why."
    )
