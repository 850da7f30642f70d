"""Where the items of the page lead, where it has somewhere to lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

import polars as pl


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of items: `address?item=…`, with `task=…` where there are several tasks."""

    address: str
    several: bool

    def to(self, item: str, task: str) -> str:
        """The address of one item."""
        asked = {"item": item, "task": task} if self.several else {"item": item}
        return f"{self.address}?{urlencode(asked)}"


def links_of(frame: pl.DataFrame, links: Links | None) -> list[str]:
    """The addresses of a table's items, in the order of its rows; none where items lead nowhere."""
    if links is None:
        return []
    return [links.to(item, task) for item, task in _named(frame)]


def _named(frame: pl.DataFrame) -> Iterable[tuple[str, str]]:
    return zip(frame["item"], frame["task"], strict=True)
