"""`peerage explain`: why an item stands where it stands."""

from __future__ import annotations

from typing import Annotated

import typer

from peerage.cli._common import console, print_json, progress
from peerage.cli._grading import graded_feedback, read_input
from peerage.cli._options import takes_grading_options
from peerage.cli._reading import FeedbackFile, reads_feedback
from peerage.grading import GradingOptions
from peerage.reading import ReadingOptions


@reads_feedback
@takes_grading_options("method", "params", "own_work")
def explain(
    file: FeedbackFile,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item to explain.")],
    *,
    task: Annotated[str | None, typer.Option(help="Its task, where there are several.")] = None,
    roster: Annotated[
        str | None,
        typer.Option("--roster", "--owners", metavar="FILE", help="Who made what, as it was graded with."),
    ] = None,
    options: GradingOptions,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Leave the graders' names out, to show it to students.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    reading: ReadingOptions,
) -> None:
    """Say in plain words why ITEM stands where it stands.

    Who ranked it against what, and what each list did to its score: the
    class is graded again without each of them.

    [bold]Examples[/bold]

        peerage explain feedback.csv poster07

        peerage explain feedback.csv poster07 --anonymous
    """
    from peerage.grading import explain as make
    from peerage.grading import fit_method

    given = read_input(file, roster, reading)
    feedback = graded_feedback(given.feedback, given.roster, options)
    _check_task(feedback.n_tasks, task)
    used, fitted = fit_method(feedback, options.method, dict(options.params))
    with progress(int((feedback.items == feedback.item_number(item, task or 0)).sum())) as step:
        found = make(fitted, item, task or 0, on_step=step)
    if json:
        lists = found.lists.drop("grader") if anonymous else found.lists
        print_json(
            {
                "method": used.code,
                **{name: getattr(found, name) for name in ("task", "item", "rank", "size", "score")},
                **{name: getattr(found, name) for name in ("wins", "losses", "ties")},
                "lists": lists.to_dicts(),
                "sentences": found.sentences(anonymous=anonymous),
            }
        )
        return
    screen = console()
    for text in found.sentences(anonymous=anonymous):
        screen.print(text, markup=False)
    screen.print(
        f"\nEstimated with {used.code}. A list's doing is the difference to the same estimate without it;"
        " one list also moves the items it was ranked against.",
        markup=False,
    )


def _check_task(n_tasks: int, task: str | None) -> None:
    if n_tasks > 1 and task is None:
        raise typer.BadParameter(f"the file has {n_tasks} tasks: say which one", param_hint="--task")
