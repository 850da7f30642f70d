"""Tables that sort, search and turn pages with the script, and are plain tables without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from peerage.report.markup import data_block, prose, text

PLAIN = 200  # rows written into the page; longer tables carry the rest as data
TIGHT = 26  # characters that are kept on one line; report.js has the same number


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its cells as they are shown, and how they stand.

    kind : "label" (a name from the data), "text" or "number"; the style and the script know these.
    """

    heading: str
    cells: Sequence[str]
    kind: str = "text"


def column(heading: str, cells: Iterable[str], kind: str = "text") -> Column:
    """A column from any iterable."""
    return Column(heading, list(cells), kind)


def table(name: str, caption: str, columns: Sequence[Column], *, tools: bool = True, full: str = "") -> str:
    """A table whose first column names its rows.

    name : id in the page. tools : sorting, searching and pages. full : the file that has all rows.
    """
    rows = list(zip(*(each.cells for each in columns), strict=True))
    head = "".join(
        f'<th scope="col" class="{each.kind}" data-kind="{each.kind}">{text(each.heading)}</th>'
        for each in columns
    )
    body = "\n".join(_row(row, columns) for row in rows[:PLAIN])
    parts = [
        f'<div class="table" id="{name}"{" data-tools" if tools else ""}>',
        f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{name}-caption">',
        f'<table><caption><span id="{name}-caption">{prose(caption)}</span></caption>',
        f"<thead><tr>{head}</tr></thead>",
        f"<tbody>\n{body}\n</tbody></table></div>",
    ]
    if len(rows) > PLAIN:
        where = f" All are in {full}." if full else ""
        parts += [
            f'<p class="cut">The first {PLAIN:,} of {len(rows):,} rows.{text(where)}</p>',
            data_block(f"{name}-rows", rows),
        ]
    return "\n".join([*parts, "</div>"])


def _row(cells: Sequence[str], columns: Sequence[Column]) -> str:
    first = f'<th scope="row" class="{_class(columns[0].kind, cells[0])}" dir="auto">{text(cells[0])}</th>'
    rest = "".join(
        f'<td class="{_class(each.kind, cell)}">{text(cell)}</td>'
        for each, cell in zip(columns[1:], cells[1:], strict=True)
    )
    return f"<tr>{first}{rest}</tr>"


def _class(kind: str, cell: str) -> str:
    return f"{kind} tight" if len(cell) <= TIGHT else kind
