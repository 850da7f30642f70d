"""What the tests of the web service share: a data folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.service import Service


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path: Path) -> Path:
    """Every test has its own uploads and results."""
    settings.DATA = tmp_path / "data"
    settings.JOBS = settings.DATA / "jobs"
    settings.INCOMING = settings.DATA / "incoming"
    settings.INCOMING.mkdir(parents=True)
    settings.FILE_UPLOAD_TEMP_DIR = str(settings.INCOMING)
    settings.STATIC_ROOT = settings.DATA / "static"
    settings.STATIC_ROOT.mkdir()
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    return settings.DATA


@pytest.fixture
def posters() -> bytes:
    """A bundled class."""
    return (Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv").read_bytes()


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Service]:
    """A real `peerage serve`, started when the first test asks for it; tests must leave it running."""
    made = Service(tmp_path_factory.mktemp("service") / "shared")
    made.start()
    yield made
    made.stop()
