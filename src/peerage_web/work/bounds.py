"""Limits on what is in a file, checked where it is read."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.errors import PeerageError


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much feedback one job may hold."""

    reviews: int
    list_length: int


class TooLargeError(PeerageError):
    """A good file, but too large for this service; the command line takes it."""
