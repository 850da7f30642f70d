"""Who reviews what: allocations designed for the estimator, their preview, and their repair."""

from peerage.allocation.plan import DESIGNS, allocate
from peerage.allocation.quality import Quality, quality
from peerage.allocation.repair import Repair, repair
from peerage.allocation.result import Allocation, read_allocation
from peerage.allocation.roster import Roster, read_roster
from peerage.allocation.rules import AllocationError, broken_rules

__all__ = [
    "DESIGNS",
    "Allocation",
    "AllocationError",
    "Quality",
    "Repair",
    "Roster",
    "allocate",
    "broken_rules",
    "quality",
    "read_allocation",
    "read_roster",
    "repair",
]
