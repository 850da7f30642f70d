"""`peerage user`: who may sign in, where the page asks for that."""

import sys
from typing import Annotated

import typer

from peerage.cli._terminal import fail
from peerage_web.commands._instance import DataOption, instance

user = typer.Typer(
    name="user",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Add and remove people who may sign in (for PEERAGE_GRADE_A_FILE=sign-in).",
)

EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="The address they sign in with.")]
StdinOption = Annotated[
    bool,
    typer.Option("--password-stdin", help="Take the password from standard input instead of asking."),
]


@user.command()
def add(email: EmailArgument, password_stdin: StdinOption = False, data: DataOption = None) -> None:
    """Add somebody; asks for the password twice.

    [bold]Examples[/bold]

        peerage user add ta@example.org

        pass show course/ta | peerage user add ta@example.org --password-stdin
    """
    with instance(data):
        from peerage_web.accounts.services.users import add_user

        add_user(email=email, password=_password(password_stdin))
    typer.echo(f"Added: {email}")


@user.command(name="list")
def list_users(data: DataOption = None) -> None:
    """Show who may sign in, and when they last did."""
    with instance(data):
        from peerage_web.accounts.models import Person

        people = list(Person.objects.values_list("email", "last_login"))
    if not people:
        typer.echo("There are no users. Add one: peerage user add EMAIL")
        return
    width = max(len(name) for name, _ in people)
    for name, last in people:
        typer.echo(f"{name:{width}}  {f'last signed in {last:%Y-%m-%d}' if last else 'never signed in'}")


@user.command()
def remove(email: EmailArgument, data: DataOption = None) -> None:
    """Remove somebody, and delete every file and result of theirs."""
    with instance(data):
        from peerage_web.accounts.services.users import find_user, refuse_in_courses
        from peerage_web.files.services.jobs import delete_jobs_of

        person = find_user(email=email)
        refuse_in_courses(person=person)
        files = delete_jobs_of(owner=person)
        person.delete()
    typer.echo(f"Removed: {email}, with {files} uploaded {'file' if files == 1 else 'files'}")


@user.command()
def operator(
    email: EmailArgument,
    remove: Annotated[bool, typer.Option("--remove", help="Take the role away again.")] = False,
    data: DataOption = None,
) -> None:
    """Let somebody run the instance: see its health, try its mail, give courses room, create courses.

    [bold]Example[/bold]

        peerage user operator admin@example.org
    """
    with instance(data):
        from peerage_web.accounts.services.users import make_operator

        make_operator(email=email, on=not remove)
    typer.echo(f"{'No operator any more' if remove else 'Operator'}: {email}")


@user.command()
def password(email: EmailArgument, password_stdin: StdinOption = False, data: DataOption = None) -> None:
    """Give somebody a new password; they are signed out everywhere."""
    with instance(data):
        from peerage_web.accounts.services.users import change_password

        change_password(email=email, password=_password(password_stdin))
    typer.echo(f"Changed: the password of {email}")


def _password(from_stdin: bool) -> str:
    if not from_stdin:
        text: str = typer.prompt("Password", hide_input=True, confirmation_prompt="The same again")
        return text
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        fail("there is no password on standard input")
    return line
