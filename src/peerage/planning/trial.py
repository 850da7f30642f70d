"""One simulated class, graded: how wrong would the grades have been?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerage.feedback.container import Feedback
from peerage.metrics.accuracy import boundary_error, tau_error
from peerage.models.default import choose
from peerage.simulation.classes import simulate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.cluster.cluster import Cluster

    Floats = NDArray[np.float64]

# A typical class, from what the paper reports of its two: on a scale of 10, what peers would agree on
# spreads by 0.8, a single review is off by 1, and peers' leniency differs by 0.5.
SPREAD, NOISE, LENIENCY = 0.8, 1.0, 0.5
# How well staff grades go with what peers would agree on, however many they are, in the same classes.
STAFF_CORRELATION = 0.75
COVERED = 0.9  # share of the students whose true place the interval holds


@dataclass(frozen=True, slots=True)
class Setting:
    """What a class is like."""

    students: int
    items: int
    per_student: int
    reliability: float
    lazy: float
    feedback: Literal["orders", "scores"]
    bands: int
    repeats: int
    seed: int

    def question(self) -> dict[str, Any]:
        """Everything that the answer depends on."""
        return asdict(self) | {"class": [SPREAD, NOISE, LENIENCY, STAFF_CORRELATION, COVERED]}


def expect(setting: Setting, cluster: Cluster | None = None) -> dict[str, float]:
    """Mean figures over several simulated classes; each is one task where there is a cluster."""
    numbers = range(setting.repeats)
    found = (
        [_trial(number, setting) for number in numbers]
        if cluster is None
        else list(cluster.map(_trial, numbers, setting))
    )
    figures = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    spread = np.std([one["tau_error"] for one in found], ddof=1) if len(found) > 1 else 0.0
    return figures | {"tau_error_se": float(spread / np.sqrt(len(found)))}


def _trial(number: int, setting: Setting) -> dict[str, float]:
    # Not by the number of reviews: the same classes for every workload make the comparison sharper.
    made = simulate(
        items=setting.items,
        graders=setting.students,
        per_grader=setting.per_student,
        length_sd=0.0,
        sd=SPREAD,
        noise=NOISE / setting.reliability**0.5,
        bias_sd=LENIENCY,
        lazy=setting.lazy,
        groups=setting.items < setting.students,
        staff=(),
        seed=setting.seed + number,
    )
    feedback = made.feedback()
    if setting.feedback == "orders":
        feedback = Feedback.from_columns(**feedback.to_frame().drop("score").to_dict())
    feedback = feedback.with_items(set(made.truth["item"].to_list()) - set(feedback.item_labels.to_list()))
    truth = dict(zip(made.truth["item"].to_list(), made.truth["score"].to_list(), strict=True))
    consensus = np.array([truth[item] for item in feedback.item_labels.to_list()])
    fitted = choose(feedback).estimator().fit(feedback)
    return _figures(setting, consensus, fitted.scores_, number)


def _figures(setting: Setting, consensus: Floats, scores: Floats, number: int) -> dict[str, float]:
    place, found = percentiles(consensus), percentiles(scores)
    edges = 100.0 * np.arange(1, setting.bands) / setting.bands
    return {
        "tau_error": tau_error(consensus, scores),
        "staff_tau_error": tau_error(_staff(consensus, setting.seed + number), scores),
        "boundary_error": 100.0 * boundary_error(place, found, edges),
        "interval": float(np.quantile(np.abs(found - place), COVERED)),
    }


def percentiles(scores: Floats) -> Floats:
    """The place of every item in the class, from 0 (worst) to 100."""
    order = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
    return np.asarray((order + 0.5) * (100.0 / len(scores)), dtype=np.float64)


def _staff(consensus: Floats, seed: int) -> Floats:
    rng = np.random.default_rng([seed, 1])
    standard = (consensus - consensus.mean()) / consensus.std()
    other = rng.normal(size=len(consensus))
    return np.asarray(STAFF_CORRELATION * standard + np.sqrt(1 - STAFF_CORRELATION**2) * other)
