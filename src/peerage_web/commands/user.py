"""`peerage user`: who may sign in, where the page asks for that."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from peerage.cli._common import fail
from peerage_web.commands._instance import DataOption, instance

user = typer.Typer(
    name="user",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Add and remove people who may sign in (for PEERAGE_GRADE_A_FILE=sign-in).",
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name they sign in with.")]
StdinOption = Annotated[
    bool,
    typer.Option("--password-stdin", help="Take the password from standard input instead of asking."),
]


@user.command()
def add(name: NameArgument, password_stdin: StdinOption = False, data: DataOption = None) -> None:
    """Add somebody; asks for the password twice.

    [bold]Examples[/bold]

        peerage user add ta@course

        pass show course/ta | peerage user add ta@course --password-stdin
    """
    with instance(data):
        from peerage_web.accounts.services.users import add_user

        add_user(name=name, password=_password(password_stdin))
    typer.echo(f"Added: {name}")


@user.command(name="list")
def list_users(data: DataOption = None) -> None:
    """Show who may sign in, and when they last did."""
    with instance(data):
        from django.contrib.auth.models import User

        people = list(User.objects.order_by("username").values_list("username", "last_login"))
    if not people:
        typer.echo("There are no users. Add one: peerage user add NAME")
        return
    width = max(len(name) for name, _ in people)
    for name, last in people:
        typer.echo(f"{name:{width}}  {f'last signed in {last:%Y-%m-%d}' if last else 'never signed in'}")


@user.command()
def remove(name: NameArgument, data: DataOption = None) -> None:
    """Remove somebody, and delete every file and result of theirs."""
    with instance(data):
        from peerage_web.accounts.services.users import find_user
        from peerage_web.files.services.jobs import delete_jobs_of

        person = find_user(name=name)
        files = delete_jobs_of(owner=person)
        person.delete()
    typer.echo(f"Removed: {name}, with {files} uploaded {'file' if files == 1 else 'files'}")


@user.command()
def password(name: NameArgument, password_stdin: StdinOption = False, data: DataOption = None) -> None:
    """Give somebody a new password; they are signed out everywhere."""
    with instance(data):
        from peerage_web.accounts.services.users import change_password

        change_password(name=name, password=_password(password_stdin))
    typer.echo(f"Changed: the password of {name}")


def _password(from_stdin: bool) -> str:
    if not from_stdin:
        text: str = typer.prompt("Password", hide_input=True, confirmation_prompt="The same again")
        return text
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        fail("there is no password on standard input")
    return line
