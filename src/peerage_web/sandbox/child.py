"""A sandboxed child: gets its work, does it, answers, and ends."""

from __future__ import annotations

import os
import pickle
import resource
from multiprocessing.connection import Connection
from typing import Any

from peerage_web.sandbox.contract import outcome


def work_on(pipe: int) -> None:
    """Do the one piece of work that comes through the pipe."""
    connection = Connection(pipe)
    connection.send_bytes(outcome.message(pid=os.getpid()))
    work, args, memory = pickle.loads(connection.recv_bytes())  # from our own parent
    _bound(memory)
    try:
        answer = outcome.message(result=work(*args, on_step=_steps(connection)))
    except BaseException as error:  # a parser's panic is no Exception; the parent knows what to say
        answer = outcome.message(error=outcome.described(error))
    connection.send_bytes(answer)
    os._exit(0)


def _steps(connection: Connection) -> Any:
    def on_step(name: str) -> None:
        connection.send_bytes(outcome.message(step=name))

    return on_step


def _bound(memory: int) -> None:
    """A wall behind the parent's own watch, for what takes all memory between two looks."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = 2 * memory if hard == resource.RLIM_INFINITY else min(2 * memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
