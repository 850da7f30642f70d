"""A simulated class with a known truth, and settings for classes in the shape of the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from peerage.errors import DataError
from peerage.feedback.container import Feedback
from peerage.simulation.reviews import (
    KINDS,
    LAZY,
    assign,
    draw_bradley_terry,
    draw_kinds,
    draw_plackett_luce,
    draw_qualities,
    draw_reliabilities,
    draw_thurstone,
    list_lengths,
    perceived_quality,
    rank_within_graders,
    round_to_scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Model = Literal["normal", "pl", "thurstone", "bt"]
DECIMALS = 4  # of everything written that is not on the scale
FILES = {"rows": "feedback", "roster": "roster", "staff": "staff", "truth": "truth", "graders": "graders"}


@dataclass(frozen=True, slots=True)
class Staff:
    """One member of staff, who grades every item: truth + bias + normal noise, on the scale of the class."""

    name: str
    bias: float = 0.0
    noise: float = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedClass:
    """A class that never was, and the truth about it.

    Attributes
    ----------
    rows : one row per review: grader, item and score; or rank for the ordinal models, with list for pairs.
    roster : student, group (empty without groups), item.
    staff : item, source, score.
    truth : item, score.
    graders : grader, reliability, bias, kind.
    """

    rows: pl.DataFrame
    roster: pl.DataFrame
    staff: pl.DataFrame
    truth: pl.DataFrame
    graders: pl.DataFrame

    def feedback(self) -> Feedback:
        """The reviews as Feedback."""
        return Feedback.from_columns(**self.rows.to_dict())

    def write(self, folder: str | Path) -> list[Path]:
        """Write feedback, roster, staff, truth and graders as CSV files; the same class, the same bytes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, file in FILES.items():
            paths.append(folder / f"{file}.csv")
            getattr(self, name).write_csv(paths[-1], line_terminator="\n")
        return paths


def simulate(
    *,
    items: int = 40,
    graders: int = 120,
    per_grader: float = 5.0,
    length_sd: float = 0.5,
    model: Model = "normal",
    scale: tuple[float, float] = (0.0, 10.0),
    step: float = 0.5,
    mean: float = 7.5,
    sd: float = 1.2,
    slope: float = 1.0,
    taste: float = 0.0,
    noise: float = 1.0,
    reliability_shape: float = 10.0,
    leniency: float = 0.0,
    bias_sd: float = 0.5,
    lazy: float = 0.0,
    backwards: float = 0.0,
    groups: bool = False,
    staff: Sequence[Staff] = (Staff("TA1"),),
    item_name: str = "item",
    scores: Sequence[float] | NDArray[np.float64] | None = None,
    reliabilities: Sequence[float] | NDArray[np.float64] | None = None,
    seed: int = 0,
) -> SimulatedClass:
    """Make a class with a known truth; the same arguments give the same class.

    With ``model="normal"`` item i has quality q ~ N(mean, sd²), and honest grader g gives it
    ``mean + slope * (q - mean) + t + leniency + b + noise * e / sqrt(r)``, cut to the scale and rounded to
    its steps, with taste t ~ N(0, taste²) of the item shared by all peers (how far their consensus is from
    the truth, however many they are), bias b ~ N(0, bias_sd²) of the grader, e ~ N(0, 1), and reliability
    r ~ Gamma(reliability_shape, rate reliability_shape). The other models submit ranks without ties from
    the true parameters: scores s ~ N(0, sd²) and the same reliabilities.

    Parameters
    ----------
    items, graders : how many of each.
    per_grader, length_sd : mean and spread of the number of items per grader.
    model : "normal" (scores), "pl" (Plackett-Luce), "thurstone" (rankings) or "bt" (pairs, Bradley-Terry).
    lazy, backwards : shares of graders who grade at random (around the class's mean) or upside down.
    groups : every item is the work of a group and the students are spread evenly over the groups;
        otherwise the n-th student made the n-th item. Nobody reviews their own item.
    staff : who grades every item besides the peers.
    scores, reliabilities : the true ones where they are known, in place of drawn ones; there are then as many
        items, and graders, as numbers.
    """
    items, graders = _count(items, scores), _count(graders, reliabilities)
    _validate(items, graders, per_grader, step, scale, reliability_shape, lazy + backwards, model)
    rng = np.random.default_rng(seed)
    own = _own_items(rng, items, graders, groups)
    lengths = list_lengths(rng, graders, per_grader, length_sd, items - 1)
    who, what = assign(rng, lengths, own, items)
    ordinal = model != "normal"
    quality, reliability = draw_qualities(rng, items, sd), draw_reliabilities(rng, graders, reliability_shape)
    if scores is not None:
        quality = np.asarray(scores, dtype=np.float64) - (0.0 if ordinal else mean)
    if reliabilities is not None:
        reliability = np.asarray(reliabilities, dtype=np.float64)
    kind = draw_kinds(rng, graders, lazy, backwards)
    bias = np.zeros(graders) if ordinal else rng.normal(leniency, bias_sd, graders)
    low, high = scale

    names = _labels(item_name, items), _labels("student", graders)
    if ordinal:
        rows = _ordinal(rng, model, who, what, quality, reliability, kind)
    else:
        peers = slope * quality + rng.normal(0.0, taste, items)
        looks = mean + perceived_quality(peers[what], kind[who]) + bias[who]
        typical = np.where(kind == LAZY, np.hypot(noise, peers.std()), noise / np.sqrt(reliability))
        scores = looks + typical[who] * rng.normal(size=len(who))
        rows = {"grader": who, "item": what, "score": round_to_scale(scores, low, high, step)}
    truth = quality if ordinal else mean + quality
    return SimulatedClass(
        rows=_rows(rows, *names),
        roster=_roster(own, *names, groups),
        staff=_staff(rng, staff, truth, names[0], (low, high, step) if not ordinal else None),
        truth=pl.DataFrame({"item": names[0], "score": truth.round(DECIMALS)}),
        graders=pl.DataFrame(
            {
                "grader": names[1],
                "reliability": reliability.round(DECIMALS),
                "bias": bias.round(DECIMALS),
                "kind": pl.Series(KINDS).gather(kind),
            }
        ),
    )


def _validate(
    items: int,
    graders: int,
    per_grader: float,
    step: float,
    scale: tuple[float, float],
    shape: float,
    odd: float,
    model: str,
) -> None:
    rules = (
        (items >= 2, f"a class needs at least 2 items, not {items}"),
        (graders >= 1, f"a class needs at least 1 grader, not {graders}"),
        (
            1 <= per_grader <= items - 1,
            f"per_grader must be from 1 to {items - 1} (all items but one's own), not {per_grader:g}",
        ),
        (step > 0, f"step must be positive, not {step:g}"),
        (scale[0] < scale[1], f"the scale must rise, not go from {scale[0]:g} to {scale[1]:g}"),
        (shape > 0, f"reliability_shape must be positive, not {shape:g}"),
        (0 <= odd <= 1, f"lazy and backwards graders together must be a share from 0 to 1, not {odd:g}"),
        (
            model in Model.__args__,  # type: ignore[attr-defined]
            f"there is no model {model!r}; choose from {', '.join(Model.__args__)}",  # type: ignore[attr-defined]
        ),
    )
    for holds, complaint in rules:
        if not holds:
            raise DataError(complaint)


def _count(number: int, values: Sequence[float] | NDArray[np.float64] | None) -> int:
    """How many there are: as many as values, where these are known."""
    if values is None:
        return number
    known = np.asarray(values, dtype=np.float64)
    if known.ndim != 1 or not np.isfinite(known).all():
        raise DataError("scores and reliabilities are finite numbers, one for each item or grader")
    return len(known)


def _own_items(rng: np.random.Generator, items: int, graders: int, groups: bool) -> Ints:
    """The item each student made, alone or with a group; -1 for none."""
    students = np.arange(graders)
    if groups:
        return np.asarray(rng.permutation(students % items))
    return np.where(students < items, students, -1)


def _labels(prefix: str, number: int) -> pl.Series:
    """`item01`, `item02` …, padded so that their order is that of the numbers."""
    width = len(str(number))
    return prefix + pl.int_range(1, number + 1, eager=True).cast(pl.String).str.zfill(width)


def _ordinal(
    rng: np.random.Generator,
    model: Model,
    who: Ints,
    what: Ints,
    quality: Floats,
    reliability: Floats,
    kind: Ints,
) -> dict[str, NDArray[np.generic]]:
    looks = perceived_quality(quality[what], kind[who])
    if model == "bt":
        return _pairs(rng, who, what, looks, reliability)
    draw = draw_plackett_luce if model == "pl" else draw_thurstone
    return {"grader": who, "item": what, "rank": rank_within_graders(draw(rng, looks, reliability[who]), who)}


def _pairs(
    rng: np.random.Generator, who: Ints, what: Ints, looks: Floats, reliability: Floats
) -> dict[str, NDArray[np.generic]]:
    """Every two items of a grader as a list of their own, decided independently of the others."""
    ends = np.repeat(np.cumsum(np.bincount(who)), np.bincount(who))
    after = ends - np.arange(len(who)) - 1
    first = np.repeat(np.arange(len(who)), after)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)
    wins = draw_bradley_terry(rng, looks[first] - looks[second], reliability[who[first]])
    order = np.stack([np.where(wins, first, second), np.where(wins, second, first)], axis=1).ravel()
    return {
        "grader": who[order],
        "list": np.repeat(np.arange(1, len(first) + 1), 2),
        "item": what[order],
        "rank": np.tile([1, 2], len(first)),
    }


def _rows(rows: dict[str, NDArray[np.generic]], items: pl.Series, graders: pl.Series) -> pl.DataFrame:
    keys = [name for name in ("grader", "list", "item") if name in rows]
    table = pl.DataFrame(rows).sort(
        "list" if "list" in keys else "grader", "rank" if "list" in keys else "item"
    )
    return table.with_columns(grader=graders.gather(table["grader"]), item=items.gather(table["item"]))


def _roster(own: Ints, items: pl.Series, students: pl.Series, groups: bool) -> pl.DataFrame:
    numbers = pl.Series(own).cast(pl.Int64)
    number = numbers.set(numbers < 0, None)
    names = _labels("group", len(items)) if groups else pl.Series([None] * len(items), dtype=pl.String)
    return pl.DataFrame({"student": students, "group": names.gather(number), "item": items.gather(number)})


def _staff(
    rng: np.random.Generator,
    staff: Sequence[Staff],
    truth: Floats,
    items: pl.Series,
    scale: tuple[float, float, float] | None,
) -> pl.DataFrame:
    frames = [pl.DataFrame(schema={"item": pl.String, "source": pl.String, "score": pl.Float64})]
    for member in staff:
        scores = truth + member.bias + rng.normal(0.0, member.noise, len(truth))
        scores = scores.round(DECIMALS) if scale is None else round_to_scale(scores, *scale)
        frames.append(pl.DataFrame({"item": items, "source": [member.name] * len(items), "score": scores}))
    return pl.concat(frames)


# -- presets ----------------------------------------------------------------------------------------------

# The shape of the two exercises of the paper (Raman & Joachims, KDD 2014). The paper's own data was never
# published. Sizes are its; the other numbers of `PRESETS` were chosen so that, with seed 1, means, spreads
# and errors come close to those it reports: these are the classes in examples/.
PRESETS: dict[str, dict[str, Any]] = {
    "posters": {
        "items": 42,
        "graders": 148,
        "per_grader": 6.73,
        "length_sd": 0.9,
        "mean": 7.75,
        "sd": 0.92,
        "slope": 0.65,
        "taste": 0.55,
        "noise": 1.0,
        "leniency": 0.49,
        "bias_sd": 0.5,
        "lazy": 0.02,
        "groups": True,
        "staff": (Staff("TA1", bias=0.03, noise=1.0),),
        "item_name": "poster",
    },
    "reports": {
        "items": 44,
        "graders": 153,
        "per_grader": 3.83,
        "length_sd": 0.5,
        "mean": 7.7,
        "sd": 0.78,
        "slope": 0.75,
        "taste": 0.5,
        "noise": 0.95,
        "leniency": 0.72,
        "bias_sd": 0.5,
        "lazy": 0.02,
        "groups": True,
        "staff": (
            Staff("TA1", bias=0.05, noise=0.9),
            Staff("TA2", bias=0.07, noise=0.9),
            Staff("Instructor", bias=-0.08, noise=0.5),
        ),
        "item_name": "report",
    },
}
