"""What a look at a draft finds: the library's own words, with the names of the page; and the example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.reading import exports
from tests.reading.test_damage import DAMAGES
from tests.web.at_work import draft
from tests.web.page_facts import broken_rules, fields, texts, tree
from typer.testing import CliRunner

from peerage import AmbiguousReadingError, read
from peerage.cli import app
from peerage.reading.reading import Reading
from peerage_web.files.services.drafts import (
    add_file,
    create_example_job,
    create_job,
    preview_job,
    upload_of_text,
)
from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions, PageFields
from peerage_web.sandbox.work.reading import preview_files

pytestmark = pytest.mark.django_db
POSTERS = Path(__file__).parents[3] / "examples" / "posters"


def pasted(text):
    return create_job(upload=upload_of_text(text), visitor="somebody")


def test_a_good_file_is_described():
    job = pasted("who,paper,mark\nada,x,8\nada,y,9\nbob,x,9\nbob,y,8\n")

    reading = Reading(columns={"grader": "who"})
    found = preview_job(job=job, options=JobOptions(reading=reading))

    assert found["problem"] is None
    assert found["sentences"][0] == "Lines 2 to 3: ada ranks y first (9), then x (8)."
    assert found["inspection"]["columns"] == {"grader": "who", "item": "paper", "score": "mark"}
    assert found["preflight"]["counts"]["reviews"] == 4
    assert found["method"]["code"] == "NCS+G"
    assert [finding["code"] for finding in found["preflight"]["findings"]] == ["few-reviews"]


def test_columns_that_nobody_named_are_asked_for_with_something_to_show():
    found = preview_job(job=pasted("aa,bb,cc\nada,x,7\nada,y,9\n"), options=JobOptions())

    assert (found["inspection"]["header"], found["inspection"]["columns"]) == (["aa", "bb", "cc"], {})
    assert (found["preflight"], found["reading"], found["sentences"]) == (None, None, [])
    assert found["problem"]["code"] == "ambiguous-reading"
    assert "name it with “Who graded”" in found["problem"]["detail"]


def test_example_is_the_bundled_class_and_can_be_graded_as_it_is():
    job = create_example_job(visitor="somebody")
    kept = {path.name: path.read_bytes() for path in (job.folder / "input").iterdir()}
    assert kept == {name: (POSTERS / name).read_bytes() for name in ("feedback.csv", "roster.csv")}
    found = preview_job(job=job, options=JobOptions.from_dict(job.options))
    assert (found["problem"], found["preflight"]["warnings"], found["anchors"]) == (None, 0, None)

    staff = SimpleUploadedFile("staff.csv", (POSTERS / "staff.csv").read_bytes())
    add_file(job=job, kind="anchors", upload=staff)

    found = preview_job(job=job, options=JobOptions.from_dict(job.options))
    assert found["anchors"] == {"items": 42, "unknown": [], "unknown_count": 0}


# -- as the library, in this process: what a child makes of it is tested above and in test_web_sandbox ----

READING = ("format", "encoding", "delimiter")
EXPORTS = ["google_grid_of_ranks", "google_best_second_third", "microsoft_ranking", "qualtrics_rank_order",
           "limesurvey_ranking", "moodle_workshop", "canvas_peer_reviews", "cmt_reviews", "hotcrp_reviews",
           "chains_in_cells", "chains_in_lines", "matrix_under_titles"]  # fmt: skip


@pytest.fixture
def looked_at(tmp_path, monkeypatch):
    """Look at a file "my reviews.csv" from within its folder; the current one comes back at the end."""
    (tmp_path / "input").mkdir()
    monkeypatch.chdir(tmp_path)

    def look(data: str | bytes, **options: Any) -> dict[str, Any]:
        content = data.encode() if isinstance(data, str) else data
        (tmp_path / "input" / "my reviews.csv").write_bytes(content)
        bounds = Bounds(reviews=100_000, list_length=100)
        files = JobFiles(str(tmp_path), "my reviews.csv")
        options = JobOptions(reading=Reading(**options))
        return preview_files(files, options, bounds, on_step=lambda step: None)

    return look


def on_command_line(command: str, reading: dict[str, str], columns: dict[str, str]) -> str:
    options = [part for name, value in reading.items() for part in (f"--{name}", value)]
    options += [part for role, name in columns.items() for part in ("--column", f"{role}={name}")]
    answer = CliRunner().invoke(app, [command, "my reviews.csv", *options])
    assert answer.exit_code == 2
    return answer.stderr


def test_long_cells_and_many_columns_are_cut(looked_at):
    header = ",".join(["grader", "item", "score", *(f"c{n}" for n in range(997))])

    found = looked_at(f"{header}\n{'x' * 5000}{',1' * 999}\n")["inspection"]

    assert (found["width"], len(found["header"]), len(found["rows"][0])) == (1000, 300, 300)
    assert found["rows"][0][0] == "x" * 199 + "…"


def test_messages_about_damaged_files_are_those_of_the_command_line(looked_at, monkeypatch):
    monkeypatch.setattr("peerage.cli._terminal.CommandLineFlags", PageFields)
    differ = []
    for damage in DAMAGES:
        columns = {role: name for role, name in damage.options.items() if role not in READING}
        reading = {name: value for name, value in damage.options.items() if name in READING}

        found = looked_at(damage.data, **reading, columns=columns)

        if found["problem"]["code"] == "ambiguous-reading":  # no damage: the two ask in ways of their own
            continue
        said, wanted = f"Error: {found['problem']['detail']}\n", on_command_line("check", reading, columns)
        differ += [] if said == wanted else [(damage.name, said, wanted)]

    assert differ == []


def test_exports_are_read_or_asked_about_as_by_the_library(looked_at):
    for system in EXPORTS:
        data = getattr(exports, system)()
        found = looked_at(data)
        if found["problem"] is not None and found["problem"]["code"] == "ambiguous-reading":
            with pytest.raises(AmbiguousReadingError) as question:
                read(data)
            offers = [tuple(offer["sentences"]) for offer in found["problem"]["readings"]]
            assert (system, offers) == (system, [each.sentences for each in question.value.readings])
            continue
        feedback = read(data)

        assert (system, found["problem"]) == (system, None)
        assert found["direction"] == feedback.direction.to_dict()
        assert tuple(found["preflight"]["notes"]) == feedback.notes
        assert tuple(found["sentences"]) == feedback.sentences
        assert found["preflight"]["counts"]["reviews"] == feedback.n_entries


# -- what was found, as the set-up page shows it -----------------------------------------------------------


def page(client, data: bytes, name: str):
    return client.get(draft(data, name).get_absolute_url())


def facts(response) -> str:
    return texts(response, ".muted")[0]


def test_kind_and_layout_are_named_and_lists_are_shown_as_lines(client):
    pairs = page(client, b"left;right;winner\nx;y;left\ny;z;tie\nx;z;right\n", "pairs.csv")
    lists = page(client, b"essay ada x:1 > y:2\nessay bob y:1 > x:2\n", "class.pgf")

    assert facts(pairs) == "45 bytes · Text table · one row per comparison of two · divided by semicolons"
    assert facts(lists) == "40 bytes · PGF file · one list per line, best first"
    assert texts(lists, ".lines") == ["essay ada x:1 > y:2 essay bob y:1 > x:2"]
    assert [name for name in fields(lists) if name.startswith("column_")] == []
    assert broken_rules(lists) == []


def test_wide_table_shows_the_columns_in_use_and_some_others(client):
    names = [f"note {number}" for number in range(400)]
    header = ",".join(["grader", "item", *names, "score"])
    rows = "".join(f"{grader},{item},{',' * 399},7\n" for grader in "ab" for item in "xy")

    response = page(client, f"{header}\n{rows}".encode(), "wide.csv")

    assert texts(response, "caption") == ["The first rows; 389 more columns not shown"]
    assert "score (found)" in texts(response, "option")
    assert broken_rules(response) == []


def test_hostile_names_stay_text_and_long_cells_are_cut(client):
    evil = "<svg/onload=alert(1)>"
    rows = f"grader,item,score,{evil}\n{evil},x,1,\n{'a' * 400},y,2,\n"

    response = page(client, rows.encode(), f"{evil}.csv")

    assert [node for node in tree(response).all("svg") if "onload" in node.attrs] == []
    assert evil in texts(response, "th")
    assert max(len(text) for text in texts(response, "th")) == 60
    assert broken_rules(response) == []
