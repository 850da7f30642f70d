"""`make test` runs every test: what its first part leaves out, its second runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.web.second_database import FOLDERS

ROOT = Path(__file__).parents[1]
PARTS = re.search(r"^test:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].splitlines()


def test_first_part_leaves_out_only_what_the_second_keeps():
    first, second = PARTS
    left_out = [Path(one) for one in re.findall(r"--ignore[ =](\S+)", first)]

    assert left_out == [Path("tests/web/browser")]
    assert all((ROOT / one).is_dir() and one.name in FOLDERS for one in left_out)
    assert not re.search(r" -[mk] |--deselect", first.partition("-m pytest")[2])
    assert not re.search(r" -[mk] |--deselect|--ignore", second)
    assert "tests/web/on_postgres.py" in second


def test_second_part_leaves_out_only_what_is_marked():
    script = (ROOT / "tests/web/on_postgres.py").read_text()

    assert re.findall(r'"-m", "([^"]+)"', script) == ["pytest", "not once"]


def test_nothing_in_a_browser_is_marked_to_run_with_the_first_database_only():
    for path in (ROOT / "tests/web/browser").glob("*.py"):
        assert "mark.once" not in path.read_text(), path
