"""Speed of the tau error beside scipy's Kendall tau, in one run: python -m benchmarks.metrics"""

from time import perf_counter

import numpy as np
from scipy.stats import kendalltau

from peerage.metrics.accuracy import tau_error

REPEATS = 3


def seconds(function, *arguments):
    """The best of a few runs, and the last result."""
    best = float("inf")
    for _ in range(REPEATS):
        start = perf_counter()
        result = function(*arguments)
        best = min(best, perf_counter() - start)
    return best, result


def cases(n):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=n)
    yield "no ties", truth, truth + rng.normal(size=n)
    yield "11 grades against scores", np.round(truth * 2).clip(-5, 5), truth + rng.normal(size=n)
    yield "11 grades on both sides", np.round(truth * 2).clip(-5, 5), rng.integers(-5, 6, n)
    yield "upside down", truth, -truth


def main():
    tau_error([1, 2], [1, 2])  # compile, or load what was compiled
    print(f"{'items':>9}  {'case':<26}{'E_K':>7}{'peerage':>10}{'scipy':>10}{'ratio':>8}")
    for n in (1_000, 100_000, 1_000_000):
        for name, target, predicted in cases(n):
            ours, error = seconds(tau_error, target, predicted)
            theirs, _ = seconds(kendalltau, target, predicted)
            print(f"{n:>9,}  {name:<26}{error:>7.2f}{ours:>9.4f}s{theirs:>9.4f}s{theirs / ours:>7.1f}x")


if __name__ == "__main__":
    main()
