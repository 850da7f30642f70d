"""`peerage serve` as a real process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import pytest
from tests.web.service import Service, until

from peerage_web.commands.serve import MISSING


@pytest.fixture
def own(tmp_path):
    """A service of the test's own, not yet started."""
    made = Service(tmp_path / "own")
    yield made
    if made.port:
        made.stop()


def serve(*options: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A start that is expected to end by itself."""
    environment = {**os.environ, "NO_COLOR": "1", **settings}
    command = [sys.executable, "-m", "peerage", "serve", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_and_stops_cleanly(own, number):
    own.start()
    healthy, ready = own.ask("/healthz"), own.ask("/readyz")[0]

    code = own.send(number)

    assert (healthy, ready, code) == ((200, '{"status": "ok"}'), 200, 0)
    until(lambda: own.processes() == {})


def test_serve_prints_its_address(service):
    assert service.line == f"Peerage is at http://127.0.0.1:{service.port}/ (stop it with Ctrl-C)\n"


def test_serve_keeps_everything_to_itself(service):
    data = service.folder / "data"

    modes = {path.name: path.stat().st_mode & 0o777 for path in (data, data / "secret.key", data / "jobs")}
    assert modes == {"data": 0o700, "secret.key": 0o600, "jobs": 0o700}


@pytest.mark.parametrize("kind", ["web", "task_worker", "maintenance"])
def test_dead_process_is_started_again(service, kind):
    before = set(service.processes()[kind])

    os.kill(min(before), signal.SIGKILL)

    until(lambda: set(service.processes().get(kind, [])) - before)
    until(lambda: service.ask("/readyz")[0] == 200)


def test_no_process_outlives_a_killed_supervisor(own):
    own.start()

    own.send(signal.SIGKILL)

    until(lambda: own.processes() == {})


def test_port_in_use_is_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = serve("--port", str(port), "--data", str(tmp_path / "data"))

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"Error: port {port} is in use by another program; choose another with --port"
    )


def test_data_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()

    done = serve("--data", str(tmp_path / "file"))

    assert done.returncode == 2
    assert done.stderr == (
        f"Error: {tmp_path / 'file'} cannot be written (not a directory); change its owner, or choose another"
        " folder with --data\n"
    )


def test_unreachable_database_is_refused(tmp_path):
    url = "postgresql://peerage:word@127.0.0.1:9/peerage"

    done = serve("--data", str(tmp_path / "data"), DATABASE_URL=url)

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "Error: cannot be reached, see DATABASE_URL: connection failed"
    )
    assert "word" not in done.stderr


def test_key_that_others_can_read_is_refused(tmp_path):
    key = tmp_path / "secret.key"
    key.write_text("x" * 64)
    key.chmod(0o644)

    done = serve("--data", str(tmp_path))

    assert done.returncode == 2
    assert done.stderr == f"Error: {key} can be read by others; run: chmod 600 {key}\n"


def test_check_lists_what_it_looked_at(tmp_path):
    done = serve("--check", "--data", str(tmp_path / "new"))

    looked_at = [line.split(":")[0].split(maxsplit=1)[1] for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [what for what in dict.fromkeys(looked_at) if what != "user"] == [
        "network",
        "walls",
        "data folder",
        "disk",
        "database",
        "Django",
    ]
    assert not (tmp_path / "new").exists()


def test_check_fails_on_a_bad_setting(tmp_path):
    done = serve("--check", "--data", str(tmp_path / "data"), PEERAGE_HOSTS="*")

    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith(
        "bad   network: PEERAGE_HOSTS=* lets a forged Host header through"
    )


def test_check_fails_on_a_value_that_cannot_be_meant(tmp_path):
    done = serve("--check", "--data", str(tmp_path / "new"), PEERAGE_HTTPS="yes")

    assert (done.returncode, done.stdout) == (
        1,
        "bad   settings: PEERAGE_HTTPS='yes': use 'True' or 'False'\n",
    )


@pytest.mark.parametrize("wanted", [["--help"], ["grade", "--help"]])
def test_command_line_loads_no_web(wanted):
    code = (
        "import sys\n"
        "from peerage.cli import app\n"
        f"app({wanted!r}, standalone_mode=False)\n"
        "sys.exit(', '.join(sorted({'django', 'gunicorn', 'ninja', 'polars'} & set(sys.modules))))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr == "\n"


def test_serve_without_django_says_how_to_get_it():
    code = (
        "import sys\n"
        "sys.modules['django'] = None\n"
        "from peerage.cli import app\n"
        "app(['serve', '--check'], prog_name='peerage')"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr == f"Error: {MISSING}\n"
