"""Work that behaves badly, for the sandbox; runs in its child."""

import errno
import mmap
import os
import signal
import sys
import time
from pathlib import Path

from peerage.errors import DataError, MethodError, Problem
from peerage_web.sandbox.contract.errors import TooLargeError

ERRORS = {
    "data": DataError(
        [Problem("is no number", line=3, column="score", value="?\ud800", fix="write one"), Problem("so")],
        source="a.csv",
        total=7,
    ),
    "method": MethodError("there is no method 'x'"),
    "large": TooLargeError("too many"),
}


def double(number, on_step):
    on_step("one")
    on_step("two")
    return {"double": 2 * number}


def fail(which, on_step):
    raise ERRORS[which]


def stumble(secret, on_step):
    raise LookupError(secret)


def exit_early(on_step):
    sys.exit(0)


def answer_nan(on_step):
    return {"value": float("nan")}


def answer_object(on_step):
    return object()


def sleep(seconds, on_step):
    on_step(str(os.getpid()))
    time.sleep(seconds)


def hold_the_lock(on_step):
    """One call into C that never lets other threads run."""
    on_step(str(os.getpid()))
    return "a" * 10 in (b"a".hex() * 3, sum(range(1 << 62)))


def eat(megabytes, on_step):
    """Has them, and stays."""
    kept = b"x" * (megabytes << 20)
    on_step("eaten")
    time.sleep(3600)
    return len(kept)


def reserve(megabytes, on_step):
    """Nothing is written to them, so that they are nowhere yet."""
    return len(bytes(megabytes << 20))


def die(number, on_step):
    os.write(2, b"the secret of a visitor")
    os.kill(os.getpid(), number)
    signal.pause()


def write_much(files, path, size, on_step):
    with Path(path).open("wb") as file:
        file.truncate(size)


def write_on(files, on_step):
    """Files of a megabyte, one after the other, in a ring of ten: the disk is not filled, only written to."""
    number = 0
    while True:
        Path(str(number % 10)).write_bytes(bytes(1 << 20))
        number += 1


def answer_by_hand(data, ends, on_step):
    """What somebody might send who has taken the child over: these bytes, then nothing or the end."""
    on_step("began")
    os.write(3, data)
    if ends:
        os._exit(0)
    time.sleep(3600)


def write_uncounted(files, way, on_step):
    """Write a megabyte past the count of written bytes; or not, and how that was refused."""
    Path("source").write_bytes(bytes(1 << 20))
    with open("target", "wb+") as target, open("source", "rb") as source:
        target.truncate(1 << 20)
        try:
            if way == "map":
                mmap.mmap(target.fileno(), 1 << 20)[:] = bytes(1 << 20)
            else:
                end, start = os.pipe()
                os.splice(source.fileno(), start, 4096)
                os.splice(end, target.fileno(), 4096)
        except OSError as error:
            return errno.errorcode[error.errno]
    return "written"


def fill_the_folder(files, on_step):
    """Much is in its folder, whoever has counted what was written."""
    Path("much").write_bytes(bytes(2 << 20))
    time.sleep(3600)


def missing(work, *args, on_step):
    """The kernels that some work called and the server had not in memory, compiled or loaded for it."""
    from peerage_web.sandbox.warm import loaded_code

    def kernels():
        return {f"{module}.{name}{one}" for module, name, types in loaded_code().kernels for one in types}

    before = kernels()
    work(*args, on_step=on_step)
    return sorted(kernels() - before)


def call_by_number(number, on_step):
    from peerage_web.sandbox.walls.system import syscall

    return syscall(number)


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def look_around(on_step):
    return {
        "environment": sorted(os.environ),
        "files": [number for number in range(512) if _is_open(number)],
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
    }
