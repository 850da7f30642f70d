"""What the tests of the web service share: a data folder of their own."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.web.messages import compile_all
from tests.web.service import Service

compile_all()  # the translations, before Django reads them: what is tested is what the .po files say


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, tmp_path_factory) -> None:
    """SQLite in a file, as in service: in memory, threads that share it lock each other out."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database.setdefault("TEST", {})["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def rows_are_deleted() -> Iterator[None]:
    """After a test PostgreSQL deletes rows; to make all tables anew, as Django has it, takes far longer."""
    if "DATABASE_URL" not in os.environ:
        yield
        return
    from django.db.backends.postgresql.operations import DatabaseOperations

    def sql_flush(self, style, tables, **_) -> list[str]:
        delete = [f"DELETE FROM {self.quote_name(table)}" for table in tables]
        return [
            "SET LOCAL session_replication_role = replica",
            *delete,
        ]  # in any order

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(autouse=True)
def patient(settings) -> None:
    """On a busy machine an answer may take long; tests of what takes too long shorten it."""
    settings.LIMITS = replace(settings.LIMITS, direct_seconds=600)


@pytest.fixture
def limits(settings) -> Callable[..., None]:
    """Change limits: `limits(reviews=10)`."""

    def change(**changes: int) -> None:
        settings.LIMITS = replace(settings.LIMITS, **changes)

    return change


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path: Path) -> Path:
    """Every test has its own uploads and results, and quick passwords: a good hash takes half a second."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.DATA = tmp_path / "data"
    settings.JOBS, settings.HEARTBEATS = settings.DATA / "jobs", settings.DATA / "heartbeats"
    settings.ROSTERS, settings.SUBMISSIONS = settings.DATA / "rosters", settings.DATA / "submissions"
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


@pytest.fixture(autouse=True)
def one_window(monkeypatch) -> None:
    """Requests are counted by the minute and the hour, and a new one may begin while a test runs."""
    from peerage_web.accounts.services import sign_in
    from peerage_web.shared.services import rate_limits

    first_asked = cache(rate_limits.window_start)
    for where in (rate_limits, sign_in):
        monkeypatch.setattr(where, "window_start", first_asked)


@pytest.fixture
def posters() -> bytes:
    """A bundled class."""
    return (Path(__file__).parents[2] / "examples" / "posters" / "feedback.csv").read_bytes()


@pytest.fixture(scope="session")
def service(tmp_path_factory) -> Iterator[Service]:
    """A real `peerage serve`, started when the first test asks for it; tests must leave it running.

    It has patience: on a busy machine, answers that are given at once may take long.
    """
    made = Service(tmp_path_factory.mktemp("service") / "shared", PEERAGE_MAX_DIRECT_SECONDS="600")
    made.start()
    yield made
    made.stop()
