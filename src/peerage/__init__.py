"""Ordinal peer grading: fair grades from students' rankings, and how sure they are.

Everything public is listed here and loaded on first use, so that importing Peerage costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy
from peerage._version import __version__

if TYPE_CHECKING:
    from peerage.allocation import allocate, next_reviews, repair
    from peerage.checking import Preflight, check
    from peerage.errors import (
        ClusterError,
        ConvergenceWarning,
        DataError,
        DirectionError,
        MethodError,
        NotFittedError,
        PeerageError,
        Problem,
    )
    from peerage.feedback import Feedback
    from peerage.grading import GradingOptions, GradingResult, grade, grade_with
    from peerage.models import (
        BradleyTerry,
        Combined,
        Mallows,
        NormalScores,
        PlackettLuce,
        ScoreAverage,
        ScoreWeightedMallows,
        Thurstone,
        clone,
        fit,
        method,
    )
    from peerage.packing import pack
    from peerage.planning import Plan, plan
    from peerage.reading import Inspection, look_at, read
    from peerage.roster import Roster, read_roster
    from peerage.simulation import SimulatedClass, Staff, simulate
    from peerage.uncertainty import Posterior, learn_priors, posterior
    from peerage.writing import write

__all__ = [
    "BradleyTerry",
    "ClusterError",
    "Combined",
    "ConvergenceWarning",
    "DataError",
    "DirectionError",
    "Feedback",
    "GradingOptions",
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
    "grade_with",
    "learn_priors",
    "look_at",
    "method",
    "next_reviews",
    "pack",
    "plan",
    "posterior",
    "read",
    "read_roster",
    "repair",
    "simulate",
    "write",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BradleyTerry": "models",
        "ClusterError": "errors",
        "Combined": "models",
        "ConvergenceWarning": "errors",
        "DataError": "errors",
        "DirectionError": "errors",
        "Feedback": "feedback",
        "GradingOptions": "grading",
        "GradingResult": "grading",
        "Inspection": "reading",
        "Mallows": "models",
        "MethodError": "errors",
        "NormalScores": "models",
        "NotFittedError": "errors",
        "PeerageError": "errors",
        "PlackettLuce": "models",
        "Plan": "planning",
        "Posterior": "uncertainty",
        "Preflight": "checking",
        "Problem": "errors",
        "Roster": "roster",
        "ScoreAverage": "models",
        "ScoreWeightedMallows": "models",
        "SimulatedClass": "simulation",
        "Staff": "simulation",
        "Thurstone": "models",
        "__version__": "_version",
        "allocate": "allocation",
        "check": "checking",
        "clone": "models",
        "fit": "models",
        "grade": "grading",
        "grade_with": "grading",
        "learn_priors": "uncertainty",
        "look_at": "reading",
        "method": "models",
        "next_reviews": "allocation",
        "pack": "packing",
        "plan": "planning",
        "posterior": "uncertainty",
        "read": "reading",
        "read_roster": "roster",
        "repair": "allocation",
        "simulate": "simulation",
        "write": "writing",
    },
)
