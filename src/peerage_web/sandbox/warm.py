"""Before a server forks children, it has everything they need: the library, and its compiled kernels.

What they need is found out by doing: a first child does a little of each kind of work, which compiles kernels
into Numba's cache where it can be written. The server then loads into its own memory what that child has
used, so that later children compile nothing and find nothing missing, whatever becomes of the cache. It does
not do the work itself, because Polars starts its threads with its first piece of work, and threads do not
survive a fork. What was used is remembered in the cache, so a later start takes no first child
(and `peerage_web.sandbox.compile` does all that when Peerage is installed).
"""

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
from peerage_web.sandbox.walls.system import die_with

# whose modules children are spared to load
ROOTS = ("peerage", "peerage_web", "fastexcel", "pikepdf", "pypdfium2", "pypdfium2_raw", "PIL", "markdown_it")


class LoadedCode(NamedTuple):
    """What a process has loaded and called.

    modules : their names
    kernels : module, name, and the types each was called with
    """

    modules: list[str]
    kernels: list[tuple[str, str, list[Any]]]


class WarmUpError(Exception):
    """Nothing could be compiled; a first child that has died has told why on standard error."""


def warm(control: int, rehearse: Callable[[], None] = rehearsal.rehearse) -> None:
    """Load everything; ends this process where the one that started it goes away meanwhile (`control`)."""
    cache = cache_folder()
    record = cache / f"used-{_version()}.pickle"
    if not record.is_file():
        _run_first_child(control, record, rehearse)
    load(pickle.loads(record.read_bytes()))  # as trustworthy as the compiled code beside it


def load_without_kernels() -> None:
    """What work needs that is done while kernels are being compiled."""
    for name in ("archives", "rosters", "rendering.render"):
        import_module(f"peerage_web.sandbox.work.{name}")
    import_module("numba")  # children ask it where kernels are


def cache_folder() -> Path:
    """Where Numba keeps compiled code."""
    import numba

    try:
        probe: Any = numba.njit(cache=True)(_probe)
    except RuntimeError:
        if not use_temporary_cache():
            raise WarmUpError("there is no place for compiled code; name one in NUMBA_CACHE_DIR") from None
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


def load(code: LoadedCode) -> None:
    """Have these modules and kernels in memory; kernels from the cache, else compiled."""
    for name in code.modules:
        import_module(name)
    for module, name, signatures in code.kernels:
        kernel = getattr(import_module(module), name)
        for signature in signatures:
            kernel.compile(signature)


def loaded_code() -> LoadedCode:
    """Every module of ours that this process has loaded, and every kernel that was called in it."""
    from numba.core.dispatcher import Dispatcher

    called = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher) and thing.signatures]
    named = [(it.py_func.__module__, it.py_func.__qualname__, list(it.signatures)) for it in called]
    ours = sorted((kernel for kernel in named if kernel[0].startswith("peerage.")), key=lambda it: it[:2])
    return LoadedCode(sorted(name for name in sys.modules if _is_loaded_by_name(name)), ours)


def _is_loaded_by_name(name: str) -> bool:
    """Not every module that is there can be asked for by its name: compiled ones make some of their own."""
    return name.split(".")[0] in ROOTS and getattr(sys.modules[name], "__spec__", None) is not None


def _run_first_child(control: int, record: Path, rehearse: Callable[[], None]) -> None:
    """Have a child write down which kernels there are, compiled."""
    end, child_end = os.pipe()  # the child holds it as long as it lives
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        _rehearse(server, record, rehearse)
    os.close(child_end)
    if not _ends_while_wanted(end, control):
        os.kill(pid, signal.SIGKILL)
        os._exit(0)
    os.close(end)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise WarmUpError(f"the first child ended with status {status}")


def _rehearse(server: int, record: Path, rehearse: Callable[[], None]) -> NoReturn:
    try:
        die_with(server)
        warnings.simplefilter("ignore")  # of tiny classes, which nobody grades
        with _compile_lock():
            if not record.is_file():
                rehearse()
                _write(pickle.dumps(loaded_code()), record)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


@contextmanager
def _compile_lock() -> Iterator[None]:
    """Of several servers that start at once one compiles; the others wait, and find it done."""
    lock = os.open(Path(__file__), os.O_RDONLY)  # a lock needs no right to write
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _ends_while_wanted(end: int, control: int) -> bool:
    """Wait until the child ends; False where the process that started this server goes away before."""
    watch = select.poll()
    for number in (end, control):
        watch.register(number, 0)  # tells when the other side is closed, whatever else waits in it
    return end in [number for number, _ in watch.poll()]
