"""The posterior of a fitted estimator: priors, the source it comes from, and what to know about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from peerage.models.base import check_choice, clone
from peerage.uncertainty.cautions import list_cautions
from peerage.uncertainty.evidence import learn_priors
from peerage.uncertainty.laplace import laplace
from peerage.uncertainty.posterior import COVERS, Posterior, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from peerage.models.base import Estimator

REFITTED = (
    "The method was fitted again with the mean reliability held at 1, because orders and pairs tell"
    " only reliability times score."
)
SAMPLED_ITEMS = 2_000  # of a Mallows model: up to here the sampler takes less than half a minute


def posterior(
    estimator: Estimator,
    *,
    source: Literal["auto", "laplace", "bootstrap", "sampler"] = "auto",
    prior: Literal["given", "learn"] = "given",
    draws: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    parts: NDArray[np.int64] | None = None,
    cluster: Any = None,
    on_step: Callable[[str], None] | None = None,
) -> Posterior:
    """How sure a fitted estimator's scores, ranks and reliabilities are.

    Feedback in orders and pairs tells only reliability times score. A fit of a method by its paper's code
    shares the product out by its priors, of which no honest interval can be made: such an estimator is fitted
    again with the mean of its reliabilities held at 1 (``identified=True``), and the posterior, whose
    ``estimator`` that is, says so in its note.

    Parameters
    ----------
    source : {"auto", "laplace", "bootstrap", "sampler"}, default="auto"
        Where it comes from. "auto" is the Laplace approximation where the method is smooth (BT, THUR, PL,
        MALS, NCS, Combined), the sampler for Mallows rankings of up to 2,000 items, and else the bootstrap.
    prior : {"given", "learn"}, default="given"
        Whether to learn the priors first (:func:`learn_priors`).
    draws : int or None
        Number of joint draws; None takes what suits the source (1000, 200 for the bootstrap and for more than
        2000 items).
    seed : int, default=0
        The same seed gives the same result, whatever `jobs` is.
    jobs : int or None
        Processes of the bootstrap. None takes all cores where the work is worth it, but one in a script of
        your own, which new processes would run again: there, ask for several in a guarded main function.
    parts : int64[n_items] or None
        The section of every item, numbered from 0, for the Laplace approximation: sections have levels of
        their own. None takes parts of the class that hardly a list connects.
    cluster : a cluster, as in :func:`peerage.fit`, for the bootstrap to run on; the result is the same.
    on_step : called with a line of text as resamples or chains are finished.

    Examples
    --------
    >>> from peerage import Feedback, fit, posterior
    >>> orders = [("ada", ["x", "y", "z"]), ("bob", ["x", "z", "y"]), ("cyd", ["x", "y", "z"])]
    >>> result = posterior(fit(Feedback.from_orders(orders), "pl"))
    >>> result.above(0, 2) > 0.9
    True
    """
    check_choice("source", source, ("auto", "laplace", "bootstrap", "sampler"))
    check_choice("prior", prior, ("given", "learn"))
    estimator._check_fitted()
    feedback = estimator.feedback_
    refit = estimator.scale_is_free and not estimator.identified
    if refit:
        estimator = clone(estimator).set_params(identified=True)
    if prior == "learn":
        estimator = learn_priors(feedback, estimator)
    elif refit:
        estimator.fit(feedback)
    options: dict[str, Any] = {"draws": draws, "seed": seed}
    chosen = _preferred_source(estimator) if source == "auto" else source
    if chosen == "laplace":
        result = laplace(estimator, parts=parts, **options)
    elif chosen == "bootstrap":
        from peerage.uncertainty.bootstrap import bootstrap  # slow to import, and not needed by most

        result = bootstrap(estimator, jobs=jobs, cluster=cluster, on_step=on_step, **options)
    else:
        from peerage.uncertainty.sampler import sample

        result = sample(estimator, on_step=on_step, **options)
    note = f"{REFITTED} {result.note}" if refit else result.note
    cautions = list_cautions(estimator, result.source)
    if cautions:
        note = note.replace(COVERS, f"{cautions} {COVERS}")
    return replace(result, note=note)


def _preferred_source(estimator: Estimator) -> Source:
    too_large = estimator.feedback_.n_items > SAMPLED_ITEMS
    source = estimator.preferred_source
    return "bootstrap" if source == "sampler" and too_large else source
