"""Who reviews what: allocations designed for the estimator, their preview, and their repair."""

from peerage.allocation.adaptive import next_reviews
from peerage.allocation.plan import DESIGNS, allocate
from peerage.allocation.preview import Preview, preview
from peerage.allocation.quality import Quality, quality
from peerage.allocation.repair import Repair, repair
from peerage.allocation.result import Allocation, read_allocation
from peerage.allocation.roster import Roster, read_roster
from peerage.allocation.rules import AllocationError, broken_rules

__all__ = [
    "DESIGNS",
    "Allocation",
    "AllocationError",
    "Preview",
    "Quality",
    "Repair",
    "Roster",
    "allocate",
    "broken_rules",
    "next_reviews",
    "preview",
    "quality",
    "read_allocation",
    "read_roster",
    "repair",
]
