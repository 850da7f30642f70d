"""Parts in the memory of this process, worked on by threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from peerage._parts import Told, add_into, halves, nodes, total_of
from peerage.models.solver.parallel import each

if TYPE_CHECKING:
    from peerage._parts import Node, Work


class Threads:
    """Implements `Parts`: in the memory of this process, worked on by threads."""

    rounds_are_dear = False

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)

    def __len__(self) -> int:
        return len(self.parts)

    def sum(self, work: Work, *arguments: Any, by_part: Sequence[Any] | None = None) -> Told:
        """Neighbours are added up by the thread that worked on them."""

        def told(node: Node) -> Told:
            if node[1] - node[0] > 1:
                left, right = halves(node)
                return add_into(told(left), told(right))
            own = () if by_part is None else (by_part[node[0]],)
            return work(self.parts[node[0]], *arguments, *own)

        level = nodes(len(self.parts), 2 * (os.cpu_count() or 1))
        found = dict(zip(level, each(told, level), strict=True))
        return total_of(found, (0, len(self.parts)))

    def made(self, make: Callable[..., Any], *arguments: Any) -> Threads:
        """Made by threads, too."""
        return Threads(list(each(lambda part: make(part, *arguments), self.parts)))
