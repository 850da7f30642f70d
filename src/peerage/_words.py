"""Words as sentences need them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

SHOWN_LINES = 20


def plural(number: int, singular: str, many: str | None = None) -> str:
    """`1 item`, `3 items`, `12,000 items`."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def capitalised(text: str) -> str:
    """A sentence's first letter large, and the others as they are."""
    return text[:1].upper() + text[1:]


def listed_lines(lines: Callable[[Any], Iterable[int]], rows: Any) -> str:
    """`line 3`, `lines 3, 5`, `lines 3, 5, … and 80 more`: where these rows (an array) stand."""
    shown = ", ".join(str(line) for line in lines(rows[:SHOWN_LINES]))
    more = f" and {len(rows) - SHOWN_LINES:,} more" if len(rows) > SHOWN_LINES else ""
    return f"line{'s' if len(rows) > 1 else ''} {shown}{more}"
