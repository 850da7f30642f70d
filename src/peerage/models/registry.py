"""Methods by their codes: the paper's names, and what they stand for here."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from peerage.errors import MethodError

if TYPE_CHECKING:
    from peerage.models.base import Estimator


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its code, its estimator (by name, loaded on demand) and one honest line about it."""

    code: str
    room: str  # the package of models it lives in
    estimator: str
    summary: str
    params: dict[str, Any] = field(default_factory=dict)
    reliability: bool = True  # whether +G exists
    needs_scores: bool = False

    def make(self, *, reliability: bool, **params: Any) -> Estimator:
        """A fresh estimator."""
        kind: type[Estimator] = getattr(import_module(f"peerage.models.{self.room}"), self.estimator)
        if self.reliability:
            params = {"reliability": reliability, **params}
        return kind(**{**self.params, **params})


_METHODS = (
    Method(
        "PL",
        "smooth",
        "PlackettLuce",
        "Plackett-Luce: the list is built from the top; the safe choice for orders.",
    ),
    Method(
        "BT",
        "smooth",
        "BradleyTerry",
        "Bradley-Terry: every pair of a list is a match; the safe choice for pairs.",
    ),
    Method(
        "THUR",
        "smooth",
        "Thurstone",
        "Thurstone: as BT with normal noise; nearly the same ranking, slower.",
    ),
    Method(
        "MALS",
        "smooth",
        "ScoreWeightedMallows",
        "Mallows weighted by score gaps; exact, for lists of up to 18 items.",
    ),
    Method(
        "MAL",
        "mallows",
        "Mallows",
        "Mallows by the paper's greedy rule; a ranking without scores, weak on sparse classes.",
    ),
    Method(
        "MALBC",
        "mallows",
        "Mallows",
        "Averaged ranks (Borda); the simple baseline for orders.",
        {"borda": True},
    ),
    Method(
        "MAL+K",
        "mallows",
        "Mallows",
        "MAL, then neighbours swapped where the majority says so.",
        {"kemenize": True},
    ),
    Method(
        "MALBC+K",
        "mallows",
        "Mallows",
        "MALBC, then neighbours swapped likewise.",
        {"borda": True, "kemenize": True},
    ),
    Method(
        "NCS",
        "normal",
        "NormalScores",
        "Normal model of the scores, with grader bias under +G; best where scores exist.",
        needs_scores=True,
    ),
    Method(
        "SCAVG",
        "normal",
        "ScoreAverage",
        "Averaged scores; the simple baseline for scores.",
        reliability=False,
        needs_scores=True,
    ),
)

METHODS: dict[str, Method] = {method.code: method for method in _METHODS}


def codes() -> list[str]:
    """Every code, with and without +G."""
    return [
        code
        for method in _METHODS
        for code in ([method.code, f"{method.code}+G"] if method.reliability else [method.code])
    ]


def method(code: str, **params: Any) -> Estimator:
    """A fresh estimator for a code such as "pl+g", in any case.

    >>> method("bt+g")
    BradleyTerry(reliability=True)
    """
    wanted = code.strip().upper()
    if "reliability" in params:
        plain = wanted.removesuffix("+G")
        msg = (
            f"a code says by itself whether reliabilities are estimated: {plain} has none, {plain}+G has them"
        )
        raise MethodError(msg)
    for known in (wanted, wanted.removesuffix("+G")):
        if known in METHODS and (known == wanted or METHODS[known].reliability):
            return METHODS[known].make(reliability=known != wanted, **params)
    near = get_close_matches(wanted, codes(), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    msg = f"there is no method {code!r}{hint} Known: {', '.join(codes())}"
    raise MethodError(msg)
