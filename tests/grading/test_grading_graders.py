from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peerage import Feedback, fit, grade, posterior, simulate
from peerage.grading.agreement import Agreement, measure_agreement
from peerage.grading.graders import (
    LUCK,
    NAMED,
    flag_graders,
    grader_frame,
    luck_sentence,
    quality_marks,
    trust,
)
from peerage.grading.guessing import LIKELY, grader_kinds, guessing_sentence
from peerage.grading.misfit import measure_misfit

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
    known = posterior(fitted, draws=200)
    return grader_frame(fitted, known, measure_misfit(fitted, known), interval=0.9)


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
        assert row["quality_mark"] > (40 if len(order) == 2 else 0)


def test_agreement_is_with_the_others_alone():
    lonely = Feedback.from_orders([("ada", ["x", "y", "z"])])

    found = measure_agreement(fit(lonely, "pl"))

    assert found.share.tolist() == [0.5]  # nobody else to agree with


def test_random_graders_agree_with_half_of_the_pairs():
    made = simulate(items=60, graders=200, per_grader=6, lazy=1.0, model="pl", seed=5)
    feedback = Feedback.from_columns(made.rows["grader"], made.rows["item"], rank=made.rows["rank"])

    found = measure_agreement(fit(feedback, "bt"))

    assert found.typical == pytest.approx(0.5, abs=0.04)


def test_worth_is_that_of_kendall():
    found = measure_agreement(fit(class_with(), "bt"))

    variance = 8 * 7 * (2 * 8 + 5) / 18 / 4 / 28**2  # of the agreeing share of a random list of 8
    np.testing.assert_allclose(found.effective_pairs, 0.25 / variance)


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
    marks = quality_marks(made_up([0.0, 0.3, 0.4, 0.45, 0.75, 0.95]))

    assert marks[0] == 0
    assert 0 < marks[2] < marks[3] < 100
    assert marks[4] == marks[5] == 100


def test_a_mark_follows_from_the_columns_beside_it():
    rows = table(class_with(("odd", ["i3", "i0", "i6", "i5", "i2", "i7", "i4", "i1"]), ("back", ITEMS[::-1])))

    high, typical = rows["check_high"].to_numpy(), rows["check_typical"].to_numpy()
    kinds = rows["guess_probability"].to_numpy() + rows["worst_first_probability"].to_numpy()
    expected = 100 * np.clip((high - 0.5) / (typical - 0.5), 0, 1) * (1 - kinds)

    np.testing.assert_allclose(rows["quality_mark"].to_numpy(), expected)
    assert rows.filter(grader="back")["quality_mark"].item() == 0  # agrees with nobody


def test_the_class_says_how_many_guess_and_who_most_likely():
    """30 honest graders and 10 who order at random, 20 effective pairs each."""
    rng = np.random.default_rng(1)
    shares = np.concatenate([rng.normal(0.78, 0.08, 30), rng.normal(0.5, 0.11, 10)])

    agreement = made_up(shares, typical=0.72)  # the guessers pull it down
    kinds = grader_kinds(agreement)

    listed = np.flatnonzero(kinds.guessed >= LIKELY)
    assert kinds.guessed[listed].sum() == pytest.approx((listed >= 30).sum(), abs=1.5)
    said = guessing_sentence(*kinds)
    expected = kinds.guessed[listed].sum()
    assert said.startswith(f"{len(listed)} graders agree with the others as guessing would.")
    assert f"Of these, {expected:.0f} are expected to have guessed" in said
    assert "accuses nobody" in said
    before, after = quality_marks(agreement), quality_marks(agreement, kinds)
    assert after[30:].mean() < 0.6 * before[30:].mean()
    assert after[:30].mean() > 0.95 * before[:30].mean()


def test_an_honest_class_has_no_list_of_guessers():
    rng = np.random.default_rng(2)

    assert guessing_sentence(*grader_kinds(made_up(rng.normal(0.75, 0.09, 60)))) == ""


def test_a_class_of_which_a_part_ranks_worst_first_is_told():
    shares = np.concatenate([np.full(20, 0.76), np.full(10, 0.25)])

    assert guessing_sentence(*grader_kinds(made_up(shares))).startswith(
        "About 10 of the 30 graders seem to rank worst first"
    )


def test_marks_of_little_data_stay_near_full():
    strong, weak = (quality_marks(made_up([0.5, 0.75, 0.9, 0.6], worth))[0] for worth in (200.0, 1.0))

    assert strong < 30 < weak


def test_a_class_that_agrees_on_nothing_gives_no_marks_and_names_nobody():
    nothing = made_up([0.0, 0.6], typical=0.51, worth=60.0)

    assert np.isnan(quality_marks(nothing)).all()
    assert not set(NAMED) & set(flag_graders(nothing))


def test_flags_need_no_warning_for_empty_lists():
    nothing = Agreement(np.zeros(1, dtype=np.int64), np.array([np.nan]), np.zeros(1), np.array([np.nan]), 0.7)

    assert flag_graders(nothing) == ["ties"]


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
    assert not {"chance", "reversed"} & set(flag_graders(checked))


def test_many_lazy_graders_are_named_together():
    share = np.concatenate([np.full(90, 0.75), np.full(10, 0.4)])
    checked = Agreement(np.full(100, 60), share, np.full(100, 30.0), np.full(100, 0.75), 0.72)

    assert flag_graders(checked)[90:] == ["chance"] * 10


def binomial_class(n, typical, worth=10, seed=0):
    share = np.random.default_rng(seed).binomial(worth, typical, size=n) / worth
    return Agreement(np.full(n, 21), share, np.full(n, float(worth)), np.full(n, typical), typical, 60.0)


@pytest.mark.parametrize("n", [30, 500])
def test_honest_classes_name_as_few_as_is_stated(n):
    classes = [flag_graders(binomial_class(n, 0.75, seed=seed)) for seed in range(200)]

    named = [sum(word in NAMED for word in words) for words in classes]

    assert np.mean(named) <= LUCK


def test_a_larger_class_needs_stronger_evidence():
    def word(n):
        share = np.append(np.full(n - 1, 0.75), 0.2)
        return flag_graders(Agreement(np.full(n, 21), share, np.full(n, 10.0), np.full(n, 0.75), 0.75, 60.0))[
            -1
        ]

    assert (word(10), word(2000)) == ("chance", "unknown")


def test_a_list_of_named_graders_says_what_luck_would_do():
    assert "names 0.05 graders on average" in luck_sentence(["consistent", "chance"])
    assert luck_sentence(["consistent", "unknown"]) == ""


def test_the_seed_changes_nothing_about_graders():
    made = simulate(items=20, graders=40, per_grader=6, lazy=0.2, backwards=0.1, seed=4).feedback()
    drawn = ["reliability_low", "reliability_high"]

    first, second = (grade(made, seed=seed).graders.drop(drawn) for seed in (0, 1))

    assert first.equals(second)


def test_one_grader_far_out_does_not_hide_behind_the_spread_it_makes():
    found = measure_agreement(fit(class_with(("odd", ITEMS[::-1])), "pl+g"))

    assert found.typical > 0.9
    assert found.spread > 10


def test_about_the_same_score_for_everything_is_not_a_good_grader():
    rng = np.random.default_rng(3)
    quality = dict(zip(ITEMS, np.linspace(3, 9, 8), strict=True))
    rows = [(f"g{g:02d}", i, q + 1.5 * rng.normal()) for g in range(20) for i, q in quality.items()]
    rows += [("narrow", i, 6 + 0.05 * rng.normal()) for i in ITEMS]
    grader, item, score = zip(*rows, strict=True)
    feedback = Feedback.from_columns(grader, item, score=score)

    result = grade(feedback)

    row = result.graders.filter(grader="narrow").row(0, named=True)
    assert row["flag"] != "consistent"
    assert trust(result.fitted, result.graders)[-1] < np.median(trust(result.fitted, result.graders))


def test_the_list_of_guessers_is_right_within_five_points():
    root = Path(__file__).parents[2]
    rows = pl.read_csv(root / "experiments" / "results" / "guessing.csv")
    listed, said, guessed = (float(rows["classes"] @ rows[name]) for name in ("listed", "said", "guessed"))
    page = " ".join((root / "docs" / "explanation" / "grades.md").read_text(encoding="utf-8").split())

    assert f"In {rows['classes'].sum()} simulated classes of 64" in page
    assert f"{100 * said / listed:.0f} % of those listed were said to have guessed" in page
    assert f"and {100 * guessed / listed:.0f} % had" in page
    assert abs(said - guessed) <= 0.05 * listed
