"""The pictures of the service in docs/images: `python -m tests.web.browser.screenshots`."""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tests.web.browser.chromium import OPTIONS, chromium, missing
from tests.web.browser.looks import SIZES
from tests.web.browser.story_grades import GradesStory, tell_grades
from tests.web.browser.test_browser_story import tell
from tests.web.browser.visitor import ROOT, Visitor
from tests.web.service import Service

FOLDER = ROOT / "docs" / "images"
COLOURS = 128
MOST = 150_000  # bytes of a picture
OPEN = b"""Name,P1,P2,P3,P4,P5
ada,1,3,2,5,4
ben,2,3,1,4,5
cem,1,4,2,3,5
dia,2,1,3,5,4
eva,1,2,4,3,5
"""  # ranks or points: nobody but its author knows


def main() -> None:
    """Start a service, visit it, and keep what is seen."""
    path = chromium()
    if path is None:
        sys.exit(missing())
    service = Service(Path(tempfile.mkdtemp()) / "service")
    service.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
            take(browser, service.address)
            take_class(browser, service)
            browser.close()
    finally:
        service.stop()


def take(browser: Browser, address: str) -> None:
    visitor = new_visitor(browser, address, "desktop", "light")
    visitor.go("/")
    keep(visitor, "service-start", 760)
    visitor.upload("seminar.csv", OPEN)
    keep(visitor, "service-check", 800)
    for size, theme, name in (("desktop", "light", "service-result"), ("phone", "dark", "service-phone")):
        visitor = new_visitor(browser, address, size, theme)
        visitor.example()
        visitor.grade()
        keep(visitor, name, 900 if size == "desktop" else 740)


CLASS = {  # pages of the story, and the height that is shown of them
    "roster": 900,
    "submission-as-reviewers-see-it": 1100,
    "allocation": 1250,
    "ranking": 900,
    "ranking-phone": 740,
    "allocation/matrix": 800,
    "progress": 900,
    "release-begins": 1000,
    "grade": 1100,
    "appeal-preview": 1500,
    "overview-staff": 700,
}


def take_class(browser: Browser, service: Service) -> None:
    """Pages of a class, while its story is told."""
    story = GradesStory(browser, service, picture_of_class)
    try:
        tell(story)
        tell_grades(story, Path(tempfile.mkdtemp()))
    finally:
        story.close()


def picture_of_class(page: Page, name: str) -> None:
    height = CLASS.pop(name, None)  # the first time
    if height is None:
        return
    before = page.viewport_size
    page.set_viewport_size({"width": before["width"], "height": height})
    page.evaluate("window.scrollTo(0, 0)")
    write(page.screenshot(), f"class-{name.rpartition('/')[2]}")
    page.set_viewport_size(before)


def new_visitor(browser: Browser, address: str, size: str, theme: str) -> Visitor:
    """With a window of its own."""
    width, height = SIZES[size]
    window = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion="reduce"
    )
    return Visitor(window, address)


def keep(visitor: Visitor, name: str, height: int) -> None:
    """The upper part of the page."""
    width = visitor.page.viewport_size["width"]
    visitor.page.set_viewport_size({"width": width, "height": height})
    visitor.page.locator(".htmx-request, .htmx-swapping, .htmx-settling").first.wait_for(state="detached")
    visitor.page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    write(visitor.page.screenshot(), name)


def write(shot: bytes, name: str) -> None:
    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    path = FOLDER / f"{name}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}  {size / 1000:.0f} kB")  # noqa: T201 - it is a script
    assert size <= MOST, f"{path.name} has {size} bytes; at most {MOST} are meant"


if __name__ == "__main__":
    main()
