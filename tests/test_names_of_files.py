"""Files of the tests stand on the path while they run, and in every process that they start."""

from __future__ import annotations

import sys
from pathlib import Path


def test_no_file_hides_a_module_of_python():
    names = {path.stem for path in Path(__file__).parent.rglob("*.py")}

    assert sorted(names & sys.stdlib_module_names) == []
