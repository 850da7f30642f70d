"""Plots for notebooks, on Matplotlib axes: scores, scores with intervals, ranks by several methods.

Matplotlib is imported when the first is drawn. Every function takes axes or makes them, and returns them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from peerage.errors import MissingExtraError
from peerage.palette import LIGHT

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

WIDTH, LEAST_HEIGHT, ROW = 6.0, 2.0, 0.22  # inches of a figure, and of a row of it
NAMED_ROWS = 100  # up to here every row has its label


def require_matplotlib() -> None:
    """Raise an error that says what to install where Matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        msg = "figures need Matplotlib, which is not installed here: pip install 'peerage[figures]'"
        raise MissingExtraError(msg) from error


def plot_scores(
    labels: Sequence[Any],
    scores: Floats,
    ends: tuple[Floats, Floats] | None = None,
    *,
    xlabel: str = "score",
    ax: Axes | None = None,
) -> Axes:
    """A dot for every item, the best at the top; with a line from end to end where ends are given."""
    import numpy as np

    axes = _axes(ax, len(labels))
    order = np.argsort(-scores, kind="stable")
    rows = np.arange(len(order))
    if ends is not None:
        low, high = ends
        axes.hlines(rows, low[order], high[order], color=LIGHT["whisker"], linewidth=2, zorder=1)
    axes.plot(scores[order], rows, "o", color=LIGHT["mark"], markersize=4, zorder=2)
    _name_rows(axes, [labels[which] for which in order])
    axes.set_xlabel(xlabel)
    return axes


def plot_ranks(labels: Sequence[Any], ranks: dict[str, Sequence[int]], *, ax: Axes | None = None) -> Axes:
    """A line for every item through its ranks by several methods, 1 at the top."""
    axes = _axes(ax, len(labels))
    methods = list(ranks)
    first = list(ranks[methods[0]])
    for which in range(len(labels)):
        places = [ranks[method][which] for method in methods]
        moved = max(places) > min(places)
        colour = LIGHT["mark"] if moved else LIGHT["edge"]
        axes.plot(range(len(methods)), places, "o-", color=colour, markersize=3, linewidth=1)
    axes.set_xticks(range(len(methods)), methods)
    axes.set_xlim(-0.2, len(methods) - 0.8)
    if len(labels) <= NAMED_ROWS:
        by_place: dict[int, list[str]] = {}
        for place, label in zip(first, labels, strict=True):
            by_place.setdefault(place, []).append(str(label))
        axes.set_yticks(list(by_place), [", ".join(names) for names in by_place.values()], parse_math=False)
    else:
        axes.set_ylabel("rank")
    axes.invert_yaxis()
    return axes


def _axes(ax: Axes | None, rows: int) -> Axes:
    if ax is not None:
        return ax
    require_matplotlib()
    import matplotlib.pyplot as plt

    height = max(LEAST_HEIGHT, 1.0 + ROW * min(rows, NAMED_ROWS))
    _, made = plt.subplots(figsize=(WIDTH, height), layout="constrained")
    return made


def _name_rows(axes: Axes, labels: Sequence[Any]) -> None:
    """Labels, which may hold dollar signs, from the top down."""
    if len(labels) <= NAMED_ROWS:
        axes.set_yticks(range(len(labels)), [str(label) for label in labels], parse_math=False)
    else:
        axes.set_ylabel("place")
    axes.invert_yaxis()
