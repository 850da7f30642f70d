"""Random numbers of one grading run: one seed, and a stream of its own for every use.

==========  ==========================================================================================
posterior   the seed itself, as `peerage.posterior` takes it: draws of scores and reliabilities, and so
            the intervals of ranks and points, chances of letters, and where staff should look
staff       what staff might have graded: the map to their scale and the gap varied, noise of staff grades
==========  ==========================================================================================

What is said of a grader draws from none of them: the seed must not change who is named.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# The posterior spawns children of the seed, numbered from 0: ours are children of another branch.
BRANCH = 0x67726164


class Streams(NamedTuple):
    """A generator per use; a new use is added at the end, or the others would change."""

    staff: np.random.Generator


def streams(seed: int) -> Streams:
    """The streams of a run, independent of each other and of what the posterior draws."""
    root = np.random.SeedSequence(seed, spawn_key=(BRANCH,))
    return Streams(*map(np.random.default_rng, root.spawn(len(Streams._fields))))
