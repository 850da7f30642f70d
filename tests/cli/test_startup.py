"""What a command loads decides how soon it answers; these are the imports that cost most."""

import subprocess
import sys
from pathlib import Path

from peerage.cli import COMMANDS

POSTERS = str(Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv")
SCRIPT = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
SCRIPT += "from peerage.cli import main; main()"


def loaded_by(*args):
    result = subprocess.run([sys.executable, "-c", SCRIPT, *args], capture_output=True, text=True, check=True)
    return set(result.stderr.split())


def test_help_loads_nothing_heavy():
    libraries = {"numpy", "polars", "numba", "scipy", "matplotlib", "rich.progress"}
    heavy = libraries | {"django", "gunicorn", "ninja"}
    helps = [["--help"], *([command, "--help"] for command in COMMANDS)]
    script = (
        "import contextlib, sys\n"
        "from peerage.cli import app\n"
        f"for words in {helps}:\n"
        "    with contextlib.suppress(SystemExit):\n"
        "        app(words)\n"
        f"    print(*words, *({heavy} & set(sys.modules)), file=sys.stderr)\n"
    )

    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stderr

    assert told.splitlines() == [" ".join(words) for words in helps]


def test_a_command_loads_no_other():
    loaded = loaded_by("grade", "--help")

    assert [name for name in COMMANDS if f"peerage.cli.{name}" in loaded] == ["grade"]


def test_grade_loads_nothing_that_a_small_class_does_not_need(tmp_path):
    loaded_by("grade", POSTERS)  # compiles what has not been

    loaded = loaded_by("grade", POSTERS, "--out", str(tmp_path))

    assert not {"matplotlib", "scipy.stats", "rich.progress", "pandas"} & loaded
    models = ("bradley_terry", "thurstone")  # Plackett-Luce says whether two lists of this class were copied
    assert not {f"peerage.models.smooth.{name}" for name in models} & loaded
    assert not {"numba.typed.typeddict", "numba.np.linalg"} & loaded, "what compiles kernels"
