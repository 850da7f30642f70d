"""The readers on every real data set."""

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
KINDS = {  # PGF holds labels of one word only
    "gcse_scripts": ["csv", "tsv", "parquet", "pgf"],
    "mifei_mooc": ["csv", "tsv", "parquet", "pgf"],
    "potatoes": ["csv", "tsv", "parquet"],
}


@pytest.mark.parametrize("name", SIZES)
def test_every_set_is_read_whole_and_survives_writing(datasets, name):
    feedback = read(datasets / name / "feedback.csv")

    assert (feedback.n_entries, feedback.n_items, feedback.n_tasks) == SIZES[name]
    assert feedback.notes == ()
    for kind in KINDS.get(name, ["csv"]):
        stream = io.BytesIO()
        write(feedback, stream, kind)
        assert read(stream.getvalue()).equals(feedback), kind


def test_no_set_is_forgotten(datasets):
    assert {path.parent.name for path in datasets.glob("*/feedback.csv")} == set(SIZES)
