"""Settings for classes in the shape of the two exercises of the paper (Raman & Joachims, KDD 2014).

The paper's own data was never published. Sizes are its; the other numbers of `PRESETS` were chosen so that,
with seed 1, means, spreads and errors come close to those it reports: these are the classes in examples/.

`PRINTED` and `LIKE_MINDED` change what its Table 1 fixes beside: whole points from 1 to 10, the deviation of
peers' grades (1.31 and 1.35) and that within an item (1.16 and 1.03), which leaves 0.61 and 0.87 between
items. They meet all of it on average over classes. What the table does not say is how much of the deviation
within an item is leniency, which does not touch the order: a quarter in `PRINTED`, as in real classes, 97 %
in `LIKE_MINDED`.
"""

from __future__ import annotations

from typing import Any

from peerage.simulation.classes import Staff

PRESETS: dict[str, dict[str, Any]] = {
    "posters": {
        "items": 42,
        "graders": 148,
        "per_grader": 6.73,
        "length_sd": 0.9,
        "mean": 7.75,
        "sd": 0.92,
        "slope": 0.65,
        "taste": 0.55,
        "noise": 1.0,
        "leniency": 0.49,
        "bias_sd": 0.5,
        "lazy": 0.02,
        "groups": True,
        "staff": (Staff("TA1", bias=0.03, noise=1.0),),
        "item_name": "poster",
    },
    "reports": {
        "items": 44,
        "graders": 153,
        "per_grader": 3.83,
        "length_sd": 0.5,
        "mean": 7.7,
        "sd": 0.78,
        "slope": 0.75,
        "taste": 0.5,
        "noise": 0.95,
        "leniency": 0.72,
        "bias_sd": 0.5,
        "lazy": 0.02,
        "groups": True,
        "staff": (
            Staff("TA1", bias=0.05, noise=0.9),
            Staff("TA2", bias=0.07, noise=0.9),
            Staff("Instructor", bias=-0.08, noise=0.5),
        ),
        "item_name": "report",
    },
}

POINTS: dict[str, Any] = {"scale": (1.0, 10.0), "step": 1.0}
PRINTED: dict[str, dict[str, Any]] = {
    "posters": {**POINTS, "sd": 0.797, "taste": 0.476, "noise": 1.016, "bias_sd": 0.587, "leniency": 0.455},
    "reports": {**POINTS, "sd": 1.065, "taste": 0.683, "noise": 0.901, "bias_sd": 0.52, "leniency": 0.568},
}
LIKE_MINDED: dict[str, dict[str, Any]] = {
    "posters": {**POINTS, "sd": 0.791, "taste": 0.473, "noise": 0.215, "bias_sd": 1.223, "leniency": 0.45},
    "reports": {**POINTS, "sd": 1.071, "taste": 0.687, "noise": 0.187, "bias_sd": 1.063, "leniency": 0.563},
}
