"""What is said of reviews that were joined, left out or merged."""

from __future__ import annotations

from peerage._words import plural

SHOWN_JOINED = 10  # names in a note


def joined_note(name: str, groups: list[list[str]]) -> str:
    """Of labels that are one name written in several ways."""
    shown = "; ".join(" and ".join(map(repr, group)) for group in groups[:SHOWN_JOINED])
    more = f"; and {len(groups) - SHOWN_JOINED:,} more" if len(groups) > SHOWN_JOINED else ""
    were = "was" if len(groups) == 1 else "were"
    return f"{plural(len(groups), name)} joined that {were} written in several ways: {shown}{more}"


def missing_note(number: int, ordering: str, lines: str) -> str:
    """Of reviews without the number that orders them; `lines` says where they are."""
    return f"{plural(number, 'review')} without a {ordering} left out: {lines}"


def repeated_note(number: int, duplicates: str, lines: str) -> str:
    """Of reviews of an item that the list had already."""
    return f"{plural(number, 'repeated review')} merged ({duplicates} kept): {lines}"
