"""What graders are called in the report: by their names, or by numbers that give nothing away."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback


def grader_names(feedback: Feedback, *, anonymous: bool) -> list[str]:
    """The name of every grader in the report."""
    if not anonymous:
        return feedback.grader_labels.to_list()
    places = np.random.default_rng(_secret(feedback)).permutation(feedback.n_graders)
    width = len(str(feedback.n_graders))
    return [f"Grader {place + 1:0{width}d}" for place in places.tolist()]


def _secret(feedback: Feedback) -> int:
    """A seed that only the reviews themselves give.

    A seed printed in the report, or a fixed one, would let anybody who has the list of names work out who
    is who: they would shuffle the same names the same way.
    """
    digest = hashlib.sha256(b"graders of the report")
    for array in (feedback.items, feedback.bucket_starts, feedback.list_starts, feedback.list_graders):
        digest.update(np.ascontiguousarray(array).tobytes())
    if feedback.scores is not None:
        digest.update(feedback.scores.tobytes())
    return int.from_bytes(digest.digest(), "big")
