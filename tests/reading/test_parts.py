"""A table in many files is read as one."""

from __future__ import annotations

import polars as pl
import pytest

import peerage
from peerage import DataError, read
from peerage.roster import read_input

MADE = peerage.simulate(items=30, graders=40, per_grader=5, seed=4).rows


def split(folder, frame, cuts, ending="csv"):
    edges = [0, *cuts, len(frame)]
    for k in range(len(edges) - 1):
        part = frame[edges[k] : edges[k + 1]]
        path = folder / f"part{k}.{ending}"
        part.write_csv(path) if ending == "csv" else part.write_parquet(path)
    return str(folder / f"*.{ending}")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_parts_are_one_table(tmp_path, ending):
    pattern = split(tmp_path, MADE, [50, 51, 140], ending)

    assert read(pattern).equals(read(MADE))


def test_labels_that_look_like_numbers_stay_as_they_are(tmp_path):
    frame = pl.DataFrame({"grader": ["01", "1", "2"], "item": ["x", "x", "x"], "score": [3, 4, 5]})

    assert read(split(tmp_path, frame, [1])).grader_labels.to_list() == ["01", "1", "2"]


def test_what_is_wrong_is_said_of_its_part_and_line(tmp_path):
    frame = pl.DataFrame({"grader": ["a", "b", "c"], "item": ["x", "x", ""], "score": [3, 4, 5]})

    with pytest.raises(DataError, match=r"part1\.csv: line 3, column 'item'.*empty"):
        read(split(tmp_path, frame, [1]))


def test_a_review_repeated_in_another_part_names_both(tmp_path):
    frame = pl.DataFrame({"grader": ["a", "b", "a"], "item": ["x", "x", "x"], "score": [3, 4, 5]})

    with pytest.raises(DataError, match=r"part1\.csv: line 3.*already \(.*part0\.csv line 2\)"):
        read(split(tmp_path, frame, [1]))


def test_rows_left_out_are_named_with_their_part(tmp_path):
    frame = pl.DataFrame({"grader": ["a", "b", "c"], "item": ["x", "x", "y"], "score": ["3", "4", ""]})

    feedback = read(split(tmp_path, frame, [1]), missing="drop")

    assert feedback.n_entries == 2
    assert any("part1.csv line 3" in note for note in feedback.notes)


def test_other_columns_are_refused(tmp_path):
    split(tmp_path, MADE, [50])
    (tmp_path / "part2.csv").write_text("grader,item,rank\na,b,1\n")

    with pytest.raises(DataError, match=r"part2\.csv.*its columns are grader, item, rank"):
        read(str(tmp_path / "*.csv"))


def test_other_layouts_criteria_and_nothing_are_refused(tmp_path):
    (tmp_path / "part0.csv").write_text("left,right,winner\nx,y,x\n")

    with pytest.raises(DataError, match="a row per review"):
        read(str(tmp_path / "*.csv"))
    with pytest.raises(DataError, match="no file has such a name"):
        read(str(tmp_path / "*.parquet"))
    with pytest.raises(DataError, match="criteria"):
        read(str(tmp_path / "*.csv"), criteria={"a": 1})


def test_parts_are_known_by_their_bytes(tmp_path):
    pattern = split(tmp_path, MADE, [50])
    first = read_input(pattern)
    (tmp_path / "part1.csv").write_bytes((tmp_path / "part1.csv").read_bytes() + b"zoe,item01,5\n")

    assert first.source["file"] == "*.csv"
    assert read_input(pattern).source["sha256"] != first.source["sha256"]


def test_grades_of_parts_are_those_of_the_file(tmp_path):
    whole, parts = peerage.grade(MADE), peerage.grade(split(tmp_path, MADE, [77]))

    assert parts.items.equals(whole.items)


def test_large_parts_are_read_range_by_range_and_are_the_same(tmp_path, monkeypatch):
    pattern = split(tmp_path, MADE, [50, 51, 140])
    monkeypatch.setattr("peerage.reading.parts.LARGE", 0)

    streamed = read(pattern)

    assert streamed.equals(read(MADE))
    assert [labels.name for labels in (streamed.item_labels, streamed.grader_labels)] == ["", ""]
    with pytest.raises(DataError, match=r"part0\.csv: line 1: column 'paper' not found"):
        read(pattern, item="paper")


def test_who_made_what_is_read_from_all_parts(tmp_path):
    frame = pl.DataFrame(
        {"grader": ["a", "b"], "item": ["x", "y"], "score": [3, 4], "owner": ["b", "a"], "group": ["g", "h"]}
    )

    roster = read_input(split(tmp_path, frame, [1])).roster

    assert roster.makers.rows() == [(None, "x", "b"), (None, "y", "a")]
    assert len(roster.groups) == 2
