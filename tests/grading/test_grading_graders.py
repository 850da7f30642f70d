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
QUALITY = np.linspace(3, 9, 8)
AT_RANDOM = ["i3", "i0", "i6", "i5", "i2", "i7", "i4", "i1"]


def class_with(*odd, honest=12):
    """Honest graders who rank all items alike but for one swap, and the odd ones."""
    orders = []
    for g in range(honest):
        order = ITEMS.copy()
        order[g % 7], order[g % 7 + 1] = order[g % 7 + 1], order[g % 7]
        orders.append((f"h{g:02d}", order))
    return Feedback.from_orders([*orders, *odd])


def class_of_scores(scores):
    """A row of each grader."""
    graders = [f"g{n:02d}" for n in range(len(scores)) for _ in ITEMS]
    return Feedback.from_columns(graders, ITEMS * len(scores), score=np.ravel(scores))


def table(feedback, code="pl+g"):
    fitted = fit(feedback, code)
    known = posterior(fitted, draws=200)
    return grader_frame(fitted, known, measure_misfit(fitted, known), interval=0.9)


@pytest.mark.parametrize(
    ("order", "word"),
    [
        (ITEMS[::-1], "reversed"),
        (ITEMS, "consistent"),
        ([ITEMS], "ties"),
        (AT_RANDOM, "chance"),
        (ITEMS[:2], "unknown"),
        (ITEMS[1::-1], "unknown"),
        (ITEMS[2::-1], "unknown"),
    ],
)
def test_graders_are_told_apart_and_little_data_is_never_called_unreliable(order, word):
    row = table(class_with(("odd", order))).filter(grader="odd").row(0, named=True)

    assert row["flag"] == word
    if word == "unknown":
        assert row["flag_text"].startswith("Too few reviews to tell")
        assert row["quality_mark"] > (40 if len(order) == 2 else 0)


def test_agreement_is_with_the_others_alone():
    lonely = Feedback.from_orders([("ada", ["x", "y", "z"])])

    found = measure_agreement(fit(lonely, "pl"))

    assert found.share.tolist() == [0.5]  # nobody else to agree with


def test_pairs_of_a_list_are_worth_what_kendall_says_and_intervals_cover_random_lists():
    variance = 8 * 7 * (2 * 8 + 5) / 18 / 4 / 28**2  # of the agreeing share of a random list of 8
    rng = np.random.default_rng(1)
    lists = [rng.permutation(8) for _ in range(400)]
    shares = [np.triu(p[:, None] < p, 1).sum() / 28 for p in lists]

    found = measure_agreement(fit(class_with(), "bt"))
    low, high = agreeing(shares, worth=0.25 / variance).interval(0.9)

    np.testing.assert_allclose(found.effective_pairs, 0.25 / variance)
    assert 0.85 < np.mean((low <= 0.5) & (high >= 0.5)) < 0.97


def agreeing(shares, *, worth=20.0, typical=0.75, spread=np.inf):
    """Graders who agree with the others on these shares of pairs, each worth so many independent ones."""
    n = len(shares)
    return Agreement(
        np.full(n, 30), np.array(shares), np.full(n, worth), np.full(n, typical), typical, spread
    )


def test_marks_rise_from_chance_to_typical_and_little_data_costs_little():
    marks = quality_marks(agreeing([0.0, 0.3, 0.4, 0.45, 0.75, 0.95]))
    strong, weak = (quality_marks(agreeing([0.5], worth=worth))[0] for worth in (200.0, 1.0))

    assert marks[0] == 0
    assert 0 < marks[2] < marks[3] < 100
    assert marks[4] == marks[5] == 100
    assert strong < 30 < weak


def test_a_class_that_agrees_on_nothing_gives_no_marks_and_names_nobody():
    nothing = agreeing([0.0, 0.6], typical=0.51, worth=60.0)

    assert np.isnan(quality_marks(nothing)).all()
    assert not set(NAMED) & set(flag_graders(nothing))


def test_a_mark_follows_from_the_columns_beside_it():
    rows = table(class_with(("odd", AT_RANDOM), ("back", ITEMS[::-1])))

    high, typical = rows["check_high"].to_numpy(), rows["check_typical"].to_numpy()
    kinds = rows["guess_probability"].to_numpy() + rows["worst_first_probability"].to_numpy()
    expected = 100 * np.clip((high - 0.5) / (typical - 0.5), 0, 1) * (1 - kinds)

    np.testing.assert_allclose(rows["quality_mark"].to_numpy(), expected)
    assert rows.filter(grader="back")["quality_mark"].item() == 0  # agrees with nobody


def test_the_class_says_how_many_guess_and_who_most_likely():
    """30 honest graders and 10 who order at random, 20 effective pairs each."""
    rng = np.random.default_rng(1)
    shares = np.concatenate([rng.normal(0.78, 0.08, 30), rng.normal(0.5, 0.11, 10)])

    agreement = agreeing(shares, typical=0.72)  # the guessers pull it down
    kinds = grader_kinds(agreement)

    listed, said = np.flatnonzero(kinds.guessed >= LIKELY), guessing_sentence(*kinds)
    expected = kinds.guessed[listed].sum()
    assert expected == pytest.approx((listed >= 30).sum(), abs=1.5)
    assert said.startswith(f"{len(listed)} graders agree with the others as guessing would.")
    assert f"Of these, {expected:.0f} are expected to have guessed" in said
    assert "accuses nobody" in said
    before, after = quality_marks(agreement), quality_marks(agreement, kinds)
    assert after[30:].mean() < 0.6 * before[30:].mean()
    assert after[:30].mean() > 0.95 * before[:30].mean()


def test_an_honest_class_has_no_list_of_guessers_and_one_of_which_a_part_ranks_worst_first_is_told():
    honest = np.random.default_rng(2).normal(0.75, 0.09, 60)
    split = np.concatenate([np.full(20, 0.76), np.full(10, 0.25)])

    assert guessing_sentence(*grader_kinds(agreeing(honest))) == ""
    said = guessing_sentence(*grader_kinds(agreeing(split)))
    assert said.startswith("About 10 of the 30 graders seem to rank worst first")


def test_flags_need_no_warning_for_empty_lists():
    nothing = Agreement(np.zeros(1, dtype=np.int64), np.array([np.nan]), np.zeros(1), np.array([np.nan]), 0.7)

    assert flag_graders(nothing) == ["ties"]


def test_scores_show_harsh_and_lenient_graders():
    bias, noise = np.array([0.0] * 8 + [-2.0, 2.0]), np.random.default_rng(0).normal(size=(10, 8))

    found = table(class_of_scores(QUALITY + bias[:, None] + 0.2 * noise), "ncs+g")

    assert found["bias"].to_numpy()[-2:] == pytest.approx([-2, 2], abs=0.6)
    assert "Harsh: scores about" in found["flag_text"][8]
    assert found["flag_text"][9].endswith("above the class; the grades allow for it.")
    assert found["spread"].to_numpy() == pytest.approx(np.ones(10), abs=0.25)


def test_lazy_graders_are_found_and_honest_ones_are_not_accused():
    made = simulate(items=40, graders=100, per_grader=9, lazy=0.1, model="pl", sd=2.0, seed=2)

    found = table(made.feedback()).join(made.graders.select("grader", "kind"), on="grader")

    lazy, honest = found.filter(kind="lazy"), found.filter(kind="honest")
    assert lazy["flag"].is_in(["chance", "unknown", "reversed"]).mean() >= 0.8
    assert honest["flag"].is_in(["chance", "reversed"]).mean() <= 0.05


@pytest.mark.parametrize(
    ("n", "typical", "worth", "spread"), [(30, 0.75, 10, 60.0), (500, 0.75, 10, 60.0), (400, 0.72, 3, np.inf)]
)
def test_honest_classes_name_as_few_as_is_stated(n, typical, worth, spread):
    rng = np.random.default_rng(0)
    classes = [rng.binomial(worth, typical, size=n) / worth for _ in range(200)]

    words = [flag_graders(agreeing(c, worth=float(worth), typical=typical, spread=spread)) for c in classes]

    assert np.mean([sum(word in NAMED for word in each) for each in words]) <= LUCK


def test_many_lazy_graders_are_named_together_and_a_larger_class_needs_stronger_evidence():
    lazy = flag_graders(agreeing([0.75] * 90 + [0.4] * 10, worth=30.0))
    small, large = (
        flag_graders(agreeing([0.75] * (n - 1) + [0.2], worth=10.0, spread=60.0))[-1] for n in (10, 2000)
    )

    assert lazy[90:] == ["chance"] * 10
    assert (small, large) == ("chance", "unknown")
    assert "names 0.05 graders on average" in luck_sentence(lazy)
    assert luck_sentence(["consistent", "unknown"]) == ""


def test_one_grader_far_out_does_not_hide_behind_the_spread_it_makes():
    found = measure_agreement(fit(class_with(("odd", ITEMS[::-1])), "pl+g"))

    assert found.typical > 0.9
    assert found.spread > 10


def test_about_the_same_score_for_everything_is_not_a_good_grader():
    noise = np.random.default_rng(3).normal(size=(21, 8))

    result = grade(class_of_scores([*(QUALITY + 1.5 * noise[:20]), 6 + 0.05 * noise[20]]))

    trusted = trust(result.fitted, result.graders)
    assert result.graders["flag"][20] != "consistent"
    assert trusted[20] < np.median(trusted)


def test_the_list_of_guessers_is_right_within_five_points():
    root = Path(__file__).parents[2]
    rows = pl.read_csv(root / "experiments" / "results" / "guessing.csv")
    listed, said, guessed = (float(rows["classes"] @ rows[name]) for name in ("listed", "said", "guessed"))
    page = " ".join((root / "docs" / "explanation" / "grades.md").read_text(encoding="utf-8").split())

    assert f"In {rows['classes'].sum()} simulated classes of 64" in page
    assert f"{100 * said / listed:.0f} % of those listed were said to have guessed" in page
    assert f"and {100 * guessed / listed:.0f} % had" in page
    assert abs(said - guessed) <= 0.05 * listed
