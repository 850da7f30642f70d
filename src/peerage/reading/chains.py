"""Rankings written out: `P3 > P1 = P7 > P2`, best first, or `P3; P1; P2;` where the question says so."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"\s*(?:>+|≻)\s*")
_UP = re.compile(r"\s*(?:<+|≺)\s*")
_TIES = re.compile(r"\s*(?:=+|~|≈)\s*")


def chain_of(text: str) -> list[list[str]] | None:
    """The buckets of a ranking with signs, best first; None where it is none."""
    better, worse = bool(_SIGNS.search(text)), bool(_UP.search(text))
    if better == worse:
        return None
    parts = (_SIGNS if better else _UP).split(text.strip())
    buckets = [[label for label in map(str.strip, _tied(part)) if label] for part in parts]
    if len(buckets) < 2 or not all(buckets):
        return None
    return buckets if better else buckets[::-1]


def _tied(part: str) -> list[str]:
    if part.startswith("{") and part.endswith("}"):
        return part[1:-1].split(",")
    return _TIES.split(part)


def listed(text: str) -> list[str] | None:
    """The items of `A;B;C;`, as Microsoft Forms writes a ranking; None where there are not two."""
    items = [item.strip() for item in text.split(";") if item.strip()]
    return items if len(items) > 1 and ";" in text else None
