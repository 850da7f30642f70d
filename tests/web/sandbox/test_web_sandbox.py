"""Work in a process of its own, with bounds."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import odd_work
import pytest
from tests.web.service import until

from peerage_web.sandbox import parent, processes, server
from peerage_web.sandbox.contract import errors
from peerage_web.sandbox.contract.jobs import FILE_BYTES, THREADS, JobFiles

BOUNDS = {"seconds": 300, "memory": 1 << 30}
pytestmark = pytest.mark.usefixtures("findable")


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_results_and_steps_arrive():
    steps = []

    assert parent.run(odd_work.double, 21, **BOUNDS, on_step=steps.append) == {"double": 42}
    assert steps == ["one", "two"]


@pytest.mark.parametrize("which", sorted(odd_work.ERRORS))
def test_errors_of_peerage_arrive_as_they_are(which):
    error = odd_work.ERRORS[which]

    with pytest.raises(type(error)) as caught:
        parent.run(odd_work.fail, which, **BOUNDS)

    assert caught.type is type(error)
    assert str(caught.value) == str(error)
    assert getattr(caught.value, "problems", None) == getattr(error, "problems", None)


def test_other_errors_say_where_but_not_what():
    with pytest.raises(errors.BrokenError) as caught:
        parent.run(odd_work.stumble, "the name of a visitor", **BOUNDS)

    assert str(caught.value).startswith("LookupError at child.py:")
    assert str(caught.value).endswith(" stumble")
    assert "visitor" not in str(caught.value)


@pytest.mark.parametrize(
    "work", [odd_work.answer_nan, odd_work.answer_object, odd_work.exit_early], ids=lambda work: work.__name__
)
def test_answers_that_are_not_json_are_errors_of_ours(work):
    with pytest.raises(errors.BrokenError):
        parent.run(work, **BOUNDS)


def run_out_of_time(*work):
    """Its steps; with more time until the machine was fast enough for the work to begin."""
    steps, seconds = [], 0.25
    while not steps:
        seconds *= 2
        with pytest.raises(errors.OutOfTimeError):
            parent.run(*work, seconds=seconds, memory=1 << 30, on_step=steps.append)
    return steps


@pytest.mark.parametrize(
    "work", [(odd_work.sleep, 3600), (odd_work.hold_the_lock,)], ids=["sleeps", "computes"]
)
def test_what_takes_too_long_is_killed(work):
    assert not alive(run_out_of_time(*work)[0])


@pytest.mark.parametrize(
    ("elapsed", "waited", "late"),
    [(9, 0, False), (11, 0, True), (11, 2, False), (29, 25, False), (29, 15, True), (31, 30, True)],
)
def test_time_that_others_had_the_processor_does_not_count(monkeypatch, elapsed, waited, late):
    monkeypatch.setattr(parent, "seconds_waited", lambda pid: waited)

    assert parent._is_late(1, elapsed, parent._Limits(seconds=10, memory=0, quick=0)) is late


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this system does not tell")
def test_waiting_for_the_processor_is_told_from_sleeping_and_from_work():
    """Two that compute on one processor wait for each other; who sleeps waits for nothing."""
    processor = {min(os.sched_getaffinity(0))}
    code = f"import os; os.sched_setaffinity(0, {processor}); print(flush=True)\nwhile True: pass"
    spin, rest = [sys.executable, "-c", code], [sys.executable, "-c", "print(flush=True); input()"]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    running = [subprocess.Popen(command, **piped) for command in (spin, spin, rest)]
    try:
        for process in running:
            process.stdout.readline()
        first, second, sleeper = (process.pid for process in running)
        until(lambda: "State:\tS" in Path(f"/proc/{sleeper}/status").read_text())
        before = parent.seconds_waited(sleeper)

        until(lambda: min(parent.seconds_waited(first), parent.seconds_waited(second)) > 0.2)
        assert parent.seconds_waited(sleeper) == before
    finally:
        for process in running:
            process.kill()
            process.communicate()


def test_the_parent_counts_threads_where_no_wall_does():
    """As where root works: the wall stands, and does not hold."""
    limits = parent._Limits(seconds=10, memory=1 << 40, quick=0)
    code = (
        "import sys, threading, time\n"
        "for _ in range(int(sys.argv[1]) - 1):\n"
        "    threading.Thread(target=time.sleep, args=[3600], daemon=True).start()\n"
        "print(flush=True); input()"
    )
    for threads, are_too_many in ((2 * THREADS, False), (2 * THREADS + 1, True)):
        command = [sys.executable, "-c", code, str(threads)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            process.stdout.readline()
            with pytest.raises(errors.OutOfMemoryError, match="threads") if are_too_many else nullcontext():
                parent._check_measures(process.pid, limits)
        finally:
            process.kill()
            process.communicate()


def test_what_takes_too_much_memory_is_stopped():
    """The parent looks how much there is; a wall at twice as much holds what no look would see in time."""
    steps, bounds = [], {"seconds": 300, "memory": 400 << 20}

    with pytest.raises(errors.OutOfMemoryError):
        parent.run(odd_work.eat, 420, **bounds, on_step=steps.append, stop=lambda: bool(steps))
    with pytest.raises(errors.OutOfMemoryError):
        parent.run(odd_work.reserve, 3000, **bounds)


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (signal.SIGSEGV, errors.CrashedError),
        (signal.SIGABRT, errors.CrashedError),
        (signal.SIGKILL, errors.KilledError),
    ],
)
def test_a_crash_is_told_apart_and_prints_nothing(number, error, capfd, caplog):
    caplog.set_level("WARNING", logger="peerage_web.sandbox")  # its line in the log is not meant

    with pytest.raises(error):
        parent.run(odd_work.die, number, **BOUNDS)

    assert capfd.readouterr() == ("", "")


HALF = b"\0\0\0\x40{"  # of a message of 64 bytes


def test_half_an_answer_holds_up_nobody():
    """Time runs on while an answer is received, and whoever does not want it any more is heard."""
    run_out_of_time(odd_work.answer_by_hand, HALF, False)

    with pytest.raises(errors.StoppedError):
        parent.run(odd_work.answer_by_hand, HALF, False, **BOUNDS, stop=lambda: True)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (HALF, errors.CrashedError),
        (b"\xff\xff\xff\xff" + (3 << 30).to_bytes(8), errors.OutOfMemoryError),
        ((1 << 30).to_bytes(4), errors.OutOfMemoryError),
        (b"\0\0\0\2{]", errors.CrashedError),
        (b"\0\0\0\2{}", errors.CrashedError),
        (b'\0\0\0\x0b{"error":3}', errors.CrashedError),
    ],
    ids=["ends inside", "3 GB", "1 GB", "no JSON", "nothing", "no error"],
)
def test_an_answer_that_cannot_be_is_an_error_of_ours(data, error):
    with pytest.raises(error):
        parent.run(odd_work.answer_by_hand, data, True, **BOUNDS)


def test_an_error_of_the_listener_ends_the_child():
    pids = []

    def hear(step):
        pids.append(step)
        raise KeyError(step)

    with pytest.raises(KeyError):
        parent.run(odd_work.sleep, 3600, **BOUNDS, on_step=hear)

    assert not alive(pids[0])


def test_work_that_takes_long_steps_back_and_is_stopped_when_asked(monkeypatch):
    """What is quick enough does not, nor what has only waited for a processor."""
    pids = []

    def stepped_back() -> bool:
        return bool(pids) and os.getpriority(os.PRIO_PROCESS, int(pids[-1])) == parent.LOWEST_PRIORITY

    with pytest.raises(errors.StoppedError):
        parent.run(odd_work.sleep, 3600, **BOUNDS, quick=0.0, on_step=pids.append, stop=stepped_back)

    assert not alive(pids[0])
    asked = []

    def ask_twice() -> bool:
        asked.append(stepped_back())
        return len(asked) == 2

    for quick, waited in ((3600, 0.0), (0.0, 3600.0)):
        asked.clear()
        monkeypatch.setattr(parent, "seconds_waited", lambda pid, waited=waited: waited)
        with pytest.raises(errors.StoppedError):
            parent.run(odd_work.sleep, 3600, **BOUNDS, quick=quick, on_step=pids.append, stop=ask_twice)
        assert asked == [False, False]


def test_server_that_does_not_start_is_our_fault_and_the_next_one_gets_warm(monkeypatch):
    processes.stop_server()
    monkeypatch.setattr("sys.executable", "/bin/false")

    with pytest.raises(errors.BrokenError, match="does not start"):
        parent.run(odd_work.double, 1, **BOUNDS)

    monkeypatch.undo()
    assert not processes.own_server().is_warm()
    parent.warm_up()
    assert parent.is_warm()
    assert parent.run(odd_work.double, 1, **BOUNDS) == {"double": 2}


def test_files_cannot_grow_without_end(tmp_path):
    with pytest.raises(errors.BrokenError, match="OSError"):
        parent.run(odd_work.write_much, JobFiles(str(tmp_path), "-"), "a", FILE_BYTES + 1, **BOUNDS)


def test_a_child_cannot_write_without_end_into_many_files(tmp_path, monkeypatch):
    monkeypatch.setattr("peerage_web.sandbox.parent.WRITTEN_BYTES", 50 << 20)

    with pytest.raises(errors.OutOfSpaceError):
        parent.run(odd_work.write_on, JobFiles(str(tmp_path), "-"), **BOUNDS)

    assert sum(path.stat().st_size for path in tmp_path.iterdir()) > 0


@pytest.mark.parametrize("way", ["map", "splice"])
def test_a_child_cannot_write_where_nobody_counts(tmp_path, way):
    said = parent.run(odd_work.write_uncounted, JobFiles(str(tmp_path), "-"), way, **BOUNDS)
    assert said in ("EPERM", "EACCES")


def test_what_is_in_its_folder_counts_however_it_came_there(tmp_path, monkeypatch):
    monkeypatch.setattr("peerage_web.sandbox.parent.WRITTEN_BYTES", 1 << 20)
    monkeypatch.setattr("peerage_web.sandbox.parent.written_bytes", lambda pid: 0)

    with pytest.raises(errors.OutOfSpaceError):
        parent.run(odd_work.fill_the_folder, JobFiles(str(tmp_path), "-"), **BOUNDS)


def test_many_threads_get_their_own_answers_and_leave_nothing_open():
    parent.warm_up()
    process = processes.own_server().server.process

    def open_files():
        return [len(os.listdir(f"/proc/{who}/fd")) for who in ("self", process.pid)]

    before = open_files()

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda n: parent.run(odd_work.double, n, **BOUNDS), range(20)))

    assert answers == [{"double": 2 * n} for n in range(20)]
    until(lambda: all(now <= was for now, was in zip(open_files(), before, strict=True)))
    until(lambda: not Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


def test_a_killed_server_is_replaced_by_one_whose_children_know_no_secrets_and_hold_no_files(monkeypatch):
    monkeypatch.setenv("PEERAGE_SECRET_KEY", "x" * 60)
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:word@host/name")
    pids = []

    def kill(step):
        pids.append(step)
        processes.own_server().server.process.kill()

    with pytest.raises(errors.KilledError):
        parent.run(odd_work.sleep, 3600, **BOUNDS, on_step=kill)
    until(lambda: not alive(pids[0]))

    found = parent.run(odd_work.look_around, **BOUNDS)

    secret = {"PEERAGE_SECRET_KEY", "DATABASE_URL", "DJANGO_SETTINGS_MODULE"}
    assert secret & set(found["environment"]) == set()
    assert found["files"] == [0, 1, 2, 3]
    assert found["nice"] >= min(os.nice(0) + server.NICE, 19)


SCRIPT = """
import sys
print("main", flush=True)
import odd_work
from peerage_web.sandbox import parent, processes

def tell(pid):
    print(processes.own_server().server.process.pid, pid, flush=True)

parent.run(odd_work.hold_the_lock, seconds=3600, memory=1 << 30, on_step=tell)
"""


def test_children_die_at_once_with_a_killed_parent_and_do_not_run_its_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "main\n"
        pids = process.stdout.readline().split()
        assert [alive(pid) for pid in pids] == [True, True]

        process.kill()

        until(lambda: not any(alive(pid) for pid in pids))
        assert process.stdout.read() == ""


FORKING = """
import os, sys, odd_work
from peerage_web.sandbox import parent
parent.warm_up()
if os.fork() == 0:
    os._exit(parent.run(odd_work.double, 4, seconds=300, memory=1 << 30)["double"])
assert os.waitstatus_to_exitcode(os.wait()[1]) == 8
assert parent.run(odd_work.double, 5, seconds=300, memory=1 << 30) == {"double": 10}
"""


def test_a_forked_worker_has_a_server_of_its_own():
    subprocess.run([sys.executable, "-W", "error", "-c", FORKING], check=True, timeout=600)
