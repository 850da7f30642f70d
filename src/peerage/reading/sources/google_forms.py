"""Google Forms: a timestamp, perhaps an e-mail address, then the questions; grids are `Question [Row]`."""

from __future__ import annotations

from collections.abc import Mapping

from peerage.reading.sources.cleaning import Cleaned, folded, form
from peerage.reading.table import Table

TIMESTAMP = ("timestamp", "zeitstempel", "horodateur", "marca temporal", "carimbo de data/hora",
             "informazioni cronologiche", "tijdstempel", "tidsstämpel", "aikaleima", "sygnatura czasowa",
             "отметка времени", "タイムスタンプ", "时间戳记")  # fmt: skip
PEOPLE = ("Email Address", "Email address", "Username", "E-Mail-Adresse", "Adresse e-mail",
          "Dirección de correo electrónico", "Nom d'utilisateur", "Nutzername")  # fmt: skip


def suits(table: Table) -> bool:
    """Whether the first column is the time at which somebody answered."""
    return folded(table.header[0]) in TIMESTAMP


def cleaned(table: Table, given: Mapping[str, str]) -> Cleaned:
    """Without the times and the points of a quiz."""
    return form(table, given, system=(table.header[0],), people=PEOPLE)
