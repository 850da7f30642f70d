"""Full posterior sampling of the models that are smooth in their scores, Plackett-Luce first of all.

Hamiltonian Monte Carlo on scores and log reliabilities, in coordinates where the Laplace approximation is
white noise: there a trajectory of a quarter turn is all but an independent draw. The step size is tuned in
the warm-up by dual averaging (Hoffman & Gelman, JMLR 2014) and then held: chains keep to the posterior.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from peerage.errors import MethodError
from peerage.models.solver.dense import dot, substitute_backward, substitute_forward
from peerage.uncertainty._chains import diagnose
from peerage.uncertainty._curvature import cholesky, curvature_of
from peerage.uncertainty.posterior import COVERS, Posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.models.base import Estimator
    from peerage.models.solver.mode import Mode

    Floats = NDArray[np.float64]

MOST_ITEMS = 2_000
CHAINS, WARM_UP = 4, 150
DRAWS = 1_000  # over all chains
TURN = 0.5 * math.pi  # a trajectory this long forgets where it began
ACCEPT = 0.85
FAR = 1.5  # chains start from draws this many times wider than the Laplace approximation


def sample_scores(
    estimator: Estimator,
    *,
    draws: int | None = None,
    seed: int = 0,
    on_step: Callable[[str], None] | None = None,
) -> Posterior:
    """Draws from the posterior of a fitted BT, THUR, PL or MALS model."""
    if estimator.sampler != "scores":
        msg = f"{estimator.name} has no sampler: use source='laplace' or 'bootstrap'"
        raise MethodError(msg)
    if estimator.feedback_.n_items > MOST_ITEMS:
        msg = (
            f"the sampler takes at most {MOST_ITEMS} items, not {estimator.feedback_.n_items}: use 'laplace'"
        )
        raise MethodError(msg)
    target = _Target(estimator.mode())
    per_chain = max(4, math.ceil((draws or DRAWS) / CHAINS))
    runs = []
    for chain, stream in enumerate(np.random.SeedSequence(seed).spawn(CHAINS)):
        runs.append(_chain(target, per_chain, np.random.default_rng(stream)))
        if on_step is not None:
            on_step(f"chain {chain + 1} of {CHAINS}")
    points = np.stack([points for points, _ in runs])
    return _posterior(estimator, target, points, float(np.mean([rate for _, rate in runs])))


def _posterior(model: Estimator, target: _Target, points: Floats, accepted: float) -> Posterior:
    scores, log_eta = points[..., : target.n_items], points[..., target.n_items :]
    scores = _centred(scores, model.feedback_.item_tasks)
    named = {"scores": scores, "reliabilities": log_eta} if model.reliability else {"scores": scores}
    flat = scores.reshape(-1, target.n_items)
    return Posterior(
        estimator=model,
        source="sampler",
        note=f"{len(flat)} draws from the posterior by Hamiltonian Monte Carlo, {CHAINS} chains. {COVERS}",
        location=flat.mean(axis=0),
        score_se=flat.std(axis=0, ddof=1),
        draws=flat,
        reliability_draws=np.exp(log_eta).reshape(len(flat), -1) if model.reliability else None,
        diagnostics={"chains": CHAINS, "draws": len(flat), "accepted": accepted, **diagnose(**named)},
    )


def _centred(scores: Floats, tasks: NDArray[np.int32]) -> Floats:
    """Every draw less its mean in each task."""
    means = [scores[..., tasks == task].mean(axis=-1) for task in range(tasks.max(initial=0) + 1)]
    return np.asarray(scores - np.stack(means, axis=-1)[..., tasks])


class _Target:
    """Minus the log posterior of (scores, log reliabilities) in whitened coordinates, with its gradient."""

    def __init__(self, mode: Mode) -> None:
        curvature = curvature_of(mode)
        self.objective, self.power, self.prior = mode.objective, mode.power, mode.prior
        self.n_items = mode.objective.n_items
        self.mixed, self.tangent = curvature.mixed, curvature.tangent
        self.root = np.sqrt(self.tangent.inverse)
        self.factor = cholesky(curvature.dense())
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
        weights = self.tangent.constraint.weights  # to hold the mean, all follow where one goes
        total = self.tangent.constraint.spread(
            self.tangent.constraint.totals(np.where(weights > 0, pull, 0.0))
        )
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


def _chain(target: _Target, draws: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """One chain's draws, and the rate at which it accepted."""
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
