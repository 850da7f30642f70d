"""One interface for every method and every source."""

import numpy as np
import pytest
from hypothesis import given, settings
from uncertainty_cases import ranked, scored, with_ranks

import peerage
from peerage.models.registry import codes
from peerage.uncertainty.posterior import Posterior
from strategies import feedbacks


def check_intervals(known, fitted):
    n = len(fitted.scores_)
    low, high = known.score_interval(0.9)
    narrow_low, narrow_high = known.score_interval(0.5)
    best, worst = known.rank_interval(0.9)
    assert known.draws.shape == (len(known.draws), n)
    assert (known.score_se > 0).all()
    assert ((low <= narrow_low) & (narrow_low <= narrow_high) & (narrow_high <= high)).all()
    assert ((best >= 1) & (best <= worst) & (worst <= n)).all()
    assert known.note.endswith("not how well the peers judge.")


def check_comparisons(known, fitted):
    above = known.above_matrix()
    groups = known.groups(0.9)
    np.testing.assert_allclose(above + above.T, 1.0)
    assert np.diag(above) == pytest.approx(0.5)
    assert known.above(0, 1) == pytest.approx(above[0, 1])
    assert sorted(np.concatenate(groups)) == list(range(len(fitted.scores_)))
    assert (np.diff(known.at_mean().scores_[np.concatenate(groups)]) <= 0).all()


def check_reliabilities(known, fitted):
    low, high = known.reliability_interval(0.9)
    if getattr(fitted, "reliability", False):
        assert ((low > 0) & (low < high)).all()
        assert known.reliability_draws.shape == (len(known.draws), fitted.feedback_.n_graders)
    else:
        assert low.tolist() == high.tolist() == [1.0] * fitted.feedback_.n_graders


SAMPLED = ["PL", "PL+G", "BT+G", "THUR+G", "MALS+G", "MAL", "MAL+G", "MALBC"]


@pytest.mark.parametrize("code", codes())
def test_every_method_keeps_the_contract_with_every_source(code):
    suited = next(each for each in (scored(), with_ranks()) if peerage.method(code).suits(each))
    fitted = peerage.fit(suited, code)

    for source in ("auto", "bootstrap", "sampler")[: 3 if code in SAMPLED else 2]:
        known = peerage.posterior(fitted, source=source, draws=24, jobs=1)

        check_intervals(known, fitted)
        check_comparisons(known, fitted)
        check_reliabilities(known, fitted)
        if fitted.score_scale == "rank":  # a ranking has no mean
            np.testing.assert_array_equal(known.at_mean().scores_, fitted.scores_)


PREFERRED = {
    "PL": "laplace",
    "NCS+G": "laplace",
    "MAL": "sampler",
    "MALBC": "bootstrap",
    "SCAVG": "bootstrap",
}


@pytest.mark.parametrize(("code", "source"), PREFERRED.items())
def test_a_method_prefers_its_source(code, source):
    fitted = peerage.fit(scored(), code)

    assert fitted.preferred_source == source
    assert peerage.posterior(fitted, draws=4, jobs=1).source == source


@pytest.mark.parametrize("source", ["laplace", "bootstrap", "sampler"])
def test_the_same_seed_gives_the_same_draws(source):
    fitted = peerage.fit(ranked(), "PL+G")

    one, again, other = (peerage.posterior(fitted, source=source, draws=12, seed=s) for s in (1, 1, 2))

    assert np.array_equal(one.draws, again.draws)
    assert np.array_equal(one.reliability_draws, again.reliability_draws)
    assert not np.array_equal(one.draws, other.draws)


@pytest.mark.parametrize("code", ["PL+G", "BT+G", "THUR", "MALS+G", "MAL+G", "MALBC"])
@given(feedback=feedbacks())
@settings(max_examples=12)
def test_any_feedback_has_finite_intervals(code, feedback):
    known = peerage.posterior(peerage.fit(feedback, code), draws=8)

    for low, high in (known.score_interval(), known.rank_interval(), known.reliability_interval()):
        assert np.isfinite(low).all()
        assert np.isfinite(high).all()
        assert (low <= high).all()
    assert sum(map(len, known.groups())) == feedback.n_items


def by_hand(draws):
    fitted = peerage.fit(peerage.Feedback.from_orders([("ada", ["x", "y", "z"])]), "MALBC")
    draws = np.array(draws, dtype=float)
    return Posterior(fitted, "bootstrap", "by hand", draws.mean(axis=0), draws.std(axis=0), draws)


def test_ranks_are_the_narrowest_that_hold_the_level():
    known = by_hand([[3, 2, 1]] * 6 + [[3, 1, 2]] * 3 + [[1, 2, 3]])

    low, high = known.rank_interval(0.9)

    assert low.tolist() == [1, 2, 2]
    assert high.tolist() == [1, 3, 3]


def test_probability_counts_draws_with_half_of_a_tie():
    known = by_hand([[3, 2, 1], [2, 2, 1], [1, 2, 3]])

    assert known.above(0, 1) == pytest.approx((1.5 + 0.5) / 4)
    assert known.above([0, 1], [2, 2]).tolist() == pytest.approx([2.5 / 4, 2.5 / 4])


def test_a_group_ends_before_the_first_item_its_leader_beats():
    known = by_hand([[3, 2.5, 1]] * 5 + [[2.5, 3, 1]] * 4)

    assert [group.tolist() for group in known.groups(0.9)] == [[0, 1], [2]]
    assert [group.tolist() for group in known.groups(0.5)] == [[0], [1], [2]]


def test_items_of_different_tasks_are_not_compared():
    columns = {"task": ["1", "1", "2", "2"], "rank": [1, 2, 1, 2]}
    feedback = peerage.Feedback.from_columns(["ada"] * 4, ["x", "y", "x", "y"], **columns)
    known = peerage.posterior(peerage.fit(feedback, "PL"))

    with pytest.raises(peerage.DataError, match="within their task"):
        known.above(0, 2)
    assert known.above_matrix("2").shape == (2, 2)


def test_a_level_is_a_share_and_unfitted_estimators_have_no_posterior():
    known = by_hand([[3, 2, 1], [2, 3, 1]])

    for level in (0.0, 1.0, 90):
        with pytest.raises(peerage.MethodError, match="level must be between 0 and 1"):
            known.score_interval(level)
    with pytest.raises(peerage.NotFittedError):
        peerage.posterior(peerage.PlackettLuce())


def test_intervals_leave_out_half_of_the_rest_at_each_end():
    fitted = peerage.fit(ranked(), "pl+g")
    known = peerage.posterior(fitted, source="laplace")
    low, high = known.score_interval(0.9)
    np.testing.assert_allclose(high - low, 2 * 1.644854 * known.score_se, rtol=1e-6)

    drawn = peerage.posterior(fitted, source="bootstrap", draws=20)
    low, high = drawn.score_interval(0.9)
    np.testing.assert_allclose(low, np.quantile(drawn.draws, 0.05, axis=0))
    np.testing.assert_allclose(high, np.quantile(drawn.draws, 0.95, axis=0))


def test_an_average_of_two_posteriors_is_their_mixture():
    lists = ranked()
    known, other = (
        peerage.posterior(peerage.fit(lists, "PL+G", identified=True, score_variance=variance), draws=4000)
        for variance in (0.5, 4.0)
    )

    mixed = known.averaged(other, 0.3)

    np.testing.assert_allclose(mixed.location, 0.7 * known.location + 0.3 * other.location)
    np.testing.assert_allclose(mixed.score_se**2, np.diag(mixed.covariance))
    np.testing.assert_allclose(np.cov(mixed.draws, rowvar=False), mixed.covariance, atol=0.1)
    np.testing.assert_allclose(mixed.draws.mean(axis=0), mixed.location, atol=0.1)
    assert "equally reliable has a probability of 30 %" in mixed.note
