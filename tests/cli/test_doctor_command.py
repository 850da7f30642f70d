"""`peerage doctor`: every finding is looked for, and what is needed and missing is exit code 1."""

import subprocess
import sys

import pytest
from tests.cli.commands import run

from peerage import __version__
from peerage.cli import doctor
from peerage.cli._setup import SetupFinding, bad


def kinds(findings):
    return [(finding.kind, finding.what) for finding in findings]


def test_the_long_version_names_what_a_bug_report_needs():
    result = run("--version", "--verbose")

    assert result.exit_code == 0
    assert result.output.startswith(f"peerage {__version__}\nPython ")
    assert all(f"{name} " in result.output for name in ("numpy", "numba", "polars", "[web]", "[figures]"))


@pytest.mark.parametrize(("finding", "code"), [(SetupFinding("disk", "large"), 0), (bad("disk", "full"), 1)])
def test_only_what_is_needed_is_exit_code_1(monkeypatch, finding, code):
    monkeypatch.setattr(doctor, "entry_points", lambda group: [])
    monkeypatch.setattr(doctor, "compiled_code", lambda: [finding])

    result = run("doctor")

    assert result.exit_code == code
    assert str(finding) in result.output.splitlines()


def test_a_missing_extra_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "matplotlib" else "1.0")

    figures, *others = doctor.extras()

    assert figures.kind == "note"
    assert figures.text.endswith("pip install 'peerage[figures]'")
    assert {finding.kind for finding in others} == {"ok"}


@pytest.mark.parametrize(("megabytes", "kind"), [(500, "note"), (8000, "ok")])
def test_little_memory_is_noted(monkeypatch, tmp_path, megabytes, kind):
    (tmp_path / "meminfo").write_text(f"MemTotal: 9000000 kB\nMemAvailable: {megabytes * 1024} kB\n")
    monkeypatch.setattr(doctor, "MEMORY", tmp_path / "meminfo")

    assert kinds(doctor.memory()) == [(kind, "memory")]


def test_what_is_missing_is_bad_where_it_is_needed(monkeypatch):
    def refuse():
        raise FileNotFoundError

    monkeypatch.setattr(doctor.tempfile, "gettempdir", refuse)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(doctor, "BROWSERS", ())
    monkeypatch.setattr(doctor, "FONTS", ())

    assert ["export TMPDIR=" in finding.text for finding in doctor.temporary_folder()] == [True]
    assert kinds(doctor.temporary_folder()) == [("bad", "temporary folder")]
    assert kinds(doctor.compiled_code()) == [("bad", "compiled code")]
    assert kinds(doctor.browser()) == [("note", "browser for tests"), ("note", "fonts")]


@pytest.mark.parametrize(
    "command", ["grade feedback.csv --out results --figures", "plan --students 20 --plot a.png"]
)
def test_figures_without_matplotlib_are_refused_before_the_work(put, tmp_path, command):
    put("feedback.csv", "grader,item,rank\na,x,1\na,y,2\n")
    script = "import sys; sys.modules['matplotlib'] = None; from peerage.cli import main; main()"
    words = [sys.executable, "-c", script, *command.split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode == 2
    assert "pip install 'peerage[figures]'" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feedback.csv"]
