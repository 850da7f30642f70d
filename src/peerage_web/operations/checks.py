"""Is this set-up safe and complete? Asked before every start, and by `peerage serve --check`."""

import os
import shutil
import tempfile
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from peerage.cli._setup import SetupFinding, SetupFindings, bad, note

LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}
# what `check --deploy` says of an instance without TLS; we say it once, and in words of our own
ABOUT_TLS = {"security.W004", "security.W008", "security.W012", "security.W016"}
# HSTS for sub-domains and lists of browsers, which are not ours to speak for
NOT_OURS = {"security.W005", "security.W021"}
# the frame header, which our own middleware sets, and the folder for uploads, which the start makes
DONE_ELSEWHERE = {"security.W002", "files.E001"}
UNHEARD = ABOUT_TLS | NOT_OURS | DONE_ELSEWHERE


def all_findings(host: str) -> SetupFindings:
    """Everything, in the order in which a reader would mend it."""
    from django.conf import settings

    yield from network(host, settings.ALLOWED_HOSTS, https=settings.HTTPS, proxy=settings.PROXY)
    yield from user()
    yield from instance_findings()
    yield from framework()


def instance_findings() -> SetupFindings:
    """What the instance needs of this machine."""
    from django.conf import settings

    yield from walls(settings.DATA)
    yield from folder(settings.DATA)
    yield from space(settings.DATA, settings.LEAST_FREE)
    yield from database()


def network(host: str, names: list[str], *, https: bool, proxy: bool) -> SetupFindings:
    """Who can reach the service, and whether others can listen."""
    if https and not proxy:
        yield bad(
            "network",
            "PEERAGE_HTTPS=True needs a proxy in front that speaks TLS, for Peerage itself does not;"
            " set one up and set PEERAGE_PROXY=True",
        )
    if "*" in names and not (https and proxy):
        yield bad(
            "network",
            "PEERAGE_HOSTS=* lets a forged Host header through; name the host, as in"
            " PEERAGE_HOSTS=peerage.example.org (or set PEERAGE_PROXY=True and PEERAGE_HTTPS=True"
            " where a proxy checks it)",
        )
    if is_local(host):
        yield SetupFinding("network", f"listens on {host}, which only this machine can reach")
        return
    if set(names) <= LOCAL_NAMES:
        yield bad(
            "network",
            f"--host {host} is for visitors from the network, but PEERAGE_HOSTS allows only this machine;"
            " set PEERAGE_HOSTS to the name that visitors type, as in PEERAGE_HOSTS=peerage.example.org",
        )
    elif not https:
        yield note("network", "visitors come without TLS: others on the network can read what they upload")
    else:
        yield SetupFinding("network", f"listens on {host} for {', '.join(names)}")


def is_local(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def user() -> SetupFindings:
    if os.geteuid() == 0:
        yield note("user", "this is root; a user of its own is safer (docs/how-to/run-the-service.md)")


def walls(data: Path) -> SetupFindings:
    """What stands between a file that takes over the process that reads it, and everything else."""
    from peerage_web.sandbox.walls.build import readable_folders, try_walls

    within = [place for place in readable_folders() if data.resolve().is_relative_to(place)]
    if within:
        yield bad(
            "walls",
            f"the data folder {data} is inside {within[0]}, which the processes that read visitors' files can"
            " read; choose another folder with --data",
        )
    try:
        results = try_walls()
    except OSError as error:
        yield bad("walls", f"the processes that read visitors' files cannot be walled in: {error.strerror}")
        return
    for wall in results:
        if not wall.stands:
            yield note(
                "walls",
                f"should a file take over the process that reads it: {wall.without}"
                " (docs/explanation/decisions/sandbox.md)",
            )
    if standing := [wall.name for wall in results if wall.stands]:
        yield SetupFinding("walls", f"around processes that read visitors' files: {', '.join(standing)}")


def folder(data: Path) -> SetupFindings:
    """Whether everything can be kept where it should be."""
    parent = next(place for place in (data, *data.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        yield bad(
            "data folder",
            f"{parent} cannot be written ({reason}); change its owner, or choose another folder with --data",
        )
    else:
        yield SetupFinding("data folder", f"{data} can be written")


def space(data: Path, least: int) -> SetupFindings:
    parent = next(place for place in (data, *data.parents) if place.exists())
    free = shutil.disk_usage(parent).free
    text = f"{free >> 20:,} MB free"
    if free < least:
        yield note("disk", f"{text}, less than PEERAGE_MIN_FREE_MEGABYTES={least >> 20}: make room")
    else:
        yield SetupFinding("disk", text)


def database() -> SetupFindings:
    """Whether the database answers, and fits this version."""
    from django.db import OperationalError, connection

    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        yield SetupFinding("database", "SQLite, made at the first start")
        return
    try:
        _reach(connection)
        yield from _migrations(connection)
    except OperationalError as error:
        setting = "DATABASE_URL" if connection.vendor != "sqlite" else "the file in the data folder"
        yield bad("database", f"cannot be reached, see {setting}: {' '.join(str(error).split())}")
    finally:
        connection.close()


def _reach(connection: Any) -> None:
    """Without the pool, which would only say that it has waited in vain."""
    if connection.vendor != "postgresql":
        return
    import psycopg
    from django.db import OperationalError

    parameters = {name: value for name, value in connection.get_connection_params().items() if name != "pool"}
    try:
        psycopg.connect(**parameters).close()
    except psycopg.OperationalError as error:
        raise OperationalError(str(error)) from None


def _migrations(connection: Any) -> SetupFindings:
    from django.db.migrations.executor import MigrationExecutor

    from peerage_web.operations.schema import misfit

    executor = MigrationExecutor(connection)
    if reason := misfit(connection):
        yield bad("database", reason)
    elif pending := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield SetupFinding("database", f"answers; {len(pending)} migrations are applied at the next start")
    else:
        yield SetupFinding("database", "answers, and is up to date")


def framework() -> SetupFindings:
    """What Django's own checks for deployment say, as far as it matters here."""
    from django.core import checks

    messages = [
        message
        for message in checks.run_checks(include_deployment_checks=True)
        if message.id not in UNHEARD and not message.is_silenced()
    ]
    for message in messages:
        text = " ".join(f"{message.msg} {message.hint or ''}".split())
        yield bad("Django", text) if message.level >= checks.ERROR else note("Django", text)
    if not messages:
        yield SetupFinding("Django", "has nothing to say against it")
