"""A Chromium for the browser tests: the machine's own, else Playwright's, else Debian's package.

`make browser`, which is a part of `make test`, installs one where there is none. The tests themselves only
look: they run in several processes, which would be in each other's way.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from playwright.sync_api import sync_playwright

# the shell has no windows, tabs and menus to draw: a page costs it a third of the processor time
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# without its sandbox, which root cannot have, and without anything that would ask a network
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
DEBIAN = Path("/etc/debian_version")
DRIVER_NEEDS = "libatomic1"  # which the smallest Debian has not
PATIENCE = 600  # seconds for a download


@cache
def chromium() -> str | None:
    """The path of a browser that can be driven; None where there is none."""
    return (_on_this_machine() or _of_playwright()) if _driver_starts() else None


def install() -> str | None:
    """The path of a browser, downloaded if need be; None where none can be had."""
    if not _driver_starts():
        _install_from_debian(DRIVER_NEEDS)
    return chromium() or _from_playwright() or _from_debian()


def missing() -> str:
    """What to say where there is none."""
    if not _driver_starts():
        return (
            "no browser: Playwright's driver does not start; `.venv/bin/playwright --version` says why; on"
            f" Debian `apt-get install {DRIVER_NEEDS}` or, as root, `make browser` helps"
        )
    return (
        "no Chromium: none was found on this machine; `make browser` installs one where"
        " `playwright install chromium` works, or `apt-get install chromium`, which needs Debian and root"
    )


def _on_this_machine() -> str | None:
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in (*found, *PLACES) if path and Path(path).is_file()), None)


def _of_playwright() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _from_playwright() -> str | None:
    # with libraries of the system, without which it would not start
    libraries = ["--with-deps"] if os.geteuid() == 0 else []
    worked = _worked([sys.executable, "-m", "playwright", "install", *libraries, "chromium"])
    return _of_playwright() if worked else None


def _from_debian() -> str | None:
    for package in (SHELL, "chromium"):
        _install_from_debian(package)
        if (path := _on_this_machine()) and _driver_starts():
            return path
    return None


def _install_from_debian(package: str) -> None:
    if DEBIAN.is_file() and os.geteuid() == 0:
        _worked(["apt-get", "update"])  # a fresh machine or container has no list of packages
        _worked(["apt-get", "install", "-y", "--no-install-recommends", package])


def _driver_starts() -> bool:
    return _worked([sys.executable, "-m", "playwright", "--version"])


def _worked(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    sys.stdout.write(f"{install() or missing()}\n")
