"""`peerage token`: who may use the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from peerage_web.commands._instance import DataOption, instance

if TYPE_CHECKING:
    from peerage_web.accounts.models import ApiToken

token = typer.Typer(
    name="token",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Give out tokens for the API of this service, list them, take them back.",
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What you call the token.")]


@token.command()
def add(
    name: NameArgument,
    days: Annotated[int, typer.Option(help="How many days it lasts.")] = 90,
    data: DataOption = None,
) -> None:
    """Make a token and print it, once: only its hash is kept.

    [bold]Example[/bold]

        peerage token add "course server" --days 180
    """
    with instance(data):
        from peerage_web.accounts.services.tokens import add_token

        text = add_token(name=name, days=days)
    typer.echo(text)
    typer.echo(
        f"Keep it safe: it is not shown again. It lasts {days} days. Send it as  Authorization: Bearer prg_…",
        err=True,
    )


@token.command(name="list")
def list_tokens(data: DataOption = None) -> None:
    """Show the tokens: name, first letters, how long they last, when they were last used."""
    with instance(data):
        from peerage_web.accounts.models import ApiToken

        tokens = list(ApiToken.objects.select_related("course"))
    if not tokens:
        typer.echo("There are no tokens. Make one: peerage token add NAME")
        return
    width = max(len(token_row.name) for token_row in tokens)
    for token_row in tokens:
        course = f", course {token_row.course}" if token_row.course is not None else ""
        typer.echo(f"{token_row.name:{width}}  {token_row.prefix}…  {_state(token_row)}{course}")


def _state(token_row: ApiToken) -> str:
    from peerage_web.accounts.services.tokens import is_valid

    used = f"last used {token_row.used_at:%Y-%m-%d}" if token_row.used_at else "never used"
    if token_row.revoked_at is not None:
        return f"revoked {token_row.revoked_at:%Y-%m-%d}, {used}"
    word = "until" if is_valid(token_row) else "expired"
    return f"{word} {token_row.expires_at:%Y-%m-%d}, {used}"


@token.command()
def revoke(name: NameArgument, data: DataOption = None) -> None:
    """Take a token back: from now on it opens nothing. One of a course goes by the letters it begins with.

    [bold]Example[/bold]

        peerage token revoke "course server"
    """
    with instance(data):
        from peerage_web.accounts.services.tokens import revoke_token

        revoke_token(name=name)
    typer.echo(f"Revoked: {name}")
