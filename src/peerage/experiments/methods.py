"""Methods by the names that experiments use: codes, codes with settings, the default, and contenders."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.errors import ConvergenceWarning, DataError, MethodError
from peerage.experiments import contenders
from peerage.models.default import CHOICES, choose
from peerage.models.registry import codes, entry, method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator

DEFAULT = "default"  # what Peerage takes for this kind of feedback
DEFAULT_ORDERS = "default-orders"  # what it takes for orders, even where there are scores
PAPER = ("NCS", "SCAVG", "MAL", "MALBC", "MALS", "BT", "THUR", "PL")
GROUPS: dict[str, Callable[[], list[str]]] = {
    "paper": lambda: [code for code in codes() if code.removesuffix("+G") in PAPER],
    "all": lambda: [*codes(), DEFAULT_ORDERS, DEFAULT],
    "peers": contenders.installed,
}


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What a method made of the feedback: scores, and reliabilities where it has them."""

    scores: NDArray[np.float64]
    reliabilities: NDArray[np.float64] | None = None
    agreement: Callable[[], NDArray[np.float64]] | None = None


def spell(names: Iterable[str]) -> list[str]:
    """Method names with groups spelled out, in the spelling that result tables use; all checked."""
    spelled = [member for name in names for member in (GROUPS[name]() if name in GROUPS else [name])]
    return list(dict.fromkeys(_canonical(name) for name in spelled))


def has_reliability(name: str) -> bool:
    """Whether a method tells lazy graders from diligent ones."""
    return name in (DEFAULT, DEFAULT_ORDERS) or name.partition("[")[0].endswith("+G")


def without_reliability(name: str) -> str | None:
    """The plain twin of a +G method, where it has one."""
    code, bracket, rest = name.partition("[")
    return code.removesuffix("+G") + bracket + rest if code.endswith("+G") else None


def estimate(name: str, feedback: Feedback) -> Estimate | None:
    """Run a method; None where it is not made for this feedback (no scores, lists too long)."""
    if name in contenders.KNOWN:
        return Estimate(_tidy(contenders.KNOWN[name][1](feedback)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = estimator(name, feedback).fit(feedback)
    except (DataError, MethodError):
        return None
    reliabilities = fitted.reliabilities_ if fitted.reliability else None
    return Estimate(_tidy(fitted.scores_), reliabilities, lambda: _agreement(fitted))


def estimator(name: str, feedback: Feedback) -> Estimator:
    """The estimator a name stands for."""
    if name == DEFAULT:
        return choose(feedback).estimator()
    if name == DEFAULT_ORDERS:
        return CHOICES["pairs" if feedback.kind == "pairs" else "orders"].estimator()
    code, _, settings = name.partition("[")
    return method(code, **_settings(settings.removesuffix("]")))


def _canonical(name: str) -> str:
    for known in (DEFAULT, DEFAULT_ORDERS, contenders.named(name)):
        if known is not None and name.lower() == known.lower():
            return known
    code, bracket, settings = name.partition("[")
    method(code, **_settings(settings.removesuffix("]")))
    return code.strip().upper() + bracket + settings


def _settings(text: str) -> dict[str, Any]:
    """`ties=model;score_variance=3` as keyword arguments; semicolons, because commas part methods."""
    pairs = (part.partition("=") for part in text.split(";") if part)
    return {name.strip(): _value(value.strip()) for name, _, value in pairs}


def _value(text: str) -> float | str | bool:
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text)
    except ValueError:
        return text


def _tidy(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores that are equal but for rounding become equal, so that they count as tied everywhere."""
    return np.round(scores, 9)


def _agreement(fitted: Estimator) -> NDArray[np.float64]:
    """How much of each grader's order the estimate shares; the mean where a grader ordered nothing."""
    table = fitted.graders()
    share = dict(zip(table["grader"].to_list(), table["agreement"].to_list(), strict=True))
    values = np.array([share[grader] for grader in fitted.feedback_.grader_labels.to_list()], dtype=float)
    return np.where(np.isnan(values), np.nanmean(values), values)


def is_ours(name: str) -> bool:
    """Whether a name in a result table is one of our methods'."""
    return name in (DEFAULT, DEFAULT_ORDERS) or name.partition("[")[0] in codes()


def needs_scores(name: str) -> bool:
    """Whether a method of ours works on scores, not on orders."""
    return entry(name.partition("[")[0]).kind.needs_scores
