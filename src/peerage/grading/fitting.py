"""Which method is fitted, and how its uncertainty is worked out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from peerage.errors import MethodError
from peerage.grading.options import PRIORS, Prior
from peerage.grading.result import MethodUsed
from peerage.models import METHODS, check_choice, choose, clone, codes
from peerage.models import method as by_code

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.models import Estimator
    from peerage.uncertainty import Posterior

DRAWS, FEW_DRAWS = 1000, 200
LARGE = 5_000  # items from which fewer draws do
LEARNED = 1_000  # items up to which learning the priors is quick


def fit_method(
    feedback: Feedback, method: str | Estimator | None, params: dict[str, Any], prior: Prior = "auto"
) -> tuple[MethodUsed, Estimator]:
    """The fitted estimator, and the sentence that says why it was this one.

    A method that was asked for keeps the priors it was asked for with. One that Peerage chose learns them
    from the feedback, because probabilities are then better calibrated, unless the class is too large.
    """
    check_choice("prior", prior, PRIORS)
    if method is None:
        choice = choose(feedback)
        estimator, code, reason = choice.estimator(), choice.code, choice.reason
    elif isinstance(method, str):
        estimator = by_code(method)
        code = method.strip().upper()
        reason = (METHODS.get(code) or METHODS[code.removesuffix("+G")]).summary.rstrip(".")
    else:
        estimator = clone(method)
        code, reason = "", ""
    _set(estimator, params)
    code, reason = code or _code(estimator), reason or repr(estimator)
    learn = prior == "learn" or (prior == "auto" and method is None and _worth_learning(estimator, feedback))
    fitted = _learned(feedback, estimator) if learn else estimator.fit(feedback)
    note = "; its priors were learned from this class" if learn else ""
    return MethodUsed(code, fitted.get_params(), reason + note, method is None), fitted


def _set(estimator: Estimator, params: dict[str, Any]) -> None:
    """Change parameters, refusing words where a number belongs."""
    before = estimator.get_params()
    estimator.set_params(**params)
    for name, value in params.items():
        if type(before[name]) in (int, float) and not isinstance(value, int | float):
            msg = f"{name} must be a number, not {value!r}"
            raise MethodError(msg)


def _worth_learning(estimator: Estimator, feedback: Feedback) -> bool:
    """Methods for scores learn their variances anyway."""
    return hasattr(estimator, "score_variance") and feedback.scores is None and feedback.n_items <= LEARNED


def _learned(feedback: Feedback, estimator: Estimator) -> Estimator:
    from peerage.uncertainty import learn_priors

    return learn_priors(feedback, estimator)


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
    smooth = hasattr(fitted, "score_variance")
    return posterior(fitted, draws=draws if smooth else None, seed=seed, on_step=on_step)
