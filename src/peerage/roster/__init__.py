"""The roster of a class: who is in it, who hands in what, who belongs together. One for the whole package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.roster.columns import COLUMNS as COLUMNS
    from peerage.roster.container import Roster as Roster
    from peerage.roster.input import Input as Input
    from peerage.roster.input import read_input as read_input
    from peerage.roster.matching import MATCHED as MATCHED
    from peerage.roster.matching import item_table as item_table
    from peerage.roster.matching import join_items as join_items
    from peerage.roster.matching import listed_names as listed_names
    from peerage.roster.packed import tables_to_pack as tables_to_pack
    from peerage.roster.reader import RosterSource as RosterSource
    from peerage.roster.reader import read_roster as read_roster
    from peerage.roster.reviews import roster_of_reviews as roster_of_reviews

__getattr__, __dir__ = lazy(
    __name__,
    {
        "COLUMNS": "columns",
        "Input": "input",
        "MATCHED": "matching",
        "Roster": "container",
        "RosterSource": "reader",
        "item_table": "matching",
        "join_items": "matching",
        "listed_names": "matching",
        "read_input": "input",
        "read_roster": "reader",
        "roster_of_reviews": "reviews",
        "tables_to_pack": "packed",
    },
)
