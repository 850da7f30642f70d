"""Models with a smooth likelihood: Bradley-Terry, Plackett-Luce, Thurstone, score-weighted Mallows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.smooth.bradley_terry import BradleyTerry as BradleyTerry
    from peerage.models.smooth.list_sum import ListSum as ListSum
    from peerage.models.smooth.model import SmoothModel as SmoothModel
    from peerage.models.smooth.model import Ties as Ties
    from peerage.models.smooth.objective import ListObjective as ListObjective
    from peerage.models.smooth.plackett_luce import PlackettLuce as PlackettLuce
    from peerage.models.smooth.score_weighted_mallows import ScoreWeightedMallows as ScoreWeightedMallows
    from peerage.models.smooth.thurstone import Thurstone as Thurstone

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BradleyTerry": "bradley_terry",
        "ListObjective": "objective",
        "ListSum": "list_sum",
        "PlackettLuce": "plackett_luce",
        "ScoreWeightedMallows": "score_weighted_mallows",
        "SmoothModel": "model",
        "Thurstone": "thurstone",
        "Ties": "model",
    },
)
