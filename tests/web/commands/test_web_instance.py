"""`peerage user`, `token` and `doctor` find the service's settings, or say what is missing."""

import os
import subprocess
import sys

from peerage_web.commands import _instance

FILE = (
    "from pathlib import Path\nfrom peerage_web.commands import _instance\n_instance.ENV_FILE = Path({!r})\n"
)
TOKEN = "from peerage_web.commands.token import token\ntoken()\n"
PEERAGE = "import runpy\nrunpy.run_module('peerage', run_name='__main__')\n"
DOCTOR = "from peerage_web.commands import doctor\nprint(*doctor.findings(), sep='\\n')"


def run(script, folder, *options, **settings):
    """In a folder of its own, with nothing of the service's settings but these and `peerage.env`."""
    names = ("PEERAGE_DATA", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run(
        [sys.executable, "-c", FILE.format(str(folder / "peerage.env")) + script, *options],
        cwd=folder, env={**environment, **settings}, capture_output=True, text=True,
    )  # fmt: skip


def test_settings_of_the_service_are_found(tmp_path):
    (tmp_path / "peerage.env").write_text(f"# a note\nPEERAGE_DATA={tmp_path / 'elsewhere'}\n")

    done = run(TOKEN, tmp_path, "list")

    assert f"Settings from {tmp_path / 'peerage.env'}" in done.stderr
    assert f"no database yet in {tmp_path / 'elsewhere'}" in " ".join(done.stderr.split())


def test_lines_of_the_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("\nA=b\nB = 'b c'\nC=\"b\"\n#D=b\n\nE=b=c\n")

    assert _instance.read_env_file(path) == {"A": "b", "B": "b c", "C": "b", "E": "b=c"}


def test_without_a_database_it_says_what_to_do_and_makes_none(tmp_path):
    folder = tmp_path / "instance"  # never started

    done = run(PEERAGE, tmp_path, "token", "list", "--data", str(folder))

    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: there is no database yet in {folder}. ")
    assert not folder.exists()

    folder.mkdir()
    (folder / "peerage.sqlite3").touch()

    done = run(PEERAGE, tmp_path, "user", "list", "--data", str(folder))

    assert done.returncode == 2
    assert done.stderr[:29] == "Error: the database is empty."


def test_a_service_on_postgresql_is_known_by_its_folder(tmp_path):
    (tmp_path / "database").write_text("postgresql\n")

    done = run(TOKEN, tmp_path, "list", "--data", str(tmp_path))

    assert done.returncode == 2
    assert "set DATABASE_URL as the service has it" in " ".join(done.stderr.split())


def test_misspelt_settings_are_refused_in_one_line(tmp_path):
    done = run(TOKEN, tmp_path, "list", PEERAGE_GRADE_FILE="sign-in")

    assert done.returncode == 2
    assert "did you mean PEERAGE_GRADE_A_FILE?" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_looks_at_walls_folder_disk_and_database_and_changes_nothing(tmp_path):
    lines = run(DOCTOR, tmp_path).stdout.splitlines()

    looked_at = [line.split(":")[0].split(maxsplit=1)[1] for line in lines]
    assert list(dict.fromkeys(looked_at)) == ["walls", "data folder", "disk", "database"]
    assert not (tmp_path / "peerage-data").exists()


def test_a_bad_setting_is_the_only_finding_of_the_doctor(tmp_path):
    said = run(DOCTOR, tmp_path, PEERAGE_HTTPS="yes").stdout

    assert said == "bad   settings: PEERAGE_HTTPS='yes': use 'True' or 'False'\n"
