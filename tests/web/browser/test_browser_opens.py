"""The browser itself; test_browser_chromium.py runs this where there is none."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_a_page_opens(browser):
    page = browser.new_page()
    page.set_content("<h1>Here</h1>")

    assert page.locator("h1").inner_text() == "Here"
