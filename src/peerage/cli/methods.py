"""`peerage methods`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._common import console, print_json

if TYPE_CHECKING:
    from peerage.models.registry import Method


def methods(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the methods, with one honest line each.

    [bold]Example[/bold]

        peerage methods
    """
    from peerage.models.registry import METHODS

    if not json:
        _show(list(METHODS.values()))
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


def _show(methods: Sequence[Method]) -> None:
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
