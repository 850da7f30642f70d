"""`peerage backup`: database and files of an instance, while it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from peerage_web.commands._instance import DataOption, instance


def backup(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where it goes: a new folder, or an empty one.")
    ],
    data: DataOption = None,
) -> None:
    """Back up the database and the files of classes into a folder; the service may run meanwhile.

    The database is read as it was at one moment, then the files that it names are copied, each with its
    hash. Left out are what visitors uploaded to be graded, which they were told is deleted, open sessions,
    and the secret key. Exit code 1: the backup is complete, but files were missing or damaged already.

    [bold]Example[/bold]

        peerage backup /backups/2026-11-16
    """
    os.umask(0o077)
    with instance(data):
        from peerage_web.operations.backup.create import create_backup

        created = create_backup(folder=folder.absolute())
    rows = sum(created.manifest.rows.values())
    typer.echo(
        f"Backed up: {rows:,} rows and {created.files:,} files, {created.bytes / 1e6:,.1f} MB, in {folder}"
    )
    typer.echo(f"SHA-256 of its manifest: {created.sha256}")
    if created.extra:
        typer.echo(f"Not in it: {created.extra} folders of uploads that were just coming in, or broken off")
    typer.echo(f"Check it where it is kept: peerage restore --check {folder}")
    for name in created.manifest.missing:
        typer.echo(f"Missing in the data folder: {name}", err=True)
    for name in created.manifest.damaged:
        typer.echo(f"Not what was submitted: {name}", err=True)
    if created.manifest.missing or created.manifest.damaged:
        raise typer.Exit(1)
