"""Every damaged file gives the message of the command line in its folder, with the names of the page."""

from __future__ import annotations

import pytest
from tests.reading.test_damage import DAMAGES
from tests.web.at_work import draft, work_off
from typer.testing import CliRunner

from peerage.cli import app
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.previews import preview_job
from peerage_web.sandbox.contract import Options
from peerage_web.sandbox.contract.naming import PageFields

pytestmark = pytest.mark.django_db(transaction=True)
READING = ("format", "encoding", "delimiter")


@pytest.fixture(autouse=True)
def naming_of_the_page(monkeypatch):
    """Options are named as on the page; all other words must be the same."""
    monkeypatch.setattr("peerage.cli._common.Flags", PageFields)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_message_is_that_of_the_command_line(damage, monkeypatch):
    data = damage.data.encode() if isinstance(damage.data, str) else damage.data
    job = draft(data, "my reviews.csv")
    columns = {role: name for role, name in damage.options.items() if role not in READING}
    reading = {name: value for name, value in damage.options.items() if name in READING}
    monkeypatch.chdir(job.folder / "input")

    found = preview_job(job=job, options=Options(**reading, columns=columns))

    assert f"Error: {found['problem']['detail']}\n" == on_command_line("check", reading, columns)


def test_grading_says_the_same(monkeypatch):
    job = draft(b"grader,item,score\nada,x,1\nada,y,good\n", "my reviews.csv")
    monkeypatch.chdir(job.folder / "input")

    start_job(job=job, options=Options())
    work_off()

    job.refresh_from_db()
    assert f"Error: {job.problem['detail']}\n" == on_command_line("grade", {}, {})


def on_command_line(command: str, reading: dict[str, str], columns: dict[str, str]) -> str:
    options = [part for name, value in reading.items() for part in (f"--{name}", value)]
    options += [part for role, name in columns.items() for part in ("--column", f"{role}={name}")]
    answer = CliRunner().invoke(app, [command, "my reviews.csv", *options])
    assert answer.exit_code == 2
    return answer.stderr
