"""docs/reference/http-api.md: its examples run against a real service, its tables say what the code does."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from peerage_web.api import validation
from peerage_web.api.problems import KINDS
from peerage_web.planning import api

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "http-api.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def posters_folder(tmp_path) -> Path:
    """Where the examples run."""
    return Path(shutil.copytree(ROOT / "examples" / "posters", tmp_path / "posters"))


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_curl_examples_run(service, posters_folder):
    for program in ("bash", "curl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    for block in [block for block in blocks("sh") if "curl" in block]:
        script = block.replace("http://127.0.0.1:8000", service.address)
        before = set(posters_folder.iterdir())

        run(["bash", "-euo", "pipefail", "-c", script.replace("curl -sS", "curl -sS --fail")], posters_folder)

        made = set(posters_folder.iterdir()) - before
        assert {path.name for path in made} == set(re.findall(r"-o (\S+)", block))
        assert all(path.stat().st_size > 100 for path in made)
        for path in made:
            path.unlink()


def test_python_example_prints_what_the_page_says(service, posters_folder):
    [script] = blocks("python")
    [printed] = blocks("text")
    script = script.replace("http://127.0.0.1:8000", service.address)

    assert run([sys.executable, "-W", "error", "-c", script], posters_folder) == printed


def test_every_kind_of_problem_is_listed():
    problems = re.findall(r"^\| `([a-z-]+)` \| (\d{3}) \|", PAGE, re.MULTILINE)

    assert problems == [(code, str(kind.status)) for code, kind in KINDS.items()]


def test_bounds_of_questions_are_those_of_the_code():
    said = re.findall(r"^\| (?:a JSON body|`allocate`:.*|`plan`:.*) \| (.*) \|$", PAGE, re.MULTILINE)

    assert said == [
        f"{validation.JSON_BYTES >> 20} MB",
        f"{api.PEOPLE:,} and {api.REVIEWS}",
        f"{api.STUDENTS:,} and {api.PER_STUDENT}",
    ]
