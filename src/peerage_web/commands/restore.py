"""`peerage restore`: a backup into an empty instance, or a check of it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._terminal import fail
from peerage_web.commands._instance import DataOption, set_up_instance
from peerage_web.commands.serve import MISSING

if TYPE_CHECKING:
    from peerage_web.operations.backup.manifest import BackupManifest

SHOWN = 10  # of what is wrong with a backup


def restore(
    folder: Annotated[Path, typer.Argument(metavar="BACKUP", help="What peerage backup has made.")],
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether all of it is there and unchanged.")
    ] = False,
    data: DataOption = None,
) -> None:
    """Bring a backup back, into an instance in which there is nothing.

    Every hash is checked first. The database is that of DATABASE_URL, else SQLite in the data folder; it need
    not be the kind that was backed up. Afterwards each row is compared with the backup; if one differs, none
    is kept. A new secret key is made where the folder has none: people then sign in again, and links in old
    reminders that turn them off no longer work.

    [bold]Examples[/bold]

        peerage restore --check /backups/2026-11-16

        peerage restore /backups/2026-11-16 --data /srv/peerage-again
    """
    try:
        from peerage_web.shared.errors import Refused
    except ModuleNotFoundError:
        fail(MISSING)
    try:
        manifest = _read_and_check(folder.absolute())
        if check:
            _print_summary(folder, manifest, "All of it is there and unchanged")
            return
        set_up_instance(data)
        from django.conf import settings

        from peerage_web.operations.backup.restore import restore as bring_back

        bring_back(folder=folder.absolute(), manifest=manifest)
    except Refused as error:
        fail(str(error))
    _print_summary(folder, manifest, f"Restored into {settings.DATA}, and compared row by row")
    typer.echo("Start it: peerage serve (mail that waited when the backup was made is then sent)")


def _read_and_check(folder: Path) -> BackupManifest:
    from peerage_web.operations.backup import manifest

    contents = manifest.read(folder)
    wrong = list(islice(manifest.check(folder, contents), SHOWN))
    if wrong:
        listed = "".join(f"\n  {fault}" for fault in wrong)
        fail(f"the backup {folder} is not what it was:{listed}")
    return contents


def _print_summary(folder: Path, manifest: BackupManifest, what: str) -> None:
    rows = sum(manifest.rows.values())
    typer.echo(f"{what}: {rows:,} rows, of {manifest.made_at}, by Peerage {manifest.version} ({folder})")
    for name in (*manifest.missing, *manifest.damaged):
        typer.echo(f"Missing or damaged before it was backed up: {name}", err=True)
