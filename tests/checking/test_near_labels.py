"""Names that may be misspelt: nearly another name, and rare. Those meant to differ are left alone."""

import random
import string
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import Feedback, check, simulate
from peerage.checking.near_labels import MOST, find_near_labels

EXAMPLES = Path(__file__).parents[2] / "examples"
SLIPS = [
    ("Team-Gamma", "Team Gamma"),
    ("TeamGamma", "Team Gamma"),
    ("Gama", "Gamma"),
    ("Gmama", "Gamma"),
    ("Team Gamna", "Team Gamma"),
    ("team-gama", "Team Gamma"),
    ("Schrodinger", "Schrödinger"),
    ("Mueller", "Müller"),
    ("P-3 Bridge", "P3 Bridge"),
    ("Poster 03", "Poster 3"),
    ("ada.lovlace@uni.example", "ada.lovelace@uni.example"),
]
DIFFERENT = [
    ("P1", "P2"),
    ("team 3", "team 13"),
    ("Team 1-2", "Team 12"),
    ("A", "B"),
    ("Team A", "Team B"),
    ("TeamA", "TeamB"),
    ("Team", "TeamB"),
    ("Group A+", "Group A"),
    ("Part II", "Part III"),
    ("Part VIII", "Part XIII"),
    ("Ana", "Ada"),
    ("North", "South"),
    ("Julia", "Julie"),
    ("Anna", "Hanna"),
    ("GAMMA", "Gamma"),  # another finding, which has its own advice
]
REST = ["Alpha", "Epsilon", "Kappa"]


def near(rare: str, usual: str, reviews: tuple[int, int] = (1, 7)) -> list[tuple[int, int]]:
    labels = pl.Series([rare, usual, *REST])
    return [tuple(pair) for pair in find_near_labels(labels, np.array([*reviews, 7, 7, 7]))]


@pytest.mark.parametrize(("rare", "usual"), SLIPS)
def test_slips_are_found(rare, usual):
    assert near(rare, usual) == [(0, 1)]
    assert near(usual, rare, (7, 1)) == [(1, 0)]


@pytest.mark.parametrize(("rare", "usual"), DIFFERENT)
def test_names_that_are_meant_to_differ_are_not(rare, usual):
    assert near(rare, usual) == []


@pytest.mark.parametrize("reviews", [(7, 7), (3, 7), (4, 30), (1, 2)])
def test_both_must_not_be_usual(reviews):
    assert near("Gama", "Gamma", reviews) == []


@given(place=st.integers(1, 5), letter=st.sampled_from(string.ascii_lowercase), kind=st.integers(0, 2))
def test_any_slip_inside_a_word_is_found(place, letter, kind):
    word = "telescope"
    slips = (letter + word[place + 1 :], word[place + 1 :], letter + word[place:])
    slip = word[:place] + slips[kind]
    if slip != word:
        assert near(f"Deep {slip} 4", f"Deep {word} 4") == [(0, 1)]


def test_check_says_what_may_be_one_and_what_to_do():
    orders = [(f"g{number}", ["Alpha", "Team Gamma", "Delta"]) for number in range(6)]
    orders += [("Erwin Müller", ["Alpha", "Team-Gamma", "Delta"])]

    finding = check(Feedback.from_orders(orders)).finding("labels-misspelt")

    assert finding.severity == "warning"
    assert finding.found == "1 name may be misspelt."
    assert finding.examples() == ["item 'Team-Gamma' (1) and 'Team Gamma' (6)"]
    assert "write them alike" in finding.advice


def test_a_misspelt_grader_is_found_and_not_where_the_roster_has_both():
    items = ["v", "w", "x", "y", "z"]
    lists = [("Ada Lovelace", items), ("Bob Bobson", items), ("Cyd Charisse", items), ("Ada Lovelce", ["x"])]
    feedback = Feedback.from_orders(lists)
    roster = {"student": [name for name, _ in lists]}

    found = check(feedback).finding("labels-misspelt")

    assert found.examples() == ["grader 'Ada Lovelce' (1) and 'Ada Lovelace' (5)"]
    assert check(feedback, roster).finding("labels-misspelt") is None


def test_codes_of_letters_are_no_words():
    rng = random.Random(1)
    codes = pl.Series(list({"".join(rng.choices(string.ascii_lowercase, k=4)) for _ in range(4000)}))
    reviews = np.where(np.arange(len(codes)) % 3 > 0, 9, 1)

    assert find_near_labels(codes, reviews) == []


def test_crowds_are_not_compared():
    labels = pl.Series([f"Lovelace {number}" for number in range(MOST)] + ["Gamma", "Gama"])

    assert find_near_labels(labels, np.array([7] * (MOST + 1) + [1])) == []
    assert find_near_labels(labels[10:], np.array([7] * (MOST - 9) + [1])) != []


def test_real_and_simulated_classes_have_none(datasets):
    found = {
        folder.name: finding.examples()
        for folder in sorted(datasets.iterdir())
        if (folder / "feedback.csv").is_file()
        and (finding := check(feedback_of(folder)).finding("labels-misspelt")) is not None
    }

    simulated = simulate(items=40, graders=40, per_grader=4, seed=1).feedback()
    assert found == {}
    assert check(simulated).finding("labels-misspelt") is None


def feedback_of(folder: Path) -> Feedback:
    table = pl.read_csv(folder / "feedback.csv", infer_schema_length=None)
    names = [name for name in ("task", "list", "score", "rank") if name in table.columns]
    return Feedback.from_columns(table["grader"], table["item"], **{name: table[name] for name in names})
