"""Scores with standard errors, relative to an item, and quasi-standard errors."""

import numpy as np
import pytest

from peerage import BradleyTerry, DataError, Feedback, fit, posterior
from peerage.uncertainty.posterior import quasi_variances

LISTS = [["x", "y", "z"], ["x", "z", "y"], ["y", "x", "z"], ["x", "y"], ["w", "x"], ["z", "w"]]
# Davidson's puddings, as in R's PlackettLuce: brands, preferences for either, and for neither
PUDDINGS = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip


@pytest.fixture(scope="module")
def puddings():
    lists = [order for i, j, *_ in PUDDINGS for order in ((i, j), (j, i), [{i, j}])]
    feedback = Feedback.from_lists(lists, weights=[count for row in PUDDINGS for count in row[2:]])
    return posterior(BradleyTerry(ties="davidson", score_variance=1e6).fit(feedback))


def test_standard_errors_against_the_first_brand_and_quasi_errors_are_those_published(puddings):
    """Their fit stops after seven steps: four digits are not to be had."""
    table = puddings.summary(reference=1)

    np.testing.assert_allclose(table["score"], [0, 0.2202, 0.1530, 0.1753, 0.1339, 0.3771], atol=2e-4)
    np.testing.assert_allclose(table["se"], [0, 0.1872, 0.1935, 0.1882, 0.1927, 0.1924], atol=2e-4)
    middle = [0.121949, 0.121818, 0.126823, 0.122003, 0.127054, 0.126594]
    np.testing.assert_allclose(puddings.summary()["se"], middle, atol=2e-4)
    quasi = [0.1328950, 0.1327373, 0.1395740, 0.1330240, 0.1399253, 0.1392047]
    np.testing.assert_allclose(puddings.quasi_se(), quasi, atol=1.5e-4)
    assert np.isnan(posterior(fit([("x", "y"), ("y", "x")], "bt")).quasi_se()).all()  # two items


@pytest.mark.parametrize("variance", [1e4, 1e10])
def test_the_width_of_a_wide_prior_does_not_matter(puddings, variance):
    """Means of tasks had that variance, and taking it out again left rounding: 0.26 or 0 in place of 0.12."""
    fitted = BradleyTerry(ties="davidson", score_variance=variance).fit(puddings.feedback)
    objective = fitted.objective(fitted.feedback_)
    objective.evaluate(fitted.scores_, np.ones(fitted.feedback_.n_graders))
    covariance = np.linalg.pinv(objective.hessian() - objective.precision * np.eye(6))

    sure = posterior(fitted)

    np.testing.assert_allclose(sure.covariance, covariance, atol=1e-6)
    np.testing.assert_allclose(sure.score_se, np.sqrt(np.diag(covariance)), rtol=1e-4)
    np.testing.assert_allclose(sure.draws.std(axis=0), sure.score_se, rtol=0.1)


def test_quasi_variances_are_the_nearest():
    rng = np.random.default_rng(2)
    root = rng.normal(size=(6, 6))
    covariance = root @ root.T
    spread = np.diag(covariance)
    variance = spread[:, None] + spread - 2 * covariance

    def distance(q):
        upper = np.triu_indices(len(q), 1)
        return float(((np.log((q[:, None] + q)[upper]) - np.log(variance[upper])) ** 2).sum())

    best = quasi_variances(variance)

    for move in np.vstack([np.eye(6), -np.eye(6)]):
        assert distance(best + 1e-3 * move) > distance(best)


@pytest.mark.parametrize("source", ["laplace", "bootstrap"])
def test_a_summary_has_scores_errors_and_ends(source):
    sure = posterior(fit(LISTS, "pl"), source=source, draws=200, seed=1)

    table = sure.summary(level=0.8)

    assert table.columns == ["task", "item", "score", "se", "low", "high"]
    assert table["item"].to_list() == ["w", "x", "y", "z"]
    np.testing.assert_array_equal(table["se"], sure.score_se)
    np.testing.assert_array_equal(table.select("low", "high").to_numpy().T, sure.score_interval(0.8))
    relative = sure.summary(reference="y", level=0.8)
    assert relative.row(2)[2:] == (0.0, 0.0, 0.0, 0.0)
    assert (relative["low"] <= relative["high"]).all()


def test_labels_do_for_numbers():
    sure = posterior(fit(LISTS, "pl"))

    assert sure.above("x", "z") == sure.above(1, 3)
    np.testing.assert_array_equal(sure.above(["x", "y"], "z"), sure.above([1, 2], 3))
    with pytest.raises(DataError, match="there is no item 'v'"):
        sure.above("x", "v")
    with pytest.raises(DataError, match="there is no item 'v'"):
        sure.summary(reference="v")


def test_margins_are_known_where_equal_lists_are_counted_once(monkeypatch):
    """Equal pairs have one likelihood only where nothing is taken off their scores."""
    rng = np.random.default_rng(1)
    graders, items = np.repeat(np.arange(40), 2).astype(str), np.tile(["x", "y"], 40)
    feedback = Feedback.from_columns(graders, items, score=rng.integers(0, 4, 80).astype(float))
    expected = posterior(BradleyTerry(margin=True).fit(feedback)).score_se

    monkeypatch.setattr("peerage.models.thresholds.MERGED_LISTS", 10)

    np.testing.assert_allclose(posterior(BradleyTerry(margin=True).fit(feedback)).score_se, expected)
