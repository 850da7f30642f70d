"""Before a server forks children, it has everything they need: the library, and its compiled kernels.

What they need is found out by doing: a first child does a little of each kind of work, which compiles kernels
into Numba's cache where it can be written. The server then loads into its own memory what that child has
used, so that later children compile nothing and find nothing missing, whatever becomes of the cache. It does
not do the work itself, because Polars starts its threads with its first piece of work, and threads do not
survive a fork. What was used is remembered in the cache, so a later start takes no first child
(and `peerage_web.sandbox.compile` does all that when Peerage is installed).
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import pickle
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from peerage._numba import machine, use_temporary_cache
from peerage_web.sandbox import rehearsal

# whose modules children are spared to load
ROOTS = ("peerage", "peerage_web", "fastexcel", "pikepdf", "pypdfium2", "pypdfium2_raw", "PIL", "markdown_it")


class Used(NamedTuple):
    """What a process has loaded and called.

    modules : their names
    kernels : module, name, and the types each was called with
    """

    modules: list[str]
    kernels: list[tuple[str, str, list[Any]]]


class ColdError(Exception):
    """Nothing could be compiled; a first child that has died has told why on standard error."""


def warm(control: int, rehearse: Callable[[], None] = rehearsal.rehearse) -> None:
    """Load everything; ends this process where the one that started it goes away meanwhile (`control`)."""
    cache = cache_folder()
    known = cache / f"used-{_version()}.pickle"
    if not known.is_file():
        _first_child(control, known, rehearse)
    load(pickle.loads(known.read_bytes()))  # as trustworthy as the compiled code beside it


def cache_folder() -> Path:
    """Where Numba keeps compiled code."""
    import numba

    try:
        probe: Any = numba.njit(cache=True)(_probe)
    except RuntimeError:
        if not use_temporary_cache():
            raise ColdError("there is no place for compiled code; name one in NUMBA_CACHE_DIR") from None
        probe = numba.njit(cache=True)(_probe)
    return Path(probe.stats.cache_path)


def _version() -> str:
    """Another one when a file of the library, Numba, Python or the processor is another."""
    import peerage

    folders = (Path(peerage.__file__).parent, Path(__file__).parent)
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    stamps = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files]
    whole = repr((stamps, machine()))
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _write(data: bytes, path: Path) -> None:
    """Beside and renamed, so that nobody reads half."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_bytes(data)
    os.replace(draft, path)


def _probe() -> None:
    """Stands for a kernel."""


def load(used: Used) -> None:
    """Have these modules and kernels in memory; kernels from the cache, else compiled."""
    for name in used.modules:
        import_module(name)
    for module, name, signatures in used.kernels:
        kernel = getattr(import_module(module), name)
        for signature in signatures:
            kernel.compile(signature)


def everything_used() -> Used:
    """Every module of ours that this process has loaded, and every kernel that was called in it."""
    from numba.core.dispatcher import Dispatcher

    kernels = [found for found in gc.get_objects() if isinstance(found, Dispatcher) and found.signatures]
    found = [(one.py_func.__module__, one.py_func.__qualname__, list(one.signatures)) for one in kernels]
    ours = sorted((one for one in found if one[0].startswith("peerage.")), key=lambda one: one[:2])
    return Used(sorted(name for name in sys.modules if _is_loaded_by_name(name)), ours)


def _is_loaded_by_name(name: str) -> bool:
    """Not every module that is there can be asked for by its name: compiled ones make some of their own."""
    return name.split(".")[0] in ROOTS and getattr(sys.modules[name], "__spec__", None) is not None


def _first_child(control: int, known: Path, rehearse: Callable[[], None]) -> None:
    """Have a child write down which kernels there are, compiled."""
    end, held = os.pipe()  # the child holds it as long as it lives
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _rehearse(server, known, rehearse)
    os.close(held)
    if not _ends_while_wanted(end, control):
        os.kill(pid, signal.SIGKILL)
        os._exit(0)
    os.close(end)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise ColdError(f"the first child ended with status {status}")


def _rehearse(server: int, known: Path, rehearse: Callable[[], None]) -> NoReturn:
    from peerage_web.sandbox.walls.death import die_with

    try:
        die_with(server)
        warnings.simplefilter("ignore")  # of tiny classes, which nobody grades
        with _alone():
            if not known.is_file():
                rehearse()
                _write(pickle.dumps(everything_used()), known)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


@contextmanager
def _alone() -> Iterator[None]:
    """Of several servers that start at once one compiles; the others wait, and find it done."""
    ours = os.open(Path(__file__), os.O_RDONLY)  # a lock needs no right to write
    try:
        fcntl.flock(ours, fcntl.LOCK_EX)
        yield
    finally:
        os.close(ours)


def _ends_while_wanted(end: int, control: int) -> bool:
    """Wait until the child ends; False where the process that started this server goes away before."""
    watch = select.poll()
    for number in (end, control):
        watch.register(number, 0)  # tells when the other side is closed, whatever else waits in it
    return end in [number for number, _ in watch.poll()]
