"""A browser for every module: Playwright's event loop must not outlive it, or Django's tests would notice."""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright
from tests.web.browser.chromium import OPTIONS, chromium, missing
from tests.web.browser.looks import SIZES
from tests.web.browser.visitor import Visitor


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(missing())
        pytest.skip(missing())
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture
def visit(browser, service) -> Iterator[Callable[..., Visitor]]:
    """A new visitor: a window of its own, nothing remembered."""
    windows = []

    def make(size: str = "desktop", **options) -> Visitor:
        width, height = SIZES[size]
        window = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=size == "phone",
            accept_downloads=True,
            **options,
        )
        windows.append(window)
        return Visitor(window, service.address)

    yield make
    for window in windows:
        window.close()
