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

ONE_TEST = ["tests/web/browser/test_browser_afterwards.py", "-k", "focus_is_seen"]
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


def test_debian_is_asked_for_its_packages_before_one_is_installed(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(chromium, "chromium", lambda: None)
    monkeypatch.setattr(chromium, "_worked", lambda command: asked.append(command))
    monkeypatch.setattr(chromium, "DEBIAN", Path(__file__))
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    chromium.install()

    assert [command[-3:] for command in asked] == [
        ["install", "--with-deps", "chromium"],
        ["apt-get", "update"],
        ["-y", "--no-install-recommends", "chromium"],
    ]


def test_looking_for_a_browser_installs_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "PLACES", ())
    monkeypatch.setattr(chromium, "_worked", lambda command: pytest.fail(f"{command} was run"))

    assert chromium.chromium.__wrapped__() is None
