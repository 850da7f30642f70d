"""What every estimator shares: parameters in scikit-learn's manner, and results as tables."""

from __future__ import annotations

import inspect
import math
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

from peerage._display import as_html
from peerage.errors import ConvergenceWarning, DataError, MethodError, NotFittedError

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.checkpoint import Checkpoint
    from peerage.models.feedback_parts import FeedbackParts
    from peerage.models.solver.mode import Mode

    Floats = NDArray[np.float64]

ScoreScale = Literal["grading", "latent", "rank"]
E = TypeVar("E")


class Estimator(ABC):
    """Base of all methods: ``fit(feedback)`` estimates, ``grades()`` and ``graders()`` tell.

    A subclass stores its keyword-only parameters untouched and implements ``_fit``, which sets
    ``scores_``, ``reliabilities_``, ``objective_``, ``converged_`` and ``n_iter_``. It says what it can do in
    the class attributes below and in :meth:`win_probability`; code outside ``models`` asks these and never
    for a class, so that a new model needs no edit elsewhere.

    Capabilities
    ------------
    score_scale : {"grading", "latent", "rank"}
        What a score is: a grade on the graders' own scale; a number without unit, of which only differences
        mean something; or a place in a ranking, of which only the order means something.
    needs_scores : bool
        Whether it works on the scores that graders gave.
    needs_orders : bool
        Whether it needs orders that do not just follow from the scores.
    longest_list : int or None
        The most items that a list may have; None for any number.
    counts_pairs : bool
        Whether its likelihood counts every pair of a list as if it had been judged on its own; then it is
        too sure of itself where lists are longer than 2.
    learns_priors : bool
        Whether :func:`peerage.learn_priors` can learn its priors from the class.
    is_smooth : bool
        Whether its posterior is smooth in the scores, so that :meth:`mode` can describe it.
    sampler : {"scores", "rankings"} or None
        What its posterior can be drawn as.
    evidence_parameter : str or None
        The parameter, a prior variance, that the evidence of the class can choose.
    learning_params : dict
        Parameters with which the fit itself learns the priors.
    scale_is_free : bool
        Whether feedback tells only the product of reliability and score, so that ``identified=True``, which
        holds the mean of the reliabilities at 1, decides what neither the feedback nor good priors do.
    rough_steps : int
        Steps of its search that bring scores near enough to the optimum for a correlation, if not for grades.
    predicts_wins : bool
        Whether :meth:`win_probability` gives a chance.
    item_attributes : tuple of str
        The fitted attributes that have one number per item.
    reliability : bool
        Whether reliabilities are estimated; where the method leaves the choice, a parameter.
    biases_ : float64[n_graders] or None
        After ``fit``, how much above the rest each grader scores, where the method estimates that.
    noise_variance_, bias_variance_ : float or None
        After ``fit``, of a reported score of a grader of reliability 1, and of biases, likewise.
    noise_freedom_ : float
        After ``fit``, degrees of freedom of the noise of scores; infinity where it is normal.

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

    score_scale: ClassVar[ScoreScale] = "latent"
    needs_scores: ClassVar[bool] = False
    needs_orders: ClassVar[bool] = False
    longest_list: ClassVar[int | None] = None
    counts_pairs: ClassVar[bool] = False
    learns_priors: ClassVar[bool] = False
    is_smooth: ClassVar[bool] = False
    sampler: ClassVar[Literal["scores", "rankings"] | None] = None
    evidence_parameter: ClassVar[str | None] = None
    learning_params: ClassVar[dict[str, Any]] = {}
    item_attributes: ClassVar[tuple[str, ...]] = ("scores_",)
    rough_steps: ClassVar[int] = 3

    reliability: bool = False
    identified: bool = False  # whether the mean of the reliabilities is held at 1
    reliability_shape: float  # of the prior of reliabilities, Gamma(shape, rate), where they are estimated
    reliability_rate: float
    strict_lists_know_no_ties: ClassVar[bool] = False  # modelled or not, ties change nothing without any
    warm_start: Floats | None = None  # scores near the optimum, for methods that search
    scores_: Floats
    reliabilities_: Floats
    biases_: Floats | None = None
    noise_variance_: float | None = None
    bias_variance_: float | None = None
    noise_freedom_: float = math.inf
    prior_learned_: bool = False  # whether `learn_priors` chose the variance of the scores
    objective_: float
    converged_: bool
    n_iter_: int
    elapsed_: float
    _feedback: Feedback | None = None
    _later: Callable[[], Feedback] | None = None  # how the feedback is read, where that was put off

    @property
    def predicts_wins(self) -> bool:
        """Whether :meth:`win_probability` gives a chance."""
        return False

    @property
    def scale_is_free(self) -> bool:
        """Whether feedback tells only the product of reliability and score."""
        return False

    @property
    def feedback_(self) -> Feedback:
        """What it was fitted to; read when it is first asked for, where workers had the parts."""
        if self._feedback is None and self._later is not None:
            self._feedback = self._later()
        if self._feedback is None:
            msg = f"this {self.name} has no results yet: call fit(feedback) first"
            raise NotFittedError(msg)
        return self._feedback

    @feedback_.setter
    def feedback_(self, feedback: Feedback) -> None:
        self._feedback = feedback

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return type(self).__name__

    def win_probability(self, gap: Floats, reliability: float = 1.0) -> Floats:
        """The chance that a grader puts an item first whose score is larger by `gap`.

        A tie that has a chance of its own counts half. MethodError where the method does not
        `predicts_wins`: it says why.
        """
        raise MethodError(f"{self.name} has no chance of winning: {self._no_chances()}")

    def _no_chances(self) -> str:
        """Why gaps of its scores give no chance."""
        reasons = {
            "rank": "its scores are places in a ranking, and a gap of places has no unit. Use PL, BT or THUR",
            "grading": "its scores are on the graders' scale, and it models scores, not who is put first. Use"
            " PL, BT or THUR for the orders",
        }
        return reasons.get(self.score_scale, "it does not say how gaps of its scores become chances")

    def suits(self, feedback: Feedback) -> bool:
        """Whether it can be fitted to this feedback."""
        if self.needs_scores and feedback.scores is None:
            return False
        if self.needs_orders and feedback.ordered_by == "score":
            return False
        return self.longest_list is None or int(feedback.list_lengths.max(initial=0)) <= self.longest_list

    def fit(self, feedback: Feedback | Any, y: None = None) -> Self:
        """Estimate scores and reliabilities; forgets any earlier fit.

        Takes whatever :func:`peerage.fit` takes. (`y` is there for scikit-learn, here and below.)
        """
        feedback = known_feedback(feedback)
        self._forget()
        started = time.perf_counter()
        self._validate(feedback)
        self._fit(feedback)
        self.feedback_ = feedback
        self.elapsed_ = time.perf_counter() - started
        if not self.converged_:
            warnings.warn(self._trouble(), ConvergenceWarning, stacklevel=2)
        return self

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self._feedback = self._later = None

    def fit_parts(
        self, parts: FeedbackParts, checkpoint: Checkpoint, feedback: Callable[[], Feedback]
    ) -> Self:
        """Estimate from feedback in parts, wherever they are; the whole is read where results need it."""
        self._forget()
        started = time.perf_counter()
        self._validate(parts.sample())
        if self.longest_list is not None and parts.longest > self.longest_list:
            raise DataError(
                f"{self.name} takes lists of at most {self.longest_list} items, and one has {parts.longest}:"
                " use another method, such as PL"
            )
        self._fit_parts(parts, checkpoint)
        self._later = feedback
        self.elapsed_ = time.perf_counter() - started
        if not self.converged_:
            warnings.warn(self._trouble(), ConvergenceWarning, stacklevel=2)
        return self

    def obstacle_in_parts(self) -> str | None:
        """Why it cannot be fitted in parts to the same bytes, with advice; None if it can."""
        return (
            f"{self.name} cannot be shared out exactly: every step of it needs all lists. Use PL, BT, THUR or"
            " MALS (with +G or without), NCS or SCAVG, or fit it on one machine, without a cluster"
        )

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        """Estimate from parts; only for methods without an obstacle."""
        raise MethodError(self.obstacle_in_parts() or f"{self.name} cannot be fitted in parts")

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

    def exact_scores_without(self) -> Floats | None:
        """By entry of the feedback: the item's score without the entry's grader, where that is plain to say.

        None leaves it to :func:`peerage.models.scores_without`.
        """
        return None

    @property
    def preferred_source(self) -> Literal["laplace", "sampler", "bootstrap"]:
        """Where its uncertainty is best taken from, where nobody says."""
        return "laplace" if self.is_smooth else "bootstrap"

    def take_over(self, fitted: Estimator) -> None:  # noqa: B027 - most methods learn nothing of the kind
        """Hold what a fit of the same method learned of the class as a whole, and learn it no more."""

    # -- results ----------------------------------------------------------------------------------

    def grades(self) -> pl.DataFrame:
        """One row per item, best first within its task: task, item, rank, score, percentile, reviews.

        Rank 1 is best; tied items share the smallest. The percentile is the share of the class at or
        below the item.
        """
        from peerage.models.tables import grade_table

        self._check_fitted()
        return grade_table(self.feedback_, self.scores_)

    def plot(self, ax: Axes | None = None, *, task: str | int = 0) -> Axes:
        """The scores of a task as dots, the best at the top; returns the Matplotlib axes."""
        from peerage.plots import plot_scores

        self._check_fitted()
        part = self.feedback_.task_slice(task)
        labels = self.feedback_.item_values[part].to_list()
        return plot_scores(labels, self.scores_[part], xlabel=f"score by {self.name}", ax=ax)

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
            msg = f"this {self.name} has no results yet: call fit(feedback) first"
            raise NotFittedError(msg)

    # -- predictions ------------------------------------------------------------------------------

    def log_likelihood(self, feedback: Feedback | Any) -> float:
        """The log-likelihood of lists under the fitted model: natural logarithm, priors left out.

        Items and graders are matched by label. An unknown grader has reliability 1; an item that was not in
        the feedback of the fit is refused.
        """
        raise MethodError(
            f"{self.name} has no likelihood of lists to score them by: use PL, BT, THUR or MALS, with +G or"
            " without"
        )

    @property
    def log_likelihood_(self) -> float:
        """The log-likelihood of the feedback of the fit."""
        return self.log_likelihood(self.feedback_)

    @property
    def n_parameters_(self) -> int:
        """How many numbers were estimated: scores less one per task, reliabilities, and a tie parameter.

        Where only reliability times score is known, there is one reliability less.
        """
        self._check_fitted()
        feedback = self.feedback_
        seen = feedback.item_reviews > 0
        tasks = len(set(feedback.item_tasks[seen].tolist()))
        reliabilities = feedback.n_graders - int(self.scale_is_free) if self.reliability else 0
        return int(seen.sum()) - tasks + reliabilities + self._n_other_parameters()

    def _n_other_parameters(self) -> int:
        return 0

    @property
    def aic_(self) -> float:
        """Akaike's criterion, 2 k - 2 log-likelihood; what it is for needs a prior too wide to matter."""
        return 2.0 * self.n_parameters_ - 2.0 * self.log_likelihood_

    def score(self, feedback: Feedback | Any, y: None = None) -> float:
        """Mean log-likelihood per comparison of lists that may be others than those of the fit.

        A list of k items makes k (k - 1) / 2 comparisons, whatever the method, so that methods can be
        compared; tied pairs count where the model gives ties a chance. Larger is better: tossing coins
        scores -0.693.
        """
        known = known_feedback(feedback)
        pairs = known.list_strict_pairs
        if self.get_params().get("ties", "indifferent") != "indifferent":
            pairs = known.list_lengths * (known.list_lengths - 1) // 2
        comparisons = float((known.list_weights * pairs).sum())
        if comparisons == 0:
            raise DataError("there is no comparison in this feedback to score")
        return self.log_likelihood(known) / comparisons

    def predict_proba(self, pairs: Any, *, task: str | int = 0) -> Floats:
        """Chances for pairs of items, given as labels, with a grader of reliability 1.

        Shape (n_pairs, 2): the first wins, the second wins. Where the model gives ties a chance, shape
        (n_pairs, 3) with the tie in the middle.
        """
        import numpy as np

        self._check_fitted()
        numbers = [[self.feedback_.item_number(label, task) for label in pair] for pair in pairs]
        if any(len(pair) != 2 for pair in numbers):
            raise DataError("predict_proba takes pairs of items: [(first, second), …]")
        places = np.array(numbers, dtype=np.int64).reshape(-1, 2)
        return self._outcomes(self.scores_[places[:, 0]] - self.scores_[places[:, 1]])

    def _outcomes(self, gap: Floats) -> Floats:
        import numpy as np

        win = self.win_probability(gap)
        return np.column_stack([win, 1.0 - win])

    def predict_order(self, items: Any = None, *, task: str | int = 0) -> list[Any]:
        """These items (labels), best first; without any, all items of the task."""
        self._check_fitted()
        feedback = self.feedback_
        number = feedback.task_number(task) if isinstance(task, str) else task
        table = self.grades()
        order = table.filter(table["task"] == feedback.task_labels[number])["item"].to_list()
        if items is None:
            return order
        asked = {feedback.item_number(label, number) for label in items}
        return [label for label in order if feedback.item_number(label, number) in asked]

    # -- parameters -------------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks; it alone calls this."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False),
            requires_fit=True,
        )

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
                msg = f"{self.name} has no parameter {name!r}; it has {', '.join(known)}"
                raise MethodError(msg)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = [
            f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]
        ]
        return f"{self.name}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        if not hasattr(self, "feedback_"):
            return as_html(f"{self!r}, not fitted yet")
        return as_html(f"{self!r}, fitted to {self.feedback_!r}", self.grades())


@dataclass_transform(kw_only_default=True, eq_default=False)
def with_parameters(cls: type[E]) -> type[E]:
    """Parameters by keyword, stored untouched, from the annotations of a class."""
    return dataclass(kw_only=True, eq=False, repr=False)(cls)


def rough_clone(estimator: Estimator, *, tol: float, max_iter: int) -> Estimator:
    """The same, for a part of the feedback that the estimator was fitted to: solved no better than asked for.

    What a method learns of the feedback as a whole it takes over.
    """
    twin = clone(estimator)
    known = twin.get_params()
    if {"tol", "max_iter"} <= set(known):
        twin.set_params(tol=max(known["tol"], tol), max_iter=min(known["max_iter"], max_iter))
    twin.take_over(estimator)
    return twin


def clone(estimator: Estimator) -> Estimator:
    """A fresh, unfitted estimator with the same parameters."""
    return type(estimator)(**estimator.get_params())


def known_feedback(source: Any) -> Feedback:
    """Feedback as it is; anything else as :func:`peerage.fit` takes it."""
    from peerage.feedback.container import Feedback

    if isinstance(source, Feedback):
        return source
    from peerage.reading.reader import as_feedback

    return as_feedback(source)


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
