"""A sandboxed child: gives up what it does not need, gets its work, does it, answers, and ends."""

from __future__ import annotations

import os
import pickle
import resource
import signal
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from peerage_web.sandbox import walls
from peerage_web.sandbox.contract import outcome
from peerage_web.sandbox.contract.files import FILE_BYTES, Files
from peerage_web.sandbox.walls.death import die_with

PIPE = 3  # the file number of the pipe in a child
OPEN_FILES = 512
MOST_FILES = 1 << 20  # that may be open where the system names no limit


def work_on(pipe: int = PIPE) -> None:
    """Do the one piece of work that comes through the pipe."""
    connection = Connection(pipe)
    connection.send_bytes(outcome.message(pid=os.getpid()))
    work, args, memory = pickle.loads(connection.recv_bytes())  # from our own parent
    _bound(memory)
    try:
        args = _wall_in(args)
        answer = outcome.message(result=work(*args, on_step=_steps(connection)))
    except BaseException as error:  # a parser's panic is no Exception; the parent knows what to say
        answer = outcome.message(error=outcome.described(error))
    connection.send_bytes(answer)
    os._exit(0)


def _wall_in(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Put up the walls; the folder of the files that come with the work is the only one it may change.

    It is the current folder afterwards, and the work finds it there: another user may have no way to it.
    """
    found = [arg for arg in args if isinstance(arg, Files)]
    folder = Path(found[0].folder) if found else None
    walls.build(folder, walls.readable(*_compiled()), os.getppid())
    return tuple(replace(arg, folder=".") if isinstance(arg, Files) else arg for arg in args)


def _compiled() -> list[Path]:
    """Where compiled kernels are kept, if not beside the code."""
    from numba import config

    named: str = getattr(config, "CACHE_DIR", "")
    return [Path(named)] if named else []


def _steps(connection: Connection) -> Any:
    def on_step(name: str) -> None:
        connection.send_bytes(outcome.message(step=name))

    return on_step


def _bound(memory: int) -> None:
    """A wall behind the parent's own watch, for what takes all memory between two measurements."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = 2 * memory if hard == resource.RLIM_INFINITY else min(2 * memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def confine(pipe: int, server: int) -> None:
    """Nothing of the server's is left open, nothing is printed, no limit can be raised again."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # a parser that panics prints what it was reading
        os.dup2(nowhere, standard)
    pipe = os.dup(pipe) if pipe == PIPE else pipe
    os.dup2(pipe, PIPE)
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(PIPE + 1, soft if soft != resource.RLIM_INFINITY else MOST_FILES)
    die_with(server)
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        hard = resource.getrlimit(what)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (value, value))
