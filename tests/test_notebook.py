"""The notebooks of examples/ run, cell by cell, as Jupyter would run them.

A notebook is JSON, and its cells are Python: a kernel, and its dozens of packages, would test nothing more.
"""

import ast
import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def run_cell(source, namespace):
    """Run a cell; its last expression, if it ends in one, is what Jupyter shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    namespace = {"__name__": "__main__"}

    shown = [run_cell("".join(cell["source"]), namespace) for cell in cells if cell["cell_type"] == "code"]

    things = [thing for thing in shown if hasattr(thing, "_repr_html_")]
    assert len(things) >= 4
    assert all("<table" in thing._repr_html_() for thing in things)
    assert "Peerage chose" in capsys.readouterr().out
    (report,) = tmp_path.glob("*/report.html")
    assert report.stat().st_size > 10_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_keeps_no_output_that_could_grow_old(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]

    assert [cell for cell in cells if cell["cell_type"] == "code" and cell["outputs"]] == []


def test_there_is_a_notebook():
    assert [path.name for path in NOTEBOOKS] == ["from-file-to-grades.ipynb"]
