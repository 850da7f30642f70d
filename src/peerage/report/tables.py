"""Tables that sort, search and turn pages with the script, and are plain tables without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from peerage.report.page import data_block, interval, number, prose, text

PLAIN = 200  # rows written into the page; longer tables carry the rest as data
CARRIED = 20_000  # rows beyond which a table carries nothing: no page is a place for them
CARRIED_BYTES = 2_300_000  # of these rows, where they are inside the page: it must open at once on a phone
ENDS = 100  # rows from either end of a table that is too long to be carried
TIGHT = 26  # characters that are kept on one line; report.js has the same numbers
SHORT = 14  # characters that are kept on one line even on a phone
PRINTED = 20  # rows of a table that is cut in print; report.css has the same number


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its cells as they are shown, and how they stand.

    kind : "label" (a name from the data), "text" or "number"; the style and the script know these.
    links : where the cells lead, if anywhere; only the first column of a table may lead somewhere.
    """

    heading: str
    cells: Sequence[str]
    kind: str = "text"
    links: Sequence[str] = ()


def column(heading: str, cells: Iterable[str], kind: str = "text", links: Sequence[str] = ()) -> Column:
    """A column from any iterable."""
    return Column(heading, list(cells), kind, links)


def fit_columns(frame: pl.DataFrame) -> list[Column]:
    """Infit of items or graders, where the method has residuals; outfit is in the files."""
    if frame["infit"].null_count() == len(frame):
        return []
    return [column("Infit", (number(v, 2) for v in frame["infit"]), "number")]


def interval_cells(frame: pl.DataFrame, name: str, digits: int = 0) -> Iterator[str]:
    """The cells `low to high` of a measure."""
    ends = zip(frame[f"{name}_low"], frame[f"{name}_high"], strict=True)
    return (interval(low, high, digits) for low, high in ends)


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table whose first column names its rows.

    name : id in the page. tools : sorting, searching and pages. full : the file that has all rows.
    total : how many rows there are, where the table has only those of either end (`ends_of`).
    """

    name: str
    caption: str
    columns: Sequence[Column]
    tools: bool = True
    full: str = ""
    cut_in_print: bool = False
    total: int = 0

    @property
    def rows(self) -> list[tuple[str, ...]]:
        return list(zip(*(each.cells for each in self.columns), strict=True))

    @property
    def is_long(self) -> bool:
        """Whether there are more rows than are written into the page."""
        return max(len(self.columns[0].cells), self.total) > PLAIN

    @property
    def carries_rows(self) -> bool:
        """Whether the rows that are not written into the page go along as data."""
        return self.is_long and max(len(self.columns[0].cells), self.total) <= CARRIED

    def _block(self, rows: Sequence[tuple[str, ...]]) -> str:
        """The rows as data inside the page; nothing where there are none to carry, or too much of them."""
        block = data_block(f"{self.name}-rows", rows) if self.carries_rows else ""
        return block if len(block.encode("utf-8")) <= CARRIED_BYTES else ""

    def html(self, *, apart: bool = False) -> str:
        """The table; the rows of a long one go along as data, or with `apart` are left to the page."""
        rows = self.rows
        block = "" if apart else self._block(rows)
        carried = self.carries_rows if apart else bool(block)
        parts = [
            f'<div class="{self._classes}" id="{self.name}"{self._attributes(carried, apart)}>',
            f'<div class="scroll" role="region" tabindex="0" aria-labelledby="{self.name}-caption">',
            f'<table><caption><span id="{self.name}-caption">{prose(self._words)}</span></caption>',
            f"<thead><tr>{''.join(map(_head, self.columns))}</tr></thead>",
            f"<tbody>\n{self._body(rows[:PLAIN])}\n</tbody></table></div>",
        ]
        if self.is_long and not self.total:
            where = f" All are in {self.full}." if self.full else ""
            parts.append(f'<p class="cut">{self._cut_words(len(rows))}{text(where)}</p>')
            if block:
                parts.append(block)
        if self._is_cut:
            all_of = self.total or len(rows)
            notice = f"The first {PRINTED} of {all_of:,} rows are printed; all are in {self.full}."
            parts.append(f'<p class="print-only">{text(notice)}</p>')
        return "\n".join([*parts, "</div>"])

    @property
    def _words(self) -> str:
        """The caption; of a table that has its ends alone it says so, for there is a gap in the middle."""
        if not self.total:
            return self.caption
        return f"{self.caption} {self._cut_words(0)} All are in {self.full}."

    def _cut_words(self, rows: int) -> str:
        if not self.total:
            return f"The first {PLAIN:,} of {rows:,} rows."
        return f"The first and the last {ENDS:,} of {self.total:,} rows."

    @property
    def _is_cut(self) -> bool:
        return self.cut_in_print and len(self.columns[0].cells) > PRINTED

    @property
    def _classes(self) -> str:
        return "table print-cut" if self._is_cut else "table"

    def _body(self, rows: Sequence[tuple[str, ...]]) -> str:
        links = self.columns[0].links[: len(rows)] or [""] * len(rows)
        return "\n".join(_row(row, self.columns, link) for row, link in zip(rows, links, strict=True))

    def _attributes(self, carried: bool, apart: bool) -> str:
        # to search or sort the first rows alone would mislead
        tools = " data-tools" if self.tools and (carried or not self.is_long) else ""
        return f'{tools} data-rows="{self.name}"' if apart and carried else tools


def ends_of(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The frame, and 0; of one too long to be carried its first and last rows, and how many there are."""
    if len(frame) <= CARRIED:
        return frame, 0
    return pl.concat([frame.head(ENDS), frame.tail(ENDS)]), len(frame)


def html_table(
    name: str, caption: str, columns: Sequence[Column], *, tools: bool = True, full: str = ""
) -> str:
    """A :class:`HtmlTable` as HTML."""
    return HtmlTable(name, caption, columns, tools, full).html()


def _head(each: Column) -> str:
    return f'<th scope="col" class="{each.kind}" data-kind="{each.kind}">{text(each.heading)}</th>'


def _row(cells: Sequence[str], columns: Sequence[Column], link: str = "") -> str:
    name = f'<a href="{text(link)}">{text(cells[0])}</a>' if link else text(cells[0])
    first = f'<th scope="row" class="{_class(columns[0].kind, cells[0])}" dir="auto">{name}</th>'
    rest = "".join(
        f'<td class="{_class(each.kind, cell)}">{text(cell)}</td>'
        for each, cell in zip(columns[1:], cells[1:], strict=True)
    )
    return f"<tr>{first}{rest}</tr>"


def _class(kind: str, cell: str) -> str:
    tight = f"{kind} tight" if len(cell) <= TIGHT else kind
    return f"{tight} short" if len(cell) <= SHORT else tight
