"""Mallows models: a ranking, not scores, is estimated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.mallows.mallows import Mallows as Mallows
    from peerage.models.mallows.normaliser import count_reversed as count_reversed
    from peerage.models.mallows.normaliser import count_sizes as count_sizes
    from peerage.models.mallows.normaliser import log_normaliser as log_normaliser
    from peerage.models.mallows.ranking import mean_ranks as mean_ranks
    from peerage.models.mallows.ranking import mean_ranks_of as mean_ranks_of
    from peerage.models.mallows.ranking import rank_sums as rank_sums

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Mallows": "mallows",
        "count_reversed": "normaliser",
        "count_sizes": "normaliser",
        "log_normaliser": "normaliser",
        "mean_ranks": "ranking",
        "mean_ranks_of": "ranking",
        "rank_sums": "ranking",
    },
)
