"""The report in a real browser: what must be in sight is in sight, on a screen, a phone and paper."""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from tests.web.browser import chromium

from peerage import grade
from peerage.report import write_report

pytestmark = pytest.mark.browser
POSTERS = Path(__file__).parents[2] / "examples" / "posters"
WIDTHS = "[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Everything that makes the tables wide: points, letters and staff grades."""
    result = grade(
        POSTERS / "feedback.csv", scale=(0, 10), letters="A>=8.5,B>=7,C>=6,D", anchors=POSTERS / "staff.csv"
    )
    return write_report(result, tmp_path_factory.mktemp("report") / "report.html", title="Posters <2026>")


@pytest.fixture(scope="module")
def browser():
    path = chromium.chromium()
    if path is None:
        pytest.skip(chromium.missing())
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=chromium.OPTIONS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser, report):
    def opened(width, media="screen"):
        shown = browser.new_page(viewport={"width": width, "height": 900})
        shown.emulate_media(media=media)
        shown.goto(report.as_uri())
        return shown

    return opened


def test_no_column_is_cut_off_on_a_laptop(page):
    assert set(page(1280).evaluate(WIDTHS)) == {0}


def test_names_stay_on_one_line_on_a_phone(page):
    phone = page(360)
    heights = "[...document.querySelectorAll('#{} tbody th')].map(e => e.getClientRects()[0].height)"

    for table in ("grades", "graders"):
        assert max(phone.evaluate(heights.replace("{}", table))) < 40
    assert phone.evaluate("document.documentElement.scrollWidth") == 360


def test_the_table_of_graders_is_summarised_in_print(page):
    shown = "[...document.querySelectorAll('#{} tbody tr')].filter(e => e.offsetParent !== null).length"
    printed = page(688, "print")  # what is left of A4 between the margins

    assert printed.evaluate(shown.replace("{}", "graders")) == 20
    assert printed.evaluate(shown.replace("{}", "grades")) == 42
    assert printed.locator("#graders .print-only").inner_text() == (
        "The first 20 of 148 rows are printed; all are in graders.csv."
    )
    assert not page(1280).locator("#graders .print-only").is_visible()
    assert set(printed.evaluate("[...document.querySelectorAll('table')].map(e => e.scrollWidth > 688)")) == {
        False
    }
