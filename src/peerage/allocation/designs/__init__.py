"""The designs: each cuts a part of the class into pieces, and fills them so that every rule is kept.

To add one, write a module with a function ``pieces(dealer, part)`` and enter it below. :func:`allocate`, the
command line and the API read this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from peerage.errors import MethodError

if TYPE_CHECKING:
    from peerage.allocation.dealer import Dealer, Piece
    from peerage.allocation.parts import Part


@dataclass(frozen=True, slots=True)
class Design:
    """A design: its name, its module (loaded on demand), one line about it, and what it needs."""

    name: str
    module: str
    summary: str
    needs: str = ""

    def pieces(self, dealer: Dealer, part: Part) -> list[Piece]:
        """The reviews of one part of the class."""
        made: list[Piece] = import_module(f"{__name__}.{self.module}").pieces(dealer, part)
        return made


_DESIGNS = (
    Design("spread", "spread", "connected, pairs repeated rarely"),
    Design("random", "balanced", "balanced only"),
    Design("calibrated", "calibrated", "one anchor in every list", needs="anchors"),
    Design("staff", "staff", "staff's lists bridge", needs="staff on the roster"),
)

DESIGNS: dict[str, Design] = {design.name: design for design in _DESIGNS}
DEFAULT = _DESIGNS[0].name

if TYPE_CHECKING:
    DesignName = str
else:
    DesignName = Literal[tuple(DESIGNS)]  # what the command line and the API offer


def design_named(name: str) -> Design:
    """A design by its name."""
    if name not in DESIGNS:
        raise MethodError(f"design={name!r}: choose one of {', '.join(DESIGNS)}")
    return DESIGNS[name]
