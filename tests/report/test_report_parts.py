"""The parts of the report, for pages of others."""

import json
from urllib.parse import parse_qs

import pytest
import report_cases as cases
from page_rules import parse

from peerage.report import report_html, report_parts
from peerage.report.tables import PLAIN


def linked(node):
    """Item and task of a link, or nothing for a link elsewhere."""
    address, _, asked = node.attrs.get("href", "").partition("?")
    assert address == "explain"
    return {name: values[0] for name, values in parse_qs(asked, strict_parsing=True).items()}


@pytest.mark.parametrize("case", cases.ALL)
@pytest.mark.parametrize("anonymous", [False, True])
def test_the_report_is_made_of_the_parts(case, anonymous):
    page = report_html(case(), anonymous=anonymous)

    parts = report_parts(case(), anonymous=anonymous)

    assert [name for name, part in parts.items() if name != "title" and part not in page] == []


@pytest.mark.parametrize("case", cases.ALL)
def test_parts_nest_and_hold_neither_style_nor_script(case):
    parts = report_parts(case(), explain="explain", apart=True)

    nodes = [node for name, part in parts.items() if "rows" not in name and name != "title"
             for node in parse(part).walk()]  # fmt: skip

    assert [node.tag for node in nodes if node.tag in ("style", "script", "img", "i")] == []
    assert [name for node in nodes for name in node.attrs if name == "style" or name.startswith("on")] == []


@pytest.mark.parametrize("case", [cases.lettered, cases.hostile])
def test_items_lead_to_their_explanation(case):
    result = case()
    parts = report_parts(result, explain="explain")
    items = [{"item": item} for item in result.items["item"]]

    assert [linked(a) for a in parse(parts["class_plots"]).all("a")] == items
    assert "in order of rank, best first" in parts["class_plots"]
    assert [linked(a) for a in parse(parts["grades"]).all("a")] == items


def test_with_several_tasks_links_name_the_task():
    result = cases.several()

    table = parse(report_parts(result, explain="explain")["grades"])

    assert [linked(a) for a in table.all("a")] == result.items.select("item", "task").to_dicts()


@pytest.mark.parametrize("name", ["methods", "staff"])
def test_items_of_every_table_lead_somewhere(name):
    result = cases.lettered()

    links = parse(report_parts(result, explain="explain")[name]).all("a")

    assert {linked(a)["item"] for a in links} <= set(result.items["item"])
    assert links != []


def test_rows_of_a_long_table_can_stand_apart():
    result = cases.large()

    parts = report_parts(result, apart=True)

    assert [row[0] for row in json.loads(parts["grades_rows"])] == result.items["item"].to_list()
    assert len(json.loads(parts["graders_rows"])) == len(result.graders)
    assert len(parse(parts["grades"]).all("tr")) == PLAIN + 1
    assert 'id="grades" data-tools data-rows="grades"' in parts["grades"]


def test_a_short_table_has_no_rows_apart():
    assert not [name for name in report_parts(cases.plain(), apart=True) if name.endswith("_rows")]
