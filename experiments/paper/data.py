"""What experiments run on: data sets with a truth, by name, whole or cut to the size of a class."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from experiments.paper.simulated import simulated_class
from peerage.errors import DataError
from peerage.feedback.container import Feedback
from peerage.reading.reader import read

SIMULATED = (
    "posters",
    "reports",
    *(f"{kind}-{name}" for kind in ("printed", "alike") for name in ("posters", "reports")),
)
NEW = "new-"  # before the name of a simulated class: another class in every replicate

# The real sets at full size: dots and puzzle are left out, where every method is right about everything.
REAL_FULL = (
    "cities",
    "dots30",
    "gcse_scripts",
    "lee_orderings",
    "mifei_mooc",
    "potatoes",
    "reading_difficulty",
)
# The same cut to what a class can do: about as many graders as items, a handful of items each.
REAL_CLASS = (
    "cities:graders=1x",
    "cities:graders=1x,items=4",
    "dots:graders=10",
    "dots30:graders=1x",
    "gcse_scripts:lists=5x",
    "lee_orderings:graders=1x,items=4",
    "lee_orderings:graders=1x,items=6",
    "mifei_mooc:graders=0.6x",
    "potatoes:items=5",
    "puzzle:graders=10",
    "reading_difficulty:lists=5x",
)
GROUPS = {
    "simulated": ("posters", "reports", "new-posters", "new-reports"),
    "printed": ("new-printed-posters", "new-printed-reports"),
    "alike": ("new-alike-posters", "new-alike-reports"),
    "real": REAL_FULL,
    "real-class": REAL_CLASS,
}
# Sets whose grader names are row numbers within a task: the same name twice is not the same person.
UNLINKED = {"cities", "dots", "lee_orderings", "puzzle"}


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """Feedback and what it should say.

    Attributes
    ----------
    truth : float64[n_items], NaN where it is not known.
    staff : float64[n_staff, n_items], what each member of staff gave; NaN for items they did not grade.
    lazy : bool[n_graders], graders of a simulated class who are known to be lazy.
    """

    feedback: Feedback
    truth: NDArray[np.float64]
    staff: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    lazy: NDArray[np.bool_] | None = None


# -- cutting a large data set to the size of a class ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or a multiple of the number of items in the task (written `1x`)."""

    value: float
    per_item: bool = False

    def of(self, items: int) -> int:
        """The number for a task of so many items."""
        return max(1, round(self.value * items if self.per_item else self.value))


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """How much to keep, at most: graders and lists of every task, items of every list."""

    graders: Amount | None = None
    lists: Amount | None = None
    items: Amount | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is cut."""
        return self.graders is None and self.lists is None and self.items is None

    @classmethod
    def parse(cls, text: str) -> SizeLimit:
        """From `graders=1x,items=4`; empty keeps everything."""
        amounts = dict(_amount(part) for part in text.split(",") if part)
        return cls(**amounts)


def _amount(text: str) -> tuple[str, Amount]:
    name, _, number = text.partition("=")
    if name not in SizeLimit.__slots__:
        raise DataError(
            f"cannot cut by {name!r}; cut by {', '.join(SizeLimit.__slots__)}, as in 'graders=1x'"
        )
    try:
        value = float(number.removesuffix("x"))
    except ValueError:
        value = 0.0
    if not value > 0:
        raise DataError(
            f"{name} must be a positive number, or one followed by x (times items), not {number!r}"
        )
    return name, Amount(value, number.endswith("x"))


def cut(feedback: Feedback, limit: SizeLimit, rng: np.random.Generator) -> tuple[Feedback, NDArray[np.int32]]:
    """A random part of the feedback, and which graders are left in it; items keep their numbers."""
    if limit.graders is not None:
        place = rng.permutation(feedback.n_graders)  # one order over all tasks: linked graders stay linked
        feedback = feedback.take_lists(_first_graders(feedback, limit.graders, place))
    if limit.lists is not None:
        feedback = feedback.take_lists(_some_lists(feedback, limit.lists, rng))
    if limit.items is not None:
        feedback = feedback.downsample(limit.items.of(feedback.n_items), seed=rng)
    left = np.unique(feedback.list_graders)
    return feedback.resample(left), left


def _first_graders(feedback: Feedback, most: Amount, place: NDArray[np.int64]) -> NDArray[np.int64]:
    sizes = np.diff(feedback.task_starts)
    kept = []
    for task in range(feedback.n_tasks):
        lists = np.flatnonzero(feedback.list_tasks == task)
        graders = np.unique(feedback.list_graders[lists])
        chosen = graders[np.argsort(place[graders])[: most.of(int(sizes[task]))]]
        kept.append(lists[np.isin(feedback.list_graders[lists], chosen)])
    return np.concatenate(kept)


def _some_lists(feedback: Feedback, most: Amount, rng: np.random.Generator) -> NDArray[np.int64]:
    sizes = np.diff(feedback.task_starts)
    kept = []
    for task in range(feedback.n_tasks):
        lists = np.flatnonzero(feedback.list_tasks == task)
        number = min(most.of(int(sizes[task])), len(lists))
        kept.append(np.sort(rng.choice(lists, number, replace=False)))
    return np.concatenate(kept)


# -- data sets by name ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DataSource:
    """A data set by name; `load` gives it, drawn anew where it `varies`."""

    name: str
    base: str
    limit: SizeLimit = field(default_factory=SizeLimit)

    @property
    def varies(self) -> bool:
        """Whether every replicate is another class, so that nothing else needs resampling."""
        return self.base.startswith(NEW) or not self.limit.whole

    def load(self, rng: np.random.Generator) -> DataSet:
        """The data set."""
        if self.base.startswith(NEW):
            data = _simulated(self.base.removeprefix(NEW), int(rng.integers(2**31)))
        else:
            data = _fixed(self.base)
        if self.limit.whole:
            return data
        feedback, left = cut(data.feedback, self.limit, rng)
        lazy = None if data.lazy is None else data.lazy[left]
        return DataSet(feedback, data.truth, data.staff, lazy)


def sources(names: Iterable[str]) -> list[DataSource]:
    """Data sets by their names, groups spelled out; every name is checked before anything runs."""
    spelled = [member for name in names for member in GROUPS.get(name, (name,))]
    chosen = [parse(name) for name in dict.fromkeys(spelled)]
    for source in chosen:
        if not source.base.startswith(NEW):
            _fixed(source.base)
    return chosen


def parse(name: str) -> DataSource:
    """A source from `base` or `base:graders=1x,items=4`."""
    base, _, cuts = name.partition(":")
    if base.startswith(NEW) and base.removeprefix(NEW) not in SIMULATED:
        known = ", ".join(f"{NEW}{name}" for name in SIMULATED)
        raise DataError(f"there is no simulated class {base!r}; there are {known}")
    return DataSource(name, base, SizeLimit.parse(cuts))


def datasets_folder() -> Path:
    """Where the real sets are: PEERAGE_DATASETS, or ../shared/datasets beside the checkout."""
    return Path(os.environ.get("PEERAGE_DATASETS", Path("..") / "shared" / "datasets"))


@lru_cache(maxsize=16)
def _fixed(base: str) -> DataSet:
    if base in SIMULATED:
        return _simulated(base, 1)
    folder = Path(base)
    if not (folder / "feedback.csv").is_file():
        folder = datasets_folder() / base
    if not (folder / "feedback.csv").is_file():
        raise DataError(
            f"there is no data set {base!r}: not one of {', '.join(SIMULATED)}, and no"
            " folder of that name with feedback.csv and truth.csv here or in"
            f" {datasets_folder()} (set PEERAGE_DATASETS)"
        )
    return read_folder(folder)


def read_folder(folder: Path) -> DataSet:
    """A folder with feedback.csv and truth.csv (item, score, and task where there are several)."""
    feedback = read(folder / "feedback.csv")
    if folder.name in UNLINKED:
        rows = feedback.to_frame().with_columns(pl.format("{}/{}", "task", "grader").alias("grader"))
        feedback = Feedback.from_columns(**rows.to_dict())
    truth = pl.read_csv(folder / "truth.csv", infer_schema=False)
    if "task" not in truth.columns:
        truth = truth.with_columns(task=pl.lit(feedback.task_labels[0]))
    scores = truth.select("task", "item", pl.col("score").cast(pl.Float64))
    return DataSet(feedback, by_item(feedback, scores))


def by_item(feedback: Feedback, scores: pl.DataFrame) -> NDArray[np.float64]:
    """The column `score` of a table with task and item, in the order of the feedback's items."""
    items = pl.DataFrame(
        {"task": feedback.task_labels.gather(feedback.item_tasks), "item": feedback.item_labels}
    )
    joined = items.join(scores, on=["task", "item"], how="left", maintain_order="left")
    return joined["score"].fill_null(np.nan).to_numpy()


def _simulated(preset: str, seed: int) -> DataSet:
    drawn = simulated_class(preset, seed)
    feedback = drawn.feedback()
    task = pl.lit(feedback.task_labels[0]).alias("task")
    panel = [
        by_item(feedback, rows.with_columns(task).select("task", "item", "score"))
        for _, rows in drawn.staff.group_by("source", maintain_order=True)
    ]
    kind = dict(zip(drawn.graders["grader"].to_list(), drawn.graders["kind"].to_list(), strict=True))
    lazy = np.array([kind[grader] == "lazy" for grader in feedback.grader_labels.to_list()])
    return DataSet(feedback, by_item(feedback, drawn.truth.with_columns(task)), np.array(panel), lazy)
