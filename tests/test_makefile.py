"""`make test` runs every test: what its first part leaves out, its second runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.web.second_database import FOLDERS

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text().replace("\\\n", " ")
PARTS = re.search(r"^test:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1].splitlines()


def test_first_part_leaves_out_only_what_the_second_keeps():
    _before, first, second = PARTS
    left_out = [Path(one) for one in re.findall(r"--ignore[ =](\S+)", first)]

    assert left_out == [Path("tests/web") / name for name in ("browser", "hostile", "sandbox")]
    assert all((ROOT / one).is_dir() and one.name in FOLDERS for one in left_out)
    asked = first.partition("-m pytest")[2].replace(' -m "not once"', "")
    assert not re.search(r" -[mk] |--deselect", asked)
    assert "tests/web/on_postgres.py" in second
    assert not re.search(r" -[mk] |--deselect|--ignore", second)
    assert '"-m", "not' not in (ROOT / "tests/web/on_postgres.py").read_text()


def test_only_tests_of_the_web_are_marked_to_run_once():
    """The second part runs no others."""
    marked = [path for path in (ROOT / "tests").rglob("test_*.py") if "mark.once" in path.read_text()]

    assert marked
    assert all(path.is_relative_to(ROOT / "tests/web") for path in marked if path != Path(__file__))
