"""A table in many files is read as one."""

import polars as pl
import pytest

import peerage
from peerage import DataError, read
from peerage.roster.input import read_input

MADE = peerage.simulate(items=30, graders=40, per_grader=5, seed=4).rows


def split(folder, frame, cuts, ending="csv"):
    edges = [0, *cuts, len(frame)]
    for k in range(len(edges) - 1):
        part = frame[edges[k] : edges[k + 1]]
        path = folder / f"part{k}.{ending}"
        part.write_csv(path) if ending == "csv" else part.write_parquet(path)
    return str(folder / f"*.{ending}")


def frame(*scores, graders="abc", items=("x", "x", "y")):
    return pl.DataFrame({"grader": list(graders), "item": items, "score": scores})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_parts_are_one_table_and_labels_stay_as_they_are(tmp_path, ending):
    numbered = frame(3, 4, 5, graders=["01", "1", "2"])

    assert read(split(tmp_path, MADE, [50, 51, 140], ending)).equals(read(MADE))
    for path in tmp_path.iterdir():
        path.unlink()
    assert read(split(tmp_path, numbered, [1], ending)).grader_labels.to_list() == ["01", "1", "2"]


def test_what_is_wrong_is_said_of_its_part_and_line(tmp_path):
    with pytest.raises(DataError, match=r"part1\.csv: line 3, column 'item'.*empty"):
        read(split(tmp_path, frame(3, 4, 5, items=("x", "x", "")), [1]))
    with pytest.raises(DataError, match=r"part1\.csv: line 3.*already \(.*part0\.csv line 2\)"):
        read(split(tmp_path, frame(3, 4, 5, graders="aba", items=("x", "x", "x")), [1]))

    feedback = read(split(tmp_path, frame("3", "4", ""), [1]), missing="drop")
    assert feedback.n_entries == 2
    assert any("part1.csv line 3" in note for note in feedback.notes)


def test_other_columns_layouts_criteria_and_nothing_are_refused(tmp_path):
    pattern = split(tmp_path, MADE, [50])
    (tmp_path / "part2.csv").write_text("grader,item,rank\na,b,1\n")
    (tmp_path / "other.csv").write_text("left,right,winner\nx,y,x\n")

    with pytest.raises(DataError, match=r"part2\.csv.*its columns are grader, item, rank"):
        read(str(tmp_path / "part*.csv"))
    with pytest.raises(DataError, match="a row per review"):
        read(str(tmp_path / "other*.csv"))
    with pytest.raises(DataError, match="no file has such a name"):
        read(str(tmp_path / "*.parquet"))
    with pytest.raises(DataError, match="criteria"):
        read(pattern, criteria={"a": 1})


def test_parts_are_known_by_their_bytes(tmp_path):
    pattern = split(tmp_path, MADE, [50])
    first = read_input(pattern)
    (tmp_path / "part1.csv").write_bytes((tmp_path / "part1.csv").read_bytes() + b"zoe,item01,5\n")

    assert first.source["file"] == "*.csv"
    assert read_input(pattern).source["sha256"] != first.source["sha256"]


# -- large ones: their rows wait in a folder for temporary files, that must have room and is left empty ------


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A set of files that is read as a large one, and an own folder for what waits."""
    monkeypatch.setattr("peerage.reading.batches.LARGE", 0)
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    return split(tmp_path, MADE, [50, 51, 140])


def test_large_parts_are_read_range_by_range_and_are_the_same(large, tmp_path):
    streamed = read(large)

    assert streamed.equals(read(MADE))
    assert [labels.name for labels in (streamed.item_labels, streamed.grader_labels)] == ["", ""]
    with pytest.raises(DataError, match=r"part0\.csv: line 1: column 'paper' not found"):
        read(large, item="paper")
    (tmp_path / "part4.csv").write_text("grader,item,score\ng1,,3\n")
    with pytest.raises(DataError, match=r"part4\.csv"):
        read(large)
    assert list((tmp_path / "aside").iterdir()) == []


@pytest.fixture
def little_room():
    """No file of this process may grow beyond 1000 bytes."""
    resource = pytest.importorskip("resource", reason="limits of a process are of other systems")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_place_without_room_is_named_and_how_to_have_another(large, tmp_path, little_room):
    with pytest.raises(OSError, match="there is no room to work in; the variable TMPDIR names") as refusal:
        read(large)

    assert "TMPDIR names another place" in str(refusal.value)
    assert str(tmp_path / "aside") in str(refusal.value)
    assert list((tmp_path / "aside").iterdir()) == []
