"""Putting the walls up, and trying beforehand which of them this machine has.

`python -m peerage_web.sandbox.walls.build FOLDER` puts them up around itself and says which of them stand:
that is how `try_walls` tries them.
"""

import json
import os
import pwd
import resource
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from peerage_web.sandbox.contract.jobs import THREADS
from peerage_web.sandbox.walls import landlock, seccomp
from peerage_web.sandbox.walls.system import allow_dumps, check_result, die_with, libc, prctl

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


def readable_folders(*more: Path) -> list[Path]:
    """Folders that a child may read: Python, the libraries, the code that it runs."""
    python = sysconfig.get_paths()
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    own = [Path(name) for name in sys.path if name and Path(name).is_dir()]
    base = [Path(sys.base_prefix) / "lib", Path(sys.prefix) / "lib"]
    paths = [*map(Path, _SYSTEM), *base, *(Path(python[name]) for name in names), *own, *more]
    return list(dict.fromkeys(path.resolve() for path in paths if path.exists()))


def build_walls(folder: Path | None, allowed: Iterable[Path], parent: int) -> list[Wall]:
    """Put up every wall that the kernel has, around this process and for good.

    `folder` is the one place where it may write, and becomes the current one; `allowed` is what it may read,
    and `parent` the process with which it ends.
    Call it before any thread is started: a wall stands around the thread that built it.
    """
    os.chdir(folder or "/")
    if sys.platform != "linux":
        return list(_describe_walls(None, False, 0, False, False))
    was_root = os.geteuid() == 0
    other_user = _other_user()
    if other_user is not None:
        if folder is not None:
            _hand_over(Path.cwd(), *other_user)
        _become(*other_user)
    version, filters = landlock.supported_version(), seccomp.is_available()
    has_namespaces = _enter_namespaces()
    _drop_capabilities()
    allow_dumps()
    die_with(parent)
    prctl(_NO_NEW_PRIVILEGES, 1)
    if version:
        here = Path() if folder is not None else None
        landlock.restrict(here, allowed, map(Path, _DEVICES), version)
    if filters:
        seccomp.restrict()
    return list(_describe_walls(other_user, has_namespaces, version, filters, was_root))


def _describe_walls(
    other_user: tuple[int, int] | None, has_namespaces: bool, version: int, filters: bool, was_root: bool
) -> Iterator[Wall]:
    yield Wall(
        f"Landlock (version {version})" if version else "Landlock",
        version > 0,
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
        has_namespaces,
        "this system lets the service make no namespaces: only its parent watches how many threads it starts",
    )
    if was_root:
        yield Wall(
            f"user {_USER}",
            other_user is not None,
            f"the service is root, and {_USER} cannot read where Peerage is installed: it could work as"
            " root, though without root's powers, and no limit but its parent's watch holds its threads;"
            " run the service as a user of its own",
        )


def try_walls() -> list[Wall]:
    """Which walls stand around a child on this machine: tried in a process that is thrown away."""
    with TemporaryDirectory(prefix="peerage-walls-") as folder:
        command = [sys.executable, "-P", "-m", "peerage_web.sandbox.walls.build", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(0, (done.stderr.strip() or "no reason was given").splitlines()[-1])
    return [Wall(**wall) for wall in json.loads(done.stdout)]


# -- another user: where the service was started as root, what reads strangers' files is not ----------------

_USER = "nobody"
_CAPABILITIES = b"\x22\x05\x08\x20" + bytes(4)  # _LINUX_CAPABILITY_VERSION_3, this process
_NO_CAPABILITIES = bytes(24)


def _other_user() -> tuple[int, int] | None:
    """Whom to become; None where we are not root, or that user could not even read the libraries."""
    if os.geteuid() != 0:
        return None
    try:
        user = pwd.getpwnam(_USER)
    except KeyError:
        return None
    needed = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), __file__)
    return (user.pw_uid, user.pw_gid) if all(map(_is_open_to_all, needed)) else None


def _is_open_to_all(name: str) -> bool:
    path = Path(name).resolve()
    modes = [place.stat().st_mode for place in (path, *path.parents)]
    return bool(modes[0] & stat.S_IROTH) and all(mode & stat.S_IXOTH for mode in modes[1:])


def _become(uid: int, gid: int) -> None:
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def _hand_over(folder: Path, uid: int, gid: int) -> None:
    """Give a job's folder to the one who works on it. No link is followed."""
    os.chown(folder, uid, gid, follow_symlinks=False)
    for _, folders, files, place in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, uid, gid, dir_fd=place, follow_symlinks=False)


def _drop_capabilities() -> None:
    """Whatever user it is, it has no powers beside those of every user."""
    libc().capset(_CAPABILITIES, _NO_CAPABILITIES)  # fails where there are none to drop


# -- namespaces: a network without a way out, and a count of threads of its own (where users may make them) -

_NEW_USER, _NEW_IPC, _NEW_NETWORK = 0x10000000, 0x08000000, 0x40000000


def _enter_namespaces() -> bool:
    """Whether the kernel let us; many do not, and the other walls stand without."""
    with suppress(OSError):
        check_result(libc().unshare(_NEW_USER | _NEW_IPC | _NEW_NETWORK), "unshare")
        # in a user namespace of its own, this counts what is in it, and not all that the user runs
        resource.setrlimit(resource.RLIMIT_NPROC, (THREADS, THREADS))
        return True
    return False


if __name__ == "__main__":
    walls = build_walls(Path(sys.argv[1]), readable_folders(), os.getppid())
    json.dump([asdict(wall) for wall in walls], sys.stdout)
