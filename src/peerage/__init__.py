"""Ordinal peer grading: fair grades from students' rankings, and how sure they are.

Everything public is listed here and loaded on first use, so that importing Peerage costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from peerage._version import __version__

if TYPE_CHECKING:
    from peerage.allocation.adaptive import next_reviews
    from peerage.allocation.allocate import allocate
    from peerage.allocation.repair import repair
    from peerage.checking.preflight import Preflight, check
    from peerage.errors import (
        AmbiguousReadingError,
        ClusterError,
        ConvergenceWarning,
        DataError,
        MethodError,
        MissingExtraError,
        NotFittedError,
        PeerageError,
        Problem,
    )
    from peerage.feedback.container import Feedback
    from peerage.grading.explanation import explain
    from peerage.grading.options import GradingOptions
    from peerage.grading.result import GradingResult
    from peerage.grading.run import grade, grade_with
    from peerage.models.base import clone
    from peerage.models.combined import Combined
    from peerage.models.fitting import fit
    from peerage.models.mallows.mallows import Mallows
    from peerage.models.normal.normal_scores import NormalScores
    from peerage.models.normal.score_average import ScoreAverage
    from peerage.models.registry import method
    from peerage.models.saving import load_fit, save_fit
    from peerage.models.smooth.bradley_terry import BradleyTerry
    from peerage.models.smooth.plackett_luce import PlackettLuce
    from peerage.models.smooth.score_weighted_mallows import ScoreWeightedMallows
    from peerage.models.smooth.thurstone import Thurstone
    from peerage.packing import pack
    from peerage.planning import Plan, plan
    from peerage.reading.inspection import Inspection, inspect
    from peerage.reading.packed import open_packed
    from peerage.reading.reader import ProposedReading, read
    from peerage.reading.reading import Reading
    from peerage.roster.container import Roster
    from peerage.roster.reader import read_roster
    from peerage.simulation.classes import SimulatedClass, Staff, simulate
    from peerage.uncertainty.compute import posterior
    from peerage.uncertainty.evidence import learn_priors
    from peerage.uncertainty.posterior import Posterior
    from peerage.writing.writer import write

__all__ = [
    "AmbiguousReadingError",
    "BradleyTerry",
    "ClusterError",
    "Combined",
    "ConvergenceWarning",
    "DataError",
    "Feedback",
    "GradingOptions",
    "GradingResult",
    "Inspection",
    "Mallows",
    "MethodError",
    "MissingExtraError",
    "NormalScores",
    "NotFittedError",
    "PeerageError",
    "PlackettLuce",
    "Plan",
    "Posterior",
    "Preflight",
    "Problem",
    "ProposedReading",
    "Reading",
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
    "explain",
    "fit",
    "grade",
    "grade_with",
    "inspect",
    "learn_priors",
    "load_fit",
    "method",
    "next_reviews",
    "open_packed",
    "pack",
    "plan",
    "posterior",
    "read",
    "read_roster",
    "repair",
    "save_fit",
    "simulate",
    "write",
]

_MODULES = {
    "AmbiguousReadingError": "peerage.errors",
    "Reading": "peerage.reading.reading",
    "ProposedReading": "peerage.reading.reader",
    "open_packed": "peerage.reading.packed",
    "explain": "peerage.grading.explanation",
    "BradleyTerry": "peerage.models.smooth.bradley_terry",
    "ClusterError": "peerage.errors",
    "Combined": "peerage.models.combined",
    "ConvergenceWarning": "peerage.errors",
    "DataError": "peerage.errors",
    "Feedback": "peerage.feedback.container",
    "GradingOptions": "peerage.grading.options",
    "GradingResult": "peerage.grading.result",
    "Inspection": "peerage.reading.inspection",
    "Mallows": "peerage.models.mallows.mallows",
    "MethodError": "peerage.errors",
    "MissingExtraError": "peerage.errors",
    "NormalScores": "peerage.models.normal.normal_scores",
    "NotFittedError": "peerage.errors",
    "PeerageError": "peerage.errors",
    "PlackettLuce": "peerage.models.smooth.plackett_luce",
    "Plan": "peerage.planning",
    "Posterior": "peerage.uncertainty.posterior",
    "Preflight": "peerage.checking.preflight",
    "Problem": "peerage.errors",
    "Roster": "peerage.roster.container",
    "ScoreAverage": "peerage.models.normal.score_average",
    "ScoreWeightedMallows": "peerage.models.smooth.score_weighted_mallows",
    "SimulatedClass": "peerage.simulation.classes",
    "Staff": "peerage.simulation.classes",
    "Thurstone": "peerage.models.smooth.thurstone",
    "allocate": "peerage.allocation.allocate",
    "check": "peerage.checking.preflight",
    "clone": "peerage.models.base",
    "fit": "peerage.models.fitting",
    "grade": "peerage.grading.run",
    "grade_with": "peerage.grading.run",
    "learn_priors": "peerage.uncertainty.evidence",
    "inspect": "peerage.reading.inspection",
    "load_fit": "peerage.models.saving",
    "method": "peerage.models.registry",
    "next_reviews": "peerage.allocation.adaptive",
    "pack": "peerage.packing",
    "plan": "peerage.planning",
    "posterior": "peerage.uncertainty.compute",
    "read": "peerage.reading.reader",
    "read_roster": "peerage.roster.reader",
    "repair": "peerage.allocation.repair",
    "save_fit": "peerage.models.saving",
    "simulate": "peerage.simulation.classes",
    "write": "peerage.writing.writer",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'peerage' has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        module = import_module(_MODULES[name])
    except AttributeError as error:  # Python would take it to mean that there is no such name
        msg = f"{_MODULES[name]} cannot be loaded: {error}"
        raise ImportError(msg) from error
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
