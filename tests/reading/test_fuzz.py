"""Whatever the bytes, a reader returns a valid Feedback or raises DataError; nothing else."""

import io
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from old_excel import old_workbook
from tests.reading.battery.case import as_workbook

from peerage import DataError, Feedback, read
from peerage.reading.formats import FORMATS

ROWS = [["grader", "item", "score"], ["ada", 1, 2.5], ["bob", 1, 3]]
PARQUET = io.BytesIO()
pl.DataFrame({"grader": ["a", "b"], "item": ["x", "y"], "rank": [1, 2]}).write_parquet(PARQUET)

EXAMPLES = {
    "long": b'task,grader,item,score\nt,"a, b",x,1\r\nt,"a, b","y\nz",2\nu,c,x,3.5\n',
    "pairs": b"worker,left,right,label\nw1,a,b,a\nw1,b,c,tie\nw2,a,c,c\n",
    "matrix": b"assessor,P1,P2,P3\nA,1,2,3\nB,2,0,1\nC,,NA,1\n",
    "pgf": b"t1 g1 a (8.0) > b (7.0) ? c (7.0)\nt1 g2 c > a\n",
    "preflib": b"# DATA TYPE: toi\n# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n3: 1,{2}\n1: {1,2}\n",
    "csv": "grader;item;rank\nä;x;1\nä;y;2\n".encode("utf-16"),
    "excel": as_workbook({"Reviews": ROWS}),
    "old excel": old_workbook(ROWS),
    "parquet": PARQUET.getvalue(),
}


def check_valid(feedback: Feedback) -> None:
    """The invariants every algorithm relies on."""
    starts = feedback.list_starts
    assert starts[0] == 0
    assert starts[-1] == feedback.n_entries > 0
    assert (np.diff(starts) > 0).all()
    assert feedback.bucket_starts[starts[:-1]].all()
    assert ((feedback.items >= 0) & (feedback.items < feedback.n_items)).all()
    assert (np.diff(feedback.item_tasks) >= 0).all()
    tasks = np.repeat(feedback.list_tasks, feedback.list_lengths)
    assert (feedback.item_tasks[feedback.items] == tasks).all()
    keys = feedback.entry_lists * feedback.n_items + feedback.items
    assert len(np.unique(keys)) == feedback.n_entries
    assert all(label.strip() for label in feedback.item_labels)


def read_or_refuse(data: bytes, kind: str) -> None:
    try:
        feedback = read(data, kind)
    except DataError:
        return
    check_valid(feedback)


MARKS = st.text(st.sampled_from('ab1,;\t"\n\r (){}>?=:#.-é'), max_size=60).map(str.encode)
ANYTHING = st.one_of(st.binary(max_size=300), MARKS, MARKS.map(lambda rows: b"grader,item,score\n" + rows))


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=90)
@given(data=ANYTHING)
def test_random_bytes_and_marks(kind, data):
    read_or_refuse(data, kind)


def mutated(data: bytes, seed: int) -> bytes:
    """A copy with a few bytes changed, cut out, doubled or swapped."""
    rng = random.Random(seed)
    copy = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        low = rng.randrange(len(copy) + 1)
        high = min(len(copy), low + rng.randint(0, 8))
        kind = rng.randrange(4)
        if kind == 0:
            copy[low:high] = rng.randbytes(high - low)
        elif kind == 1:
            del copy[low:high]
        elif kind == 2:
            copy[low:low] = copy[low:high]
        else:
            copy[low:high] = bytes(rng.choice(b'",;\n\r\t>?=(){}:0\0\xff') for _ in range(high - low))
    return bytes(copy)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_mutated_examples(kind):
    for seed in range(60):
        damaged = mutated(EXAMPLES[kind], seed)

        read_or_refuse(damaged, kind.removeprefix("old "))
        read_or_refuse(damaged, "auto")


@pytest.mark.parametrize("name", ["gcse_scripts", "mifei_mooc"])
def test_mutated_real_files(datasets, name):
    data = (datasets / name / "feedback.csv").read_bytes()

    for seed in range(5):
        read_or_refuse(mutated(data, seed), "auto")
        read_or_refuse(data[: random.Random(seed).randrange(len(data))], "auto")
