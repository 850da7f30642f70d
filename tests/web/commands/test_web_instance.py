"""`peerage user` and `peerage token` find the service's settings, or say what is missing."""

from __future__ import annotations

import os
import subprocess
import sys

from peerage_web.commands import _instance


def token(folder, *options, **settings):
    names = ("PEERAGE_DATA", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from peerage_web.commands import _instance\n"
        f"_instance.ENV_FILE = Path({str(folder / 'peerage.env')!r})\n"
        "from peerage_web.commands.token import token\n"
        "token()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, "list", *options],
        cwd=folder, env={**environment, **settings}, capture_output=True, text=True,
    )  # fmt: skip


def test_settings_of_the_service_are_found(tmp_path):
    (tmp_path / "peerage.env").write_text(f"# a note\nPEERAGE_DATA={tmp_path / 'elsewhere'}\n")

    done = token(tmp_path)

    assert f"Settings from {tmp_path / 'peerage.env'}" in done.stderr
    assert f"no database yet in {tmp_path / 'elsewhere'}" in " ".join(done.stderr.split())


def test_a_service_on_postgresql_is_known_by_its_folder(tmp_path):
    (tmp_path / "database").write_text("postgresql\n")

    done = token(tmp_path, "--data", str(tmp_path))

    assert done.returncode == 2
    assert "set DATABASE_URL as the service has it" in " ".join(done.stderr.split())


def test_misspelt_settings_are_refused_in_one_line(tmp_path):
    done = token(tmp_path, PEERAGE_GRADE_FILE="sign-in")

    assert done.returncode == 2
    assert "did you mean PEERAGE_GRADE_A_FILE?" in done.stderr
    assert "Traceback" not in done.stderr


def test_lines_of_the_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("\nA=b\nB = 'b c'\nC=\"b\"\n#D=b\n\nE=b=c\n")

    assert _instance.read_env_file(path) == {"A": "b", "B": "b c", "C": "b", "E": "b=c"}
