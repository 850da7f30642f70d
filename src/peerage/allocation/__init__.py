"""Who reviews what: allocations designed for the estimator, their preview, and their repair."""

from peerage.allocation.adaptive import next_reviews
from peerage.allocation.plan import DESIGNS, allocate
from peerage.allocation.pool import Pool, pool_of
from peerage.allocation.preview import Preview, preview
from peerage.allocation.quality import Quality, quality
from peerage.allocation.repair import Repair, repair
from peerage.allocation.result import Allocation, read_allocation
from peerage.allocation.rules import AllocationError, broken_rules

__all__ = [
    "DESIGNS",
    "Allocation",
    "AllocationError",
    "Pool",
    "Preview",
    "Quality",
    "Repair",
    "allocate",
    "broken_rules",
    "next_reviews",
    "pool_of",
    "preview",
    "quality",
    "read_allocation",
    "repair",
]
