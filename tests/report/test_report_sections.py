"""The report is laid out from one list of sections."""

import re

import pytest

from peerage import Feedback, grade
from peerage.report import report_html, sections
from peerage.report.sections import SECTIONS, Section


@pytest.fixture(scope="module")
def result():
    return grade(Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])]))


def test_every_section_is_listed_and_there(result):
    page = report_html(result)

    links = re.findall(r'<li><a href="#([\w-]+)">', page)
    assert links == re.findall(r'<section id="([\w-]+)"', page) == [section.anchor for section in SECTIONS]


def test_a_new_section_is_one_entry(result, monkeypatch):
    """Its own part, made from the result, and a place in the list of sections."""
    own = {"heads": lambda result: f"<p>{result.feedback.n_graders} heads</p>"}
    new = Section("heads", "heads", "Heads", "Heads are better than one", "$heads", own)
    monkeypatch.setattr(sections, "SECTIONS", (*SECTIONS, new))

    page = report_html(result)

    assert '<li><a href="#heads">Heads</a></li>' in page
    assert '<h2 id="heads-title">Heads are better than one</h2>\n<p>3 heads</p>\n</section>' in page
