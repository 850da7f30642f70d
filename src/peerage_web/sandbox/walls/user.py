"""Another user: where the service was started as root, what reads strangers' files is not."""

from __future__ import annotations

import os
import pwd
import stat
import sysconfig
from pathlib import Path

from peerage_web.sandbox.walls.system import libc

NAME = "nobody"
_CAPABILITIES = b"\x22\x05\x08\x20" + bytes(4)  # _LINUX_CAPABILITY_VERSION_3, this process
_NONE = bytes(24)


def other_user() -> tuple[int, int] | None:
    """Whom to become; None where we are not root, or that user could not even read the libraries."""
    if os.geteuid() != 0:
        return None
    try:
        found = pwd.getpwnam(NAME)
    except KeyError:
        return None
    needed = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), __file__)
    return (found.pw_uid, found.pw_gid) if all(map(_is_open_to_all, needed)) else None


def _is_open_to_all(name: str) -> bool:
    """Whether anybody can read what is there."""
    path = Path(name).resolve()
    modes = [place.stat().st_mode for place in (path, *path.parents)]
    return bool(modes[0] & stat.S_IROTH) and all(mode & stat.S_IXOTH for mode in modes[1:])


def become(uid: int, gid: int) -> None:
    """For good; the current folder, with all that is in it, is handed over."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def hand_over(folder: Path, uid: int, gid: int) -> None:
    """Give a job's folder to the one who works on it. No link is followed."""
    os.chown(folder, uid, gid, follow_symlinks=False)
    for _, folders, files, place in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, uid, gid, dir_fd=place, follow_symlinks=False)


def drop_capabilities() -> None:
    """Whatever user it is, it has no powers beside those of every user."""
    libc().capset(_CAPABILITIES, _NONE)  # fails where there are none to drop
