"""Whether several chains agree (split R-hat), and how many independent draws they are worth.

Gelman et al., Bayesian Data Analysis, 3rd edition, sections 11.4 and 11.5; the sum of autocorrelations ends
where Geyer's sum of neighbouring pairs turns negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


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
    length = np.maximum(
        2.0 * falling.sum(axis=0) - 1.0, 1.0 / np.log10(m * n)
    )  # antithetic chains, within reason
    return np.asarray(m * n / length)


def diagnose(**chains: Floats) -> dict[str, Any]:
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
