"""Every format that feedback can be written in, once.

A new one is one new module of this package, with a function from Feedback to Rendered, and one line here;
`write`, `peerage convert` and the tests of the documentation read this table. Nothing is imported before a
format is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.writing.losses import Rendered


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: its name, the endings of files in it, and where its function is."""

    name: str
    endings: tuple[str, ...]
    home: str
    function: str

    def render(self, feedback: Feedback) -> Rendered:
        """The bytes of the file, and what did not fit into them."""
        function = getattr(import_module(f"{__package__}.{self.home}"), self.function)
        return cast("Callable[[Feedback], Rendered]", function)(feedback)


WRITERS = {
    one.name: one
    for one in (
        Writer("csv", (".csv",), "long", "csv_bytes"),
        Writer("tsv", (".tsv", ".tab"), "long", "tsv_bytes"),
        Writer("parquet", (".parquet", ".pq"), "long", "parquet_bytes"),
        Writer("pgf", (".pgf",), "pgf", "pgf_bytes"),
        Writer("preflib", (".soc", ".soi", ".toc", ".toi"), "preflib", "preflib_bytes"),
    )
}
FORMATS = ("auto", *WRITERS)
