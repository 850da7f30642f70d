"""Models with a smooth likelihood: Bradley-Terry, Plackett-Luce, Thurstone, score-weighted Mallows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.smooth.blocks import Block as Block
    from peerage.models.smooth.bradley_terry import BradleyTerry as BradleyTerry
    from peerage.models.smooth.model import SmoothModel as SmoothModel
    from peerage.models.smooth.model import Ties as Ties
    from peerage.models.smooth.objective import Objective as Objective
    from peerage.models.smooth.plackett_luce import PlackettLuce as PlackettLuce
    from peerage.models.smooth.score_weighted_mallows import ScoreWeightedMallows as ScoreWeightedMallows
    from peerage.models.smooth.thurstone import Thurstone as Thurstone

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Block": "blocks",
        "BradleyTerry": "bradley_terry",
        "Objective": "objective",
        "PlackettLuce": "plackett_luce",
        "ScoreWeightedMallows": "score_weighted_mallows",
        "SmoothModel": "model",
        "Thurstone": "thurstone",
        "Ties": "model",
    },
)
