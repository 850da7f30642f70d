"""`peerage demo`: an example class in the web service on this machine."""

import logging
from enum import StrEnum
from typing import Annotated

import typer

from peerage.cli._terminal import fail, progress
from peerage_web.commands._instance import DataOption, set_up_instance


class ExamplePhase(StrEnum):
    setup = "setup"
    submitting = "submitting"
    allocating = "allocating"
    reviewing = "reviewing"
    closed = "closed"
    released = "released"


def demo(
    phase: Annotated[
        ExamplePhase, typer.Option(help="Where the class stands.", show_default=True)
    ] = ExamplePhase.reviewing,
    teams: Annotated[bool, typer.Option("--teams", help="Students submit as teams of three.")] = False,
    data: DataOption = None,
) -> None:
    """Fill a made-up class of 24 students, and print a sign-in link for every role.

    It goes into the data folder of the service on this machine, which is made where there is none. Run
    again, it makes another course. The links work once, within a day.

    [bold]Example[/bold]

        peerage demo --phase reviewing
    """
    set_up_instance(data)
    from django.conf import settings
    from django.db import connections

    from peerage_web.classes.enums import ORDER, Phase
    from peerage_web.demo.example_class import make_example
    from peerage_web.demo.views import is_own_machine
    from peerage_web.operations.startup import prepare
    from peerage_web.shared.errors import Refused

    if not is_own_machine():
        fail("this instance is open to others (TLS, a proxy or a host name); examples are not made there")
    logging.getLogger("peerage_web").setLevel(logging.WARNING)  # what the service logs is no news here
    typer.echo("Making the class. The first one on a machine takes some minutes: code is compiled.", err=True)
    reached = Phase(phase.value)
    try:
        with progress(2 + ORDER.index(reached)) as step:
            step("preparing the database")
            prepare()
            example = make_example(phase=reached, in_teams=teams, on_step=step)
    except Refused as error:
        fail(str(error))
    finally:
        connections.close_all()
    where = f" --data {data}" if data else ""
    typer.echo(f"{example.course.name}: 24 made-up students, phase {phase.value}.")
    typer.echo(f"Start it: peerage serve{where}\nThen open a link; on another port, change it there, too.")
    width = max(len(word) for word, _path in example.links)
    for word, path in example.links:
        typer.echo(f"{word:{width}}  {settings.BASE_URL}{path}")
