"""How a file is to be read and graded: what the form, the API and the database pass around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `peerage grade`, under the same names."""

    format: str = "auto"
    columns: Mapping[str, str] = field(default_factory=dict)  # role to header
    duplicates: str = "error"
    missing: str = "error"
    sheet: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    method: str | None = None
    scale: str | None = None
    peer_scale: str | None = None
    letters: str | None = None
    anchors_as_evidence: bool = False
    staff_budget: int = 0
    interval: float = 0.9
    compare: tuple[str, ...] = ()
    seed: int = 0
    title: str = "Peer grade"

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Options:
        """From what :meth:`to_dict` made, perhaps in an older version."""
        known = {one.name for one in fields(cls)}
        kept = {name: value for name, value in given.items() if name in known}
        if "compare" in kept:
            kept["compare"] = tuple(kept["compare"])
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {**asdict(self), "columns": dict(self.columns), "compare": list(self.compare)}

    @property
    def opening(self) -> dict[str, Any]:
        """How to open the file."""
        return {"sheet": self.sheet, "encoding": self.encoding, "delimiter": self.delimiter}
