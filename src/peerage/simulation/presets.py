"""Settings for classes in the shape of the two exercises of the paper (Raman & Joachims, KDD 2014).

The paper's own data was never published. Sizes are its; the other numbers of `PRESETS` were chosen so that,
with seed 1, means, spreads and errors come close to those it reports: these are the classes in examples/.
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
