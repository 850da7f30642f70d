"""Which method is fitted, and how its uncertainty is worked out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from peerage.grading.result import MethodUsed
from peerage.models.base import clone
from peerage.models.default import choose
from peerage.models.registry import METHODS, codes
from peerage.models.registry import method as by_code

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.models.base import Estimator
    from peerage.uncertainty import Posterior

DRAWS, FEW_DRAWS = 1000, 400
LARGE = 5_000  # items from which fewer draws do


def fit_method(
    feedback: Feedback, method: str | Estimator | None, params: dict[str, Any]
) -> tuple[MethodUsed, Estimator]:
    """The fitted estimator, and the sentence that says why it was this one."""
    if method is None:
        choice = choose(feedback)
        estimator, code, reason = choice.estimator(**params), choice.code, choice.reason
    elif isinstance(method, str):
        estimator = by_code(method, **params)
        code = method.strip().upper()
        reason = (METHODS.get(code) or METHODS[code.removesuffix("+G")]).summary
    else:
        estimator = clone(method).set_params(**params)
        code, reason = _code(estimator), f"{estimator!r}"
    estimator.fit(feedback)
    return MethodUsed(code, estimator.get_params(), reason, method is None), estimator


def _code(estimator: Estimator) -> str:
    """The code of an estimator that was given ready-made; its class where it has none."""
    for code in codes():
        twin = by_code(code)
        marks = ("reliability", "borda", "kemenize")
        if type(twin) is type(estimator) and all(
            getattr(twin, name, None) == getattr(estimator, name, None) for name in marks
        ):
            return code
    return type(estimator).__name__.upper()


def known(fitted: Estimator, *, bootstrap: int, seed: int, on_step: Callable[[str], None]) -> Posterior:
    """How well the scores are known."""
    from peerage.uncertainty import posterior

    if bootstrap:
        return posterior(fitted, source="bootstrap", draws=bootstrap, seed=seed, on_step=on_step)
    draws = DRAWS if fitted.feedback_.n_items <= LARGE else FEW_DRAWS
    return posterior(fitted, draws=draws, seed=seed, on_step=on_step)
