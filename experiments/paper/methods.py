"""Methods by the names that experiments use: codes, codes with settings, the default, and contenders.

Contenders are methods of other libraries, from a Python file of the user's with a dictionary `CONTENDERS`:
for every name, the package that it needs and a function from feedback to scores (as `benchmarks/peers.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from peerage._options import named
from peerage.errors import ConvergenceWarning, DataError, MethodError
from peerage.feedback.container import Feedback
from peerage.models.base import Estimator
from peerage.models.default import CHOICES, choose
from peerage.models.fitting import fit
from peerage.models.registry import codes, entry, method

DEFAULT = "default"  # what Peerage takes for this kind of feedback
DEFAULT_ORDERS = "default-orders"  # what it takes for orders, even where there are scores
PAPER = ("NCS", "SCAVG", "MAL", "MALBC", "MALS", "BT", "THUR", "PL")

Contender: TypeAlias = tuple[str, Callable[[Feedback], NDArray[np.float64]]]
CONTENDERS: dict[str, Contender] = {}  # of this process; all processes of an experiment read one file


@dataclass(frozen=True, slots=True, eq=False)
class MethodEstimate:
    """What a method made of the feedback: scores, and reliabilities where it has them."""

    scores: NDArray[np.float64]
    reliabilities: NDArray[np.float64] | None = None
    agreement: Callable[[], NDArray[np.float64]] | None = None


def run_method(name: str, feedback: Feedback) -> MethodEstimate | None:
    """Run a method; None where it is not made for this feedback (no scores, lists too long)."""
    if name in CONTENDERS:
        return MethodEstimate(_rounded(CONTENDERS[name][1](feedback)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitted = fit(feedback) if name == DEFAULT else estimator_for(name, feedback).fit(feedback)
    except (DataError, MethodError):
        return None
    reliabilities = fitted.reliabilities_ if fitted.reliability else None
    return MethodEstimate(_rounded(fitted.scores_), reliabilities, lambda: _agreement(fitted))


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores that are equal but for rounding become equal, so that they count as tied everywhere."""
    return np.round(scores, 9)


def _agreement(fitted: Estimator) -> NDArray[np.float64]:
    """How much of each grader's order the estimate shares; the mean where a grader ordered nothing."""
    table = fitted.graders()
    share = dict(zip(table["grader"].to_list(), table["agreement"].to_list(), strict=True))
    values = np.array([share[grader] for grader in fitted.feedback_.grader_labels.to_list()], dtype=float)
    return np.where(np.isnan(values), np.nanmean(values), values)


def estimator_for(name: str, feedback: Feedback) -> Estimator:
    """The estimator a name stands for."""
    if name == DEFAULT:
        return choose(feedback).estimator()
    if name == DEFAULT_ORDERS:
        return CHOICES["pairs" if feedback.kind == "pairs" else "orders"].estimator()
    code, _, settings = name.partition("[")
    return method(code, **_settings(settings.removesuffix("]")))


# -- names ----------------------------------------------------------------------------------------------


def spell(names: Iterable[str]) -> list[str]:
    """Method names with groups spelled out, in the spelling that result tables use; all checked."""
    spelled = [member for name in names for member in (GROUPS[name]() if name in GROUPS else [name])]
    return list(dict.fromkeys(_canonical(name) for name in spelled))


def _canonical(name: str) -> str:
    for known in (DEFAULT, DEFAULT_ORDERS, _contender_name(name)):
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


def has_reliability(name: str) -> bool:
    """Whether a method tells lazy graders from diligent ones."""
    return name in (DEFAULT, DEFAULT_ORDERS) or name.partition("[")[0].endswith("+G")


def without_reliability(name: str) -> str | None:
    """The plain twin of a +G method, where it has one."""
    code, bracket, rest = name.partition("[")
    return code.removesuffix("+G") + bracket + rest if code.endswith("+G") else None


def is_ours(name: str) -> bool:
    """Whether a name in a result table is one of our methods'."""
    return name in (DEFAULT, DEFAULT_ORDERS) or name.partition("[")[0] in codes()


def needs_scores(name: str) -> bool:
    """Whether a method of ours works on scores, not on orders."""
    return entry(name.partition("[")[0]).kind.needs_scores


# -- contenders -----------------------------------------------------------------------------------------


def use_contenders(file: str | None) -> None:
    """Take the methods of this file, and of no other, into experiments."""
    CONTENDERS.clear()
    if file is not None:
        CONTENDERS.update(_load_contenders(Path(file)))


@cache
def _load_contenders(path: Path) -> dict[str, Contender]:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise MethodError(f"contenders {str(path)!r}: there is no such Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    contenders: dict[str, Contender] | None = getattr(module, "CONTENDERS", None)
    if contenders is None:
        raise MethodError(f"contenders {str(path)!r}: the file has no dictionary CONTENDERS")
    return contenders


def _installed_contenders() -> list[str]:
    if not CONTENDERS:
        raise MethodError(f"the group 'peers' needs their file: {named('contenders', 'FILE')}")
    return [name for name, (package, _) in CONTENDERS.items() if find_spec(package) is not None]


def _contender_name(name: str) -> str | None:
    """A contender's name as its file spells it; None for one of ours."""
    spelled = next((known for known in CONTENDERS if known.lower() == name.lower()), None)
    if spelled is not None and find_spec(CONTENDERS[spelled][0]) is None:
        raise MethodError(f"{spelled} needs the package {CONTENDERS[spelled][0]!r}, which is not installed")
    return spelled


GROUPS: dict[str, Callable[[], list[str]]] = {
    "paper": lambda: [code for code in codes() if code.removesuffix("+G") in PAPER],
    "all": lambda: [*codes(), DEFAULT_ORDERS, DEFAULT],
    "peers": _installed_contenders,
}
