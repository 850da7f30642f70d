"""The people of an example class. None of them exists; their addresses are reserved for examples."""

from __future__ import annotations

FIRST_NAMES = (
    "Ada", "Ben", "Cem", "Dia", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kim", "Lea",
    "Mio", "Noa", "Ole", "Pia", "Quy", "Rui", "Sol", "Tam", "Uma", "Vic", "Wen", "Yara",
)  # fmt: skip
SURNAME = "Example"
DOMAIN = "example.org"
TEAM_SIZE = 3
STAFF = {"instructor": "Ina", "assistant": "Ari", "observer": "Obi"}


def address(first: str) -> str:
    """Where nobody reads mail."""
    return f"{first.lower()}@{DOMAIN}"


def full_name(first: str) -> str:
    """As it stands on the roster."""
    return f"{first} {SURNAME}"


def team_of(number: int) -> str:
    """Team of the student with this number, from 0."""
    return f"Team {number // TEAM_SIZE + 1}"
