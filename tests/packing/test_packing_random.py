"""Random files packed are those files read at once, to the last bit of arrays and the last word of errors."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sameness import assert_same

GRADERS = ("ada", "Ada", "bob", "cyd", "dan", " eve ", "")
ITEMS = ("x", "X", "y", "z", "v w", "2")
ranks = st.sampled_from(["1", "2", "3", "1st", "2.5", "", "0", "-"])
scores = st.sampled_from(["7", "8.5", "8.5", "10", "1", "", "n/a"])


@st.composite
def tables(draw):
    """Rows as people might have them, cut into files."""
    size = draw(st.integers(1, 24))
    clean = draw(st.booleans())
    graders, items = (GRADERS[:5], ITEMS[:5]) if clean else (GRADERS, ITEMS)

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    columns = {"grader": column(st.sampled_from(graders)), "item": column(st.sampled_from(items))}
    measures = draw(st.sampled_from([("rank",), ("score",), ("rank", "score")]))
    if clean:
        columns |= {name: column(st.sampled_from(["1", "2", "3", "4"])) for name in measures}
    else:
        columns |= {name: column(ranks if name == "rank" else scores) for name in measures}
    if draw(st.booleans()):
        columns["task"] = column(st.sampled_from(["week1", "week2", "week3"]))
    if draw(st.booleans()):
        columns["list"] = column(st.sampled_from(["a", "b"]))
    if draw(st.booleans()):
        columns["weight"] = column(st.sampled_from(["1", "1", "1", "2"]))
    frame = pl.DataFrame(columns)
    if draw(st.booleans()):  # one row of each review, so that more is read and less refused
        keys = [name for name in ("grader", "item", "task", "list") if name in columns]
        frame = frame.unique(keys, keep="first", maintain_order=True)
    cuts = sorted(draw(st.lists(st.integers(1, max(1, len(frame) - 1)), max_size=3, unique=True)))
    return frame, [0, *[cut for cut in cuts if cut < len(frame)], len(frame)]


options = st.fixed_dictionaries(
    {},
    optional={
        "duplicates": st.sampled_from(["first", "last", "mean"]),
        "missing": st.just("drop"),
        "ids": st.just("fold"),
        "direction": st.sampled_from(["ranks", "worst-first", "scores", "lower-is-better"]),
        "empty": st.sampled_from([("none",), ("0",), ("2", "-1")]),
    },
)


NO_GRADER = pl.DataFrame({"grader": ["", "ada"], "item": ["x", "y"], "rank": ["0", "1"]})
CONTRARY = pl.DataFrame(
    {
        "grader": ["ada", "ada", "bob", "bob"],
        "item": ["x", "y"] * 2,
        "rank": ["1", "2"] * 2,
        "score": ["7", "9"] * 2,
    }
)


@settings(max_examples=30)
@given(tables(), options, st.integers(1, 9))
@example((NO_GRADER, [0, 2]), {}, 1)
@example((CONTRARY, [0, 2, 4]), {}, 1)
def test_packed_is_read(made, how, per_part):
    frame, edges = made
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for which in range(len(edges) - 1):
            frame[edges[which] : edges[which + 1]].write_csv(folder / f"part{which}.csv")

        assert_same(str(folder / "*.csv"), folder / "packed", reviews_per_part=per_part, **how)
