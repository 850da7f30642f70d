"""Who made what, where the files that were packed said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from peerage.roster.columns import ROWS
from peerage.roster.container import Roster

if TYPE_CHECKING:
    from peerage.reading.packed import Packed

TABLES = ("makers", "groups", "item_groups")


def tables_to_pack(roster: Roster) -> dict[str, pl.DataFrame]:
    """What a packed folder keeps of a roster that came from columns of the reviews."""
    return {name: getattr(roster, name) for name in TABLES}


def packed_roster(packed: Packed) -> Roster | None:
    """The roster that was packed; None where the files did not tell who made what."""
    if TABLES[0] not in packed.manifest.tables:
        return None
    return Roster(
        rows=pl.DataFrame(schema=ROWS),
        cells=pl.DataFrame(),
        makers=packed.table("makers"),
        groups=packed.table("groups"),
        item_groups=packed.table("item_groups"),
        complete=False,
        source=packed.manifest.source.get("file"),
    )
