"""The report of a class that is too large for a page: both ends of every table, and never many bytes."""

from __future__ import annotations

import pytest

import peerage
from peerage.report import report_html, tables

MADE = peerage.simulate(items=300, graders=320, per_grader=6, seed=5).rows


@pytest.fixture(scope="module")
def result():
    return peerage.grade(peerage.read(MADE))


def test_tables_show_both_ends_and_say_so(result, monkeypatch):
    monkeypatch.setattr(tables, "CARRIED", 250)

    page = report_html(result)

    order = result.items["item"].to_list()
    for name in (*order[:3], *order[-3:]):
        assert f'dir="auto">{name}<' in page
    middle = order[150]
    assert f'dir="auto">{middle}<' not in page.split('id="grades"')[1].split("</table>")[0]
    assert "The first and the last 100 of 300 rows. All are in grades.csv." in page
    assert "The first and the last 100 of 320 rows. All are in graders.csv." in page
    assert 'id="grades-rows"' not in page
    assert 'id="graders-rows"' not in page


def test_rows_that_weigh_too_much_are_not_carried(result, monkeypatch):
    assert 'id="grades-rows"' in report_html(result)
    monkeypatch.setattr(tables, "CARRIED_BYTES", 5_000)

    page = report_html(result)

    assert 'id="grades-rows"' not in page
    assert "The first 200 of 300 rows. All are in grades.csv." in page
    assert 'id="grades" data-tools' not in page
