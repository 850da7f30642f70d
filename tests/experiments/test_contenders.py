"""Methods of other libraries join an experiment from a file."""

import polars as pl
import pytest
from experiments.paper.figures import OTHERS, colour
from experiments.paper.methods import spell, use_contenders
from experiments.paper.runner import run

from peerage import MethodError

FILE = """
import numpy as np

def by_number(feedback):
    return -np.arange(feedback.n_items, dtype=float)

CONTENDERS = {"by-Number": ("numpy", by_number), "lost": ("no_such_package", by_number)}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    yield path
    use_contenders(None)


def test_a_contender_is_run_beside_our_methods_in_other_processes(file, tmp_path):
    asked = {"data": ["posters"], "methods": ["SCAVG", "peers"], "contenders": file}

    outcome = run("accuracy", **asked, repeats=2, jobs=2, out=tmp_path)

    assert outcome.frame["method"].unique().sort().to_list() == ["SCAVG", "by-Number"]
    assert outcome.frame.filter(pl.col("tau_error").is_null()).is_empty()


def test_contenders_are_spelled_as_in_their_file_and_drawn_as_others(file):
    use_contenders(str(file))

    assert spell(["By-number", "pl"]) == ["by-Number", "PL"]
    assert colour("by-Number") == OTHERS != colour("PL")
    with pytest.raises(MethodError, match="lost needs the package 'no_such_package', which is not installed"):
        spell(["lost"])


def test_contenders_need_their_file(tmp_path):
    with pytest.raises(MethodError, match="'peers' needs their file"):
        spell(["peers"])
    with pytest.raises(MethodError, match="there is no such Python file"):
        use_contenders(str(tmp_path / "none.py"))
    (tmp_path / "empty.py").touch()
    with pytest.raises(MethodError, match="no dictionary CONTENDERS"):
        use_contenders(str(tmp_path / "empty.py"))
