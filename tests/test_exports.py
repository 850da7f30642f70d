"""The public list, and what it costs to import it."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import peerage

PUBLIC = {
    "the data": [
        "Feedback", "Inspection", "ProposedReading", "Reading",
        "inspect", "open_packed", "pack", "read", "write",
    ],
    "before the fit": ["Preflight", "Problem", "Roster", "check", "read_roster"],
    "models": [
        "BradleyTerry", "Combined", "Mallows", "NormalScores",
        "PlackettLuce", "ScoreAverage", "ScoreWeightedMallows", "Thurstone",
    ],
    "fitting": ["clone", "fit", "load_fit", "method", "save_fit"],
    "how sure": ["Posterior", "learn_priors", "posterior"],
    "grades": ["GradingOptions", "GradingResult", "explain", "grade", "grade_with"],
    "who reviews what": ["Plan", "allocate", "next_reviews", "plan", "repair"],
    "invented classes": ["SimulatedClass", "Staff", "simulate"],
    "errors": [
        "ClusterError",
        "ConvergenceWarning",
        "DataError",
        "AmbiguousReadingError",
        "MethodError",
        "MissingExtraError",
        "NotFittedError",
        "PeerageError",
    ],
    "the rest": ["__version__"],
}  # fmt: skip
NAMES = sorted(name for names in PUBLIC.values() for name in names)


def test_the_public_list_is_what_is_meant():
    assert sorted(peerage.__all__) == NAMES
    assert dir(peerage) == NAMES


def test_every_name_can_be_imported_and_says_what_it_is():
    things = {name: getattr(peerage, name) for name in NAMES if name != "__version__"}

    assert {name: thing.__name__ for name, thing in things.items()} == {name: name for name in things}
    assert [name for name, thing in things.items() if not inspect.getdoc(thing)] == []


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'peerage' has no attribute 'nonsense'"):
        _ = peerage.nonsense


def test_importing_peerage_loads_nothing_heavy():
    heavy = ["numba", "numpy", "polars", "scipy", "matplotlib", "typer"]
    script = f"import peerage, sys; print(*[name for name in {heavy} if name in sys.modules])"

    result = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert result.stdout.strip() == ""
