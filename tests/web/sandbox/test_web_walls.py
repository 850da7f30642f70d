"""The walls around a child: a probe in it tries what a file that has taken it over would try."""

import ctypes
import os
import platform
import re
import shutil
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import odd_work
import probe
import pytest

import peerage
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import BrokenError, CrashedError, OutOfMemoryError
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.walls import seccomp
from peerage_web.sandbox.walls.build import try_walls
from peerage_web.sandbox.walls.seccomp import DENIED, PROCESSORS

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "decisions" / "sandbox.md"
BOUNDS = {"seconds": 300, "memory": 1 << 30}
SECRET = ctypes.create_string_buffer(b"a secret in the memory of the service")
pytestmark = [
    pytest.mark.usefixtures("findable"),
    pytest.mark.skipif(
        not (platform.system() == "Linux" and all(wall.stands for wall in try_walls()[:3])),
        reason="this kernel does not offer every wall: the start of the service says so",
    ),
]


@pytest.fixture
def job(tmp_path):
    """A job's folder among others."""
    for name in ("own", "other"):
        (tmp_path / "jobs" / name / "input").mkdir(parents=True)
        (tmp_path / "jobs" / name / "input" / "feedback.csv").write_text("grader,item,rank\n")
    return JobFiles(str(tmp_path / "jobs" / "own"), "feedback.csv")


@pytest.fixture
def target(tmp_path):
    """What there is to be had around it; every attempt at it would succeed without walls."""
    for name in ("secret.key", "peerage.sqlite3"):
        (tmp_path / name).write_text("secret")
    (tmp_path / "tmp").mkdir()
    at = {"key": "secret.key", "database": "peerage.sqlite3", "jobs": "jobs", "tmp": "tmp"}
    tcp = socket.create_server(("127.0.0.1", 0))
    unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    unix.bind(str(tmp_path / "socket"))
    abstract.bind(f"\0peerage-{os.getpid()}")
    unix.listen()
    abstract.listen()
    with tcp, unix, abstract:
        yield {
            **{name: str(tmp_path / place) for name, place in at.items()},
            "other": str(tmp_path / "jobs" / "other" / "input" / "feedback.csv"),
            "code": str(Path(peerage.__file__).parent),
            "service": os.getpid(),
            "address": ctypes.addressof(SECRET),
            "port": tcp.getsockname()[1],
            "socket": str(tmp_path / "socket"),
            "abstract": f"peerage-{os.getpid()}",
        }


def test_no_attempt_of_the_probe_succeeds(job, target, tmp_path):
    alone = "start threads without end"  # for root no limit of the system holds, and its parent ends it
    others = [name for name in probe.ATTEMPTS if name != alone]

    found = parent.run(probe.probe, job, target, others, **BOUNDS)
    with suppress(OutOfMemoryError):
        found |= parent.run(probe.probe, job, target, [alone], **BOUNDS)

    assert set(found) >= set(others)
    assert {name: said for name, said in found.items() if said.startswith("SUCCEEDED")} == {}
    assert (tmp_path / "secret.key").read_text() == "secret"
    assert sorted(os.listdir(job.folder)) == ["input"]


def test_attempts_succeed_without_walls(job, target, monkeypatch, tmp_path):
    """Or the probe would prove nothing: those that harm nobody are done here, in the open."""
    monkeypatch.chdir(job.folder)
    harmless = [
        "read the secret key", "read the database", "list the jobs of others",
        "read a file of another job", "get out of its folder through a relative path",
        "read the users of the machine", "write into the temporary folder",
        "open the secret key to everybody", "plant a symbolic link for the service to follow",
        "plant a hard link", "plant a named pipe for the service to wait at",
        "watch the folder of jobs for names", "read what the service was started with",
        "read the memory of the service", "read the memory of the service by a system call",
        "see which programs run", "send a signal to the service", "open a connection to the network",
        "send a datagram", "speak to the database through its socket", "speak to an abstract socket",
        "listen for visitors of its own", "run a shell", "run a program from memory",
        "share memory beside the bounds",
    ]  # fmt: skip

    failed = [
        name for name in harmless if not probe._tried(probe.ATTEMPTS[name], target).startswith("SUCCEEDED")
    ]

    assert failed == []


def test_the_page_counts_what_the_probe_tries():
    assert f"makes {len(probe.ATTEMPTS)} attempts" in PAGE.read_text(encoding="utf-8")


def test_work_may_change_its_own_folder_and_nothing_else(job, tmp_path):
    parent.run(odd_work.write_much, job, "results", 100, **BOUNDS)

    assert (Path(job.folder) / "results").stat().st_size == 100
    with pytest.raises(BrokenError, match="PermissionError"):
        parent.run(odd_work.write_much, job, str(tmp_path / "elsewhere"), 100, **BOUNDS)


def test_programs_by_the_numbers_of_another_system_are_ended():
    if platform.machine() != "x86_64":
        pytest.skip("there is no other numbering")
    with pytest.raises(CrashedError):
        parent.run(odd_work.call_by_number, 0x40000000 + 39, **BOUNDS)


@pytest.mark.parametrize("machine", sorted(PROCESSORS))
def test_filters_decide_as_they_should_on_every_processor(machine):
    """The filter is run here by an interpreter of its own, so ARM is tried without an ARM machine."""
    architecture, numbers = PROCESSORS[machine]
    program = list(seccomp.filter_instructions(machine, 77))

    def decision(name, first=0):
        return run_filter(program, architecture, numbers[name], first)

    denied, allowed = 0x00050000 | 1, 0x7FFF0000
    assert {decision(name) for name in DENIED if name in numbers} == {denied}
    assert [decision("kill", pid) for pid in (77, 78, 0, 0xFFFFFFFF)] == [allowed, denied, denied, denied]
    assert [decision("tgkill", pid) for pid in (77, 78)] == [allowed, denied]
    assert [decision("prlimit64", pid) for pid in (0, 77, 78)] == [allowed, allowed, denied]
    assert [decision("clone", flags) for flags in (0x3D0F00, 0x11, 0x10010000)] == [allowed, denied, denied]
    assert decision("clone3") == 0x00050000 | 38
    assert {decision("prctl", option) for option in (1, 4, 35)} == {denied}
    assert {decision("prctl", option) for option in (15, 38)} == {allowed}
    others = set(range(460)) - set(numbers.values())
    assert {run_filter(program, architecture, number, 0) for number in others} == {allowed}
    assert run_filter(program, 0x40000003, 1, 0) == 0x80000000


def run_filter(program, architecture, number, first):
    """What the kernel would decide."""
    data = struct.pack("<IIQQ", number, architecture, 0, first)
    place, value = 0, 0
    while True:
        code, if_so, if_not, k = struct.unpack("<HBBI", program[place])
        place += 1
        if code == 0x20:
            value = struct.unpack_from("<I", data, k)[0]
        elif code == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            place += if_so if holds else if_not


def test_the_unit_on_the_page_is_safe(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze here")
    page = (PAGE.parents[2] / "how-to" / "run-the-service.md").read_text(encoding="utf-8")
    unit = tmp_path / "peerage.service"
    unit.write_text(re.search(r"```ini\n(\[Unit\].+?)```", page, re.DOTALL)[1], encoding="utf-8")

    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=29", "--no-pager", str(unit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "exposure level for peerage.service: 2.0" in done.stdout


def test_numbers_are_those_of_this_system():
    headers = Path("/usr/include") / f"{platform.machine()}-linux-gnu" / "asm" / "unistd_64.h"
    if platform.machine() != "x86_64" or not headers.is_file():
        pytest.skip("there are no headers of the kernel here")
    found = {name: int(number) for name, number in re.findall(r"__NR_(\w+) (\d+)", headers.read_text())}

    ours = PROCESSORS["x86_64"][1]

    assert {name: number for name, number in ours.items() if found.get(name, number) != number} == {}
