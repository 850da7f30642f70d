"""Figures of several workloads, freed of what is only luck of the simulation."""

from __future__ import annotations

import numpy as np
import polars as pl

FALLING = ("tau_error", "staff_tau_error", "boundary_error", "interval")


def smoothed(table: pl.DataFrame) -> pl.DataFrame:
    """The same table, in which no figure rises with the number of reviews.

    More reviews by the same people cannot make the grades worse on average, so a rise is noise of the
    simulated classes. The nearest falling figures (isotonic regression) take neighbours that contradict
    each other as one.
    """
    from scipy.optimize import isotonic_regression

    falling = {name: isotonic_regression(table[name].to_numpy(), increasing=False).x for name in FALLING}
    return table.with_columns(pl.Series(name, np.asarray(values)) for name, values in falling.items())
