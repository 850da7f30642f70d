"""Words as sentences need them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Any

SHOWN_LINES = 20
LOOKED_AT = 20_000  # words among which a similar one is looked for: that takes time


def plural(number: int, singular: str, many: str | None = None) -> str:
    """`1 item`, `3 items`, `12,000 items`."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def did_you_mean(word: str, known: Iterable[str], most: int = 3) -> str:
    """`; did you mean 'poster07'?`, or nothing where no known word is like it.

    >>> did_you_mean("7", ["poster07", "poster08"])
    "; did you mean 'poster07'?"
    """
    words = [*islice(known, LOOKED_AT)]
    folded = {candidate.casefold(): candidate for candidate in words}
    plain = word.strip().casefold()
    near = [folded[match] for match in get_close_matches(plain, folded, n=most)]
    if not near and plain:
        near = [candidate for candidate in words if candidate.casefold().endswith(plain)][:most]
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def capitalised(text: str) -> str:
    """A sentence's first letter large, and the others as they are."""
    return text[:1].upper() + text[1:]


def listed_lines(lines: Callable[[Any], Iterable[int]], rows: Any) -> str:
    """`line 3`, `lines 3, 5`, `lines 3, 5, … and 80 more`: where these rows (an array) stand."""
    return listed(lines(rows[:SHOWN_LINES]), len(rows))


def listed(first: Iterable[int], number: int) -> str:
    """The same where the first of them are known, and how many there are."""
    shown = ", ".join(str(line) for line in islice(first, SHOWN_LINES))
    more = f" and {number - SHOWN_LINES:,} more" if number > SHOWN_LINES else ""
    return f"line{'s' if number > 1 else ''} {shown}{more}"
