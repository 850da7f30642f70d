"""Commands run in this process, and the commands that a refusal offers."""

import shlex

from typer.testing import CliRunner

from peerage.cli import app


def run(*words, **options):
    """What a command did; if it failed, then with an exit code."""
    result = CliRunner().invoke(app, [*map(str, words)], **options)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def ranks(orders):
    """A file of ranks, by graders and what they ranked, the best first."""
    rows = [
        f"{grader},{item},{rank}" for grader, order in orders.items() for rank, item in enumerate(order, 1)
    ]
    return "\n".join(["grader,item,rank", *rows, ""])


def offered(refused):
    """The commands of a refusal, each on a line of its own, as a shell would split them."""
    lines = [line.strip() for line in refused.stderr.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("peerage ")]
