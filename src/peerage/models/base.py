"""What every estimator shares: parameters in scikit-learn's manner, and results as tables."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from peerage.errors import ConvergenceWarning, MethodError, NotFittedError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from peerage.feedback import Feedback
    from peerage.models.solver import Mode


class Estimator(ABC):
    """Base of all methods: ``fit(feedback)`` estimates, ``grades()`` and ``graders()`` tell.

    A subclass stores its keyword-only parameters untouched and implements ``_fit``, which sets
    ``scores_``, ``reliabilities_``, ``objective_``, ``converged_`` and ``n_iter_``.

    Attributes
    ----------
    objective_ : float
        What was minimised: minus the log-likelihood, plus s^2 / (2 variance) for every item and
        rate * eta - (shape - 1) log eta for every grader; constants left out.
    converged_ : bool
        Whether the optimum was reached; if not, ``fit`` has warned.
    elapsed_ : float
        Seconds spent in ``fit``.
    """

    smooth: ClassVar[bool] = False  # whether the posterior has a curvature: then `mode` describes it
    sampler: ClassVar[Literal["scores", "rankings"] | None] = None  # what its posterior can be drawn as
    counts_pairs: ClassVar[bool] = False  # every pair of a list counts as if it had been judged on its own
    evidence_parameter: ClassVar[str | None] = None  # the prior variance that the evidence can choose
    learning_params: ClassVar[dict[str, Any]] = {}  # with these, the fit itself learns its priors

    reliability: bool = False
    reliability_shape: float  # of the prior of reliabilities, Gamma(shape, rate), where they are estimated
    reliability_rate: float
    warm_start: NDArray[np.float64] | None = None  # scores near the optimum, for methods that search
    scores_: NDArray[np.float64]
    reliabilities_: NDArray[np.float64]
    objective_: float
    converged_: bool
    n_iter_: int
    elapsed_: float
    feedback_: Feedback

    def fit(self, feedback: Feedback) -> Self:
        """Estimate scores and reliabilities; forgets any earlier fit."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        started = time.perf_counter()
        self._validate(feedback)
        self._fit(feedback)
        self.feedback_ = feedback
        self.elapsed_ = time.perf_counter() - started
        if not self.converged_:
            warnings.warn(self._trouble(), ConvergenceWarning, stacklevel=2)
        return self

    def _validate(self, feedback: Feedback) -> None:  # noqa: B027 - a method without parameters has no rules
        """Refuse parameters and feedback that the method is not defined for."""

    @abstractmethod
    def _fit(self, feedback: Feedback) -> None:
        """Estimate, and leave the results in the attributes named above."""

    def _trouble(self) -> str:
        return (
            f"{self!r} did not converge in {self.n_iter_} steps: its scores are near the optimum, not at it."
            " Try a larger max_iter, or a smaller score_variance."
        )

    # -- uncertainty ------------------------------------------------------------------------------

    def mode(self) -> Mode:
        """Where the fitted method stands on its posterior; refused by methods that are not `smooth`."""
        msg = (
            f"{type(self).__name__} has no likelihood that is smooth in its scores, so no Laplace"
            " approximation: use source='bootstrap'"
        )
        raise MethodError(msg)

    @property
    def preferred_source(self) -> Literal["laplace", "sampler", "bootstrap"]:
        """Where its uncertainty is best taken from, where nobody says."""
        return "laplace" if self.smooth else "bootstrap"

    # -- results ----------------------------------------------------------------------------------

    def grades(self) -> pl.DataFrame:
        """One row per item, best first within its task: task, item, rank, score, percentile, reviews.

        Rank 1 is best; tied items share the smallest. The percentile is the share of the class at or
        below the item.
        """
        from peerage.models.tables import grade_table

        self._check_fitted()
        return grade_table(self.feedback_, self.scores_)

    def graders(self) -> pl.DataFrame:
        """One row per grader: grader, reliability, reviews, lists, strict_pairs, agreement.

        Agreement is the share of the grader's strictly ordered pairs that the estimate orders alike,
        a pair tied in the estimate counting half; null where the grader ordered no pair. The number of
        such pairs, strict_pairs, is the evidence behind the reliability.
        """
        from peerage.models.tables import grader_table

        self._check_fitted()
        return grader_table(self.feedback_, self.scores_, self.reliabilities_)

    def _check_fitted(self) -> None:
        if not hasattr(self, "scores_"):
            msg = f"this {type(self).__name__} has no results yet: call fit(feedback) first"
            raise NotFittedError(msg)

    # -- parameters -------------------------------------------------------------------------------

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as they were given. (`deep` is there for scikit-learn.)"""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                msg = f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                raise MethodError(msg)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def clone(estimator: Estimator) -> Estimator:
    """A fresh, unfitted estimator with the same parameters."""
    return type(estimator)(**estimator.get_params())


def check_positive(**values: float) -> None:
    """Refuse numbers that must be finite and greater than 0."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            msg = f"{name} must be a finite number greater than 0, not {value!r}"
            raise MethodError(msg)


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse words outside a short list."""
    if value not in allowed:
        msg = f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}"
        raise MethodError(msg)
