"""Models of the scores that graders gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.normal.normal_scores import NormalScores as NormalScores
    from peerage.models.normal.objective import ScoreObjective as ScoreObjective
    from peerage.models.normal.reported import reported_scores as reported_scores
    from peerage.models.normal.reviews import Reviews as Reviews
    from peerage.models.normal.reviews import reviews_of as reviews_of
    from peerage.models.normal.score_average import ScoreAverage as ScoreAverage

__getattr__, __dir__ = lazy(
    __name__,
    {
        "NormalScores": "normal_scores",
        "Reviews": "reviews",
        "ScoreAverage": "score_average",
        "ScoreObjective": "objective",
        "reported_scores": "reported",
        "reviews_of": "reviews",
    },
)
