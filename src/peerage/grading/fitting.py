"""Which method is fitted, and how its uncertainty is worked out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from peerage.errors import MethodError
from peerage.grading.options import PRIORS, Prior
from peerage.grading.result import MethodUsed
from peerage.models.base import check_choice, clone
from peerage.models.default import choose, reconsider
from peerage.models.fitting import fit_estimator
from peerage.models.registry import check_reliability, code_of, entry
from peerage.models.registry import method as by_code

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

DRAWS, FEW_DRAWS = 1000, 200
LARGE = 5_000  # items from which fewer draws do
LEARNED = 1_000  # items up to which learning the priors is quick


def fit_method(
    feedback: Feedback,
    method: str | Estimator | None,
    params: dict[str, Any],
    prior: Prior = "auto",
    cluster: Any = None,
) -> tuple[MethodUsed, Estimator]:
    """The fitted estimator, and the sentence that says why it was this one.

    A method that was asked for keeps the priors it was asked for with. One that Peerage chose learns them
    from the feedback, because probabilities are then better calibrated, unless the class is too large. Where
    feedback tells only reliability times score, any method holds the mean of the reliabilities at 1.
    """
    check_choice("prior", prior, PRIORS)
    estimator = unfitted_method(feedback, method, params)
    learn = estimator.learns_priors and (
        prior == "learn" or (prior == "auto" and method is None and _worth_learning(feedback))
    )
    fitted = _learn_priors(feedback, estimator) if learn else fit_estimator(feedback, estimator, cluster)
    note = "; its priors were learned from this class" if learn else ""
    reason = _reason(method, estimator)
    if method is None:
        choice = choose(feedback)
        if not params:
            choice, fitted = reconsider(choice, fitted)
        reason = choice.reason
    return MethodUsed(code_of(fitted), fitted.get_params(), reason + note, method is None), fitted


def unfitted_method(feedback: Feedback, method: str | Estimator | None, params: dict[str, Any]) -> Estimator:
    """The estimator asked for, or the one that suits, with these parameters."""
    if method is None:
        choice = choose(feedback)
        check_reliability(choice.code, params)
        estimator = choice.estimator()
    elif isinstance(method, str):
        check_reliability(method, params)
        estimator = by_code(method)
    else:
        estimator = clone(method)
    _set_params(estimator, params)
    if estimator.scale_is_free and "identified" not in params:
        estimator.set_params(identified=True)  # grades, intervals and chances need a scale that is known
    return estimator


def _reason(method: str | Estimator | None, estimator: Estimator) -> str:
    """What was asked for; parameters may have made another method of it."""
    return entry(code_of(estimator)).summary.rstrip(".") if isinstance(method, str) else repr(estimator)


def _set_params(estimator: Estimator, params: dict[str, Any]) -> None:
    """Change parameters, refusing words where a number belongs."""
    before = estimator.get_params()
    estimator.set_params(**params)
    for name, value in params.items():
        if type(before[name]) in (int, float) and not isinstance(value, int | float):
            msg = f"{name} must be a number, not {value!r}"
            raise MethodError(msg)


def _worth_learning(feedback: Feedback) -> bool:
    """Methods for scores learn their variances anyway."""
    return feedback.scores is None and feedback.n_items <= LEARNED


def _learn_priors(feedback: Feedback, estimator: Estimator) -> Estimator:
    from peerage.uncertainty.evidence import learn_priors

    return learn_priors(feedback, estimator)


def estimate_uncertainty(
    fitted: Estimator,
    *,
    chosen: bool = False,
    bootstrap: int,
    seed: int,
    on_step: Callable[[str], None],
    sections: NDArray[np.int64] | None = None,
    cluster: Any = None,
) -> Posterior:
    """How well the scores are known: by resampling graders, or by the method's own posterior.

    Where Peerage chose the method and a few graders have long lists, they may as well be equally reliable:
    then the result is the average over both possibilities.
    """
    from peerage.uncertainty.cautions import has_few_graders
    from peerage.uncertainty.compute import posterior
    from peerage.uncertainty.evidence import equal_reliabilities

    if bootstrap:
        settings: dict[str, Any] = {"draws": bootstrap, "seed": seed, "on_step": on_step}
        return posterior(fitted, source="bootstrap", cluster=cluster, **settings)
    draws = DRAWS if fitted.feedback_.n_items <= LARGE else FEW_DRAWS
    options: dict[str, Any] = {"seed": seed, "parts": sections, "on_step": on_step}
    known = posterior(fitted, draws=draws if fitted.is_smooth else None, **options)
    if not (chosen and fitted.prior_learned_ and fitted.reliability and has_few_graders(fitted.feedback_)):
        return known
    alike = equal_reliabilities(fitted)
    if alike is None:
        return known
    equal, probability = alike
    return known.averaged(posterior(equal, draws=draws, **options), probability)
