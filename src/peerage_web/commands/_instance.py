"""What commands that manage an instance share: its data folder, and Django set up for it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from peerage.cli._terminal import fail
from peerage_web.commands.serve import MISSING, set_up
from peerage_web.operations.startup import DATABASE

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
    find_settings(data)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerage_web.settings")
    try:
        django.setup()
    except ImproperlyConfigured as error:
        fail(str(error))
    _become_the_owner()
    _need_database()
    from peerage_web.shared.errors import Refused

    try:
        yield
    except Refused as error:
        fail(str(error))


def set_up_instance(data: Path | None) -> None:
    """Django set up for the instance in this folder; its secret key is made where there is none yet."""
    find_settings(data)
    os.umask(0o077)
    set_up(make=True)
    _become_the_owner()


def find_settings(data: Path | None) -> None:
    """Those of the service: --data, else the environment, else the file that systemd gives the service."""
    if data is not None:
        os.environ["PEERAGE_DATA"] = str(data.absolute())
    elif not {"PEERAGE_DATA", "DATABASE_URL"} & set(os.environ) and ENV_FILE.exists():
        try:
            os.environ.update(read_env_file(ENV_FILE))
        except PermissionError:
            fail(f"{ENV_FILE} holds the service's settings, and you may not read it; run this with sudo")
        typer.echo(f"Settings from {ENV_FILE}", err=True)


def _become_the_owner() -> None:
    """Root works as the service's own user: files that root made, the service could not write to."""
    from django.conf import settings

    if os.geteuid() == 0 and settings.DATA.is_dir():
        owner = settings.DATA.stat()
        if owner.st_uid != 0:
            os.setgroups([])
            os.setgid(owner.st_gid)
            os.setuid(owner.st_uid)


def _need_database() -> None:
    """Say what is missing where there is no instance; nothing is made or changed here."""
    from django.conf import settings
    from django.db import Error, connection

    if connection.vendor == "sqlite" and not _exists(str(connection.settings_dict["NAME"])):
        fail(_what_is_missing(settings.DATA))
    try:
        tables = connection.introspection.table_names()
    except Error as error:
        fail(f"the database does not answer: {' '.join(str(error).split())}")
    if "peerage_web_apitoken" not in tables:
        fail(f"the database is empty. Run peerage serve once: it sets up the database in {settings.DATA}.")


def _what_is_missing(data: Path) -> str:
    mark = data / DATABASE
    if mark.is_file() and mark.read_text(encoding="ascii").strip() == "postgresql":
        return (
            f"the service in {data} has its database in PostgreSQL; set DATABASE_URL as the service has it"
            f" (in {ENV_FILE} it is found by itself)"
        )
    return (
        f"there is no database yet in {data}. If the service has its data elsewhere, say where with --data"
        " DIR or PEERAGE_DATA, and DATABASE_URL if it has one; else run peerage serve once"
    )


def _exists(name: str) -> bool:
    return "memory" in name or Path(name).is_file()


ENV_FILE = Path("/etc/peerage.env")  # as in docs/how-to/run-the-service.md


def read_env_file(path: Path) -> dict[str, str]:
    """The settings of a service that systemd starts: names and values, as in an EnvironmentFile."""
    settings = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, is_set, value = line.strip().partition("=")
        if is_set and not name.startswith(("#", ";")):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            settings[name.strip()] = value[1:-1] if quoted else value
    return settings
