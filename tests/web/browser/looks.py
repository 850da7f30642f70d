"""What is wrong with a page, by axe-core and by our own rules: light and dark, on a desk and on a phone.

A page is loaded once and then changes its look in place, as it does when somebody turns their phone dark.
Nothing but colours depends on the theme, so of the dark looks axe judges what it has to say about colours.
"""

from collections.abc import Callable
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

SIZES = {"desktop": (1280, 800), "phone": (360, 740)}
COLOURS = ("color-contrast", "link-in-text-block")
CONTRASTS = (Path(__file__).parent / "contrast.js").read_text()
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]:not([type=hidden])")].map((one) => one.id);
  return [...new Set(ids.filter((one, at) => ids.indexOf(one) !== at))];
}"""
HARD_TO_HIT = """() => [...document.querySelectorAll("button, select, input, summary, a.button")]
  .map((node) => [node, node.getBoundingClientRect()])
  .filter(([node, box]) => box.width && (box.width < 24 || box.height < 24) && node.type !== "checkbox")
  .map(([node, box]) => `${node.tagName} ${node.textContent.trim()} ${box.height}`)"""
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


def own_rules(page: Page) -> list[str]:
    """Texts whose contrast is below AA as they really look, what is smaller than 24 pixels, and the like."""
    found = [f"hard to read: {text}" for text in page.evaluate(CONTRASTS)]
    found += [f"hard to hit: {text}" for text in page.evaluate(HARD_TO_HIT)]
    found += [f"two with the id {one}" for one in page.evaluate(TWICE)]
    wide = page.evaluate(WIDE)
    return [*found, f"{wide} px too wide"] if wide > 0 else found


def in_every_look(page: Page, also: Callable[[], list[str]] = list) -> list[str]:
    """What is wrong with a page in each look: by axe, by our own rules and by what else is asked."""
    before, wrong = page.viewport_size, []
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
            found = violations(page, COLOURS if theme == "dark" else ())
            wrong += [f"{size}, {theme}: {one}" for one in (*found, *own_rules(page), *also())]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    return wrong


def complaints_of(page: Page) -> list[str]:
    """What the browser complains about, from now on, and errors on our side.

    Not that a page was refused, as some are meant to be.
    """
    found: list[str] = []
    page.on("console", lambda one: found.append(one.text) if _is_complaint(one) else None)
    page.on("pageerror", lambda error: found.append(f"error: {error}"))
    page.on("response", lambda one: found.append(f"500: {one.url}") if one.status == 500 else None)
    return found


def _is_complaint(message) -> bool:
    refused = "Failed to load resource" in message.text and "/static/" not in message.location["url"]
    return message.type in ("error", "warning") and not refused
