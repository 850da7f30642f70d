"""The base of models with a smooth likelihood: a model states two kernels, the rest is here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from peerage.errors import MethodError
from peerage.models.base import Estimator, check_choice, check_positive
from peerage.models.smooth.block_sum import BlockSum
from peerage.models.smooth.blocks import margins
from peerage.models.smooth.curvature import Likelihood
from peerage.models.smooth.merging import merged, merged_source
from peerage.models.smooth.objective import ListObjective
from peerage.models.solver.held_mean import HeldMeanProfile
from peerage.models.solver.mode import Mode
from peerage.models.solver.newton import minimise
from peerage.models.solver.prior import GammaPrior
from peerage.models.solver.profile import FixedScales, ProfileObjective
from peerage.models.source import NoJournal, in_parts, search
from peerage.models.start import comparisons, log_odds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.smooth.list_parts import ListParts
    from peerage.models.solver.newton import Outcome
    from peerage.models.source import Journal, Source

Ties = Literal["indifferent", "model"]
Pairs = Literal["all", "adjacent"]
ROUGH = 1e-3  # how well the scores are solved before reliabilities join


class SmoothModel(Estimator):
    """A model whose log-likelihood is smooth in scores and reliabilities.

    A subclass gives two compiled functions over flat arrays of many lists, `value_and_gradient` and
    `hessian_product`, both in x = scale * (score - offset). It may give a third, `off_diagonal` (the Hessian
    beside its diagonal), which makes every fit faster; see CONTRIBUTING.md. And it names its inverse link,
    the chance that the better of two items wins, as a function of their gap in x.
    """

    is_smooth = True
    sampler = "scores"
    learns_priors = True
    evidence_parameter = "score_variance"
    rough_steps = 2  # of scores alone, and as many with reliabilities
    inverse_link: ClassVar[Any] = None
    starts_from_comparisons: ClassVar[bool] = True  # whether that is what `start_sums` begins with

    value_and_gradient: ClassVar[Any]
    hessian_product: ClassVar[Any]
    off_diagonal: ClassVar[Any] = None
    is_choices: ClassVar[bool] = False  # lists are runs of choices: their kernels are in choices.py
    power: ClassVar[int] = 1  # reliability = scale ** power
    threshold: float = 0.0

    score_variance: float
    reliability_shape: float
    reliability_rate: float
    ties: Ties
    margin: bool
    tol: float
    max_iter: int

    def win_probability(
        self, gap: NDArray[np.float64], reliability: float = 1.0
    ) -> NDArray[np.float64] | None:
        """The inverse link of the gap times the grader's scale; ties aside."""
        if self.inverse_link is None:
            return None
        return np.asarray(self.inverse_link(reliability ** (1.0 / self.power) * gap))

    @property
    def scale_is_free(self) -> bool:
        """Whether lists tell only reliability times score; a margin would have a unit."""
        known = "identified" in self._parameter_names()
        return known and self.reliability and not getattr(self, "margin", False)

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told about the parameters."""
        return ()

    def start(self, feedback: Feedback) -> NDArray[np.float64]:
        """Where the search begins: the log-odds of each item's share of comparisons won."""
        return self.start_of(*self.start_sums(feedback))

    def start_sums(self, feedback: Feedback) -> tuple[NDArray[np.float64], ...]:
        """What a start is made of, as sums over lists: part by part, it can be added up."""
        return comparisons(feedback)

    def start_of(self, *sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """The start, made of these sums over all lists."""
        return log_odds(*sums)

    def _validate(self, feedback: Feedback) -> None:
        check_positive(
            score_variance=self.score_variance,
            reliability_shape=self.reliability_shape,
            reliability_rate=self.reliability_rate,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if self.reliability and self.reliability_shape < 1:
            msg = (
                f"reliability_shape must be at least 1 (or there is no mode), not {self.reliability_shape!r}"
            )
            raise MethodError(msg)
        check_choice("ties", getattr(self, "ties", "indifferent"), ("indifferent", "model"))
        check_choice("pairs", getattr(self, "pairs", "all"), ("all", "adjacent"))
        if getattr(self, "margin", False) and feedback.scores is None:
            msg = f"{type(self).__name__}(margin=True) needs the scores that graders gave: a 'score' column"
            raise MethodError(msg)

    def likelihood(self) -> Likelihood:
        """The kernels, and what they are told."""
        return Likelihood(
            self.value_and_gradient,
            self.hessian_product,
            self.options(),
            self.power,
            self.threshold,
            self.off_diagonal,
            self.is_choices,
        )

    def objective(self, feedback: Feedback) -> ListObjective:
        """The posterior to minimise, without the prior of the reliabilities."""
        offsets = margins(feedback) if getattr(self, "margin", False) else None
        lists = BlockSum(feedback, self.likelihood(), offsets)
        return ListObjective(lists, precision=1.0 / self.score_variance, counts_pairs=self.counts_pairs)

    def profile(self, objective: ListObjective) -> FixedScales:
        """The objective as a function of the scores alone."""
        if not self.reliability:
            return FixedScales(objective)
        held = objective.lists.held_means() if self.identified and self.scale_is_free else None
        if held is None or held.empty:
            return ProfileObjective(objective, self.prior())
        return HeldMeanProfile(objective, self.prior(), held)

    def mode(self) -> Mode:
        """Where the fitted model stands on its posterior."""
        self._check_fitted()
        feedback = self.feedback_
        if not self.reliability and feedback.list_lengths.max(initial=0) <= 2:  # no overlap of pairs to count
            feedback = merged(feedback)
        profile = self.profile(self.objective(feedback))
        profile.scales = self.reliabilities_ ** (1 / self.power)
        return Mode.at(self.scores_, profile, power=self.power, floating=True)

    def prior(self) -> GammaPrior:
        """The prior of a grader's reliability, in its scale."""
        return GammaPrior(self.reliability_shape, self.reliability_rate, self.power)

    def _fit(self, feedback: Feedback) -> None:
        once = feedback if getattr(self, "margin", False) else merged(feedback)
        if not self.reliability:
            feedback = once
        source = in_parts(feedback)
        if source is None:
            self._fit_whole(feedback, once)
        else:
            self._fit_parts(source, NoJournal(), None if once is feedback else once)

    def obstacle_in_parts(self) -> str | None:
        """There is none: graders are in one part each, and all else are sums."""
        return None

    def _fit_source(self, source: Source, journal: Journal) -> None:
        once = None if getattr(self, "margin", False) else merged_source(source)
        if once is not None and not self.reliability:
            self._fit_whole(once, once)
        else:
            self._fit_parts(source, journal, once)

    def _fit_whole(self, feedback: Feedback, once: Feedback) -> None:
        """`once` has equal lists once, which is enough until reliabilities join."""
        objective = self.objective(feedback)
        profile = FixedScales(objective if once is feedback else self.objective(once))
        outcome = self._first(profile, once)
        if self.reliability:
            profile = self.profile(objective)
            outcome = minimise(profile, outcome.scores, tol=self.tol, max_iter=self.max_iter)
        self._keep(outcome, profile.scales**self.power)

    def _first(self, profile: FixedScales, feedback: Feedback) -> Outcome:
        """Scores with all graders alike."""
        start = self.start(feedback) if self.warm_start is None else self.warm_start
        return minimise(profile, start, tol=self._first_tol, max_iter=self.max_iter)

    @property
    def _first_tol(self) -> float:
        return max(self.tol, ROUGH) if self.reliability else self.tol

    def _fit_parts(self, source: Source, journal: Journal, once: Feedback | None) -> None:
        """The same in parts, wherever they are."""
        from peerage.models.smooth.list_parts import ListParts as Made  # small classes do without

        of_parts = Made(self, source)
        if once is not None:  # small enough to do again where a fit is gone on with
            self._join(of_parts, journal, self._first(FixedScales(self.objective(once)), once).scores)
            return
        found = search(
            journal,
            "scores",
            of_parts.fixed,
            lambda: of_parts.start() if self.warm_start is None else self.warm_start,
            tol=self._first_tol,
            max_iter=self.max_iter,
        )
        if self.reliability:
            self._join(of_parts, journal, found.outcome.scores)
        else:
            self._keep(found.outcome, np.ones(source.n_graders))

    def _join(self, of_parts: ListParts, journal: Journal, scores: NDArray[np.float64]) -> None:
        """Let reliabilities join."""
        found = search(
            journal,
            "reliabilities",
            of_parts.profile,
            lambda: scores,
            tol=self.tol,
            max_iter=self.max_iter,
            with_graders=True,
        )
        self._keep(found.outcome, found.graders[0] ** self.power)

    def _keep(self, outcome: Outcome, reliabilities: NDArray[np.float64]) -> None:
        self.scores_, self.reliabilities_ = outcome.scores, reliabilities
        self.objective_ = outcome.value
        self.converged_, self.n_iter_ = outcome.converged, outcome.n_iter
