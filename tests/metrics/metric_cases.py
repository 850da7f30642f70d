"""Hypothesis strategies for metrics: few distinct values, so that ties are everywhere, and extremes."""

import math

from hypothesis import strategies as st

MANY_TIES = st.sampled_from([0.0, -0.0, 1.0, 2.0])
EXTREMES = st.sampled_from([-math.inf, -1.7e308, -5e-324, 0.0, 5e-324, 1.0, 1.0000000000000002, math.inf])
SCORES = MANY_TIES | EXTREMES | st.floats(allow_nan=False)
GRADES = st.integers(0, 100).map(lambda tenths: tenths / 10)
CHANCES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]) | st.floats(0, 1, allow_subnormal=False)


def columns(*kinds, max_size=12):
    """Equally long lists, one for each kind of value."""
    rows = st.lists(st.tuples(*kinds), max_size=max_size)
    return rows.map(lambda drawn: tuple([row[k] for row in drawn] for k in range(len(kinds))))
