"""`peerage serve` as a real process."""

import os
import signal
import socket
import subprocess
import sys

import pytest
from tests.web.service import BOUND, Service, until

from peerage_web.commands.serve import MISSING


def serve(*options: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A start that is expected to end by itself."""
    environment = {**os.environ, "NO_COLOR": "1", **settings}
    command = [sys.executable, "-m", "peerage", "serve", *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=BOUND)


def test_dead_processes_are_started_again(own):
    before = own.processes()
    kinds = ("web", "task_worker", "maintenance")

    for kind in kinds:
        os.kill(min(before[kind]), signal.SIGKILL)

    until(lambda: all(set(own.processes().get(kind, [])) - set(before[kind]) for kind in kinds))
    until(lambda: not set(own.processes()["web"]) & set(before["web"]))  # or an old one answers
    until(lambda: own.ask("/readyz")[0] == 200)


@pytest.mark.both
def test_serve_prints_its_address_keeps_everything_to_itself_answers_and_stops_cleanly(own):
    """The other signals that stop it: see test_web_supervisor.py."""
    data = own.folder / "data"
    modes = {path.name: path.stat().st_mode & 0o777 for path in (data, data / "secret.key", data / "jobs")}
    healthy = own.ask("/healthz")
    until(lambda: own.ask("/readyz")[0] == 200)

    code = own.send(signal.SIGTERM)

    assert own.line == f"Peerage is at http://127.0.0.1:{own.port}/ (stop it with Ctrl-C)\n"
    assert modes == {"data": 0o700, "secret.key": 0o600, "jobs": 0o700}
    assert (healthy, code) == ((200, '{"status": "ok"}'), 0)
    until(lambda: own.processes() == {})


@pytest.mark.full
def test_it_is_not_ready_while_kernels_are_compiled(tmp_path):
    """That those are all that are needed, the tests of the sandbox see (test_web_warm.py)."""
    kernels, seen = tmp_path / "kernels", []
    fresh = Service(tmp_path / "own", NUMBA_CACHE_DIR=str(kernels))

    def compiling() -> bool:
        seen.append(fresh.ask("/readyz"))
        assert not list(kernels.rglob("used-*.pickle")), "all compiled: nothing was seen"
        return len(list(kernels.rglob("*.nbc"))) > 5

    fresh.begin()
    try:
        until(compiling)
    finally:
        fresh.stop()

    assert {status for status, _ in seen} == {503}, seen
    assert "kernels" in seen[-1][1]


def test_port_in_use_is_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = serve("--port", str(port), "--data", str(tmp_path / "data"))

    assert done.returncode == 2
    said = done.stderr.splitlines()[-1]
    assert said == f"Error: port {port} is in use by another program; choose another with --port"


def test_data_folders_that_cannot_be_used_are_refused_in_one_line(tmp_path):
    file, key = tmp_path / "file", tmp_path / "secret.key"
    file.touch()
    key.write_text("x" * 64)
    key.chmod(0o644)
    change = "change its owner, or choose another folder with --data"

    for data, said in (
        (file, f"{file} cannot be written (not a directory); {change}"),
        (tmp_path, f"{key} can be read by others; run: chmod 600 {key}"),
    ):
        done = serve("--data", str(data))
        assert (done.returncode, done.stderr) == (2, f"Error: {said}\n")


def test_unreachable_database_is_refused(tmp_path):
    url = "postgresql://peerage:word@127.0.0.1:9/peerage"

    done = serve("--data", str(tmp_path / "data"), DATABASE_URL=url)

    assert done.returncode == 2
    assert "Error: cannot be reached, see DATABASE_URL: connection failed" in done.stderr
    assert "word" not in done.stderr


def test_check_lists_what_it_looked_at(tmp_path):
    done = serve("--check", "--data", str(tmp_path / "new"))

    looked_at = [line.split(":")[0].split(maxsplit=1)[1] for line in done.stdout.splitlines()]
    assert done.returncode == 0
    expected = ["network", "walls", "data folder", "disk", "database", "Django"]
    assert [what for what in dict.fromkeys(looked_at) if what != "user"] == expected
    assert not (tmp_path / "new").exists()


def test_check_fails_on_a_bad_setting(tmp_path):
    done = serve("--check", "--data", str(tmp_path / "data"), PEERAGE_HOSTS="*")

    assert done.returncode == 1
    assert done.stdout.startswith("bad   network: PEERAGE_HOSTS=* lets a forged Host header through")


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
