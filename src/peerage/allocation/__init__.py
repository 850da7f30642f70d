"""Who reviews what: allocations designed for the estimator, their preview, and their repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.allocation.adaptive import next_reviews as next_reviews
    from peerage.allocation.designs import DEFAULT as DEFAULT
    from peerage.allocation.designs import DESIGNS as DESIGNS
    from peerage.allocation.designs import DesignName as DesignName
    from peerage.allocation.forecast import Preview as Preview
    from peerage.allocation.forecast import preview as preview
    from peerage.allocation.measures import Quality as Quality
    from peerage.allocation.measures import quality as quality
    from peerage.allocation.mending import Repair as Repair
    from peerage.allocation.mending import repair as repair
    from peerage.allocation.plan import allocate as allocate
    from peerage.allocation.pool import Pool as Pool
    from peerage.allocation.pool import pool_of as pool_of
    from peerage.allocation.result import Allocation as Allocation
    from peerage.allocation.result import read_allocation as read_allocation
    from peerage.allocation.rules import AllocationError as AllocationError
    from peerage.allocation.rules import broken_rules as broken_rules

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Allocation": "result",
        "AllocationError": "rules",
        "DEFAULT": "designs",
        "DESIGNS": "designs",
        "DesignName": "designs",
        "Pool": "pool",
        "Preview": "forecast",
        "Quality": "measures",
        "Repair": "mending",
        "allocate": "plan",
        "broken_rules": "rules",
        "next_reviews": "adaptive",
        "pool_of": "pool",
        "preview": "forecast",
        "quality": "measures",
        "read_allocation": "result",
        "repair": "mending",
    },
)
