import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import norm

from peerage import DataError, Staff, check, simulate

SMALL = {"items": 30, "graders": 60, "per_grader": 4, "seed": 5}
FINE = {"scale": (0, 100), "mean": 50, "step": 0.01}  # nothing is cut off, and hardly rounded


def test_tables_fit_together():
    made = simulate(**SMALL, groups=True, staff=[Staff("TA1"), Staff("TA2")])

    assert made.rows.columns == ["grader", "item", "score"]
    assert made.roster.columns == ["student", "group", "item"]
    assert (len(made.rows), len(made.roster), len(made.staff), len(made.truth)) == (240, 60, 60, 30)
    assert made.graders.columns == ["grader", "reliability", "bias", "kind"]
    assert set(made.rows["item"]) <= set(made.truth["item"])
    assert set(made.rows["grader"]) == set(made.roster["student"]) == set(made.graders["grader"])
    assert set(made.roster["group"].value_counts()["count"]) == {2}  # groups are of equal size


def test_the_same_seed_gives_the_same_bytes_and_another_another_class(tmp_path):
    for folder in "ab":
        simulate(**SMALL).write(tmp_path / folder)

    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    assert not simulate(**SMALL).rows.equals(simulate(**{**SMALL, "seed": 6}).rows)


@pytest.mark.parametrize("groups", [True, False])
def test_nobody_grades_their_own_work(groups):
    made = simulate(**SMALL, groups=groups)

    preflight = check(made.feedback(), made.roster)

    assert [preflight.finding(what) for what in ("own-work", "own-group", "not-on-roster")] == [None] * 3


def test_scores_are_on_the_scale():
    made = simulate(**SMALL, scale=(1, 5), step=0.25, mean=4, sd=2)

    for scores in (made.rows["score"].to_numpy(), made.staff["score"].to_numpy()):
        assert (scores.min() >= 1, scores.max() <= 5) == (True, True)
        np.testing.assert_allclose(scores * 4, np.rint(scores * 4))


def errors(made):
    """Peers' scores minus the truth, with what is known of the graders."""
    truth = made.truth.rename({"score": "true"})
    table = made.rows.join(truth, on="item").join(made.graders, on="grader")
    return table.with_columns(off=pl.col("score") - pl.col("true"))


def test_reliable_graders_are_closer_to_the_truth():
    made = simulate(items=200, graders=400, per_grader=20, reliability_shape=2, **FINE)

    off = errors(made).with_columns(own=pl.col("off") - pl.col("bias"))

    scaled = (off["own"] * off["reliability"].sqrt()).to_numpy()
    assert scaled.std() == pytest.approx(1, rel=0.03)
    assert scaled.mean() == pytest.approx(0, abs=0.03)


def test_leniency_and_bias_have_the_asked_mean_and_spread():
    bias = simulate(items=10, graders=5_000, per_grader=2, leniency=0.7, bias_sd=0.3).graders["bias"]

    assert (bias.mean(), bias.std()) == (pytest.approx(0.7, abs=0.02), pytest.approx(0.3, abs=0.02))


def test_lazy_graders_ignore_quality_and_reversed_ones_turn_it_round():
    made = simulate(items=100, graders=300, per_grader=20, sd=5, lazy=0.3, backwards=0.3, **FINE)

    by_kind = errors(made).group_by("kind").agg(r=pl.corr("score", "true"), n=pl.col("grader").n_unique())

    found = {kind: (r, n) for kind, r, n in by_kind.rows()}
    assert {kind: n for kind, (_, n) in found.items()} == {"honest": 120, "lazy": 90, "reversed": 90}
    assert found["honest"][0] > 0.9
    assert abs(found["lazy"][0]) < 0.1
    assert found["reversed"][0] < -0.9


def test_taste_is_shared_by_all_peers():
    made = simulate(items=400, graders=800, per_grader=20, taste=1, bias_sd=0, **FINE)

    gap = errors(made).group_by("item").agg(pl.col("off").mean())["off"]

    assert gap.std() == pytest.approx(1, rel=0.1)


def test_staff_grade_with_their_own_bias_and_noise():
    made = simulate(items=5_000, graders=2, per_grader=1, staff=[Staff("TA", 2, 0.5)], **FINE)

    off = (made.staff["score"] - made.truth["score"]).to_numpy()

    assert (off.mean(), off.std()) == (pytest.approx(2, abs=0.05), pytest.approx(0.5, abs=0.05))


def pair_wins(made):
    """Per pair listed together: the scaled gap of the true scores, and whether the first item won."""
    table = made.rows.join(made.truth, on="item").join(made.graders, on="grader")
    key = [name for name in ("grader", "list") if name in table.columns]
    both = table.join(table, on=key).filter(pl.col("item") < pl.col("item_right"))
    gap = (both["score"] - both["score_right"]).to_numpy()
    return gap, both["reliability"].to_numpy(), (both["rank"] < both["rank_right"]).to_numpy()


@pytest.mark.parametrize(
    ("model", "chance"),
    [
        ("pl", lambda gap, eta: expit(eta * gap)),
        ("bt", lambda gap, eta: expit(eta * gap)),
        ("thurstone", lambda gap, eta: norm.cdf(np.sqrt(eta) * gap)),
    ],
)
def test_ordinal_models_have_their_pair_probabilities(model, chance):
    made = simulate(items=50, graders=3_000, per_grader=6, model=model, sd=1.5, reliability_shape=3)

    gap, eta, won = pair_wins(made)

    expected = chance(gap, eta)
    for low in np.arange(0, 1, 0.1):
        near = (expected >= low) & (expected < low + 0.1)
        assert won[near].mean() == pytest.approx(expected[near].mean(), abs=0.03)


def test_ordinal_classes_are_read_as_rankings():
    assert simulate(**SMALL, model="pl").feedback().kind == "orders"
    assert simulate(**SMALL, model="bt").feedback().kind == "pairs"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"items": 1}, "at least 2 items, not 1"),
        ({"graders": 0}, "at least 1 grader, not 0"),
        ({"per_grader": 30}, "per_grader must be from 1 to 29"),
        ({"per_grader": 0.5}, "per_grader must be from 1 to 29"),
        ({"step": 0}, "step must be positive, not 0"),
        ({"scale": (5, 5)}, "the scale must rise, not go from 5 to 5"),
        ({"reliability_shape": 0}, "reliability_shape must be positive, not 0"),
        ({"lazy": 0.6, "backwards": 0.6}, "a share from 0 to 1, not 1.2"),
        ({"model": "elo"}, "there is no model 'elo'"),
    ],
)
def test_impossible_classes_are_refused(wrong, message):
    with pytest.raises(DataError, match=message):
        simulate(**{**SMALL, **wrong})
