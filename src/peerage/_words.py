"""Words as sentences need them."""

from __future__ import annotations


def plural(number: int, singular: str, many: str | None = None) -> str:
    """`1 item`, `3 items`, `12,000 items`."""
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"
