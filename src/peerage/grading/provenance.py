"""What made a result: enough to make it again, and no times, so that the same run gives the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from peerage._version import __version__

if TYPE_CHECKING:
    from peerage.grading.letters import Letters
    from peerage.grading.points import Scale
    from peerage.grading.result import MethodUsed
    from peerage.models import Estimator
    from peerage.uncertainty import Posterior


def provenance_of(
    method: MethodUsed,
    fitted: Estimator,
    posterior: Posterior,
    source: Mapping[str, Any],
    *,
    seed: int,
    scale: Scale | None,
    peer_scale: Scale | None,
    letters: Letters | None,
    **options: Any,
) -> dict[str, Any]:
    """Version, input, method and outcome."""
    return {
        "version": __version__,
        "input": dict(source),
        "method": method.code,
        "parameters": dict(method.params),
        "seed": seed,
        "options": {
            **options,
            "scale": None if scale is None else scale.text,
            "peer_scale": None if peer_scale is None else peer_scale.text,
            "letters": None if letters is None else letters.text,
        },
        "objective": fitted.objective_,
        "converged": bool(fitted.converged_),
        "iterations": int(fitted.n_iter_),
        "uncertainty": posterior.source,
        "draws": len(posterior.draws),
    }
