"""`peerage methods`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from peerage.cli._common import console, print_json


def methods(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the methods, with one honest line each.

    [bold]Example[/bold]

        peerage methods
    """
    from peerage.models import METHODS

    rows = [
        {
            "code": method.code,
            "with_reliability": f"{method.code}+G" if method.reliability else None,
            "needs_scores": method.needs_scores,
            "summary": method.summary,
        }
        for method in METHODS.values()
    ]
    if json:
        print_json(rows)
    else:
        _show(rows)


def _show(rows: Sequence[Mapping[str, object]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("Code", "With graders"):
        table.add_column(name, no_wrap=True)
    table.add_column("What it is")
    for row in rows:
        table.add_row(str(row["code"]), str(row["with_reliability"] or "–"), str(row["summary"]))
    screen = console()
    screen.print(table)
    screen.print(
        "+G also estimates how reliable each grader is, and weighs their lists by it. The methods for orders"
        " differ from each other by less than their errors on real classes. Without --method, peerage grade"
        " takes the one that suits the feedback, and says which and why."
    )
