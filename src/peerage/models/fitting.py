"""Fit a method by its code, or the method that suits the feedback; here, or on a cluster."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from peerage.models.default import choose
from peerage.models.registry import method
from peerage.reading.reader import as_feedback

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.models.base import Estimator


def fit(
    feedback: Feedback | Any,
    method_code: str | None = None,
    *,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **params: Any,
) -> Estimator:
    """Fit a method by its code; without one, the method that suits the feedback.

    `feedback` may also be a file, a table or a packed folder that :func:`peerage.read` can read without being
    told more.

    cluster : where the work is done, if not in this process: ``"local:2"`` starts two processes on this
        machine, ``"tcp://head:8786"`` is the address of a Dask scheduler, and a ``dask.distributed.Client``
        does as well. The bytes of the result are the same. See docs/cluster.md.
    checkpoint : a file in which a fit of large feedback notes after every step how far it is; where it
        exists, the fit goes on from there. It stays when the fit has ended.

    >>> from peerage import Feedback, fit
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"]), ("cyd", ["x", "y"])])
    >>> fit(feedback, "pl+g").grades()["item"].to_list()
    ['x', 'y']
    """
    if cluster is not None or checkpoint is not None:
        from peerage.models.far import fit_far

        return fit_far(feedback, method_code, cluster, checkpoint, params)
    known = as_feedback(feedback)
    estimator = choose(known).estimator(**params) if method_code is None else method(method_code, **params)
    return estimator.fit(known)


def fit_estimator(feedback: Feedback, estimator: Estimator, cluster: Any = None) -> Estimator:
    """Fit an estimator, here or on a cluster."""
    if cluster is None:
        return estimator.fit(feedback)
    from peerage.models.far import fit_far

    return fit_far(feedback, estimator, cluster, None, {})
