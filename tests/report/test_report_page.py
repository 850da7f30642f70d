import base64
import hashlib
import json
import re

import report_cases as cases
from page_rules import parse

from peerage.report import report_html, tables, write_report
from peerage.report.page import data_block
from peerage.report.sections import SECTIONS
from peerage.report.tables import PLAIN


def called(page, name):
    """The element of this id."""
    return next(node for node in page.walk() if node.attrs.get("id") == name)


def rows_of(page, name):
    rows = called(page, name).all("tbody")[0].all("tr")
    return [[cell.content for cell in row.all("th", "td")] for row in rows]


def test_the_table_has_every_item_in_order():
    result = cases.lettered()

    page = parse(report_html(result))
    names = [cell.text.strip() for cell in called(page, "grades").all("thead")[0].all("th")]
    rows = [dict(zip(names, row, strict=True)) for row in rows_of(page, "grades")]

    assert [row["Item"] for row in rows] == result.items["item"].to_list()
    assert [row["Rank"] for row in rows] == [str(rank) for rank in result.items["rank"]]
    assert [row["Letter"] for row in rows] == result.items["letter"].to_list()


def test_the_plot_has_a_mark_per_item_and_says_what_it_shows():
    result = cases.lettered()
    first = result.items.row(0, named=True)

    plot = called(parse(report_html(result)), "class-plot-1")
    marks = [node for node in plot.walk() if node.attrs.get("class") == "mark"]

    assert len(marks) == 12
    assert marks[0].attrs["aria-label"].startswith(f"{first['item']}: rank 1 (likely {first['rank_low']} to")
    assert [node.attrs["tabindex"] for node in marks] == ["0"] + ["-1"] * 11


def test_the_same_result_gives_the_same_bytes(tmp_path):
    one, other = (write_report(cases.hostile(), tmp_path / name) for name in ("one.html", "other.html"))

    assert one.read_bytes() == other.read_bytes()


def test_every_section_is_listed_and_there():
    page = report_html(cases.plain())

    links = re.findall(r'<li><a href="#([\w-]+)">', page)
    assert links == re.findall(r'<section id="([\w-]+)"', page) == [section.anchor for section in SECTIONS]


def test_a_large_class_is_drawn_as_a_line_and_carries_its_rows_as_data():
    result = cases.large()
    page = report_html(result)
    root = parse(page)

    data = re.search(r'<script type="application/json" id="grades-rows">(.*?)</script>', page)
    classes = {node.attrs.get("class") for node in root.walk()}

    assert len(rows_of(root, "grades")) == PLAIN
    assert [row[0] for row in json.loads(data[1])] == result.items["item"].to_list()
    assert f"The first {PLAIN} of {len(result.items)} rows. All are in grades.csv." in page
    assert "ribbon" in classes
    assert "marks" not in classes


def test_tables_too_long_to_be_carried_show_both_ends_and_say_so(monkeypatch):
    monkeypatch.setattr(tables, "CARRIED", 250)

    result = cases.large()
    page = report_html(result)

    shown, order = [row[0] for row in rows_of(parse(page), "grades")], result.items["item"].to_list()
    assert [item for item in shown if item in order] == order[:100] + order[-100:]
    for name, rows in (("grades", result.items), ("graders", result.graders)):
        assert f"The first and the last 100 of {len(rows)} rows. All are in {name}.csv." in page
        assert f'id="{name}-rows"' not in page


def test_rows_that_weigh_too_much_are_not_carried(monkeypatch):
    monkeypatch.setattr(tables, "CARRIED_BYTES", 5_000)

    result = cases.large()
    page = report_html(result)

    assert 'id="grades-rows"' not in page
    assert f"The first {PLAIN} of {len(result.items)} rows. All are in grades.csv." in page
    assert 'id="grades" data-tools' not in page


def test_hostile_labels_stay_text():
    page = report_html(cases.hostile())
    root = parse(page)

    assert [node.tag for node in root.walk() if node.tag in ("img", "i")] == []
    assert len(root.all("script")) == 1
    shown = cases.HOSTILE.replace("\x07", "\ufffd")
    assert shown in [row[0] for row in rows_of(root, "grades")]
    assert root.all("h1")[0].content == f"Peer grading: {shown}"


def test_data_for_the_script_cannot_leave_its_element():
    block = data_block("x", [[cases.HOSTILE, "\u2028"]])

    assert block.count("<") == 2
    assert json.loads(block.partition(">")[2].rpartition("</script>")[0]) == [[cases.HOSTILE, "\u2028"]]


def test_the_policy_allows_our_script_and_style_alone():
    root = parse(report_html(cases.plain()))
    policy = next(m.attrs["content"] for m in root.all("meta") if "http-equiv" in m.attrs)

    def allowed(node):
        digest = base64.b64encode(hashlib.sha256(node.content.encode()).digest()).decode()
        return f"'sha256-{digest}'" in policy

    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert [allowed(node) for node in (*root.all("style"), *root.all("script"))] == [True, True]


def test_the_script_writes_text_never_markup():
    script = parse(report_html(cases.plain())).all("script")[-1].content

    assert re.findall("innerHTML|insertAdjacentHTML|document.write", script) == []


def test_tasks_beyond_a_handful_are_left_to_the_table():
    page = report_html(cases.several())

    assert page.count('<figure class="plot" id="class-plot-') == 6
    assert "2 more tasks are in the table of grades below." in page


def test_equal_reliabilities_are_not_shown():
    heads = [th.content for th in parse(report_html(cases.several())).all("th")]

    assert "Reliability" not in heads
    assert "Reliability" in [th.content for th in parse(report_html(cases.lettered())).all("th")]
