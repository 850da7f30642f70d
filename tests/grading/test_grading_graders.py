import numpy as np
import pytest

from peerage import Feedback, fit, posterior, simulate
from peerage.grading.agreement import Agreement, agreement
from peerage.grading.flags import flag
from peerage.grading.graders import grader_frame, prior_worth, quality_marks

ITEMS = [f"i{n}" for n in range(8)]


def class_with(*odd, honest=12):
    """Honest graders who rank all items alike but for one swap, and the odd ones."""
    orders = []
    for g in range(honest):
        order = ITEMS.copy()
        order[g % 7], order[g % 7 + 1] = order[g % 7 + 1], order[g % 7]
        orders.append((f"h{g:02d}", order))
    return Feedback.from_orders([*orders, *odd])


def table(feedback, code="pl+g"):
    fitted = fit(feedback, code)
    return grader_frame(fitted, posterior(fitted, draws=200), interval=0.9, rng=np.random.default_rng(0))


def flag_of(feedback, grader):
    return table(feedback).filter(grader=grader)["flag"].item()


@pytest.mark.parametrize(
    ("order", "word"),
    [
        (ITEMS[::-1], "reversed"),
        (ITEMS, "consistent"),
        ([ITEMS], "ties"),
        (ITEMS[:2], "unknown"),
        (ITEMS[1::-1], "unknown"),
        (["i3", "i0", "i6", "i5", "i2", "i7", "i4", "i1"], "chance"),
    ],
)
def test_graders_are_told_apart(order, word):
    assert flag_of(class_with(("odd", order)), "odd") == word


def test_little_data_is_never_called_unreliable():
    for order in (ITEMS[:2], ITEMS[1::-1], ITEMS[2::-1]):
        row = table(class_with(("few", order))).filter(grader="few").row(0, named=True)
        assert row["flag"] == "unknown"
        assert row["flag_text"].startswith("Too few reviews to tell")
        assert row["quality_mark"] > 40


def test_agreement_is_with_the_others_alone():
    lonely = Feedback.from_orders([("ada", ["x", "y", "z"])])

    found = agreement(fit(lonely, "pl"), np.random.default_rng(0))

    assert found.share.tolist() == [0.5]  # nobody else to agree with


def test_random_graders_agree_with_half_of_the_pairs():
    made = simulate(items=60, graders=200, per_grader=6, lazy=1.0, model="pl", seed=5)
    feedback = Feedback.from_columns(made.rows["grader"], made.rows["item"], rank=made.rows["rank"])

    found = agreement(fit(feedback, "bt"), np.random.default_rng(0))

    assert found.typical == pytest.approx(0.5, abs=0.04)


def test_worth_is_that_of_kendall():
    found = agreement(fit(class_with(), "bt"), np.random.default_rng(0))

    variance = 8 * 7 * (2 * 8 + 5) / 18 / 4 / 28**2  # of the agreeing share of a random list of 8
    np.testing.assert_allclose(found.worth, 0.25 / variance)


def test_intervals_cover_random_lists():
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(400):
        p = rng.permutation(8)
        shares.append((np.triu(p[:, None] < p, 1)).sum() / 28)
    worth = np.full(400, 0.25 / (8 * 7 * 21 / 18 / 4 / 28**2))
    low, high = Agreement(np.full(400, 28), np.array(shares), worth, np.full(400, 0.75), 0.75).interval(0.9)

    assert 0.85 < np.mean((low <= 0.5) & (high >= 0.5)) < 0.97


def made_up(share, worth=20.0, typical=0.75):
    share = np.atleast_1d(np.asarray(share, dtype=float))
    n = len(share)
    return Agreement(np.full(n, 30), share, np.full(n, worth), np.full(n, typical), typical)


def test_marks_rise_from_chance_to_typical():
    marks = quality_marks(made_up([0.2, 0.5, 0.65, 0.75, 0.95, 0.9, 0.5]))

    assert marks[0] < marks[1] < marks[2] < marks[3] == pytest.approx(100)
    assert marks[4] == 100


def test_marks_of_little_data_stay_near_full():
    strong, weak = (quality_marks(made_up([0.5, 0.75, 0.9, 0.6], worth))[0] for worth in (200.0, 1.0))

    assert weak > strong


def test_a_class_that_agrees_on_nothing_gives_no_marks():
    assert np.isnan(quality_marks(made_up([0.5, 0.6], typical=0.51))).all()


def test_graders_who_differ_more_are_drawn_less_to_the_mean():
    alike, apart = made_up([0.74, 0.75, 0.76] * 5), made_up([0.35, 0.75, 0.99] * 5)

    assert prior_worth(apart) < prior_worth(alike)


def test_flags_need_no_warning_for_empty_lists():
    nothing = Agreement(np.zeros(1, dtype=np.int64), np.array([np.nan]), np.zeros(1), np.array([np.nan]), 0.7)

    assert flag(nothing) == ["ties"]


def test_scores_show_harsh_and_lenient_graders():
    rng = np.random.default_rng(0)
    quality = dict(zip(ITEMS, np.linspace(3, 9, 8), strict=True))
    bias = {f"g{n}": b for n, b in enumerate([0.0] * 8 + [-2.0, 2.0])}
    rows = [(g, i, q + b + 0.2 * rng.normal()) for g, b in bias.items() for i, q in quality.items()]
    grader, item, score = zip(*rows, strict=True)
    found = table(Feedback.from_columns(grader, item, score=score), "ncs+g")

    assert found["bias"].to_numpy()[-2:] == pytest.approx([-2, 2], abs=0.6)
    assert "Harsh: scores about" in found["flag_text"][8]
    assert found["flag_text"][9].endswith("above the class; the grades allow for it.")
    assert found["spread"].to_numpy() == pytest.approx(np.ones(10), abs=0.25)


def test_lazy_graders_are_found_and_honest_ones_are_not_accused():
    made = simulate(items=40, graders=100, per_grader=9, lazy=0.1, model="pl", sd=2.0, seed=2)
    feedback = Feedback.from_columns(made.rows["grader"], made.rows["item"], rank=made.rows["rank"])
    kinds = made.graders.select("grader", "kind")

    found = table(feedback).join(kinds, on="grader")

    lazy, honest = found.filter(kind="lazy"), found.filter(kind="honest")
    assert lazy["flag"].is_in(["chance", "unknown", "reversed"]).mean() >= 0.8
    assert honest["flag"].is_in(["chance", "reversed"]).mean() <= 0.05


def test_short_lists_of_typical_graders_name_nobody():
    typical, n = 0.72, 400
    share = np.random.default_rng(1).binomial(3, typical, size=n) / 3
    checked = Agreement(np.full(n, 4), share, np.full(n, 3.0), np.full(n, typical), typical)

    assert (share == 0).any()
    assert not {"chance", "reversed"} & set(flag(checked))


def test_many_lazy_graders_are_named_together():
    share = np.concatenate([np.full(90, 0.75), np.full(10, 0.4)])
    checked = Agreement(np.full(100, 60), share, np.full(100, 30.0), np.full(100, 0.75), 0.72)

    assert flag(checked)[90:] == ["chance"] * 10
