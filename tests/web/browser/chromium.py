"""A Chromium for the browser tests: the machine's own, else Playwright's, else Debian's package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# without its sandbox, which root cannot have, and without anything that would ask a network
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 600  # seconds for a download


@cache
def chromium() -> str | None:
    """The path of a browser, installed if need be; None where none can be had."""
    return _on_this_machine() or _of_playwright() or _of_debian()


def missing() -> str:
    """What to say where there is none."""
    return (
        "no Chromium: none was found on this machine, `playwright install chromium` did not work, and"
        " `apt-get install chromium` needs Debian and root"
    )


def _on_this_machine() -> str | None:
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in (*found, *PLACES) if path and Path(path).is_file()), None)


def _of_playwright() -> str | None:
    if not _worked([sys.executable, "-m", "playwright", "install", "chromium"]):
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def _of_debian() -> str | None:
    if not Path("/etc/debian_version").is_file() or os.geteuid() != 0:
        return None
    _worked(["apt-get", "install", "-y", "--no-install-recommends", "chromium"])
    return _on_this_machine()


def _worked(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
