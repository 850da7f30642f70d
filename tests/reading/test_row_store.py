"""Where the rows of large parts wait: a folder for temporary files, that must have room and is left empty."""

import os

import pytest

from peerage import read
from peerage.errors import DataError
from peerage.reading import batches


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A class in two parts that is read as a large one, and an own folder for what waits."""
    monkeypatch.setattr(batches, "LARGE", 0)
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    for part in (1, 2):
        rows = [f"g{grader},s{(grader * 7 + part) % 50},{(grader * part) % 10}" for grader in range(50)]
        (tmp_path / f"part{part}.csv").write_text("\n".join(["grader,item,score", *rows]))
    return tmp_path


def test_nothing_is_left_behind_by_what_is_read_or_refused(large):
    assert read(str(large / "part*.csv"), empty="none").n_entries == 100
    assert os.listdir(large / "aside") == []

    (large / "part3.csv").write_text("grader,item,score\ng1,,3\n")
    with pytest.raises(DataError, match=r"part3\.csv"):
        read(str(large / "part*.csv"))
    assert os.listdir(large / "aside") == []


@pytest.fixture
def little_room():
    """No file of this process may grow beyond 1000 bytes."""
    resource = pytest.importorskip("resource", reason="limits of a process are of other systems")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_place_without_room_is_named_and_how_to_have_another(large, little_room):
    with pytest.raises(OSError, match="there is no room to work in; the variable TMPDIR names") as refusal:
        read(str(large / "part*.csv"))

    assert "TMPDIR names another place" in str(refusal.value)
    assert str(large / "aside") in str(refusal.value)
    assert os.listdir(large / "aside") == []
