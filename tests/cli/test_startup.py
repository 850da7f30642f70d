"""What a command loads decides how soon it answers; these are the imports that cost most."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from peerage.cli import COMMANDS, app

POSTERS = str(Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv")
SCRIPT = (
    "import atexit, sys\n"
    "atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    "from peerage.cli import main\n"
    "main()\n"
)


def loaded_by(*args):
    result = subprocess.run([sys.executable, "-c", SCRIPT, *args], capture_output=True, text=True, check=True)
    return set(result.stderr.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_loads_nothing_heavy(command):
    heavy = {"numpy", "polars", "numba", "scipy", "matplotlib", "rich.progress"}

    assert not heavy & loaded_by(command, "--help")


def test_a_command_loads_no_other():
    loaded = loaded_by("grade", "--help")

    assert [name for name in COMMANDS if f"peerage.cli.{name}" in loaded] == ["grade"]


def test_a_misspelt_command_is_still_recognised():
    assert "Did you mean 'grade'?" in CliRunner().invoke(app, ["graed"]).output


def test_grade_loads_nothing_that_a_small_class_does_not_need(tmp_path):
    loaded = loaded_by("grade", POSTERS, "--out", str(tmp_path))

    unused = {"matplotlib", "scipy.stats", "rich.progress", "pandas"}
    assert not unused & loaded
    models = ("bradley_terry", "thurstone")  # Plackett-Luce says whether two lists of this class were copied
    assert not {f"peerage.models.smooth.{name}" for name in models} & loaded


def test_kernels_once_compiled_are_loaded_without_what_compiles_them():
    loaded_by("grade", POSTERS)  # compiles what has not been

    assert not {"numba.typed.typeddict", "numba.np.linalg"} & loaded_by("grade", POSTERS)
