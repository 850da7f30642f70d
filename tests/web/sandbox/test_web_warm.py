"""Kernels are compiled before the first visitor, and never on a visitor's time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import odd_work
import pytest

from peerage_web.sandbox import parent, processes
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions
from peerage_web.sandbox.work import allocation, grading, reading, rosters

BOUNDS = Bounds(reviews=10_000, list_length=100)
LONG = 1800  # seconds after which a test gives up
pytestmark = pytest.mark.usefixtures("findable")


def run_script(script, environment=None):
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONG)


def missing(what, *args):
    return parent.run(odd_work.missing, what, *args, seconds=LONG, memory=1 << 32)


def test_grading_finds_every_kernel(posters, tmp_path):
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "feedback.csv").write_bytes(posters)
    files = JobFiles(str(tmp_path), "feedback.csv")
    everything = JobOptions(scale="0:10", compare=("all",), staff_budget=3)

    assert missing(reading.preview_files, files, JobOptions(), BOUNDS) == []
    assert missing(reading.check_files, files, JobOptions(), BOUNDS, 3) == []
    assert missing(grading.grade_files, files, everything, BOUNDS, "out") == []
    made = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    how = (made["method"], made["parameters"], "../out/grades.csv", made["options"])
    assert missing(grading.explain_item, files, JobOptions(), BOUNDS, *how, "poster01", "1") == []


def test_planning_and_lists_of_a_class_find_every_kernel():
    people = {"student": [f"s{number}" for number in range(40)]}

    assert missing(allocation.allocate_reviews, people, 4, {}) == []
    assert missing(allocation.plan_workload, {"students": 12, "per_student": 3}) == []

    people = {"student": [f"m{n}" for n in range(40)], "item": [f"w{n}" for n in range(40)]}
    pairs = [[f"m{n}", f"w{(n + step) % 40}"] for n in range(40) for step in (1, 2, 3)]
    away = {**people, "reviews": ["0", *["3"] * 39]}
    part = {"roster": away, "planned": pairs, "done": pairs[60:], "above": {}}

    assert missing(allocation.allocate_class, people, 4, {"design": "spread"}, 3) == []
    whole = {"parts": [part], "per_grader": 3, "coverage": 3, "most_extra": 2, "seed": 0}
    assert missing(allocation.repair_class, whole) == []


def test_work_without_kernels_waits_for_none(tmp_path, monkeypatch):
    own = (processes.ServerHandle(), processes.ServerHandle(kernels=False))
    monkeypatch.setattr(processes, "_handles", [own])
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "roster.csv").write_text("name,email\nAda,ada@example.org\n")

    try:
        asked = (rosters.read_roster_file, JobFiles(str(tmp_path), "roster.csv"), {})
        read = parent.run(*asked, seconds=LONG, memory=1 << 32)
        assert [row["name"] for row in read["rows"]] == ["Ada"]
        assert own[0].server is None, "the one with kernels was not asked"
        assert processes.server_for(kernels=True) is own[0]
    finally:
        processes.stop_server()


WITHOUT_A_CACHE = """
import os, socket, sys
import numba
from numba.core.caching import CodeLibraryCacheImpl, CompileResultCacheImpl
from peerage_web.sandbox import warm

for kind in (CodeLibraryCacheImpl, CompileResultCacheImpl):  # look nowhere but where NUMBA_CACHE_DIR says
    kind._locator_classes = kind._locator_classes[:1]

def rehearse():
    from peerage.metrics.accuracy import tau_error
    import numpy as np
    print(tau_error(np.arange(9.0), np.arange(9.0)), flush=True)

ours, theirs = socket.socketpair()
warm.warm(ours.fileno(), rehearse)
used = warm.loaded_code().kernels
print(len(used), numba.config.CACHE_DIR, flush=True)

from numba.core.event import install_recorder
if os.fork() == 0:
    with install_recorder("numba:compile") as recorder:
        rehearse()
    os._exit(len(recorder.buffer))
print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


def test_where_nothing_can_be_cached_children_inherit_the_kernels(tmp_path):
    nowhere, temporary = tmp_path / "file", tmp_path / "temporary"
    nowhere.touch()  # no folder can be made in it, not even by root
    temporary.mkdir()
    folders = {"NUMBA_CACHE_DIR": str(nowhere / "cache"), "TMPDIR": str(temporary)}

    done = run_script(WITHOUT_A_CACHE, {**processes.environment(), **folders})

    assert done.returncode == 0, done.stderr
    first, kernels, again, compiled_there = done.stdout.splitlines()
    number, folder = kernels.split()
    assert (first, again, compiled_there) == (first, first, "0")
    assert int(number) > 0
    assert folder == str(temporary / f"peerage-kernels-{os.getuid()}")
    assert Path(folder).stat().st_mode & 0o777 == 0o700


UNREHEARSED = """
import socket, time
from peerage_web.sandbox import warm
warm._version = lambda: "never rehearsed"
ours, theirs = socket.socketpair()
"""


def test_first_child_that_fails_is_told_and_stops_the_start():
    done = run_script(UNREHEARSED + "warm.warm(ours.fileno(), lambda: {}['no such kernel'])")

    assert done.returncode == 1
    assert "KeyError: 'no such kernel'" in done.stderr
    assert "WarmUpError" in done.stderr


def test_server_that_nobody_waits_for_ends_in_the_middle_of_its_rehearsal():
    nobody = "theirs.close()\nwarm.warm(ours.fileno(), lambda: time.sleep(3600))"

    done = run_script(UNREHEARSED + nobody)

    assert (done.returncode, done.stderr) == (0, "")
