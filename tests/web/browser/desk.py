"""A reviewer at the ranking screen, in a real browser."""

import html
import json
import re
from typing import Any

from playwright.sync_api import BrowserContext, Page
from tests.web.browser.visitor import PATIENCE

FIELD = re.compile(r'<textarea id="(comment-[^"]+)"[^>]*>\n(.*?)</textarea>', re.DOTALL)


def sign_in(window: BrowserContext, address: str, session: str) -> BrowserContext:
    window.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    return window


class Desk:
    """One tab with the ranking screen."""

    def __init__(self, window: BrowserContext, address: str, room: dict[str, Any], page: Page | None = None):
        self.window, self.address, self.room = window, address, room
        self.page = page or window.new_page()
        self.page.set_default_timeout(PATIENCE)

    def open(self, path: str = "reviews") -> "Desk":
        self.page.goto(self.address + self.room[path])
        self.page.locator(".list").wait_for(state="attached")
        return self

    def press(self, label: str) -> None:
        self.page.get_by_label(label, exact=True).click()

    def view(self, target: str) -> None:
        """On a narrow screen one of two views is shown; on a wide one there is nothing to switch."""
        link = self.page.locator(f'.views a[href="#{target}"]')
        if link.is_visible():
            link.click()

    def rank(self, submission: str) -> None:
        """Put a submission at the end of the ranking."""
        self.view("order-title")
        self.press(f"Submission {submission}: add to the end of your ranking")

    def write(self, text: str, field: int = 0, submission: str = "A") -> None:
        """Type at the end of a field."""
        self.view("submissions-title")
        self.page.get_by_role("button", name=f"Submission {submission}", exact=True).click()
        box = self.page.locator(f"#submission-{submission} .questions textarea").nth(field)
        box.focus()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.insert_text(text)

    def order(self) -> list[list[str]]:
        return self.page.evaluate(
            """() => [...document.querySelectorAll(".tiers .tier")].map(
              (tier) => [...tier.querySelectorAll("[data-submission]")]
                .map((one) => one.dataset.submission).sort())"""
        )

    def comments(self) -> dict[str, str]:
        return self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("textarea[form=ranking]")]
              .filter((one) => one.value).map((one) => [one.name, one.value]))"""
        )

    def wait_saved(self) -> None:
        self.page.locator(".saving[data-state=saved]").wait_for()

    def status(self) -> str:
        return self.page.locator(".status").inner_text()

    def copies(self) -> int:
        """How many copies there are on the device."""
        return self.page.evaluate(
            "() => Object.keys(localStorage).filter((one) => one.startsWith('peerage-ranking-')).length"
        )

    def sign_in_again(self) -> None:
        """In a new tab, as the page proposes."""
        tab = self.window.new_page()
        tab.set_default_timeout(PATIENCE)
        tab.goto(self.address + "/sign-in")
        tab.fill("[name=username]", self.room["email"])
        tab.fill("[name=password]", self.room["password"])
        tab.locator("main button.primary").click()
        tab.wait_for_url("**/courses")
        tab.close()


Kept = tuple[list[list[str]], dict[str, str]]


def kept(window: BrowserContext, address: str, room: dict[str, Any]) -> Kept:
    """The order and the comments as the service has them; no script takes part in this."""
    text = window.request.get(address + room["reviews"]).text()
    data = json.loads(html.unescape(re.search(r"data-ranking='([^']*)'", text)[1]))
    fields = {name: html.unescape(value) for name, value in FIELD.findall(text)}
    return data["tiers"], {name: value for name, value in fields.items() if value}
