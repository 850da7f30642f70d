"""Migrations say what the models say, and what was released of them stays."""

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from tests.web.released_migrations import APP, changed, present, released

from peerage_web.classes.courses.models import Course
from peerage_web.operations.backup.restore import _fitting
from peerage_web.operations.schema import misfit
from peerage_web.shared.errors import Refused


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)  # exits where one is


# -- what was released ---------------------------------------------------------------------------------


def test_released_migrations_are_only_added_to():
    assert changed(released(), present()) == []


def test_what_was_released_and_changed_is_noticed():
    """Tried on a release that was never made."""
    first, second, *rest = now = present()
    then = {"0.0": {first: now[first], second: now[second]}}

    assert changed(then, now) == []
    assert changed(then, {**now, second: "other"}) == [f"0.0: {second} was changed or removed"]
    assert changed(then, {first: now[first]}) == [f"0.0: {second} was changed or removed"]
    between = {first: now[first], "0001_between": "x", second: now[second]}
    assert changed(then, between) == ["0.0: a migration was put before those that are released"]
    assert rest


@pytest.fixture
def empty(tmp_path):
    """An empty SQLite beside the database of the tests."""
    connections.databases["empty"] = {
        **connections["default"].settings_dict, "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(tmp_path / "empty.sqlite3"), "OPTIONS": {},
    }  # fmt: skip
    yield connections["empty"]
    connections["empty"].close()
    del connections["empty"], connections.databases["empty"]


@pytest.mark.full
@pytest.mark.parametrize("version", ["never made", *released()])
def test_a_released_state_is_brought_up_to_date(empty, django_db_blocker, version):
    last = list(released().get(version, {})) or list(present())[:3]
    with django_db_blocker.unblock():
        MigrationExecutor(empty).migrate([(APP, last[-1])])
        assert misfit(empty) == ""
        executor = MigrationExecutor(empty)
        executor.migrate(executor.loader.graph.leaf_nodes())
        assert misfit(empty) == ""


# -- what was not --------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_newer_and_unreleased_databases_are_told_apart():
    recorder, last = MigrationRecorder(connection), list(present())[-1]
    assert misfit(connection) == ""

    recorder.record_applied(APP, "0999_later")
    assert misfit(connection).startswith(
        "the database is of a newer Peerage (peerage_web.0999_later is unknown"
    )

    for recorded, withdrawn in (("0002_old", ""), ("0999_later", last)):  # from between; from before
        MigrationRecorder.Migration.objects.filter(app=APP, name__in=["0999_later", withdrawn]).delete()
        recorder.record_applied(APP, recorded)
        reason = misfit(connection)
        assert reason.startswith(
            "the database was made by an unreleased Peerage, older than 0.1 (peerage_web.0"
        )
        assert "export each of them with the version that made it" in reason


@pytest.mark.django_db
@pytest.mark.both
@pytest.mark.parametrize("change", ["DROP COLUMN term", "ADD COLUMN former integer"])
def test_a_database_whose_migrations_were_edited_is_not_called_up_to_date(change):
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE peerage_web_course {change}")

    assert "(its table peerage_web_course is not that of any release)" in misfit(connection)


def test_a_backup_with_other_columns_is_refused():
    with pytest.raises(Refused, match="the backup was made by an unreleased Peerage"):
        list(_fitting(iter([{"id": 1, "former": 2}]), Course))
