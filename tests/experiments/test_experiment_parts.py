"""The parts of experiments: data sets and their cuts, methods, lazy graders, other libraries, summaries."""

import numpy as np
import pytest
from experiments.paper.accuracy import one_grade_each
from experiments.paper.data import GROUPS, parse, sources
from experiments.paper.lazy import add_lazy, is_added
from experiments.paper.methods import estimator_for, run_method, spell
from experiments.paper.simulated import LIKE_MINDED, PRINTED

from peerage import Feedback, read, simulate
from peerage.metrics.inter_rater import intraclass_correlation
from peerage.simulation.classes import PRESETS

ORDERS = [("ada", ["w", "x", "y", "z"]), ("bob", ["w", {"x", "y"}, "z"]), ("cyd", ["x", "w", "z"])]


def load(name, seed=0):
    return parse(name).load(np.random.default_rng(seed))


def test_simulated_posters_are_the_bundled_class():
    assert load("posters").feedback.equals(read("examples/posters/feedback.csv"))


@pytest.mark.parametrize(("name", "panel", "reviews"), [("posters", 7, 78), ("reports", 9, 88)])
def test_assistants_are_as_many_as_in_the_paper(name, panel, reviews):
    staff = load(name).staff

    assert len(staff) == panel
    assert (~np.isnan(staff)).sum() == reviews
    assert (~np.isnan(staff)).sum(axis=0).min() >= 1


def test_cuts_keep_what_they_say():
    data = load("posters:graders=1x,items=3")
    feedback = data.feedback

    assert len(data.lazy) == feedback.n_graders
    assert feedback.n_graders == feedback.n_items == 42
    assert feedback.list_lengths.max() == 3
    assert load("posters:lists=10").feedback.n_lists == 10


def test_every_real_set_has_a_truth(datasets, monkeypatch):
    monkeypatch.setenv("PEERAGE_DATASETS", str(datasets))

    for source in sources([*GROUPS["real"], *GROUPS["real-class"]]):
        data = source.load(np.random.default_rng(0))
        assert len(data.truth) == data.feedback.n_items
        assert (~np.isnan(data.truth)).sum() >= 16
    # row numbers of different tasks are different people
    assert (load("cities").feedback.n_graders, load("dots30").feedback.n_graders) == (784, 300)


@pytest.mark.parametrize("rounded", [True, False])
def test_lazy_graders_join_and_everybody_else_stays(rounded):
    before = load("reports").feedback

    after = add_lazy(before, 5, np.random.default_rng(0), rounded=rounded)

    added = is_added(after)
    assert added.sum() == 5
    assert after.for_graders(np.flatnonzero(~added)).n_entries == before.n_entries
    new = after.scores[added[after.entry_graders]]
    assert np.isin(new, np.unique(before.scores)).all() == rounded


def test_lazy_graders_of_orders_shuffle_a_list_of_the_class():
    before = Feedback.from_orders(ORDERS).with_items(["a", "zz"])  # two that nobody reviewed

    after = add_lazy(before, 30, np.random.default_rng(0))

    assert after.n_graders == 33
    shapes = {tuple(len(bucket) for bucket in buckets) for _, buckets in after.orders()}
    assert shapes == {(1, 1, 1, 1), (1, 2, 1), (1, 1, 1)}
    assert len({str(buckets) for _, buckets in after.orders()}) > 10
    assert after.item_labels.to_list() == before.item_labels.to_list()


def test_lazy_graders_of_pairs_have_lists_of_their_own():
    pairs = Feedback.from_orders([("ada", ["x", "y"]), ("ada", ["y", "z"]), ("bob", ["x", "z"])])

    assert add_lazy(pairs, 4, np.random.default_rng(0)).kind == "pairs"


def test_methods_are_spelled_one_way_and_settings_in_brackets_reach_the_estimator():
    made = estimator_for("PL+G[ties=model;score_variance=3]", Feedback.from_orders(ORDERS))

    spelled = spell(["pl+g", "PL+G", "bt[ties=model]", "Default"])
    assert spelled == ["PL+G", "BT[ties=model]", "default"]
    assert len(spell(["paper"])) == 15
    assert (made.ties, made.score_variance, made.reliability) == ("model", 3.0, True)
    assert run_method("SCAVG", Feedback.from_orders(ORDERS)) is None  # a method that does not suit


def test_one_grade_each_is_one_of_those_given():
    staff = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 5.0]])

    draws = np.array([one_grade_each(staff, np.random.default_rng(seed)) for seed in range(30)])

    assert set(draws[:, 0]) == {1.0}
    assert np.isnan(draws[:, 1]).all()
    assert set(draws[:, 2]) == {3.0, 5.0}


# Table 1 of the paper: mean and deviation of peers' grades, and the deviation within an item.
TABLE = {"posters": (8.16, 1.31, 1.16), "reports": (8.20, 1.35, 1.03)}


def deviations(name, variant, seeds):
    """Mean, deviation, deviation within and between items; averages over classes."""
    rows = []
    for seed in seeds:
        feedback = simulate(**{**PRESETS[name], **variant[name], "seed": seed}).feedback()
        scores, items = feedback.scores, feedback.items
        means = np.bincount(items, scores) / np.bincount(items)
        within = np.sqrt(((scores - means[items]) ** 2).sum() / (len(scores) - len(means)))
        share = intraclass_correlation(items, scores).single.value
        rows.append((scores.mean(), scores.std(ddof=1), within, within * np.sqrt(share / (1 - share))))
    return np.mean(rows, axis=0)


@pytest.mark.parametrize("variant", [PRINTED, LIKE_MINDED], ids=["printed", "like-minded"])
@pytest.mark.parametrize("name", sorted(TABLE))
def test_the_printed_deviations_are_met(name, variant):
    mean, overall, within = TABLE[name]

    found = deviations(name, variant, range(100, 120))

    between = np.sqrt(overall**2 - within**2)  # 0.61 on posters, 0.87 on reports
    assert found[0] == pytest.approx(mean, abs=0.12)
    assert found[1:] == pytest.approx((overall, within, between), abs=0.06)
