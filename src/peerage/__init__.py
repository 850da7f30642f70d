"""Ordinal peer grading: fair grades from students' rankings, and how sure they are.

Everything public is listed here and loaded on first use, so that importing Peerage costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from peerage._version import __version__

if TYPE_CHECKING:
    from peerage.allocation import allocate, next_reviews, repair
    from peerage.checking import Preflight, Roster, check, read_roster
    from peerage.errors import (
        ConvergenceWarning,
        DataError,
        MethodError,
        NotFittedError,
        PeerageError,
        Problem,
    )
    from peerage.feedback import Feedback
    from peerage.grading import GradingResult, grade
    from peerage.models.base import clone
    from peerage.models.bradley_terry import BradleyTerry
    from peerage.models.combined import Combined
    from peerage.models.mallows import Mallows
    from peerage.models.normal_scores import NormalScores
    from peerage.models.plackett_luce import PlackettLuce
    from peerage.models.registry import fit, method
    from peerage.models.score_average import ScoreAverage
    from peerage.models.score_weighted_mallows import ScoreWeightedMallows
    from peerage.models.thurstone import Thurstone
    from peerage.planning import Plan, plan
    from peerage.reading import read
    from peerage.reading.inspection import Inspection, look_at
    from peerage.simulation import SimulatedClass, Staff, simulate
    from peerage.uncertainty import Posterior, learn_priors, posterior
    from peerage.writing import write

_HOMES = {
    "BradleyTerry": "peerage.models.bradley_terry",
    "Combined": "peerage.models.combined",
    "ConvergenceWarning": "peerage.errors",
    "DataError": "peerage.errors",
    "Feedback": "peerage.feedback",
    "GradingResult": "peerage.grading",
    "Inspection": "peerage.reading.inspection",
    "Mallows": "peerage.models.mallows",
    "MethodError": "peerage.errors",
    "NormalScores": "peerage.models.normal_scores",
    "NotFittedError": "peerage.errors",
    "PeerageError": "peerage.errors",
    "PlackettLuce": "peerage.models.plackett_luce",
    "Plan": "peerage.planning",
    "Posterior": "peerage.uncertainty",
    "Preflight": "peerage.checking",
    "Problem": "peerage.errors",
    "Roster": "peerage.checking",
    "ScoreAverage": "peerage.models.score_average",
    "ScoreWeightedMallows": "peerage.models.score_weighted_mallows",
    "SimulatedClass": "peerage.simulation",
    "Staff": "peerage.simulation",
    "Thurstone": "peerage.models.thurstone",
    "allocate": "peerage.allocation",
    "check": "peerage.checking",
    "clone": "peerage.models.base",
    "fit": "peerage.models.registry",
    "grade": "peerage.grading",
    "learn_priors": "peerage.uncertainty",
    "look_at": "peerage.reading.inspection",
    "method": "peerage.models.registry",
    "next_reviews": "peerage.allocation",
    "plan": "peerage.planning",
    "posterior": "peerage.uncertainty",
    "read": "peerage.reading",
    "read_roster": "peerage.checking",
    "repair": "peerage.allocation",
    "simulate": "peerage.simulation",
    "write": "peerage.writing",
}

__all__ = [
    "BradleyTerry",
    "Combined",
    "ConvergenceWarning",
    "DataError",
    "Feedback",
    "GradingResult",
    "Inspection",
    "Mallows",
    "MethodError",
    "NormalScores",
    "NotFittedError",
    "PeerageError",
    "PlackettLuce",
    "Plan",
    "Posterior",
    "Preflight",
    "Problem",
    "Roster",
    "ScoreAverage",
    "ScoreWeightedMallows",
    "SimulatedClass",
    "Staff",
    "Thurstone",
    "__version__",
    "allocate",
    "check",
    "clone",
    "fit",
    "grade",
    "learn_priors",
    "look_at",
    "method",
    "next_reviews",
    "plan",
    "posterior",
    "read",
    "read_roster",
    "repair",
    "simulate",
    "write",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'peerage' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
