"""The Bradley-Terry model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from peerage._numba import kernel
from peerage.errors import MethodError, NotFittedError
from peerage.models.lists import bucket_end, exponentials, longest_of
from peerage.models.smooth.model import Pairs, SmoothModel, logistic, smooth_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator
    from peerage.models.checkpoint import Checkpoint
    from peerage.models.feedback_parts import FeedbackParts

    Floats = NDArray[np.float64]

DAVIDSON, RAO_KUPPER, HALVES = 0, 1, 2  # kinds of ties, for the kernels
HUGE = 1e150  # products of odds are logged before they overflow


@kernel
def upset(gap: float) -> float:
    """1 / (1 + exp(gap)): the chance that the worse item wins."""
    tail = math.exp(-abs(gap))
    return tail / (1.0 + tail) if gap > 0 else 1.0 / (1.0 + tail)


@kernel
def log_win(gap: float) -> float:
    """-log(1 + exp(-gap)), without overflow."""
    return min(gap, 0.0) - math.log1p(math.exp(-abs(gap)))


@kernel
def _strict_gradient(power: Any, first: int, start: int, end: int, stop: int, grad: Any) -> float:
    """A bucket against all entries from its end to stop, from exponentials."""
    value, product = 0.0, 1.0
    for e in range(start, end):
        mine, won = power[e - first], 0.0
        inverse = 1.0 / mine
        for f in range(end, stop):
            both = mine + power[f - first]
            lost = power[f - first] / both
            product *= both * inverse  # one log for many pairs
            if product > HUGE:
                value -= math.log(product)
                product = 1.0
            won += lost
            grad[f] -= lost
        grad[e] += won
    return value - math.log(product)


@kernel
def _strict_product(power: Any, first: int, start: int, end: int, stop: int, v: Any, out: Any) -> None:
    for e in range(start, end):
        mine, along, own = power[e - first], v[e], 0.0
        for f in range(end, stop):
            other = power[f - first]
            share = 1.0 / (mine + other)
            part = mine * other * share * share * (along - v[f])
            own += part
            out[f] += part
        out[e] -= own


@kernel
def _wide_gradient(x: Any, start: int, end: int, stop: int, grad: Any) -> float:
    """The same pair by pair, for lists too far apart for plain exponentials."""
    value = 0.0
    for e in range(start, end):
        for f in range(end, stop):
            value += log_win(x[e] - x[f])
            lost = upset(x[e] - x[f])
            grad[e] += lost
            grad[f] -= lost
    return value


@kernel
def _wide_product(x: Any, start: int, end: int, stop: int, v: Any, out: Any) -> None:
    for e in range(start, end):
        for f in range(end, stop):
            lost = upset(x[e] - x[f])
            part = lost * (1.0 - lost) * (v[e] - v[f])
            out[e] -= part
            out[f] += part


@kernel
def tied_or_not(gap: float, strict: bool, kind: int, stretch: float, size: float) -> Any:
    """Where ties count: the log-likelihood of a pair, its slope, and minus its curvature, in the gap.

    Davidson: e^h, e^-h and e^size are the odds of a win, a loss and a tie, with h = stretch * gap.
    Rao and Kupper: a win is a gap larger than `size`, with logistic noise. Halves: the mean of both outcomes.
    """
    if kind != DAVIDSON:
        lost, lost_back = upset(gap - size), upset(-gap - size)
        if strict:
            return log_win(gap - size), lost, lost * (1.0 - lost)
        value, push = log_win(gap - size) + log_win(-gap - size), lost - lost_back
        curvature = lost * (1.0 - lost) + lost_back * (1.0 - lost_back)
        if kind == HALVES:
            return 0.5 * value, 0.5 * push, 0.5 * curvature
        return value + math.log(math.expm1(2.0 * size)), push, curvature
    half = stretch * gap
    top = max(abs(half), size)
    win, loss, tie = math.exp(half - top), math.exp(-half - top), math.exp(size - top)
    total = win + loss + tie
    value = (half if strict else size) - top - math.log(total)
    push, spread = (win - loss) / total, (win + loss) / total
    return value, stretch * ((1.0 if strict else 0.0) - push), stretch * stretch * (spread - push * push)


@kernel
def _tied_gradient(x: Any, start: int, end: int, stop: int, ties: Any, grad: Any) -> float:
    """The same with ties modelled: a bucket against itself and against what follows, to stop."""
    value = 0.0
    for e in range(start, end):
        for f in range(e + 1, stop):
            more, push, _ = tied_or_not(x[e] - x[f], f >= end, *ties)
            value += more
            grad[e] += push
            grad[f] -= push
    return value


@kernel
def _tied_product(x: Any, start: int, end: int, stop: int, ties: Any, v: Any, out: Any) -> None:
    for e in range(start, end):
        for f in range(e + 1, stop):
            _, _, curvature = tied_or_not(x[e] - x[f], f >= end, *ties)
            part = curvature * (v[e] - v[f])
            out[e] -= part
            out[f] += part


@kernel
def value_and_gradient(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, value: Any, grad: Any, grad_t: Any
) -> None:
    """Log-likelihood of every list, and its gradient in x."""
    model_ties, adjacent, ties = options
    power = np.empty(longest_of(starts))
    grad[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, start, last, power)
        first = start
        value[which] = 0.0
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            if model_ties:
                value[which] += _tied_gradient(x, start, end, stop, ties, grad)
            elif narrow:
                value[which] += _strict_gradient(power, first, start, end, stop, grad)
            else:
                value[which] += _wide_gradient(x, start, end, stop, grad)
            start = end


@kernel
def hessian_product(
    x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, v: Any, v_t: Any, out: Any, out_t: Any
) -> None:
    """Hessian of every list's log-likelihood in x, times v."""
    model_ties, adjacent, ties = options
    power = np.empty(longest_of(starts))
    out[:] = 0.0
    for which in range(len(starts) - 1):
        start, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, start, last, power)
        first = start
        while start < last:
            end = bucket_end(bucket_starts, start, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            if model_ties:
                _tied_product(x, start, end, stop, ties, v, out)
            elif narrow:
                _strict_product(power, first, start, end, stop, v, out)
            else:
                _wide_product(x, start, end, stop, v, out)
            start = end


@kernel
def _pair_curvature(x: Any, e: int, f: int, strict: bool, model_ties: bool, ties: Any) -> float:
    if not model_ties:
        lost = upset(x[e] - x[f])
        return lost * (1.0 - lost) if strict else 0.0
    _, _, curvature = tied_or_not(x[e] - x[f], strict, *ties)
    return float(curvature)


@kernel
def off_diagonal(x: Any, t: Any, bucket_starts: Any, starts: Any, options: Any, out: Any) -> None:
    """Hessian of every list's log-likelihood in x, beside the diagonal."""
    model_ties, adjacent, ties = options
    power = np.empty(longest_of(starts))
    at = 0
    for which in range(len(starts) - 1):
        first, last = starts[which], starts[which + 1]
        narrow = not model_ties and exponentials(x, first, last, power)
        for e in range(first, last):
            end = bucket_end(bucket_starts, e, last)
            stop = bucket_end(bucket_starts, end, last) if adjacent and end < last else last
            row, mine = at - e - 1, power[e - first]
            for f in range(e + 1, end):
                out[row + f] = _pair_curvature(x, e, f, False, model_ties, ties)
            if narrow:
                for f in range(end, stop):
                    both = mine + power[f - first]
                    out[row + f] = mine * power[f - first] / (both * both)
            else:
                for f in range(end, stop):
                    out[row + f] = _pair_curvature(x, e, f, True, model_ties, ties)
            for f in range(stop, last):
                out[row + f] = 0.0
            at += last - e - 1


PairTies = Literal["indifferent", "half", "model", "davidson", "rao-kupper"]
ESTIMATED = ("davidson", "rao-kupper")  # ties with a parameter of their own
CHANCELESS = ("indifferent", "half")  # ties that the model does not predict
LARGEST = 30.0  # of a parameter's logarithm, up or down: beyond, nothing changes
SETTLED = 1e-7  # by comparison, of the slope of the profile in parameters other than scores


@smooth_model
class BradleyTerry(SmoothModel):
    """Bradley-Terry model: P(i over j) = 1 / (1 + exp(-eta (s_i - s_j))) for every pair of a list.

    Parameters
    ----------
    ties : {"indifferent", "half", "model", "davidson", "rao-kupper"}, default="indifferent"
        Leave tied pairs out; count each as half a win of either; or give the tie its own chance beside win
        and loss. With d = eta (s_i - s_j):

        - "model": a tie has the chance 1 / (e^d + 1 + e^-d), as in the paper; no further parameter
        - "davidson": win, tie and loss are as e^(d/2) : nu : e^(-d/2), with nu >= 0 estimated. Among equal
          items a tie is nu times as likely as a win of either. For pairs only
        - "rao-kupper": i wins with 1 / (1 + theta e^-d), j with 1 / (1 + theta e^d), and else they tie, with
          theta >= 1 estimated. For pairs only
    tie_parameter : float or None, default=None
        nu or theta where it is known; otherwise it is estimated, with the scores at their best for it.
    order_effect : bool, default=False
        Estimate the advantage of being seen first, in units of the scores and with their prior: it is added
        to the score of the item at position 1 (see ``Feedback.positions``). For pairs only.
    $PAIRS
    $MARGIN
    $PARAMETERS

    Attributes
    ----------
    $ATTRIBUTES
    tie_parameter_ : float
        nu or theta; only for the ties that have one.
    order_effect_ : float
        Only where it is estimated; positive where being seen first helps.

    References
    ----------
    Raman & Joachims, Methods for Ordinal Peer Grading, KDD 2014, section 4.2 and its tie variant.
    Davidson, On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments, JASA
    65, 1970. Rao & Kupper, Ties in Paired-Comparison Experiments, JASA 62, 1967.

    Examples
    --------
    >>> from peerage import BradleyTerry, Feedback
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> BradleyTerry().fit(feedback).scores_.round(3)
    array([ 0.32, -0.32])
    """

    inverse_link = staticmethod(logistic)
    counts_pairs = True
    tie_choices = get_args(PairTies)

    value_and_gradient = staticmethod(value_and_gradient)
    hessian_product = staticmethod(hessian_product)
    off_diagonal = staticmethod(off_diagonal)

    ties: PairTies = "indifferent"
    tie_parameter: float | None = None
    order_effect: bool = False
    pairs: Pairs = "all"
    margin: bool = False

    def win_probability(self, gap: Floats, reliability: float = 1.0) -> Floats:
        """The chance of being put first; a tie that has a chance of its own counts half."""
        if self.ties in CHANCELESS:
            return super().win_probability(gap, reliability)
        win, tie, _ = self._three_ways(reliability * np.asarray(gap))
        return np.asarray(win + 0.5 * tie)

    def _outcomes(self, gap: Floats) -> Floats:
        if self.ties in CHANCELESS:
            return super()._outcomes(gap)
        return np.column_stack(self._three_ways(gap))

    def _three_ways(self, gap: Floats) -> tuple[Floats, Floats, Floats]:
        """Chances of a win, a tie and a loss."""
        kind, stretch, size = self._tie_options()
        if kind == RAO_KUPPER:
            win, loss = logistic(gap - size), logistic(-gap - size)
            return win, 1.0 - win - loss, loss
        half = stretch * gap
        top = np.maximum(np.abs(half), size)
        odds = np.exp(half - top), np.exp(size - top), np.exp(-half - top)
        total = sum(odds)
        win, tie, loss = (np.asarray(one / total) for one in odds)
        return win, tie, loss

    def options(self) -> tuple[Any, ...]:
        """What the kernels are told: how ties are modelled, and whether only adjacent buckets count."""
        return (self.ties != "indifferent", self.pairs == "adjacent", self._tie_options())

    def _tie_options(self) -> tuple[int, float, float]:
        """The kind of ties, the stretch of gaps, and the parameter's logarithm."""
        if self.ties not in ESTIMATED:
            return (HALVES if self.ties == "half" else DAVIDSON), 1.0, 0.0
        parameter = vars(self).get("tie_parameter_", self.tie_parameter)
        if parameter is None:
            raise NotFittedError(f"this {self.name} has no tie parameter yet: call fit(feedback) first")
        size = math.log(parameter) if parameter > 0 else -LARGEST
        return (RAO_KUPPER if self.ties == "rao-kupper" else DAVIDSON), 0.5, size

    def _validate(self, feedback: Feedback) -> None:
        super()._validate(feedback)
        if self.tie_parameter is not None:
            self._check_tie_parameter(self.tie_parameter)
        longest = int(feedback.list_lengths.max(initial=0))
        if self.order_effect:
            self._check_positions(feedback, longest)
        self._check_length(longest)

    def _check_length(self, longest: int) -> None:
        if self.ties in ESTIMATED and longest > 2:
            raise MethodError(
                f"ties={self.ties!r} is for pairs, and a list here has {longest} items: one parameter does"
                ' not say how likely ties of three are. Use ties="model", or PL'
            )

    def _check_positions(self, feedback: Feedback, longest: int) -> None:
        if longest > 2:
            raise MethodError(f"order_effect is for pairs, and a list here has {longest} items")
        if feedback.positions is None:
            raise MethodError(
                "order_effect needs to know which item of a pair was seen first: a column 'shown' with 1"
                " and 2, or Feedback.from_lists(pairs, shown=[(first, second), …])"
            )

    def _check_tie_parameter(self, value: float) -> None:
        if self.ties not in ESTIMATED:
            raise MethodError(f"tie_parameter goes with ties='davidson' or 'rao-kupper', not {self.ties!r}")
        least = 1.0 if self.ties == "rao-kupper" else 0.0
        if not (math.isfinite(value) and value >= least):
            raise MethodError(f"tie_parameter must be a finite number of at least {least:g}, not {value!r}")

    # -- parameters beside scores and reliabilities ---------------------------------------------------------

    def obstacle_in_parts(self) -> str | None:
        """A parameter that all pairs share is found in one place."""
        if not self._estimated():
            return None
        return (
            f"{self!r} estimates a parameter from all pairs at once: fit it on one machine, without a cluster"
            " or a checkpoint"
        )

    def take_over(self, fitted: Estimator) -> None:
        """Hold the tie parameter."""
        if self.ties in ESTIMATED:
            self.tie_parameter = fitted.tie_parameter_  # type: ignore[attr-defined]

    def _estimated(self) -> tuple[str, ...]:
        """The parameters that are estimated beside scores and reliabilities."""
        ties = self.ties in ESTIMATED and self.tie_parameter is None
        return (("ties",) if ties else ()) + (("order",) if self.order_effect else ())

    def _n_other_parameters(self) -> int:
        return len(self._estimated())

    @property
    def has_offsets(self) -> bool:
        """Margins differ, and so does who was seen first."""
        return self.margin or self.order_effect

    def offsets(self, feedback: Feedback) -> Floats | None:
        """What is taken off: margins, and minus the advantage of the item that was seen first."""
        margin = super().offsets(feedback)
        if not self.order_effect:
            return margin
        advantage = -float(vars(self).get("order_effect_", 0.0)) * seen_first(feedback)
        return advantage if margin is None else margin + advantage

    def _fit_parts(self, feedback: FeedbackParts, checkpoint: Checkpoint) -> None:
        self._check_length(feedback.longest)  # of parts, `_validate` sees none
        super()._fit_parts(feedback, checkpoint)

    def _fit(self, feedback: Feedback) -> None:
        if self.ties in ESTIMATED and self.tie_parameter is not None:
            self.tie_parameter_ = float(self.tie_parameter)
        if not self._estimated():
            super()._fit(feedback)
            return
        pairs = PairOutcomes(
            feedback, self.offsets(feedback), seen_first(feedback) if self.order_effect else None
        )
        point = self._first_guess(pairs)
        if not len(point):
            super()._fit(feedback)
            return
        self._find_others(feedback, pairs, point)

    def _first_guess(self, pairs: PairOutcomes) -> Floats:
        """Where the search of the other parameters begins; empty where nothing is left to search."""
        point = [] if not self.order_effect else [0.0]
        if "ties" not in self._estimated():
            return np.array(point)
        tied, strict = pairs.counts()
        rao_kupper = self.ties == "rao-kupper"
        if strict == 0:
            raise MethodError(f"every pair is tied, so ties={self.ties!r} has no estimate of its parameter")
        if tied == 0:  # the largest likelihood is where ties never happen
            self.tie_parameter_ = 1.0 if rao_kupper else 0.0
            return np.array(point)
        odds = 2.0 * tied / strict  # as among equal items
        return np.array([math.log(math.log1p(odds)) if rao_kupper else math.log(odds), *point])

    def _put(self, point: Floats) -> None:
        """Set the other parameters to a point of their search."""
        rest = list(point)
        if self.order_effect:
            self.order_effect_ = float(rest.pop())
        if rest:
            size = math.exp(min(rest[0], math.log(LARGEST))) if self.ties == "rao-kupper" else rest[0]
            self.tie_parameter_ = math.exp(size)

    def _slope(self, pairs: PairOutcomes) -> Floats:
        """The derivative of what is minimised in the other parameters, scores and reliabilities held."""
        gap = pairs.gaps(self.scores_, self.reliabilities_, vars(self).get("order_effect_", 0.0))
        in_gap, in_size = self._derivatives(gap, pairs)
        slope = []
        if "ties" in self._estimated() and pairs.counts()[0] > 0:
            slope.append(-float(pairs.weights @ in_size))
        if self.order_effect:
            moved = self.reliabilities_[pairs.graders] * pairs.advantage
            slope.append(self.order_effect_ / self.score_variance - float(pairs.weights @ (in_gap * moved)))
        return np.array(slope)

    def _derivatives(self, gap: Floats, pairs: PairOutcomes) -> tuple[Floats, Floats]:
        """Of every pair's log-likelihood, in its gap and in the parameter's logarithm (that of log theta)."""
        if self.ties in CHANCELESS:
            tied = 0.5 - logistic(gap) if self.ties == "half" else np.zeros(len(gap))
            return np.where(pairs.tied, tied, logistic(-gap)), np.zeros(len(gap))
        kind, stretch, size = self._tie_options()
        win, tie, loss = self._three_ways(gap)
        if kind == DAVIDSON:
            return stretch * (~pairs.tied - (win - loss)), pairs.tied - tie
        lost, lost_back = 1.0 - win, 1.0 - loss
        if size == 0:
            return lost, np.zeros(len(gap))
        in_size = np.where(pairs.tied, -2.0 / math.expm1(-2.0 * size) - lost - lost_back, -lost)
        return np.where(pairs.tied, lost - lost_back, lost), size * in_size

    def _find_others(self, feedback: Feedback, pairs: PairOutcomes, start: Floats) -> None:
        """The other parameters at which the profile over scores and reliabilities is flat.

        Without reliabilities the profile is convex in them: the likelihood is log-concave in them and the
        scores together. At the best scores its slope is the derivative with the scores held.
        """
        from scipy.optimize import minimize, root  # slow to import, and not needed by most

        begun, steps = self.warm_start, 0

        def move(point: Floats) -> Floats:
            nonlocal steps
            self._put(np.clip(point, -LARGEST, LARGEST))
            super(BradleyTerry, self)._fit(feedback)
            self.warm_start = self.scores_
            steps += self.n_iter_
            return self._slope(pairs)

        def cost(point: Floats) -> tuple[float, Floats]:
            slope = move(point)
            return self.objective_ + self._order_penalty(), slope

        scale = SETTLED * max(float(pairs.weights.sum()), 1.0)
        try:
            point = root(move, start, options={"xtol": 1e-12}).x
            if float(np.abs(move(point)).max()) > scale:  # too far from it for Newton's steps
                point = minimize(cost, start, jac=True, method="BFGS").x
                point = root(move, point, options={"xtol": 1e-12}).x
            settled = float(np.abs(move(point)).max()) <= scale
        finally:
            self.warm_start = begun
        self.objective_ += self._order_penalty()
        self.converged_, self.n_iter_ = self.converged_ and settled, steps

    def _order_penalty(self) -> float:
        """The prior of the order effect: that of a score."""
        return 0.5 * self.order_effect_**2 / self.score_variance if self.order_effect else 0.0


class PairOutcomes:
    """The lists of two as arrays, the better item first."""

    def __init__(self, feedback: Feedback, offsets: Floats | None, first: Floats | None) -> None:
        lists = np.flatnonzero(feedback.list_lengths == 2)
        entries = feedback.list_starts[:-1][lists]
        self.better, self.worse = feedback.items[entries], feedback.items[entries + 1]
        self.tied = ~feedback.bucket_starts[entries + 1]
        self.graders, self.weights = feedback.list_graders[lists], feedback.list_weights[lists]
        self.margin = np.zeros(len(lists)) if offsets is None else offsets[entries] - offsets[entries + 1]
        self.advantage = np.zeros(len(lists)) if first is None else first[entries] - first[entries + 1]

    def counts(self) -> tuple[float, float]:
        """Tied and other pairs, by weight."""
        tied = float(self.weights[self.tied].sum())
        return tied, float(self.weights.sum()) - tied

    def gaps(self, scores: Floats, reliabilities: Floats, order_effect: float) -> Floats:
        gap = scores[self.better] - scores[self.worse] - self.margin + order_effect * self.advantage
        return np.asarray(reliabilities[self.graders] * gap)


def seen_first(feedback: Feedback) -> Floats:
    """By entry 1 where the item was the first of its list that the grader saw, and else 0."""
    assert feedback.positions is not None
    return np.asarray((feedback.positions == 1).astype(np.float64))
