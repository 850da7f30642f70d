"""What was found in a file, as the set-up page shows it."""

from __future__ import annotations

import pytest
from tests.web.at_work import draft
from tests.web.page_facts import broken_rules, fields, texts, tree

pytestmark = pytest.mark.django_db


def page(client, data: bytes, name: str):
    return client.get(draft(data, name).get_absolute_url())


def facts(response) -> str:
    return texts(response, ".muted")[0]


def test_semicolons_and_layout_are_named(client):
    response = page(client, b"left;right;winner\nx;y;left\ny;z;tie\nx;z;right\n", "pairs.csv")

    assert facts(response) == (
        "45 bytes · Text table · one row per comparison of two · divided by semicolons"
    )


def test_lists_are_shown_as_lines(client):
    response = page(client, b"essay ada x:1 > y:2\nessay bob y:1 > x:2\n", "class.pgf")

    assert facts(response) == "40 bytes · PGF file · one list per line, best first"
    assert texts(response, ".lines") == ["essay ada x:1 > y:2 essay bob y:1 > x:2"]
    assert [name for name in fields(response) if name.startswith("column_")] == []
    assert broken_rules(response) == []


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
