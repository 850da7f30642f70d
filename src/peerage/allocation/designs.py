"""The designs: each decides who reviews what in a cohort, in batches that keep every rule.

To add one, write a function ``(context, cohort) -> batches`` and enter it below. :func:`allocate`, the
command line and the API read this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Literal

from peerage.errors import MethodError

if TYPE_CHECKING:
    from peerage.allocation.pool import Cohort
    from peerage.allocation.rules import DesignContext, ReviewBatch


@dataclass(frozen=True, slots=True)
class Design:
    """Name, function ("module:name", loaded on demand), a line about the design, and what it needs."""

    name: str
    function: str
    summary: str
    needs: str = ""

    def batches(self, context: DesignContext, cohort: Cohort) -> list[ReviewBatch]:
        """The reviews of one cohort."""
        batches: list[ReviewBatch] = resolve_name(self.function)(context, cohort)
        return batches


_DESIGNS = (
    Design("spread", "peerage.allocation.spread:spread_batches", "connected, pairs repeated rarely"),
    Design("random", "peerage.allocation.spread:random_batches", "balanced only"),
    Design(
        "calibrated",
        "peerage.allocation.spread:calibrated_batches",
        "one anchor in every list",
        needs="anchors",
    ),
    Design(
        "staff",
        "peerage.allocation.spread:staff_batches",
        "staff's lists bridge",
        needs="staff on the roster",
    ),
)

DESIGNS: dict[str, Design] = {design.name: design for design in _DESIGNS}
DEFAULT = _DESIGNS[0].name

if TYPE_CHECKING:
    DesignName = str
else:
    DesignName = Literal[tuple(DESIGNS)]  # what the command line and the API offer


def find_design(name: str) -> Design:
    """The design of that name; raises :class:`MethodError` where there is none."""
    if name not in DESIGNS:
        raise MethodError(f"design={name!r}: choose one of {', '.join(DESIGNS)}")
    return DESIGNS[name]
