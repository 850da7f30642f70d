"""How things look in a notebook: a heading, the first rows of a table, and a note, as plain HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

ROWS = 10
DIGITS = 4  # significant ones of a figure


def as_html(
    title: str, frame: pl.DataFrame | None = None, notes: tuple[str, ...] = (), total: int | None = None
) -> str:
    """HTML of a thing; everything is escaped, for labels come from students.

    `total` counts the rows of which `frame` has only the first.
    """
    parts = [f"<p><strong>{escape(title)}</strong></p>"]
    if frame is not None:
        parts.append(_table(frame.head(ROWS)))
        if (more := (total or len(frame)) - ROWS) > 0:
            parts.append(f"<p>… and {more:,} more rows.</p>")
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    return "<div>" + "".join(parts) + "</div>"


def _table(frame: pl.DataFrame) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in frame.columns)
    rows = ("".join(f"<td>{escape(_cell(value))}</td>" for value in row) for row in frame.iter_rows())
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)
