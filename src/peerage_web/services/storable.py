"""Texts from visitors' files, as every database takes them."""

from __future__ import annotations

import re
from typing import Any

_REFUSED = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL stores neither


def storable(value: Any) -> Any:
    """The same texts, numbers, lists and mappings with a mark in place of what cannot be stored."""
    if isinstance(value, str):
        return _REFUSED.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {storable(name): storable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [storable(part) for part in value]
    return value
