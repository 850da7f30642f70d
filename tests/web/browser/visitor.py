"""A visitor with a real browser, who notices whatever goes wrong on the way."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Response

PATIENCE = 300_000  # milliseconds; what is waited for takes a few seconds
SIZES = {"desktop": (1280, 800), "phone": (360, 740)}
ROOT = Path(__file__).parents[3]
POSTERS = ROOT / "examples" / "posters"

COVERED = """async (selector) => {
  const bar = document.querySelector(selector), node = document.activeElement;
  if (!bar || node === document.body || bar.contains(node)) return null;
  for (let last = null; last !== node.getBoundingClientRect().top;) {  // a busy browser scrolls later
    last = node.getBoundingClientRect().top;
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  }
  const [edge, box] = [bar.getBoundingClientRect(), node.getBoundingClientRect()];
  const under = Math.min(box.bottom, edge.bottom) - Math.max(box.top, edge.top);
  return under > Math.min(1, box.height / 2) && box.height < innerHeight / 3
    ? `${node.tagName} ${node.id} ${node.textContent.trim().slice(0, 30)}: ${under}` : null;
}"""
CONTRASTS = (Path(__file__).parent / "contrast.js").read_text()


class Visitor:
    """One page of one browser window."""

    def __init__(self, context: BrowserContext, address: str, size: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.address, self.size = address, size
        self.complaints: list[str] = []
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))

    def _listen(self, message) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def go(self, path: str) -> Response:
        return self.page.goto(self.address + path)

    def upload(self, name: str, content: bytes) -> None:
        """Choose a file on the first page; it is sent by itself."""
        self.go("/")
        self.page.set_input_files("#id_file", {"name": name, "mimeType": "text/csv", "buffer": content})
        self.page.wait_for_url("**/j/**")

    def grade(self) -> None:
        """Press the button and wait for the result."""
        self.page.get_by_role("button", name="Grade this class").click()
        self.see_result()

    def see_result(self) -> None:
        self.page.get_by_role("link", name="Download the grades (CSV)").wait_for()

    def download(self, link: str) -> bytes:
        with self.page.expect_download() as waiting:
            self.page.get_by_role("link", name=link).click()
        return Path(waiting.value.path()).read_bytes()

    def tab_to(self, text: str, most: int = 80) -> None:
        """Go to a control by keyboard."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("document.activeElement.textContent.trim()") == text:
                return
        raise AssertionError(f"{text!r} was not reached with {most} presses of Tab")

    def covered_by(self, bar: str, key: str, presses: int) -> list[str]:
        """What a bar that stays in its place hides while it has the focus."""
        found = []
        for _ in range(presses):
            self.page.keyboard.press(key)
            found.append(self.page.evaluate(COVERED, bar))
        return [one for one in found if one]

    # -- rules -----------------------------------------------------------------------------------------

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

    def hard_to_read(self) -> list[str]:
        """Texts whose contrast is below AA, as they really look."""
        return self.page.evaluate(CONTRASTS)

    def hard_to_hit(self) -> list[str]:
        """Buttons and fields that are smaller than 24 pixels; links in a sentence may be."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll("button, select, input, summary, a.button")]
              .map((node) => [node, node.getBoundingClientRect()])
              .filter(([node, box]) => box.width && (box.width < 24 || box.height < 24)
                && node.type !== "checkbox")
              .map(([node, box]) => `${node.tagName} ${node.textContent.trim()} ${box.height}`)"""
        )

    def broken_rules(self) -> list[str]:
        found = [f"hard to read: {text}" for text in self.hard_to_read()]
        found += [f"hard to hit: {text}" for text in self.hard_to_hit()]
        if self.sideways() > 0:
            found.append(f"{self.sideways()} pixels too wide")
        return found + self.complaints
