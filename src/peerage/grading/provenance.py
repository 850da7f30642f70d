"""What made a result: enough to make it again, and no times, so that the same run gives the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from peerage._version import __version__
from peerage.grading.options import GradingOptions

if TYPE_CHECKING:
    import polars as pl

    from peerage.grading.result import MethodUsed
    from peerage.models.base import Estimator
    from peerage.uncertainty.posterior import Posterior

# Recorded elsewhere: what the method became, with its parameters and priors, and the methods beside it.
ELSEWHERE = ("method", "params", "prior", "seed", "compare")


def provenance_of(
    method: MethodUsed,
    fitted: Estimator,
    posterior: Posterior,
    source: Mapping[str, Any],
    options: GradingOptions,
    left_out: pl.DataFrame,
) -> dict[str, Any]:
    """Version, input and which way its numbers were read, method and outcome."""
    direction = fitted.feedback_.direction
    return {
        "version": __version__,
        "input": dict(source),
        "direction": None if direction is None else direction.to_dict(),
        "method": method.code,
        "parameters": dict(method.params),
        "seed": options.seed,
        "options": _recorded(options),
        "left_out": left_out.to_dicts(),
        "objective": fitted.objective_,
        "converged": bool(fitted.converged_),
        "iterations": int(fitted.n_iter_),
        "uncertainty": posterior.source,
        "draws": len(posterior.draws),
    }


def _recorded(options: GradingOptions) -> dict[str, Any]:
    """Every option by name, rules in the one way they are written."""
    rules = {
        "scale": options.read_scale(),
        "peer_scale": options.read_peer_scale(),
        "letters": options.read_letters(),
    }
    names = [name for name in GradingOptions.table() if name not in (*ELSEWHERE, *rules)]
    plain = {name: getattr(options, name) for name in names}
    return plain | {name: None if rule is None else rule.text for name, rule in rules.items()}
