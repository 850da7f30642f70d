"""Putting the walls up, and trying beforehand which of them this machine has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from peerage_web.sandbox.walls import landlock, namespaces, seccomp, user
from peerage_web.sandbox.walls.death import die_with
from peerage_web.sandbox.walls.dumps import allow_dumps
from peerage_web.sandbox.walls.system import prctl

_NO_NEW_PRIVILEGES = 38
# what the C library and the runtimes of compiled code look up: fonts of numbers, clocks, how many processors
_SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime",
    "/usr/share/zoneinfo", "/sys/devices/system/cpu",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Wall:
    """One wall: whether it stands, and why not and what that means for a child that a file has taken over."""

    name: str
    stands: bool
    without: str


def readable(*more: Path) -> list[Path]:
    """Folders that a child may read: Python, the libraries, the code that it runs."""
    python = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    own = [Path(name) for name in sys.path if name and Path(name).is_dir()]
    base = [Path(sys.base_prefix) / "lib", Path(sys.prefix) / "lib"]
    found = [*map(Path, _SYSTEM), *base, *(Path(python[name]) for name in names), *own, *more]
    return list(dict.fromkeys(path.resolve() for path in found if path.exists()))


def build(folder: Path | None, allowed: Iterable[Path], parent: int) -> list[Wall]:
    """Put up every wall that the kernel has, around this process and for good.

    `folder` is the one place where it may write, and becomes the current one; `allowed` is what it may read,
    and `parent` the process with which it ends.
    Call it before any thread is started: a wall stands around the thread that built it.
    """
    os.chdir(folder or "/")
    if sys.platform != "linux":
        return list(_walls(None, False, 0, False, False))
    was_root = os.geteuid() == 0
    other = user.other_user()
    if other is not None:
        if folder is not None:
            user.hand_over(Path.cwd(), *other)
        user.become(*other)
    newest, filters = landlock.version(), seccomp.is_offered()
    apart = namespaces.enter()
    user.drop_capabilities()
    allow_dumps()
    die_with(parent)
    prctl(_NO_NEW_PRIVILEGES, 1)
    if newest:
        here = Path() if folder is not None else None
        landlock.restrict(here, allowed, map(Path, _DEVICES), newest)
    if filters:
        seccomp.restrict()
    return list(_walls(other, apart, newest, filters, was_root))


def _walls(
    other: tuple[int, int] | None, apart: bool, newest: int, filters: bool, was_root: bool
) -> Iterator[Wall]:
    yield Wall(
        f"Landlock (version {newest})" if newest else "Landlock",
        newest > 0,
        "this system has no Landlock (Linux 5.13 and later have): it could read the secret key, the database"
        " and other jobs",
    )
    yield Wall(
        "seccomp",
        filters,
        "this system has no seccomp, or a processor that Peerage does not know: it could run programs, open"
        " connections and reach other processes",
    )
    yield Wall(
        "namespaces",
        apart,
        "this system lets the service make no namespaces: it could start threads without end",
    )
    if was_root:
        yield Wall(
            f"user {user.NAME}",
            other is not None,
            f"the service is root, and {user.NAME} cannot read where Peerage is installed: it could work as"
            " root, though without root's powers; run the service as a user of its own",
        )


def trial() -> list[Wall]:
    """Which walls stand around a child on this machine: tried in a process that is thrown away."""
    with TemporaryDirectory(prefix="peerage-walls-") as folder:
        command = [sys.executable, "-P", "-m", "peerage_web.sandbox.walls", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(0, (done.stderr.strip() or "no reason was given").splitlines()[-1])
    return [Wall(**one) for one in json.loads(done.stdout)]
