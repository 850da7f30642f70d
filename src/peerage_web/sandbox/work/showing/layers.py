"""Layers of a PDF that are switched off: what is on them is not seen, and must not be seen in a copy."""

from __future__ import annotations

from typing import Any

from pikepdf import Array, Dictionary, Pdf


class Layers:
    """Which layers a reader shows at first."""

    def __init__(self, source: Pdf) -> None:
        properties: Any = source.Root.get("/OCProperties")
        default = properties.get("/D") if isinstance(properties, Dictionary) else None
        self._off: set[Any] = set()
        if not isinstance(default, Dictionary):
            return
        if default.get("/BaseState") == "/OFF":
            self._off = _numbers(properties.get("/OCGs"))
        self._off = (self._off | _numbers(default.get("/OFF"))) - _numbers(default.get("/ON"))

    @property
    def hidden(self) -> int:
        """How many are switched off."""
        return len(self._off)

    def hides(self, group: Any) -> bool:
        """Whether what belongs to a layer, or to a set of them, is not seen."""
        if not self._off or not isinstance(group, Dictionary):
            return False
        if group.get("/Type") != "/OCMD":
            return group.objgen in self._off
        members = group.get("/OCGs")
        inside = _numbers(members if isinstance(members, Array) else [members])
        return bool(inside) and inside <= self._off

    def hides_marked(self, operands: Any, resources: Any) -> bool:
        """Whether marked content begins that is not seen: `/OC /name BDC`."""
        if not self._off or len(operands) != 2 or operands[0] != "/OC":
            return False
        known = resources.get("/Properties") if isinstance(resources, Dictionary) else None
        name = str(operands[1])
        return isinstance(known, Dictionary) and name in known and self.hides(known[name])


def _numbers(groups: Any) -> set[Any]:
    if not isinstance(groups, Array | list):
        return set()
    return {one.objgen for one in groups if isinstance(one, Dictionary)}
