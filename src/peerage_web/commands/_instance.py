"""What commands that manage an instance share: its data folder, and Django set up for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli._common import fail
from peerage_web.commands.serve import MISSING

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The instance's data folder, as for peerage serve; else $PEERAGE_DATA, else peerage-data.",
        show_default=False,
    ),
]


@contextmanager
def instance(data: Path | None) -> Iterator[None]:
    """Work on the instance in this folder; a refusal becomes one line and exit code 2."""
    try:
        import django
        from django.core.exceptions import ImproperlyConfigured
    except ImportError:
        fail(MISSING)
    if data is not None:
        os.environ["PEERAGE_DATA"] = str(data.absolute())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerage_web.settings")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        fail(str(error))
    _need_database()
    from peerage_web.shared.errors import Refused

    try:
        yield
    except Refused as error:
        fail(str(error))


def _need_database() -> None:
    """Say what to do where the instance was never started; nothing is made or changed here."""
    from django.conf import settings
    from django.db import OperationalError, connection

    advice = f"Run peerage serve once: it sets up the database in {settings.DATA}."
    if connection.vendor == "sqlite" and not _exists(str(connection.settings_dict["NAME"])):
        fail(f"there is no database yet. {advice}")
    try:
        tables = connection.introspection.table_names()
    except OperationalError as error:
        fail(f"the database does not answer: {str(error).strip()}")
    if "peerage_web_apitoken" not in tables:
        fail(f"the database is empty. {advice}")


def _exists(name: str) -> bool:
    return "memory" in name or Path(name).is_file()
