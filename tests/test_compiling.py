"""Compiling is announced, and happens once."""

import importlib.util

from typer.testing import CliRunner

from peerage._compiling import announce_compilation, watch_compilation
from peerage.cli import _terminal, app

SOURCE = "from peerage._numba import kernel\n\n@kernel\ndef twice(x):\n    return 2 * x\n"


def loaded(path):
    spec = importlib.util.spec_from_file_location("probe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_kernel_is_told_of_when_it_is_compiled_and_not_again(tmp_path):
    path, told = tmp_path / "probe.py", []
    path.write_text(SOURCE, encoding="utf-8")

    with watch_compilation(told.append):
        assert loaded(path).twice(2.0) == 4.0
        assert loaded(path).twice(3.0) == 6.0

    assert told == ["twice"]


def test_who_has_stopped_watching_hears_nothing():
    told = []
    with watch_compilation(told.append):
        pass

    announce_compilation("twice")

    assert told == []


def test_the_command_line_says_so_once(tmp_path, monkeypatch):
    path = tmp_path / "probe.py"
    path.write_text(SOURCE + "\n@kernel\ndef thrice(x):\n    return 3 * x\n", encoding="utf-8")

    def read(*_):
        module = loaded(path)
        module.twice(1.0)
        module.thrice(1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr("peerage.roster.input.read_input", read)

    first, second = (CliRunner().invoke(app, ["check", "f.csv"]) for _ in range(2))

    assert first.stderr.count(_terminal.COMPILING) == 1
    assert _terminal.COMPILING not in second.stderr


def test_a_bar_counts_what_is_compiled():
    said = []

    class Bar:
        console = type("Console", (), {"print": staticmethod(said.append)})

        def add_task(self, words, total):
            return 1

        def update(self, task, description):
            said.append(description)

    _terminal._bars.append(Bar())
    try:
        tell = _terminal._announce()
        tell("one")
        tell("two")
    finally:
        _terminal._bars.clear()

    assert said == [_terminal.COMPILING, "compiling, once: 1 so far", "compiling, once: 2 so far"]
