"""Orders and scores in one estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.models.combined.combined import Combined as Combined
    from peerage.models.combined.sum_objective import SumObjective as SumObjective

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Combined": "combined",
        "SumObjective": "sum_objective",
    },
)
