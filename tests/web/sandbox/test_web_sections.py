"""A section that the report has and the page does not know is shown after those it arranges."""

import json

from peerage import Feedback, grade
from peerage.report.sections import SECTIONS, Section
from peerage_web.sandbox.work.grading import ARRANGED_SECTIONS, write_result_parts

OWN = {"heads": lambda result: f"{result.feedback.n_graders} heads"}
HEADS = Section("heads", "heads", "Heads", "Heads", "$heads", OWN)


def parts_of(folder):
    orders = [("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])]
    write_result_parts(grade(Feedback.from_orders(orders)), folder)
    return json.loads((folder / "parts.json").read_text(encoding="utf-8"))


def test_the_page_has_a_place_for_every_section_of_today(tmp_path):
    parts = parts_of(tmp_path)

    assert {section.anchor for section in SECTIONS} == ARRANGED_SECTIONS
    assert (parts["more"], parts["more_links"]) == ("", "")


def test_a_new_section_needs_no_place_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr("peerage.report.sections.SECTIONS", (*SECTIONS, HEADS))

    parts = parts_of(tmp_path)

    assert '<h2 id="heads-title">Heads</h2>\n3 heads\n</section>' in parts["more"]
    assert parts["more_links"] == '<li><a href="#heads">Heads</a></li>'
