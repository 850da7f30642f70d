"""The library's figures in words: nothing is claimed that simulated classes cannot tell."""

from __future__ import annotations

from peerage_web.classes.allocation.texts import problem_in_words, quality_in_words

QUALITY = {
    "n_items": 10,
    "loads": {"3": 8, "4": 2},
    "lists": {"3": 10},
    "components": 1,
    "covered_pairs": 0.5,
    "most_together": 2,
    "spectral_gap": 0.5,
}
FORECAST = {"tau_error": 20.0, "random": 25.0, "unsure": 1.0, "repeats": 20}


def test_figures_become_sentences_that_claim_nothing_which_cannot_be_told():
    assert quality_in_words({**QUALITY, "forecast": FORECAST}) == [
        "Each submission gets 3 to 4 reviews.",
        "Each reviewer gets 3 submissions.",
        "All submissions are connected: any two can be compared, directly or through others.",
        "50% of all pairs of submissions share a reviewer, and no pair shares more than 2.",
        "The connections between submissions reach 45% of the greatest possible strength.",
        "Expect about 20% of pairs of submissions in the wrong order; with a random allocation, about 25%."
        " This is based on 20 simulated classes like this one.",
    ]

    close = {**FORECAST, "random": 21.5}

    assert quality_in_words({**QUALITY, "forecast": close})[-1] == (
        "Expect about 20% of pairs of submissions in the wrong order, based on 20 simulated classes like this"
        " one. They show no clear difference from a random allocation."
    )

    told = quality_in_words({**QUALITY, "components": 2})[2]

    assert told.startswith("The submissions fall into 2 groups that share no reviewers")
    assert quality_in_words({}) == []


def test_many_names_are_cut():
    names = {f"m{number}": f"Student {number}" for number in range(12)}

    (text,) = problem_in_words({"code": "without-section", "graders": list(names)}, names)

    assert text.endswith("Student 7 and 4 more.")
