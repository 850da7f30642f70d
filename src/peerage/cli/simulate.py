"""`peerage simulate`: a class with a known truth."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

MODELS = "How the class is made"
PEOPLE = "Who is in it"
STAFF = {"staff", "staff_bias", "staff_noise"}


def _option(panel: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **more)


def simulate(
    context: typer.Context,
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Folder for the CSV files; - prints the feedback only.")
    ],
    preset: Annotated[
        Literal["posters", "reports"] | None,
        typer.Option(help="Start from a bundled class; other options still change it."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same class, byte for byte.")] = 0,
    items: Annotated[int, _option(PEOPLE, help="Number of items.")] = 40,
    graders: Annotated[int, _option(PEOPLE, help="Number of graders.")] = 120,
    per_grader: Annotated[float, _option(PEOPLE, help="Items per grader, on average.")] = 5.0,
    length_sd: Annotated[
        float, _option(PEOPLE, min=0, help="How much that varies (standard deviation).")
    ] = 0.5,
    groups: Annotated[
        bool, _option(PEOPLE, "--groups/--no-groups", help="Items are made by groups.")
    ] = False,
    lazy: Annotated[float, _option(PEOPLE, min=0, max=1, help="Share of graders who grade at random.")] = 0.0,
    backwards: Annotated[
        float, _option(PEOPLE, min=0, max=1, help="Share of graders who grade upside down.")
    ] = 0.0,
    staff: Annotated[int, _option(PEOPLE, min=0, help="Number of staff who grade every item.")] = 1,
    staff_noise: Annotated[float, _option(PEOPLE, min=0, help="Noise of staff grades.")] = 0.5,
    staff_bias: Annotated[float, _option(PEOPLE, help="How much above the truth staff grade.")] = 0.0,
    model: Annotated[
        Literal["normal", "pl", "thurstone", "bt"],
        _option(MODELS, help="normal: scores on the scale. pl, thurstone: rankings. bt: pairs."),
    ] = "normal",
    scale: Annotated[tuple[float, float], _option(MODELS, metavar="LOW HIGH", help="The grading scale.")] = (
        0,
        10,
    ),
    step: Annotated[float, _option(MODELS, help="Steps of the scale; large steps give many ties.")] = 0.5,
    mean: Annotated[float, _option(MODELS, help="Mean of the true scores.")] = 7.5,
    sd: Annotated[float, _option(MODELS, min=0, help="Spread of the true scores.")] = 1.2,
    slope: Annotated[float, _option(MODELS, help="How much of a difference peers show.")] = 1.0,
    taste: Annotated[
        float, _option(MODELS, min=0, help="How far the peers' consensus is from the truth.")
    ] = 0.0,
    noise: Annotated[float, _option(MODELS, min=0, help="Noise of a grader of reliability 1.")] = 1.0,
    reliability_shape: Annotated[
        float, _option(MODELS, help="Reliabilities are Gamma(shape, rate shape): small means unequal.")
    ] = 10.0,
    leniency: Annotated[float, _option(MODELS, help="How much above the truth peers grade.")] = 0.0,
    bias_sd: Annotated[float, _option(MODELS, min=0, help="How much that differs between peers.")] = 0.5,
) -> None:
    """Make a class with a known truth, to try things out on.

    Writes feedback.csv, roster.csv, staff.csv, truth.csv and graders.csv.

    [bold]Examples[/bold]

        peerage simulate --preset posters --seed 1 --out posters

        peerage simulate --items 200 --graders 600 --lazy 0.1 --out class

        peerage simulate --model pl --sd 1 --out - | peerage check -
    """
    from peerage.simulation.classes import PRESETS
    from peerage.simulation.classes import simulate as make

    simulated = make(**{**PRESETS.get(preset or "", {}), **_settings(context, everything=preset is None)})
    if out == "-":
        typer.echo(simulated.rows.write_csv(), nl=False)
        return
    for path in simulated.write(out):
        typer.echo(str(path))


def _settings(context: typer.Context, *, everything: bool) -> dict[str, Any]:
    """The arguments of the simulation among the options; over a preset, only those that were typed."""
    from peerage.simulation.classes import Staff

    options = dict(context.params)
    typed = {name for name in options if _source(context, name) == "COMMANDLINE"}
    wanted = set(options) if everything else typed | {"seed"}
    settings = {name: options[name] for name in wanted - {"out", "preset", *STAFF}}
    if wanted & STAFF:
        bias, noise = options["staff_bias"], options["staff_noise"]
        settings["staff"] = tuple(Staff(f"TA{n + 1}", bias, noise) for n in range(options["staff"]))
    return settings


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return "" if source is None else source.name
