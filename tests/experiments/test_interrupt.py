"""Ctrl-C in an experiment with several processes: one word, and nobody is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PATIENCE = 120.0  # seconds until the test gives up; nothing waits that long


def children_of(pid):
    """Processes whose parent this is, by what the system says."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def hear_interrupts():
    """Who starts tests in the background of a shell is deaf to them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("children", [1, 2, 3])  # their tracker, the first of two, both
def test_an_interrupt_is_quiet(tmp_path, children):
    program = [sys.executable, "-m", "experiments", "accuracy", "--jobs", "2", "--out", str(tmp_path)]
    streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(
        program, **streams, text=True, start_new_session=True, preexec_fn=hear_interrupts
    ) as running:
        deadline = time.monotonic() + PATIENCE
        while len(children_of(running.pid)) < children and time.monotonic() < deadline:
            time.sleep(0.005)
        started = children_of(running.pid)
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to everybody
        said = running.communicate(timeout=PATIENCE)

    assert len(started) >= children
    assert running.returncode == 130
    assert said[1].strip().splitlines()[-1] == "Stopped."
    assert "Traceback" not in said[1]
    while any(Path(f"/proc/{pid}").exists() for pid in started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
