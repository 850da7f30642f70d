"""What a platform says about somebody."""

from __future__ import annotations

from dataclasses import dataclass

from peerage_web.classes.words import Role


@dataclass(frozen=True, slots=True)
class Told:
    """What it calls them, and what else it says; most of it may be missing."""

    subject: str
    name: str = ""
    email: str = ""
    number: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """Somebody of the platform's course; no role: nothing that gives a place, or not active."""

    told: Told
    role: Role | None
