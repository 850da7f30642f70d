"""Methods by their codes: the paper's names, and what they stand for here.

One entry is all that the rest of Peerage reads: the command line, the forms, the API, experiments, the tests.
What a method can do, it says itself (see `Estimator`); what is needed without loading it stands in the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    home: str  # the module of models that it lives in
    estimator: str
    summary: str
    params: dict[str, Any] = field(default_factory=dict)
    reliability: bool = True  # whether +G exists

    @property
    def kind(self) -> type[Estimator]:
        """The class of its estimator, which says what the method can do."""
        found: type[Estimator] = getattr(import_module(f"peerage.models.{self.home}"), self.estimator)
        return found

    @property
    def with_reliability(self) -> str | None:
        """Its code with +G, if there is one."""
        return f"{self.code}+G" if self.reliability else None

    @property
    def takes(self) -> tuple[str, ...]:
        """The kinds of feedback it is for; an order is always there where graders gave scores."""
        kind = self.kind
        if kind.needs_scores:
            return ("orders+scores",) if kind.needs_orders else ("scores",)
        return ("orders", "pairs", "scores")

    def make(self, *, reliability: bool, **params: Any) -> Estimator:
        """A fresh estimator."""
        if self.reliability:
            params = {"reliability": reliability, **params}
        return self.kind(**{**self.params, **params})

    def made(self, estimator: Estimator) -> bool:
        """Whether an estimator is of this method, with or without +G, whatever its priors."""
        if type(estimator).__name__ != self.estimator or type(estimator) is not self.kind:
            return False  # the name first: to ask for the class loads it
        twin = self.make(reliability=estimator.reliability).get_params()
        marks = {name for method in _METHODS if method.estimator == self.estimator for name in method.params}
        given = estimator.get_params()
        return all(given[name] == twin[name] for name in marks)


_METHODS = (
    Method(
        "PL",
        "smooth.plackett_luce",
        "PlackettLuce",
        "Plackett-Luce: the list is built from the top; the safe choice for orders.",
    ),
    Method(
        "BT",
        "smooth.bradley_terry",
        "BradleyTerry",
        "Bradley-Terry: every pair of a list is a match; the safe choice for pairs.",
    ),
    Method(
        "THUR",
        "smooth.thurstone",
        "Thurstone",
        "Thurstone: as BT with normal noise; nearly the same ranking, slower.",
    ),
    Method(
        "MALS",
        "smooth.score_weighted_mallows",
        "ScoreWeightedMallows",
        "Mallows weighted by score gaps; exact, for lists of up to 18 items.",
    ),
    Method(
        "MAL",
        "mallows.mallows",
        "Mallows",
        "Mallows by the paper's greedy rule; a ranking without scores, weak on sparse classes.",
    ),
    Method(
        "MALBC",
        "mallows.mallows",
        "Mallows",
        "Averaged ranks (Borda); the simple baseline for orders.",
        {"borda": True},
    ),
    Method(
        "MAL+K",
        "mallows.mallows",
        "Mallows",
        "MAL, then neighbours swapped where the majority says so.",
        {"kemenize": True},
    ),
    Method(
        "MALBC+K",
        "mallows.mallows",
        "Mallows",
        "MALBC, then neighbours swapped likewise.",
        {"borda": True, "kemenize": True},
    ),
    Method(
        "NCS",
        "normal.normal_scores",
        "NormalScores",
        "Normal model of the scores, with grader bias under +G; best where scores exist.",
    ),
    Method(
        "SCAVG",
        "normal.score_average",
        "ScoreAverage",
        "Averaged scores; the simple baseline for scores.",
        reliability=False,
    ),
    Method(
        "COMBINED",
        "combined",
        "Combined",
        "Plackett-Luce and the normal model at once, for orders given beside scores.",
    ),
)

METHODS: dict[str, Method] = {method.code: method for method in _METHODS}


def codes() -> list[str]:
    """Every code, with and without +G."""
    return [
        code for method in _METHODS for code in (method.code, method.with_reliability) if code is not None
    ]


def entry(code: str) -> Method:
    """The method that a code stands for, with +G or without, in any case.

    >>> entry("mal+k+g").code
    'MAL+K'
    """
    wanted = code.strip().upper()
    for method in _METHODS:
        if wanted in (method.code, method.with_reliability):
            return method
    near = get_close_matches(wanted, codes(), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    msg = f"there is no method {code!r}{hint} Known: {', '.join(codes())}"
    raise MethodError(msg)


def code_of(estimator: Estimator) -> str:
    """The code of an estimator as it is; made from its name where the registry does not know it.

    >>> code_of(method("malbc+g", tol=1e-3))
    'MALBC+G'
    """
    codes_made = (method.code for method in _METHODS if method.made(estimator))
    plain = next(codes_made, estimator.name.upper())
    return f"{plain}+G" if estimator.reliability else plain


def method(code: str, **params: Any) -> Estimator:
    """A fresh estimator for a code such as "pl+g", in any case.

    >>> method("bt+g")
    BradleyTerry(reliability=True)
    """
    check_reliability(code, params)
    known = entry(code)
    return known.make(reliability=code.strip().upper() != known.code, **params)


def check_reliability(code: str, params: Mapping[str, Any]) -> None:
    """Refuse to be told twice, perhaps otherwise, whether reliabilities are estimated."""
    if "reliability" in params:
        known = entry(code)
        with_them = f", {known.with_reliability} has them" if known.reliability else ""
        msg = f"a code says by itself whether reliabilities are estimated: {known.code} has none{with_them}"
        raise MethodError(msg)
