import numpy as np
import polars as pl
import pytest

from peerage import grade, simulate
from peerage.errors import DataError
from peerage.grading.letters import (
    NAMED,
    as_percentage,
    assign_letters,
    letter_numbers,
    letter_probabilities,
    parse_letters,
    probabilities_in_words,
)

ONE_TASK = np.array([0, 10])
RANKS = np.arange(1, 11)


@pytest.mark.parametrize("text", ["A:20%,B:30%,C:50%", "A>=85,B>=70,C", "pass>=-1.5,fail"])
def test_text_is_read_and_written_alike(text):
    assert parse_letters(text).text == text


@pytest.mark.parametrize(
    ("quotas", "ranks", "starts", "letters"),
    [
        ("A:20%,B:30%,C:50%", RANKS, ONE_TASK, [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]),
        ("A:50%,B:50%", [1, 2, 2, 4], [0, 4], [0, 0, 0, 1]),  # tied items share the better letter
        ("A:50%,B:50%", [1, 2, 2, 1], [0, 2, 4], [0, 1, 1, 0]),  # two tasks
    ],
)
def test_quotas_hold_within_each_task_and_tied_items_share_the_better_letter(quotas, ranks, starts, letters):
    given = letter_numbers(parse_letters(quotas), None, np.array(ranks), np.array(starts))

    assert given.tolist() == letters


def test_quotas_round_to_the_nearest_item():
    assert np.bincount(parse_letters("A:20%,B:80%").by_position(42)).tolist() == [8, 34]  # of 8.4
    assert np.bincount(parse_letters("A:20%,B:80%").by_position(43)).tolist() == [9, 34]  # of 8.6


def test_a_cut_point_belongs_to_the_better_letter():
    points = np.array([85.0, 84.999, 70.0, 0.0])

    assert parse_letters("A>=85,B>=70,C").by_points(points).tolist() == [0, 1, 1, 2]


def test_cut_points_need_points():
    with pytest.raises(DataError, match="the cut-points A>=85,B need points to cut"):
        letter_numbers(parse_letters("A>=85,B"), None, RANKS, ONE_TASK)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A:20%,B:30%", "add up to 100 %, not 50 %"),
        ("A>=70,B>=85,C", "must fall"),
        ("A>=85,B>=70", "do not say what is below B"),
        ("A:50%,A:50%", "'A' is there twice"),
        ("A,B", "cannot be read"),
        ("A:20%,B>=7", "cannot be read"),
        ("", "cannot be read"),
        ("A:1.2.3%,B:50%", "'1.2.3' .* is not a number"),
    ],
)
def test_letters_that_make_no_sense_are_refused(text, message):
    with pytest.raises(DataError, match=message):
        parse_letters(text)


def test_probabilities_count_draws_against_cut_points():
    draws = np.array([[90.0, 10.0], [80.0, 10.0], [86.0, 99.0], [84.0, 10.0]])

    chances = letter_probabilities(parse_letters("A>=85,B"), draws, np.array([0, 2]))

    assert chances.tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_under_quotas_every_draw_fills_the_quota_and_a_sure_letter_has_chance_1():
    rule = parse_letters("A:20%,B:80%")
    draws, sure = np.random.default_rng(0).normal(size=(50, 10)), np.tile(np.arange(10.0, 0.0, -1.0), (4, 1))

    chances = letter_probabilities(rule, draws, ONE_TASK)
    decided = assign_letters(rule, None, sure, RANKS, ONE_TASK)

    np.testing.assert_allclose(chances.sum(axis=0), [2, 8])
    assert decided.probability.tolist() == [1.0] * 10


@pytest.mark.parametrize(
    ("rule", "chances", "given", "words"),
    [
        ("A>=8,B>=7,C", [0.24, 0.73, 0.03], 1, "B 73 %; A 24 %"),
        ("A>=8,B", [0.45, 0.55], 0, "A 45 % by points; B 55 %"),  # not the likeliest: its reason
        ("A:40%,B:60%", [0.45, 0.55], 0, "A 45 % by rank; B 55 %"),
    ],
)
def test_words_name_the_letter_given_first_and_leave_out_the_far_fetched(rule, chances, given, words):
    assert probabilities_in_words(parse_letters(rule), np.array(chances), given) == words


def test_a_share_never_claims_certainty_it_has_not():
    shown = [as_percentage(chance) for chance in (0.004, 0.5, 0.996, 1.0)]

    assert shown == ["< 1 %", "50 %", "> 99 %", "> 99 %"]


@pytest.mark.parametrize("name", NAMED)
def test_a_scale_can_be_asked_for_by_its_name(name):
    rule = parse_letters(f" {name.upper()} ")

    assert rule == parse_letters(NAMED[name])
    assert rule.text == NAMED[name]
    assert 0 < min(rule.cuts) < max(rule.cuts) < 100


def test_no_points_are_shown_beside_a_letter_that_they_do_not_have():
    """On a scale of 10 points are shown to the hundredth, and letters go by what is shown."""
    made = simulate(items=60, graders=60, per_grader=4, seed=2)

    for cut in (7.0, 7.75):
        items = grade(made.feedback(), anchors=made.staff.head(30), letters=f"A>={cut},B").items
        shown = items["points"].map_elements(lambda value: float(f"{value:.2f}"), return_dtype=pl.Float64)
        assert ((shown >= cut) == (items["letter"] == "A")).all()
        np.testing.assert_array_equal(items["points"], shown)


def test_the_sentence_says_whose_judgement_it_is():
    made = simulate(items=20, graders=30, per_grader=5, seed=2)
    letters = "A>=8.5,B>=7,C"

    alone = grade(made.feedback(), scale="0:10", letters=letters).sentences["letters"]
    beside = grade(made.feedback(), anchors=made.staff.head(9), letters=letters).sentences["letters"]

    assert "By the peers' own judgement about" in alone
    assert "Staff would give about" in beside
    assert "at most one letter away" in beside
    assert "wrong" not in alone + beside
