"""Random: balanced, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage.allocation.instance import solve

if TYPE_CHECKING:
    from peerage.allocation.dealer import Dealer, Piece
    from peerage.allocation.parts import Part


def pieces(dealer: Dealer, part: Part) -> list[Piece]:
    """One piece, dealt at random."""
    return [dealer.piece(part.graders, part.items, part.numbers, lambda one: solve(one, dealer.rng))]
