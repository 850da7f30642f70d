"""Random files packed are those files read at once, to the last bit of arrays and the last word of errors."""

import tempfile
from pathlib import Path

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sameness import assert_same

INTEGERS = ("1", "2", "3", "10", "20", "007", "7")
CLEAN = [("ada", "Ada", "bob", "cyd"), INTEGERS, (*INTEGERS, "x"), ("1", "2", "10", "１", "１０")]
MESSY = [*CLEAN, ("ada", "Ada", "bob", " eve ", "", "v w", "2")]
ranks = st.sampled_from(["1", "2", "3", "1st", "2.5", "", "0", "-"])
scores = st.sampled_from(["7", "8.5", "8.5", "10", "1", "", "n/a"])


@st.composite
def tables(draw):
    """Rows as people might have them, cut into files."""
    size = draw(st.integers(1, 24))
    clean = draw(st.booleans())

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    def labels():
        return column(st.sampled_from(draw(st.sampled_from(CLEAN if clean else MESSY))))

    columns = {"grader": labels(), "item": labels()}
    numbers = st.sampled_from(["1", "2", "3", "4"])
    for name in draw(st.sampled_from([("rank",), ("score",), ("rank", "score")])):
        columns[name] = column(numbers if clean else ranks if name == "rank" else scores)
    if draw(st.booleans()):
        columns["task"] = labels()
    if draw(st.booleans()):
        columns["list"] = column(st.sampled_from(["a", "b", "10", "9"]))
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
    {"grader": list("aabb"), "item": list("xyxy"), "rank": list("1212"), "score": list("7979")}
)
LAST_TEXT_GOES = pl.DataFrame(
    {"grader": ["x", "10", "9", "10"], "item": ["2", "10", "2", "x"], "score": ["", "7", "8", ""]}
)
TWO_BECOME_ONE = pl.DataFrame(
    {"grader": ["１", "1", "10", "2"], "item": ["x"] * 4, "score": ["7", "8", "9", "6"]}
)


@settings(max_examples=40, deadline=None)
@given(tables(), options, st.integers(1, 9))
@example((NO_GRADER, [0, 2]), {}, 1)
@example((CONTRARY, [0, 2, 4]), {}, 1)
@example((LAST_TEXT_GOES, [0, 2, 4]), {"missing": "drop"}, 1)
@example((TWO_BECOME_ONE, [0, 1, 3]), {"ids": "fold", "duplicates": "mean"}, 1)
def test_packed_is_read(made, how, per_part):
    frame, edges = made
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for which in range(len(edges) - 1):
            frame[edges[which] : edges[which + 1]].write_csv(folder / f"part{which}.csv")

        assert_same(str(folder / "*.csv"), folder / "packed", reviews_per_part=per_part, **how)
