"""`peerage explain`: why an item stands where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli._options import takes_grading_options
from peerage.cli._reading import FeedbackFile, RosterColumns, read_class, reads_feedback
from peerage.cli._terminal import console, print_json, progress
from peerage.grading.options import GradingOptions
from peerage.reading.reading import Reading

if TYPE_CHECKING:
    from peerage.grading.result import GradingResult

SHAPES = (
    "method", "params", "self_reviews", "seed",
    "scale", "peer_scale", "curve", "letters", "complete", "interval", "bootstrap", "anchors_as_evidence",
)  # fmt: skip
GRADING = 13  # steps of grading itself


@reads_feedback
@takes_grading_options(*SHAPES)
def explain(
    file: FeedbackFile,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item to explain.")],
    *,
    task: Annotated[str | None, typer.Option(help="Its task, where there are several.")] = None,
    roster: Annotated[
        str | None,
        typer.Option("--roster", "--owners", metavar="FILE", help="Who made what, as it was graded with."),
    ] = None,
    roster_column: RosterColumns = None,
    options: GradingOptions,
    anchors: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=GradingOptions.table()["anchors_as_evidence"].group,
            metavar="FILE",
            help="Staff grades of some items, as it was graded with.",
        ),
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Leave the graders' names out, to show it to students.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    reading: Reading,
) -> None:
    """Say in plain words why ITEM stands where it stands.

    Its grade, who ranked it against what, and what each list did to its
    score: the class is graded again without each of them. Give the options
    it was graded with.

    [bold]Examples[/bold]

        peerage explain feedback.csv poster07

        peerage explain feedback.csv poster07 --scale 0:100 --curve 75:10 --letters us

        peerage explain feedback.csv poster07 --anonymous
    """
    from peerage.grading.explanation import explain as make
    from peerage.grading.output.results_json import record
    from peerage.grading.run import grade_with

    options.check()
    data = read_class(file, roster, roster_column, reading)
    feedback = data.feedback
    _check_task(feedback.n_tasks, task)
    own = int((feedback.items == feedback.item_number(item, task or 0)).sum())
    with progress(GRADING + own) as step:
        result = grade_with(feedback, options, anchors=anchors, owners=data.roster, on_step=step)
        explanation = make(result, item, task or 0, on_step=step)
    used = result.method
    if json:
        lists = explanation.lists.drop("grader") if anonymous else explanation.lists
        print_json(
            {
                "method": used.code,
                **{name: getattr(explanation, name) for name in ("task", "item", "rank", "size", "score")},
                **{name: getattr(explanation, name) for name in ("wins", "losses", "ties")},
                "grade": record(result)["items"][_row(result, explanation.task, item)],
                "lists": lists.to_dicts(),
                "sentences": explanation.sentences(anonymous=anonymous),
            }
        )
        return
    screen = console()
    for text in explanation.sentences(anonymous=anonymous):
        screen.print(text, markup=False)
    screen.print(
        f"\nEstimated with {used.code}. A list's doing is the difference to the same estimate without it;"
        " one list also moves the items it was ranked against.",
        markup=False,
    )


def _row(result: GradingResult, task: str, item: str) -> int:
    """Where the item is in the table of grades."""
    rows = zip(result.items["task"], result.items["item"], strict=True)
    return next(place for place, row in enumerate(rows) if row == (task, item))


def _check_task(n_tasks: int, task: str | None) -> None:
    if n_tasks > 1 and task is None:
        raise typer.BadParameter(f"the file has {n_tasks} tasks: say which one", param_hint="--task")
