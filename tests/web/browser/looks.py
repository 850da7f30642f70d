"""What axe-core says of a page: light and dark, on a desk and on a phone.

A page is loaded once and then changes its look in place, as it does when somebody turns their phone dark.
Nothing but colours depends on the theme, so of the dark looks axe judges what it has to say about colours.
"""

from __future__ import annotations

from collections.abc import Callable

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page
from tests.web.browser.visitor import SIZES, Visitor

COLOURS = ("color-contrast", "link-in-text-block")
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]:not([type=hidden])")].map((one) => one.id);
  return [...new Set(ids.filter((one, at) => ids.indexOf(one) !== at))];
}"""
VIOLATIONS = """async (options) => {
  const {violations} = await axe.run(document, options);
  return violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 120)}`));
}"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe finds, by some of its rules or by all."""
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    if not page.evaluate("() => 'axe' in window"):  # half a megabyte: brought once to a page
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(VIOLATIONS, options)


def in_every_look(page: Page, also: Callable[[], list[str]] = list) -> list[str]:
    """What is wrong with a page in each look: by axe, by our own rules and by what else is asked."""
    before, wrong = page.viewport_size, []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
            found = violations(page, COLOURS if theme == "dark" else ())
            wrong += [f"{size}, {theme}: {one}" for one in (*found, *_own_rules(page), *also())]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    return wrong


def _own_rules(page: Page) -> list[str]:
    found = [f"two with the id {one}" for one in page.evaluate(TWICE)]
    wide = page.evaluate(WIDE)
    return [*found, f"{wide} px too wide"] if wide > 0 else found


def look(visitor: Visitor, path: str, status: int = 200) -> list[str]:
    """Go there, and say what is wrong with the page in each look."""
    answer = visitor.go(path)
    wrong = in_every_look(visitor.page, visitor.broken_rules)
    if answer.status != status:
        wrong.append(f"status {answer.status}")
    elif status != 200:  # the browser complains about every such answer
        wrong = [one for one in wrong if "Failed to load resource" not in one]
    visitor.complaints.clear()
    return [f"{path}, {one}" for one in wrong]
