"""From one page to the next."""

from __future__ import annotations

from playwright.sync_api import Locator


def follow(target: Locator) -> None:
    """Click, and have the whole next page: a click is over when that page has only begun to arrive."""
    with target.page.expect_navigation():
        target.click()


def see(wanted: Locator, tries: int = 40) -> None:
    """Ask for the page again until it shows this: on a busy machine the service may say to try again."""
    for _try in range(tries):
        if wanted.count():
            return
        wanted.page.reload()
    raise AssertionError(f"{wanted} is not on the page: {wanted.page.locator('main').inner_text()}")
