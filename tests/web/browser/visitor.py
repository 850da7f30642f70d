"""A visitor with a real browser, who notices whatever goes wrong on the way."""

from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page, Response
from tests.web.browser.looks import complaints_of
from tests.web.service import BOUND

PATIENCE = 1000 * BOUND  # milliseconds
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


class Visitor:
    """One page of one browser window."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.address = address
        self.complaints = complaints_of(self.page)

    def go(self, path: str) -> Response:
        return self.page.goto(self.address + path)

    def upload(self, name: str, content: bytes) -> None:
        """Choose a file on the first page; it is sent by itself."""
        self.go("/")
        self.page.set_input_files("#id_file", {"name": name, "mimeType": "text/csv", "buffer": content})
        self.page.wait_for_url("**/j/**")

    def example(self) -> None:
        """The example class, ready to be graded."""
        self.go("/")
        self.page.get_by_role("button", name="Try it with an example class").click()
        self.page.get_by_role("button", name="Grade this class").wait_for()

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
