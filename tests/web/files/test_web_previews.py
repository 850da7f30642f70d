"""What a look at a draft finds: the library's own words, with the names of the page; and the example."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.web.at_work import draft
from tests.web.page_facts import broken_rules, fields, texts, tree

from peerage import read
from peerage.reading.reading import Reading
from peerage_web.files.services.drafts import add_file, create_example_job, preview_job
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db
POSTERS = Path(__file__).parents[3] / "examples" / "posters"


def test_a_good_file_is_described_as_the_library_reads_it():
    data = b"who,paper,mark\nada,x,8\n\nada,y,9\nbob,x,9\nbob,y,8\n"
    reading = Reading(columns={"grader": "who"})
    feedback = read(data, reading=reading)

    found = preview_job(job=draft(data), options=JobOptions(reading=reading))

    assert found["problem"] is None
    assert found["sentences"] == list(feedback.sentences)
    assert found["direction"] == feedback.direction.to_dict()
    assert found["preflight"]["notes"] == list(feedback.notes) != []  # an empty row
    assert found["inspection"]["columns"] == {"grader": "who", "item": "paper", "score": "mark"}
    assert found["preflight"]["counts"]["reviews"] == 4
    assert found["method"]["code"] == "NCS+G"
    assert [finding["code"] for finding in found["preflight"]["findings"]] == ["few-reviews"]


def test_columns_that_nobody_named_are_asked_for_with_something_to_show():
    found = preview_job(job=draft(b"aa,bb,cc\nada,x,7\nada,y,9\n"), options=JobOptions())

    assert (found["inspection"]["header"], found["inspection"]["columns"]) == (["aa", "bb", "cc"], {})
    assert (found["preflight"], found["reading"], found["sentences"]) == (None, None, [])
    assert found["problem"]["code"] == "ambiguous-reading"
    assert "name it with “Who graded”" in found["problem"]["detail"]


def test_long_cells_and_many_columns_are_cut():
    header = ",".join(["grader", "item", "score", *(f"c{n}" for n in range(997))])
    job = draft(f"{header}\n{'x' * 5000}{',1' * 999}\n".encode())

    shown = preview_job(job=job, options=JobOptions())["inspection"]

    assert (shown["width"], len(shown["header"]), len(shown["rows"][0])) == (1000, 300, 300)
    assert shown["rows"][0][0] == "x" * 199 + "…"


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


# -- what was found, as the set-up page shows it -----------------------------------------------------------


def page(client, data: bytes, name: str):
    return client.get(draft(data, name).get_absolute_url())


def test_kind_and_layout_are_named_and_lists_are_shown_as_lines(client):
    pairs = page(client, b"left;right;winner\nx;y;left\ny;z;tie\nx;z;right\n", "pairs.csv")
    lists = page(client, b"essay ada x:1 > y:2\nessay bob y:1 > x:2\n", "class.pgf")

    table = "45 bytes · Text table · one row per comparison of two · divided by semicolons"
    assert texts(pairs, ".muted")[0] == table
    assert texts(lists, ".muted")[0] == "40 bytes · PGF file · one list per line, best first"
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
