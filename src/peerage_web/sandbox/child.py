"""A sandboxed child: gives up what it does not need, gets its work, does it, answers, and ends."""

import os
import pickle
import resource
import signal
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from peerage_web.sandbox.contract.errors import encode_message, error_to_json
from peerage_web.sandbox.contract.jobs import FILE_BYTES, JobFiles
from peerage_web.sandbox.walls.build import build_walls, readable_folders
from peerage_web.sandbox.walls.system import die_with

PIPE = 3  # the file number of the pipe in a child
OPEN_FILES = 512
MAX_OPEN_FILES = 1 << 20  # that may be open where the system names no limit


def do_work(pipe: int = PIPE) -> None:
    """Do the one piece of work that comes through the pipe."""
    connection = Connection(pipe)
    connection.send_bytes(encode_message(pid=os.getpid()))
    work, args, memory = pickle.loads(connection.recv_bytes())  # from our own parent
    _limit_memory(memory)
    try:
        args = _wall_in(args)
        answer = encode_message(result=work(*args, on_step=_step_sender(connection)))
    except BaseException as error:  # a parser's panic is no Exception; the parent knows what to say
        answer = encode_message(error=error_to_json(error))
    connection.send_bytes(answer)
    os._exit(0)


def _wall_in(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Put up the walls; the folder of the files that come with the work is the only one it may change.

    It is the current folder afterwards, and the work finds it there: another user may have no way to it.
    """
    files = [arg for arg in args if isinstance(arg, JobFiles)]
    folder = Path(files[0].folder) if files else None
    build_walls(folder, readable_folders(*_kernel_folders()), os.getppid())
    return tuple(replace(arg, folder=".") if isinstance(arg, JobFiles) else arg for arg in args)


def _kernel_folders() -> list[Path]:
    """Where compiled kernels are kept, if not beside the code."""
    from numba import config

    folder: str = getattr(config, "CACHE_DIR", "")
    return [Path(folder)] if folder else []


def _step_sender(connection: Connection) -> Any:
    def on_step(name: str) -> None:
        connection.send_bytes(encode_message(step=name))

    return on_step


def _limit_memory(memory: int) -> None:
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
    os.closerange(PIPE + 1, soft if soft != resource.RLIM_INFINITY else MAX_OPEN_FILES)
    die_with(server)
    for limit, wanted in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ):
        hard = resource.getrlimit(limit)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
