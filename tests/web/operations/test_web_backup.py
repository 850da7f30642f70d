"""`peerage backup` and `peerage restore`: all of it comes back once, or nothing does."""

import json
import os
import shutil
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from tests.web.at_work import in_background
from tests.web.operations.backups import Load, files_below, full_class, peerage, tables_here, tables_in
from tests.web.service import _new_database
from typer.testing import CliRunner

from peerage.cli import app
from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Course
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.files.models import Job
from peerage_web.operations.backup import create, manifest
from peerage_web.operations.backup import restore as restore_module
from peerage_web.operations.backup.create import create_backup
from peerage_web.operations.backup.database import models_of, name_of
from peerage_web.operations.backup.restore import restore
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def room():
    return full_class()


@pytest.fixture
def made(room, tmp_path) -> Path:
    create_backup(folder=tmp_path / "backup")
    return tmp_path / "backup"


def empty_instance() -> None:
    """What is here is gone, and numbers begin anew, as in a database that was never used."""
    call_command("flush", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        sequences = connection.introspection.sequence_list()
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), sequences):
            cursor.execute(statement)
    shutil.rmtree(settings.DATA)
    settings.STATIC_ROOT.mkdir(parents=True)


def bring_back(folder: Path) -> None:
    restore(folder=folder, manifest=manifest.read(folder))


def wrong_with(folder: Path) -> list[str]:
    return list(manifest.check(folder, manifest.read(folder)))


def elsewhere() -> str | None:
    """Another database of the same kind; None: SQLite in the other folder."""
    return _new_database(os.environ["DATABASE_URL"]) if connection.vendor == "postgresql" else None


# -- all of it ----------------------------------------------------------------------------------------


@pytest.mark.both
def test_all_comes_back_elsewhere_row_by_row_and_byte_by_byte(made, tmp_path):
    """By the commands, and what they restored they back up again as it was, for its owner alone."""
    before, data, url, second = tables_here(), tmp_path / "again", elsewhere(), tmp_path / "second"

    restored = peerage("restore", str(made), data=data, url=url)

    assert restored.returncode == 0, restored.stderr
    assert tables_in(data, url) == before
    assert all(before[f"peerage_web_{name}"] for name in ("event", "job", "submissionfile", "mail"))
    assert files_below(data / "submissions") == files_below(settings.SUBMISSIONS)
    assert (data / "secret.key").is_file()

    again = peerage("backup", str(second), data=data, url=url)

    assert again.returncode == 0, again.stderr
    assert files_below(second / "rows") == files_below(made / "rows")
    assert files_below(second / "files") == files_below(made / "files")
    assert f"SHA-256 of its manifest: {manifest.sha256_of(second / 'manifest.json')[1]}" in again.stdout
    assert {path.stat().st_mode & 0o077 for path in second.rglob("*")} == {0}


@pytest.mark.both
def test_it_comes_back_here_and_numbers_go_on(room, tmp_path):
    """Those of rows that were deleted before the backup are not given out again either."""
    person = Person.objects.first()
    queue_mail(person=person, kind="reset", context={})
    gone = Mail.objects.order_by("pk").last().pk
    Mail.objects.all().delete()
    create_backup(folder=tmp_path / "backup")
    before, last = tables_here(), Event.objects.order_by("pk").last().pk
    empty_instance()

    bring_back(tmp_path / "backup")

    assert tables_here() == before
    assert Event.objects.create(course=Course.objects.first(), verb="course-created").pk > last
    queue_mail(person=person, kind="reset", context={})
    assert Mail.objects.get().pk > gone


def test_a_backup_of_one_database_goes_into_the_other(made, tmp_path):
    """On PostgreSQL, into SQLite, and from there back."""
    if connection.vendor != "postgresql":
        pytest.skip("needs both databases: python -m tests.on_postgres")
    before, data, second = tables_here(), tmp_path / "sqlite", tmp_path / "second"

    assert peerage("restore", str(made), data=data).returncode == 0
    assert peerage("backup", str(second), data=data).returncode == 0
    empty_instance()
    bring_back(second)

    assert tables_here() == before


@pytest.mark.both
def test_a_backup_of_an_older_version_is_brought_up_to_date(made, tmp_path):
    executor = MigrationExecutor(connection)
    leaves = set(executor.loader.graph.leaf_nodes("peerage_web"))
    kept = [one for one in manifest.read(made).migrations if tuple(one) not in leaves]
    ends = [one for one in executor.loader.graph.nodes if list(one) in kept and one[0] == "peerage_web"]
    old = executor.loader.project_state([max(ends)]).apps.get_model("peerage_web", "Person")
    columns = {one.attname for one in old._meta.concrete_fields}
    lines = (made / "rows" / "person.jsonl").read_text().splitlines()
    rows = [{name: value for name, value in json.loads(one).items() if name in columns} for one in lines]
    older = tmp_path / "older"
    (older / "rows").mkdir(parents=True)
    (older / "files").mkdir()
    (older / "rows" / "person.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    manifest.write_list(older, [])
    parts = [manifest.part_of(older, older / name) for name in ("rows/person.jsonl", "files.jsonl")]
    manifest.BackupManifest("then", "0", "sqlite", kept, {"person": len(rows)}, {}, parts).write(older)
    url = elsewhere()

    done = peerage("restore", str(older), data=tmp_path / "again", url=url)

    assert done.returncode == 0, done.stderr
    found = tables_in(tmp_path / "again", url)
    assert len(found["peerage_web_person"]) == len(rows) > 0
    assert found.keys() == tables_here().keys()


# -- what is not in it ----------------------------------------------------------------------------------


def test_what_passes_and_what_opens_doors_is_left_out(made):
    rows = {path.stem: path.read_text().count("\n") for path in (made / "rows").iterdir()}

    kept = Job.objects.filter(expires_at=None).count()
    assert 0 < rows["job"] == kept < Job.objects.count()
    assert {"requestcount", "signin", "rosterimport", "session"} & rows.keys() == set()
    assert [path for path in made.rglob("*") if "secret" in path.name or path.suffix == ".sqlite3"] == []
    assert len(list((made / "files" / "jobs").iterdir())) == kept


def test_what_was_missing_or_damaged_before_is_told(room, tmp_path):
    first, second, *_rest = SubmissionFile.objects.order_by("pk")
    first.original.write_text("something else")
    second.original.unlink()

    found = create_backup(folder=tmp_path / "backup").manifest

    assert found.damaged == [f"submissions/{first.stored}/original"]
    assert found.missing == [f"submissions/{second.stored}/original"]
    assert wrong_with(tmp_path / "backup") == []


@pytest.mark.both
def test_a_draft_thrown_away_meanwhile_is_in_neither_part(room, tmp_path, monkeypatch):
    file = SubmissionFile.objects.first()
    real = create.folders

    def throw_away():
        SubmissionFile.objects.filter(pk=file.pk).delete()
        shutil.rmtree(file.folder, ignore_errors=True)

    def folders(alias):
        found = list(real(alias))
        with in_background(throw_away):
            pass
        return found

    monkeypatch.setattr(create, "folders", folders)

    found = create_backup(folder=tmp_path / "backup").manifest

    assert (found.missing, found.damaged) == ([], [])
    assert file.stored not in (tmp_path / "backup" / "rows" / "submissionfile.jsonl").read_text()
    assert not (tmp_path / "backup" / "files" / "submissions" / file.stored).exists()


# -- a backup that is not what it was ---------------------------------------------------------------------


def checked(folder: Path) -> tuple[int, str]:
    """What `peerage restore --check` says; it looks at no instance."""
    done = CliRunner().invoke(app, ["restore", "--check", str(folder)])
    return done.exit_code, " ".join(done.output.split())


def test_every_change_of_a_backup_is_found(made):
    file = next(path for path in (made / "files").rglob("original"))
    name = file.relative_to(made).as_posix()
    whole = file.read_bytes()
    code, said = checked(made)
    assert (code, "All of it is there and unchanged" in said) == (0, True)

    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert [one.split(" was")[0] for one in wrong_with(made)] == [name]
    file.unlink()
    assert wrong_with(made) == [f"{name} is not there"]
    file.write_bytes(whole)
    (made / "files" / "more").write_text("")
    code, said = checked(made)
    assert (code, "files/more does not belong to the backup" in said) == (2, True)
    with (made / "rows" / "person.jsonl").open("a") as rows:
        rows.write("{}\n")
    assert [one.split(" was")[0] for one in wrong_with(made)] == ["rows/person.jsonl"]
    (made / "manifest.json").unlink()
    code, said = checked(made)
    assert (code, "is no complete backup" in said) == (2, True)


# -- where it may go ----------------------------------------------------------------------------------


def test_nothing_is_written_over_what_is_there(made):
    with pytest.raises(Refused, match="is not empty"):
        create_backup(folder=made)
    with pytest.raises(Refused, match="would be lost with it"):
        create_backup(folder=settings.DATA / "backup")
    before = tables_here()
    shutil.rmtree(settings.DATA)
    with pytest.raises(Refused, match="the database is not empty"):
        bring_back(made)
    assert tables_here() == before

    call_command("flush", interactive=False, verbosity=0)
    other = settings.SUBMISSIONS / "other" / "original"
    other.parent.mkdir(parents=True)
    other.write_text("mine")
    with pytest.raises(Refused, match="has files already"):
        bring_back(made)
    assert other.read_text() == "mine"

    shutil.rmtree(settings.DATA)
    settings.HEARTBEATS.mkdir(parents=True)
    (settings.HEARTBEATS / "maintenance.here").touch()
    with pytest.raises(Refused, match="a service runs on"):
        bring_back(made)


@pytest.mark.both
def test_of_rows_that_cannot_all_be_taken_none_is_and_a_second_restore_takes_all(made):
    """Also where the first one was interrupted while it copied a file."""
    before = tables_here()
    empty_instance()
    path = made / "rows" / "submission.jsonl"
    whole = path.read_text()
    path.write_text(whole + whole.splitlines()[0] + "\n")  # the same submission twice

    with pytest.raises(Refused, match="takes not all of it, so none"):
        bring_back(made)
    assert all(rows == [] for rows in tables_here().values())

    path.write_text(whole)
    shutil.copytree(made / "files" / "submissions", settings.SUBMISSIONS, dirs_exist_ok=True)
    half = next(settings.SUBMISSIONS.rglob("original"))
    half.write_bytes(half.read_bytes()[:3])

    bring_back(made)

    assert tables_here() == before
    assert files_below(settings.SUBMISSIONS) == files_below(made / "files" / "submissions")


def test_a_row_that_the_database_changes_undoes_the_restore(made, monkeypatch):
    """Every row is compared with the backup once it is there."""
    empty_instance()
    path = made / "rows" / "course.jsonl"
    row = json.loads(path.read_text().splitlines()[0])
    meant = json.dumps({**row, "title": "Another title"}) + "\n"
    insert = restore_module.insert_rows

    def insert_and_change(model, rows, alias):
        insert(model, rows, alias)
        if name_of(model) == "course":
            path.write_text(meant)

    monkeypatch.setattr(restore_module, "insert_rows", insert_and_change)

    with pytest.raises(Refused, match="row 1 of course did not become what the backup has"):
        bring_back(made)

    assert all(rows == [] for rows in tables_here().values())


# -- while others write -------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.both
def test_under_load_nothing_is_torn_lost_or_doubled(room, tmp_path):
    """Students save and submit files and rankings all the time; every backup has each of them whole."""
    with Load(room) as load:
        for number in range(3):
            load.wait_for_more(5)
            before = set(load.submitted)
            create_backup(folder=tmp_path / str(number))
            _look_at(tmp_path / str(number), before)
    assert load.faults == []
    empty_instance()

    bring_back(tmp_path / "2")


@pytest.mark.parametrize(("spoilt", "refused"), [(50, False), (create.TRIES, True)])
def test_drafts_that_are_thrown_away_meanwhile_are_waited_out(room, tmp_path, monkeypatch, spoilt, refused):
    tried, count = create._copy_once, [0]

    def spoiling(folder, copied):
        count[0] += 1
        if count[0] > spoilt:
            return tried(folder, copied)
        (folder / "files").mkdir(exist_ok=True)
        missing = [f"submissions/{count[0]}/original"]
        return manifest.BackupManifest("", "", "", [], {}, {}, [], missing, []), []

    monkeypatch.setattr(create, "_copy_once", spoiling)

    if refused:
        with pytest.raises(Refused, match="faster than they can be copied"):
            create_backup(folder=tmp_path / "made")
    else:
        assert create_backup(folder=tmp_path / "made").manifest.missing == []
        assert count[0] == spoilt + 1


def _look_at(folder: Path, before: set[str]) -> None:
    """What was confirmed before is there, once; and everything that is there has all its parts."""

    def rows(name):
        return [json.loads(line) for line in (folder / "rows" / f"{name}.jsonl").read_text().splitlines()]

    receipts = [one["receipt"] for one in rows("submittedranking") + rows("submissionversion")]
    assert len(receipts) == len(set(receipts))
    assert before <= set(receipts)
    assert wrong_with(folder) == []
    assert (manifest.read(folder).missing, manifest.read(folder).damaged) == ([], [])
    told = [one for one in rows("event") if one["verb"] in ("ranking-submitted", "submission-submitted")]
    whole = [one for one in rows("submittedranking") if one["sha256"] != "0" * 64]
    submissions = [one for one in rows("submissionversion") if one["sha256"].startswith("load")]
    assert len(told) == len(whole) + len(submissions)
    files = {one["version_id"]: one["stored"] for one in rows("submissionfile")}
    for one in submissions:
        assert (folder / "files" / "submissions" / files[one["id"]] / "original").is_file()


def test_every_table_is_kept_but_those_that_pass():
    """Also those of which the class of these tests has no row."""
    ours = {one._meta.model_name for one in apps.get_app_config("peerage_web").get_models()}

    assert ours - {name_of(one) for one in models_of()} == {"requestcount", "signin", "rosterimport"}
