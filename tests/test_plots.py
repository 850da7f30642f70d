"""Plots are drawn from the numbers, on axes that were given or made."""

import matplotlib as mpl
import numpy as np
import pytest

from peerage import DataError, Feedback, fit, grade, posterior

mpl.use("Agg")
LISTS = [["a$1$", "b", "c"], ["b", "a$1$", "c"], ["a$1$", "c", "b"], ["a$1$", "b"]]


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def test_scores_are_dots_from_the_top_down():
    fitted = fit(LISTS, "pl")

    axes = fitted.plot()

    (dots,) = axes.lines
    assert dots.get_xdata().tolist() == sorted(fitted.scores_, reverse=True)
    assert [label.get_text() for label in axes.get_yticklabels()] == fitted.predict_order()
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    axes.figure.canvas.draw()  # a dollar sign starts no formula


def test_intervals_are_lines_around_them():
    sure = posterior(fit(LISTS, "pl"))
    low, high = sure.score_interval(0.5)
    import matplotlib.pyplot as plt

    _, given = plt.subplots()
    axes = sure.plot(given, level=0.5)

    assert axes is given
    ends = np.array([segment[:, 0] for segment in axes.collections[0].get_segments()])
    order = np.argsort(-sure.location)
    np.testing.assert_allclose(ends, np.column_stack([low, high])[order])
    assert axes.get_xlabel() == "score and 50 % interval"


def test_ranks_by_methods_are_lines():
    comparison = grade(Feedback.from_lists(LISTS), compare="bt").comparison

    axes = comparison.plot()

    assert [label.get_text() for label in axes.get_xticklabels()] == list(comparison.codes)
    drawn = [line.get_ydata() for line in axes.lines]
    assert [list(places) for places in drawn] == [list(row[2:]) for row in comparison.ranks.rows()]
    with pytest.raises(DataError, match="there is no task 'nine'"):
        comparison.plot(task="nine")


def test_many_items_are_not_named():
    axes = fit([list(range(150, 0, -1))], "pl").plot()

    assert axes.get_ylabel() == "place"
    assert axes.figure.get_figheight() < 25
