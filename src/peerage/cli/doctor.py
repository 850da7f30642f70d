"""`peerage doctor` and `peerage --version --verbose`: what a bug report needs, what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

import typer

from peerage._version import __version__
from peerage.cli._setup import SetupFinding, SetupFindings, bad, note

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "polars", "fastexcel", "typer", "rich", "xlsxwriter")
EXTRAS = {  # and the packages that say whether each is installed
    "figures": ("matplotlib",),
    "cluster": ("dask", "distributed"),
    "web": ("django", "django-ninja", "gunicorn", "psycopg", "pikepdf", "pypdfium2"),
}
LEAST_MEMORY = 1 << 30  # bytes in which a class of some hundred students is graded with room to spare
LEAST_TEMPORARY = 200 << 20
MEMORY = Path("/proc/meminfo")


def doctor() -> None:
    """Say what a bug report needs, and what is missing on this machine.

    Looks at versions, memory, the temporary folder and compiled code; with the web service also at its
    settings, walls, data folder, disk and database. It changes nothing. Exit code 1: something needed is
    missing, and the line that begins with "bad" says how to mend it.

    [bold]Example[/bold]

        peerage doctor
    """
    for line in environment():
        typer.echo(line)
    findings = []
    for finding in _all_findings():
        typer.echo(str(finding))
        findings.append(finding)
    raise typer.Exit(int(any(finding.kind == "bad" for finding in findings)))


def environment() -> Iterator[str]:
    """Versions and machine, for a bug report; no paths and no names of people."""
    yield f"peerage {__version__}"
    libc = " ".join(platform.libc_ver()).strip()
    yield f"Python {platform.python_version()} ({platform.python_implementation()})"
    yield ", ".join(filter(None, (f"{platform.system()} {platform.release()}", platform.machine(), libc)))
    yield f"{len(_processors())} processors"
    yield _versions(LIBRARIES)
    for extra, packages in EXTRAS.items():
        yield f"[{extra}] {_versions(packages)}"


def _processors() -> set[int] | range:
    return os.sched_getaffinity(0) if sys.platform == "linux" else range(os.cpu_count() or 1)


def _versions(packages: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_version(name) or 'is not installed'}" for name in packages)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _all_findings() -> SetupFindings:
    yield from extras()
    yield from memory()
    yield from temporary_folder()
    yield from compiled_code()
    yield from browser()
    for point in entry_points(group="peerage.doctor"):  # of what is installed beside the library
        yield from point.load()()


def extras() -> SetupFindings:
    """What was left out when Peerage was installed."""
    for extra, packages in EXTRAS.items():
        missing = [name for name in packages if _version(name) is None]
        if missing:
            text = f"{', '.join(missing)} missing; if you need it: pip install 'peerage[{extra}]'"
            yield note(extra, text)
        else:
            yield SetupFinding(extra, "installed")


def memory() -> SetupFindings:
    """What is free now, where the system says so."""
    try:
        lines = dict(line.split(":") for line in MEMORY.read_text("ascii").splitlines())
        free = int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        yield note("memory", "this system does not say how much is free")
        return
    text = f"{free >> 20:,} MB free"
    if free < LEAST_MEMORY:
        yield note("memory", f"{text}, and large classes need more than {LEAST_MEMORY >> 20:,}: end programs")
    else:
        yield SetupFinding("memory", text)


def temporary_folder() -> SetupFindings:
    """Whether there is one, and room in it."""
    fix = 'use another: mkdir -p "$HOME/tmp" && export TMPDIR="$HOME/tmp"'
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError:
        yield bad("temporary folder", f"none can be written; {fix}")
        return
    free = shutil.disk_usage(folder).free
    text = f"{folder} can be written, {free >> 20:,} MB free"
    if free < LEAST_TEMPORARY:
        yield note("temporary folder", f"{text}; {fix}")
    else:
        yield SetupFinding("temporary folder", text)


def compiled_code() -> SetupFindings:
    """Whether Numba can compile and run something, which a hardened system may forbid."""
    try:
        import numba

        numba.njit(lambda number: number + 1)(1)
    except Exception as error:
        again = f"{sys.executable} -m pip install --force-reinstall numba llvmlite"
        yield bad("compiled code", f"Numba does not work ({type(error).__name__}: {error}); run: {again}")
    else:
        yield SetupFinding("compiled code", "Numba compiles and runs it")


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts")


def browser() -> SetupFindings:
    """A browser and its fonts, which only the tests of Peerage itself need."""
    if any(shutil.which(name) for name in BROWSERS):
        yield SetupFinding("browser for tests", "found")
    else:
        yield note("browser for tests", "none; only for work on Peerage itself: make browser")
    if any(next(Path(folder).rglob("*.[ot]tf"), None) for folder in FONTS):
        yield SetupFinding("fonts", "found")
    else:
        yield note("fonts", "none, so browsers here show boxes: sudo apt-get install fonts-dejavu-core")
