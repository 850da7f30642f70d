"""Experiments that anybody can run again: how good methods are, on simulated classes and on real data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.experiments.figures import draw as draw
    from peerage.experiments.jobs import NAMES as NAMES
    from peerage.experiments.runner import Outcome as Outcome
    from peerage.experiments.runner import run as run
    from peerage.experiments.summary import wide as wide

__getattr__, __dir__ = lazy(
    __name__,
    {"NAMES": "jobs", "Outcome": "runner", "draw": "figures", "run": "runner", "wide": "summary"},
)
