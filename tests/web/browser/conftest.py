"""A browser for every module: Playwright's event loop must not outlive it, or Django's tests would notice."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright
from tests.web.browser.chromium import OPTIONS, chromium, missing
from tests.web.browser.looks import SIZES
from tests.web.browser.visitor import Visitor


@contextmanager
def launched(*options: str) -> Iterator[Browser]:
    path = chromium()
    if path is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(missing())
        pytest.skip(missing())
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=[*OPTIONS, *options])
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


@pytest.fixture
def open_window(browser) -> Iterator[Callable[..., BrowserContext]]:
    """A new window, in which nothing is remembered."""
    windows = []

    def make(size: str = "desktop", tall: int = 0, **options) -> BrowserContext:
        width, height = SIZES[size]
        viewport = {"width": width, "height": tall or height}
        windows.append(browser.new_context(viewport=viewport, has_touch=size == "phone", **options))
        return windows[-1]

    yield make
    for window in windows:
        window.close()


@pytest.fixture
def visit(open_window, service) -> Callable[..., Visitor]:
    """A new visitor in a window of their own."""
    return lambda *size, **options: Visitor(open_window(*size, **options), service.address)
