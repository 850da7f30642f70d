"""The two classes of the paper, simulated, with a panel of assistants as large as the paper's.

`PRINTED` and `LIKE_MINDED` change what its Table 1 fixes beside: whole points from 1 to 10, the deviation of
peers' grades (1.31 and 1.35) and that within an item (1.16 and 1.03), which leaves 0.61 and 0.87 between
items. They meet all of it on average over classes. What the table does not say is how much of the deviation
within an item is leniency, which does not touch the order: a quarter in `PRINTED`, as in real classes, 97 %
in `LIKE_MINDED`, where peers agree about the order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peerage.simulation.classes import PRESETS, SimulatedClass, Staff, simulate

# How many assistants took part and how many reviews they wrote, by the paper's Table 1.
PANELS = {"posters": (7, 78), "reports": (9, 88)}
BIAS = 0.5  # spread of the assistants' biases: they did not share a scale
NOISE = 0.9

POINTS: dict[str, Any] = {"scale": (1.0, 10.0), "step": 1.0}
PRINTED: dict[str, dict[str, Any]] = {
    "posters": {**POINTS, "sd": 0.797, "taste": 0.476, "noise": 1.016, "bias_sd": 0.587, "leniency": 0.455},
    "reports": {**POINTS, "sd": 1.065, "taste": 0.683, "noise": 0.901, "bias_sd": 0.52, "leniency": 0.568},
}
LIKE_MINDED: dict[str, dict[str, Any]] = {
    "posters": {**POINTS, "sd": 0.791, "taste": 0.473, "noise": 0.215, "bias_sd": 1.223, "leniency": 0.45},
    "reports": {**POINTS, "sd": 1.071, "taste": 0.687, "noise": 0.187, "bias_sd": 1.063, "leniency": 0.563},
}
VARIANTS = {"printed-": PRINTED, "alike-": LIKE_MINDED}  # before the name of a class


def simulated_class(name: str, seed: int) -> SimulatedClass:
    """The preset with another staff; peers and truth are those of `peerage simulate --preset … --seed …`."""
    variant = next((prefix for prefix in VARIANTS if name.startswith(prefix)), "")
    preset = name.removeprefix(variant)
    size, reviews = PANELS[preset]
    settings: dict[str, Any] = {**PRESETS[preset], "staff": _panel(size), "seed": seed}
    if variant:
        settings |= VARIANTS[variant][preset]
    drawn = simulate(**settings)
    # The staff's marks are drawn after everything else, so a larger panel leaves the class as it was.
    rng = np.random.default_rng([seed, size])
    return replace(drawn, staff=drawn.staff.filter(_share(rng, size, settings["items"], reviews)))


def _panel(size: int) -> tuple[Staff, ...]:
    biases = np.linspace(-1.0, 1.0, size)
    biases *= BIAS / biases.std()
    return tuple(Staff(f"TA{n + 1}", float(bias), NOISE) for n, bias in enumerate(biases))


def _share(rng: np.random.Generator, size: int, items: int, reviews: int) -> np.ndarray[Any, Any]:
    """Which (assistant, item) were reviewed: every item once or twice, by different people."""
    keep = np.zeros((size, items), dtype=bool)
    for item, first in enumerate(rng.permutation(items)):
        who = (first + np.arange(2) * (1 + item % (size - 1))) % size
        keep[who[: 2 if item < reviews - items else 1], item] = True
    return keep.ravel()
