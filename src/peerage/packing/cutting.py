"""Where feedback is cut: between graders, after about so many reviews."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def runs_of_graders(reviews: NDArray[np.int64], target: int) -> NDArray[np.int64]:
    """Where runs of graders begin, and the end: a run ends with the grader who brings it to the target.

    ``reviews`` is the number of reviews of every grader, none of them without any.
    """
    before = np.cumsum(reviews) - reviews
    run = before // target
    begins = np.flatnonzero(np.append(True, run[1:] != run[:-1])[: len(run)])
    return np.append(begins, len(reviews))
