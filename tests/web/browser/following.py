"""From one page to the next."""

from __future__ import annotations

from playwright.sync_api import Locator


def follow(target: Locator) -> None:
    """Click, and be on the next page: whoever reads right after a click may still read the page before."""
    with target.page.expect_navigation():
        target.click()
