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
def test_the_report_is_made_of_the_parts(case):
    for anonymous in (False, True):
        page = report_html(case(), anonymous=anonymous)

        parts = report_parts(case(), anonymous=anonymous)

        missing = [name for name, part in parts.items() if name != "title" and part not in page]
        assert missing == [], anonymous


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
    names = ("class_plots", "grades", "methods", "staff")

    links = {name: [linked(a) for a in parse(parts[name]).all("a")] for name in names}

    assert links["class_plots"] == links["grades"] == items
    for name in ("methods", "staff"):
        assert links[name] != []
        assert [link for link in links[name] if link not in items] == []


def test_with_several_tasks_links_name_the_task():
    result = cases.several()

    table = parse(report_parts(result, explain="explain")["grades"])

    assert [linked(a) for a in table.all("a")] == result.items.select("item", "task").to_dicts()


def test_rows_of_a_long_table_can_stand_apart():
    result = cases.large()

    parts = report_parts(result, apart=True)

    assert [row[0] for row in json.loads(parts["grades_rows"])] == result.items["item"].to_list()
    assert len(json.loads(parts["graders_rows"])) == len(result.graders)
    assert len(parse(parts["grades"]).all("tr")) == PLAIN + 1
    assert 'id="grades" data-tools data-rows="grades"' in parts["grades"]
    short = report_parts(cases.plain(), apart=True)
    assert [name for name in short if name.endswith("_rows")] == []
