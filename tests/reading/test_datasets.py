"""The readers on every real data set."""

from __future__ import annotations

import io

import pytest

from peerage import read, write

SIZES = {  # reviews, items, tasks
    "cities": (4704, 84, 2),
    "dots": (12732, 16, 4),
    "dots30": (4800, 120, 4),
    "gcse_scripts": (1234, 36, 2),
    "lee_orderings": (20349, 224, 18),
    "mifei_mooc": (2084, 724, 1),
    "potatoes": (480, 40, 2),
    "puzzle": (12720, 16, 4),
    "reading_difficulty": (15796, 491, 1),
}


@pytest.mark.parametrize("name", SIZES)
def test_every_set_is_read_whole(datasets, name):
    feedback = read(datasets / name / "feedback.csv")

    assert (feedback.n_entries, feedback.n_items, feedback.n_tasks) == SIZES[name]
    assert feedback.notes == ()


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_every_set_survives_writing(datasets, name, kind):
    feedback = read(datasets / name / "feedback.csv")
    stream = io.BytesIO()

    write(feedback, stream, kind)

    assert read(stream.getvalue()).equals(feedback)


@pytest.mark.parametrize("name", ["mifei_mooc", "gcse_scripts", "reading_difficulty"])
def test_sets_with_one_word_labels_survive_pgf(datasets, name):
    feedback = read(datasets / name / "feedback.csv")
    stream = io.BytesIO()

    write(feedback, stream, "pgf")

    assert read(stream.getvalue()).equals(feedback)


def test_no_set_is_forgotten(datasets):
    assert {path.parent.name for path in datasets.glob("*/feedback.csv")} == set(SIZES)
