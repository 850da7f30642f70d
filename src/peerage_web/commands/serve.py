"""`peerage serve`: the web service on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._setup import bad
from peerage.cli._terminal import fail

if TYPE_CHECKING:
    from peerage.cli._setup import SetupFinding

MISSING = "the web service is not installed; run: pip install 'peerage[web]'"
WAIT = "Note: after an installation, code is compiled for some minutes; pages work, and grading waits for it"


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 127.0.0.1 is this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes one that is free.")] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder for database, uploads, results and key. [default: $PEERAGE_DATA or peerage-data]"
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Web processes; one per core is plenty.")] = 2,
    check: Annotated[
        bool, typer.Option("--check", help="Only say whether the set-up is sound (exit code 0 or 1).")
    ] = False,
) -> None:
    """Run the web service: drop a file in the browser, get grades.

    Makes its database, its secret key and its folders at the first start. Ctrl-C stops it; a job that is
    being graded is taken up again at the next start. Settings come from the environment:
    docs/reference/settings.md lists them.

        peerage serve

        peerage serve --port 8080 --data /srv/peerage --check
    """
    if data is not None:
        os.environ["PEERAGE_DATA"] = str(data.absolute())
    os.umask(0o077)  # what visitors upload is nobody else's business
    set_up(make=not check)
    if check:
        raise typer.Exit(_show_findings(host))
    _run(host, port, workers)


def set_up(*, make: bool) -> None:
    """Load the settings, after the key they need is made; a value that cannot be meant stops here."""
    try:
        import django
        import gunicorn  # noqa: F401
    except ModuleNotFoundError:
        fail(MISSING)
    from django.core.exceptions import ImproperlyConfigured

    from peerage_web.configuration.environment import data_folder
    from peerage_web.configuration.secrets import make_secret_key
    from peerage_web.operations.checks import folder

    os.environ["DJANGO_SETTINGS_MODULE"] = "peerage_web.settings"
    try:
        if make:
            _refuse(folder(data_folder()))
            make_secret_key(data_folder())
        django.setup()
    except ImproperlyConfigured as error:
        if make:
            fail(str(error))
        typer.echo(str(bad("settings", str(error))))
        raise typer.Exit(1) from None


def _show_findings(host: str) -> int:
    from peerage_web.operations.checks import all_findings

    findings = list(all_findings(host))
    for finding in findings:
        typer.echo(str(finding))
    return int(any(finding.kind == "bad" for finding in findings))


def _refuse(findings: Iterable[SetupFinding]) -> None:
    for finding in findings:
        if finding.kind == "bad":
            fail(finding.text)
        if finding.kind == "note":
            typer.echo(f"Note: {finding.text}", err=True)


def _run(host: str, port: int, workers: int) -> None:
    from django.conf import settings

    from peerage_web.configuration.secrets import hide_secrets
    from peerage_web.operations.checks import all_findings
    from peerage_web.operations.startup import address, listen, prepare
    from peerage_web.operations.supervisor import Service
    from peerage_web.sandbox.walls.system import deny_dumps

    deny_dumps()
    hide_secrets()
    _refuse(all_findings(host))
    listener = listen(host, port)
    if not (settings.HTTPS or os.environ.get("PEERAGE_URL")):  # links in mail lead to this port
        settings.BASE_URL = os.environ["PEERAGE_URL"] = address(listener, host).rstrip("/")
    prepare()
    typer.echo(WAIT, err=True)
    typer.echo(f"Peerage is at {address(listener, host)} (stop it with Ctrl-C)")
    if settings.CLASSES:
        _offer_first_account(address(listener, host))
    Service(listener, workers=workers, task_workers=settings.TASK_WORKERS).run()
    typer.echo("Stopped.")


def _offer_first_account(listening: str) -> None:
    """As long as nobody runs the instance: a link that makes the first account, another at every start.

    Behind TLS it is the address of the world: the port itself sends everybody on to https, which it lacks.
    """
    from django.conf import settings
    from django.db import connections

    from peerage_web.accounts.models import OneTimeLink
    from peerage_web.accounts.services.links import make_link, needs_first_account

    if needs_first_account():
        start = settings.BASE_URL if settings.HTTPS else listening.rstrip("/")
        path = make_link(kind=OneTimeLink.Kind.FIRST, person=None)
        typer.echo(f"To run classes, create the first account within a day: {start}{path}")
    connections.close_all()
