"""Where there is no browser, the tests are skipped aloud; on a build server that is a failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.web.browser import chromium
from tests.web.browser.visitor import ROOT

pytestmark = pytest.mark.browser

ONE_TEST = ["tests/web/browser/test_browser_opens.py"]  # which needs no service
OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]


def run_without_browser(folder, **environment: str) -> subprocess.CompletedProcess[str]:
    """One browser test, where no program can be found and nothing can be downloaded."""
    nowhere = {
        "PATH": str(folder),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
        "PLAYWRIGHT_BROWSERS_PATH": str(folder),
    }
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    command = [sys.executable, "-m", "pytest", *ONE_TEST, *OPTIONS]
    env = {**kept, **nowhere, **environment}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_browser_of_the_machine_is_found(monkeypatch, tmp_path):
    own = tmp_path / "google-chrome"
    own.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert chromium._on_this_machine() == str(own)


@pytest.mark.skipif(any(os.path.exists(place) for place in chromium.PLACES), reason="has a browser for sure")
@pytest.mark.parametrize(("ci", "code", "word"), [("", 0, "1 skipped"), ("true", 1, "1 error")])
def test_no_browser_is_said_aloud(tmp_path, ci, code, word):
    done = run_without_browser(tmp_path, CI=ci)

    assert done.returncode == code, done.stdout
    assert word in done.stdout
    assert "no Chromium: none was found on this machine" in done.stdout


@pytest.fixture
def debian(monkeypatch) -> list[list[str]]:
    """What root runs on a Debian where nothing works, by its last three words."""
    ran: list[list[str]] = []
    monkeypatch.setattr(chromium, "DEBIAN", Path(__file__))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium, "chromium", chromium.chromium.__wrapped__)
    monkeypatch.setattr(chromium, "_worked", lambda command: ran.append(command[-3:]))
    return ran


def test_debian_is_asked_for_its_packages_before_one_is_installed(debian, monkeypatch):
    monkeypatch.setattr(chromium, "_driver_starts", lambda: True)
    monkeypatch.setattr(chromium, "_on_this_machine", lambda: None)
    monkeypatch.setattr(chromium, "_of_playwright", lambda: None)

    assert chromium.install() is None
    assert debian == [
        ["install", "--with-deps", "chromium"],
        ["apt-get", "update"],
        ["-y", "--no-install-recommends", "chromium"],
    ]


def test_a_driver_that_does_not_start_gets_its_library_first_and_is_named(debian):
    assert chromium.install() is None
    assert debian[1:3] == [["apt-get", "update"], ["-y", "--no-install-recommends", "libatomic1"]]
    assert "Playwright's driver does not start" in chromium.missing()


def test_looking_for_a_browser_installs_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "PLACES", ())
    monkeypatch.setattr(chromium, "_driver_starts", lambda: True)
    monkeypatch.setattr(chromium, "_worked", lambda command: pytest.fail(f"{command} was run"))

    assert chromium.chromium.__wrapped__() is None
