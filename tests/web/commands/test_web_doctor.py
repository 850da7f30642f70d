"""`peerage doctor` looks at the instance, and changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = (
    "from peerage_web.commands import _instance, doctor\n"
    "from pathlib import Path\n"
    "_instance.ENV_FILE = Path('none')\n"
    "print(*doctor.findings(), sep='\\n')"
)


def findings(folder, **settings):
    names = ("PEERAGE_DATA", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder, env={**environment, **settings}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_it_looks_at_walls_folder_disk_and_database(tmp_path):
    lines = findings(tmp_path)

    looked_at = [line.split(":")[0].split(maxsplit=1)[1] for line in lines]
    assert list(dict.fromkeys(looked_at)) == ["walls", "data folder", "disk", "database"]
    assert not (tmp_path / "peerage-data").exists()


def test_a_bad_setting_is_the_only_finding(tmp_path):
    assert findings(tmp_path, PEERAGE_HTTPS="yes") == [
        "bad   settings: PEERAGE_HTTPS='yes': use 'True' or 'False'"
    ]


def test_a_database_that_is_away_is_bad(tmp_path):
    *_others, database = findings(tmp_path, DATABASE_URL="postgresql://peerage@127.0.0.1:1/peerage")

    assert database.startswith("bad   database: cannot be reached, see DATABASE_URL")
