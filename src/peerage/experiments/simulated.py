"""The two classes of the paper, simulated, with a panel of assistants as large as the paper's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from peerage.simulation.classes import LIKE_MINDED, PRESETS, PRINTED, SimulatedClass, Staff, simulate

# How many assistants took part and how many reviews they wrote, by the paper's Table 1.
PANELS = {"posters": (7, 78), "reports": (9, 88)}
BIAS = 0.5  # spread of the assistants' biases: they did not share a scale
NOISE = 0.9


# Before the name of a class: changed to the deviations that the paper prints, with a quarter of those within
# an item being leniency, or nearly all, so that peers agree about the order.
VARIANTS = {"printed-": PRINTED, "alike-": LIKE_MINDED}


def simulated_class(name: str, seed: int) -> SimulatedClass:
    """The preset with another staff; peers and truth are those of `peerage simulate --preset … --seed …`."""
    variant = next((prefix for prefix in VARIANTS if name.startswith(prefix)), "")
    preset = name.removeprefix(variant)
    size, reviews = PANELS[preset]
    settings: dict[str, Any] = {**PRESETS[preset], "staff": _panel(size), "seed": seed}
    if variant:
        settings |= VARIANTS[variant][preset]
    made = simulate(**settings)
    # The staff's marks are drawn after everything else, so a larger panel leaves the class as it was.
    rng = np.random.default_rng([seed, size])
    return replace(made, staff=made.staff.filter(_share(rng, size, settings["items"], reviews)))


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
