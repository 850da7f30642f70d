"""What the start says about the walls around processes that read visitors' files."""

from pathlib import Path

import peerage
from peerage_web.operations import checks
from peerage_web.sandbox.walls.build import Wall


def found(monkeypatch, tmp_path, *walls):
    monkeypatch.setattr("peerage_web.sandbox.walls.build.try_walls", lambda: list(walls))
    return [(one.kind, one.text) for one in checks.walls(tmp_path)]


def test_walls_that_stand_are_named_and_missing_ones_said_aloud(monkeypatch, tmp_path):
    standing = Wall("seccomp", True, "-")
    both = found(monkeypatch, tmp_path, Wall("Landlock", True, "-"), standing)
    (kind, text), _ = found(monkeypatch, tmp_path, Wall("Landlock", False, "it could read keys"), standing)

    assert both == [("ok", "around processes that read visitors' files: Landlock, seccomp")]
    assert kind == "note"
    assert "it could read keys" in text


def test_walls_that_cannot_be_built_stop_the_start(monkeypatch, tmp_path):
    def fail():
        raise OSError(0, "seccomp: no")

    monkeypatch.setattr("peerage_web.sandbox.walls.build.try_walls", fail)

    assert [one.kind for one in checks.walls(tmp_path)] == ["bad"]


def test_data_among_the_libraries_stop_the_start(monkeypatch):
    inside = Path(peerage.__file__).parent / "peerage-data"

    assert found(monkeypatch, inside)[0][0] == "bad"
