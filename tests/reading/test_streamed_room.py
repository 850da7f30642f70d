"""Where the rows of large parts wait: a folder for temporary files, that must have room and is left empty."""

import os
import subprocess
import sys

import pytest

from peerage import read
from peerage.errors import DataError
from peerage.reading import parts as reading_parts

READ = """
import resource, sys
import peerage
from peerage.reading import parts
from peerage.reading.streamed import read_streamed
parts.LARGE = 0
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    peerage.read(sys.argv[1])
except OSError as error:
    print(error)
"""


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A class in two parts that is read as a large one, and an own folder for what waits."""
    monkeypatch.setattr(reading_parts, "LARGE", 0)
    (tmp_path / "aside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    for part in (1, 2):
        rows = [f"g{grader},s{(grader * 7 + part) % 50},{(grader * part) % 10}" for grader in range(50)]
        (tmp_path / f"part{part}.csv").write_text("\n".join(["grader,item,score", *rows]))
    return tmp_path


def test_nothing_is_left_behind(large):
    assert read(str(large / "part*.csv")).n_entries == 100
    assert os.listdir(large / "aside") == []


def test_nothing_is_left_behind_by_what_is_refused(large):
    (large / "part3.csv").write_text("grader,item,score\ng1,,3\n")
    with pytest.raises(DataError, match=r"part3\.csv"):
        read(str(large / "part*.csv"))
    assert os.listdir(large / "aside") == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are of other systems")
def test_a_place_without_room_is_named_and_how_to_have_another(large):
    done = subprocess.run(
        [sys.executable, "-c", READ, str(large / "part*.csv")],
        env={**os.environ, "TMPDIR": str(large / "aside")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout
    assert "there is no room to work in; the variable TMPDIR names another place" in told
    assert str(large / "aside") in told
    assert os.listdir(large / "aside") == []
