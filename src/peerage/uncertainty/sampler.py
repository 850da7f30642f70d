"""Full posterior sampling: several chains, and whether they agree.

Rankings of a Mallows model are sampled by `mallows_gibbs`. Models that are smooth in their scores,
Plackett-Luce first of all, are sampled here by Hamiltonian Monte Carlo on scores and log reliabilities, in
coordinates where the Laplace approximation is white noise: there a trajectory of a quarter turn is all but an
independent draw. The step size is tuned in the warm-up by dual averaging (Hoffman & Gelman, JMLR 2014) and
then held: chains keep to the posterior.

Chains are compared by split R-hat, and their effective size says how many independent draws they are worth
(Gelman et al., Bayesian Data Analysis, 3rd edition, sections 11.4 and 11.5); the sum of autocorrelations ends
where Geyer's sum of neighbouring pairs turns negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage.errors import MethodError
from peerage.models.solver.dense import dot, substitute_backward, substitute_forward
from peerage.uncertainty.mallows_gibbs import MallowsSampler
from peerage.uncertainty.posterior import COVERS, Posterior
from peerage.uncertainty.precision import cholesky, posterior_precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator
    from peerage.models.solver.mode import Mode

    Floats = NDArray[np.float64]

CHAINS = 4
DRAWS = 1_000  # over all chains
# of Hamiltonian Monte Carlo
MOST_ITEMS = 2_000
WARM_UP = 150
TURN = 0.5 * math.pi  # a trajectory this long forgets where it began
ACCEPT = 0.85
FAR = 1.5  # chains start from draws this many times wider than the Laplace approximation


def sample(
    estimator: Estimator,
    *,
    draws: int | None = None,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
) -> Posterior:
    """Draws from the posterior of a fitted Mallows, BT, THUR, PL or MALS model."""
    sampler = MallowsSampler(estimator) if estimator.sampler == "rankings" else HamiltonianSampler(estimator)
    per_chain = max(4, math.ceil((draws or DRAWS) / CHAINS))
    runs: list[Any] = []
    for stream in np.random.SeedSequence(seed).spawn(CHAINS):
        runs.append(sampler.chain(per_chain, np.random.default_rng(stream)))
        if on_step is not None:
            on_step(f"chain {len(runs)} of {CHAINS}")
    scores, eta, log_eta, more = sampler.combine(runs)
    quantities = {"scores": scores, "reliabilities": log_eta} if estimator.reliability else {"scores": scores}
    flat = scores.reshape(-1, scores.shape[-1])
    return Posterior(
        estimator=estimator,
        source="sampler",
        note=f"{len(flat)} {sampler.description}, {CHAINS} chains. {COVERS}",
        location=flat.mean(axis=0),
        score_se=flat.std(axis=0, ddof=1),
        draws=flat,
        reliability_draws=eta.reshape(len(flat), -1) if estimator.reliability else None,
        diagnostics={"chains": CHAINS, "draws": len(flat), **more, **_diagnose(**quantities)},
    )


# -- Hamiltonian Monte Carlo ------------------------------------------------------------------------------


class HamiltonianSampler:
    """Chains of scores and log reliabilities of a model that is smooth in its scores."""

    description = "draws from the posterior by Hamiltonian Monte Carlo"

    def __init__(self, model: Estimator) -> None:
        if model.sampler != "scores":
            msg = f"{model.name} has no sampler: use source='laplace' or 'bootstrap'"
            raise MethodError(msg)
        n_items = model.feedback_.n_items
        if n_items > MOST_ITEMS:
            msg = f"the sampler takes at most {MOST_ITEMS} items, not {n_items}: use 'laplace'"
            raise MethodError(msg)
        self.model, self.target = model, _Target(model.mode())

    def chain(self, draws: int, rng: np.random.Generator) -> tuple[Floats, float]:
        """One chain's draws, and the rate at which it accepted."""
        target = self.target
        z = FAR * rng.standard_normal(len(target.centre))
        value, gradient = target(z)
        tuner = _StepSize(0.5 * len(z) ** -0.25)
        step, kept, rate = tuner.step, np.empty((draws, len(z))), 0.0
        for turn in range(WARM_UP + draws):
            z, value, gradient, chance = _trajectory(target, z, value, gradient, step, rng)
            if turn < WARM_UP:
                tuner.learn(chance)
                step = tuner.settle() if turn == WARM_UP - 1 else tuner.step
            else:
                kept[turn - WARM_UP] = target.point(z)
                rate += chance / draws
        return kept, rate

    def combine(self, runs: list[tuple[Floats, float]]) -> tuple[Floats, Floats, Floats, dict[str, float]]:
        """Scores, reliabilities and their logarithms of all chains, and what else is known of them."""
        points = np.stack([points for points, _ in runs])
        scores, log_eta = points[..., : self.target.n_items], points[..., self.target.n_items :]
        scores = _centred(scores, self.model.feedback_.item_tasks)
        accepted = float(np.mean([rate for _, rate in runs]))
        return scores, np.exp(log_eta), log_eta, {"accepted": accepted}


def _centred(scores: Floats, tasks: NDArray[np.int32]) -> Floats:
    """Every draw less its mean in each task."""
    means = [scores[..., tasks == task].mean(axis=-1) for task in range(tasks.max(initial=0) + 1)]
    return np.asarray(scores - np.stack(means, axis=-1)[..., tasks])


class _Target:
    """Minus the log posterior of (scores, log reliabilities) in whitened coordinates, with its gradient."""

    def __init__(self, mode: Mode) -> None:
        precision = posterior_precision(mode)
        self.objective, self.power, self.prior = mode.objective, mode.power, mode.prior
        self.n_items = mode.objective.n_items
        self.mixed, self.tangent = precision.mixed, precision.tangent
        self.root = np.sqrt(self.tangent.inverse)
        self.factor = cholesky(precision.dense())
        log_eta = np.empty(0) if mode.prior is None else mode.log_reliabilities
        self.centre = np.concatenate([mode.objective.scores, log_eta])

    def point(self, z: Floats) -> Floats:
        """From white coordinates to scores and log reliabilities."""
        scores = z[: self.n_items].copy()
        substitute_backward(self.factor, scores)
        if self.prior is None:
            return np.asarray(self.centre + scores)
        tangent, log_eta = self.tangent, self.centre[self.n_items :]
        log_eta = log_eta + tangent.project(z[self.n_items :]) - tangent.solve(self.mixed.T @ scores)
        log_eta = log_eta - np.log(tangent.constraint.means(np.exp(log_eta)))
        return np.concatenate([self.centre[: self.n_items] + scores, log_eta])

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """Value and gradient at white coordinates."""
        point = self.point(z)
        scores, log_eta = point[: self.n_items], point[self.n_items :]
        if self.prior is None:
            value = self.objective.evaluate(scores, np.ones(self.objective.n_graders))
            return value, self._whiten(self.objective.gradient())
        scales = np.exp(log_eta / self.power)
        # the density of log eta is that of eta times eta
        value = self.objective.evaluate(scores, scales) + self.prior.value(scales) - float(log_eta.sum())
        pull = (self.objective.scale_gradient() + self.prior.gradient(scales)) * scales / self.power - 1.0
        constraint = self.tangent.constraint  # to hold the mean, all follow where one goes
        weights = constraint.weights
        total = constraint.spread(constraint.totals(np.where(weights > 0, pull, 0.0)))
        pull = self.tangent.solve(pull - weights * np.exp(log_eta) * total)
        along = self.objective.gradient() - self.mixed @ pull
        idle = self.tangent.unused(z[self.n_items :])  # white noise that nothing depends on stays white noise
        value += 0.5 * dot(idle, idle)
        return value, np.concatenate([self._whiten(along), pull / self.root + idle])

    def _whiten(self, gradient: Floats) -> Floats:
        white = gradient.copy()
        substitute_forward(self.factor, white)
        return white


class _StepSize:
    """Dual averaging of the log step size towards a wanted rate of acceptance."""

    def __init__(self, start: float) -> None:
        self.aim = math.log(10 * start)
        self.step, self.mean, self.error, self.count = start, 0.0, 0.0, 0

    def learn(self, accepted: float) -> None:
        self.count += 1
        share = 1.0 / (self.count + 10)
        self.error += share * (ACCEPT - accepted - self.error)
        log_step = self.aim - math.sqrt(self.count) / 0.05 * self.error
        fade = self.count**-0.75
        self.mean += fade * (log_step - self.mean)
        self.step = min(math.exp(log_step), TURN)

    def settle(self) -> float:
        """The step to keep."""
        return min(math.exp(self.mean), TURN)


def _trajectory(
    target: _Target, z: Floats, value: float, gradient: Floats, step: float, rng: np.random.Generator
) -> tuple[Floats, float, Floats, float]:
    """One leapfrog trajectory of random length, accepted or not; and the chance of accepting it."""
    momentum = rng.standard_normal(len(z))
    energy = value + 0.5 * dot(momentum, momentum)
    new, new_value, new_gradient = z, value, gradient
    for _ in range(max(1, math.ceil(TURN * rng.uniform(0.6, 1.2) / step))):
        momentum = momentum - 0.5 * step * new_gradient
        new = new + step * momentum
        new_value, new_gradient = target(new)
        momentum -= 0.5 * step * new_gradient
        if not new_value < energy + 1e3:  # off into nowhere, or not a number
            break
    gain = energy - new_value - 0.5 * dot(momentum, momentum)
    chance = math.exp(min(0.0, gain)) if math.isfinite(gain) else 0.0
    if rng.random() < chance:
        return new, new_value, new_gradient, chance
    return z, value, gradient, chance


# -- whether chains agree, and how many independent draws they are worth ----------------------------------


def split_rhat(chains: Floats) -> Floats:
    """R-hat of every quantity from draws [chain, draw, quantity], chains cut in half; 1 where none moves."""
    halves = _split(chains)
    n = halves.shape[1]
    within, between = _variances(halves)
    pooled = (n - 1) / n * within + between
    return np.sqrt(_ratio(pooled, within))


def effective_size(chains: Floats) -> Floats:
    """The number of independent draws that would know every mean as well."""
    halves = _split(chains)
    m, n, _ = halves.shape
    within, between = _variances(halves)
    pooled = (n - 1) / n * within + between
    correlation = 1.0 - _ratio(within - _autocovariance(halves).mean(axis=0), pooled, empty=0.0)
    pairs = correlation[0 : n - 1 : 2] + correlation[1:n:2]
    positive = np.cumprod(pairs > 0, axis=0).astype(bool)
    falling = np.minimum.accumulate(np.where(positive, pairs, 0.0), axis=0)
    # antithetic chains, within reason
    length = np.maximum(2.0 * falling.sum(axis=0) - 1.0, 1.0 / np.log10(m * n))
    return np.asarray(m * n / length)


def _diagnose(**chains: Floats) -> dict[str, Any]:
    """The worst R-hat and the smallest effective size of each named set of quantities, and how many draws."""
    report: dict[str, Any] = {}
    for name, draws in chains.items():
        report[f"{name}_rhat"] = float(split_rhat(draws).max(initial=1.0))
        report[f"{name}_ess"] = float(effective_size(draws).min(initial=np.inf))
    return report


def _split(chains: Floats) -> Floats:
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _variances(chains: Floats) -> tuple[Floats, Floats]:
    """Mean variance within chains, and variance of their means."""
    return chains.var(axis=1, ddof=1).mean(axis=0), chains.mean(axis=1).var(axis=0, ddof=1)


def _ratio(top: Floats, bottom: Floats, empty: float = 1.0) -> Floats:
    out = np.full(np.broadcast_shapes(top.shape, bottom.shape), empty)
    return np.asarray(np.divide(top, bottom, out=out, where=bottom > 1e-300))


def _autocovariance(chains: Floats) -> Floats:
    """Autocovariance of every chain and quantity at every lag, by the fast Fourier transform."""
    n = chains.shape[1]
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    wave = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), size, axis=1)
    raw = np.fft.irfft(np.abs(wave) ** 2, size, axis=1)[:, :n]
    return np.asarray(raw / (n - 1))
