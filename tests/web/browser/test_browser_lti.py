"""LTI in a real browser: frames of another site, third-party cookies blocked, platform storage, axe."""

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page
from tests.web.browser.conftest import launched
from tests.web.browser.desk import sign_in
from tests.web.browser.looks import complaints_of, in_every_look
from tests.web.classes.cast import Cast
from tests.web.lti.conftest import known_key
from tests.web.lti.strict_platform import CLAIM, DL, Moodle, Platform
from tests.web.lti.tool import Tool, register
from tests.web.ranking_room import session_of

from peerage_web.lti.keys import public_keys

pytestmark = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:No directory at"),  # of static files
]
# the platform's page: a frame for the tool, and storage for it, open to the tool's origin alone
PAGE = """<!doctype html><html lang="en"><title>Course</title><link rel="icon" href="data:,"><h1>Physics</h1>
<iframe name="tool" title="Peerage" width="900" height="600" src="{src}"></iframe>
<script>
  const kept = new Map(), origin = "{origin}", keeps = {keeps};
  window.asked = [];
  addEventListener("message", (event) => {{
    if (event.origin !== origin || !event.data || !keeps) return;
    const {{subject, key, value, message_id}} = event.data;
    asked.push(subject);
    if (subject === "lti.put_data") kept.set(key, value);
    const answer = {{subject: `${{subject}}.response`, message_id, key, value: kept.get(key)}};
    event.source.postMessage(answer, event.origin);
  }});
</script></html>"""


@pytest.fixture(scope="module", autouse=True)
def from_this_thread() -> Iterator[None]:
    """Playwright has an event loop here, in which nothing of ours runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="module")
def strict() -> Iterator[Browser]:
    """A Chromium that blocks third-party cookies, as browsers do more and more."""
    # answers that a test has changed count as the Internet's, from which no page may go to this machine
    # and a frame that goes from site to site and process to process is sometimes lost by the driver
    without = "--disable-features=LocalNetworkAccessChecks,IsolateOrigins,site-per-process"
    isolated = "--disable-site-isolation-trials"
    with launched("--test-third-party-cookie-phaseout", without, isolated) as started:
        yield started


class Campus:
    """A platform on another site than ours (localhost), and its course page with a frame."""

    def __init__(self, platform: Platform, tool: Tool, address: str, cast: Cast) -> None:
        self.platform, self.tool, self.address, self.cast = platform, tool, address, cast

    def page(self, claims: Callable[[dict[str, str]], dict], *, keeps: bool = False) -> str:
        self.platform.users["somebody"] = claims
        asked = {
            "iss": self.platform.issuer,
            "client_id": "client-a",
            "login_hint": "somebody",
            "target_link_uri": f"{self.address}/lti/launch",
        }
        if keeps:
            asked["lti_storage_target"] = "_parent"
        src = f"{self.address}/lti/login?{urlencode(asked)}"
        self.platform.course_page = PAGE.format(src=src, origin=self.address, keeps=str(keeps).lower())
        return f"{self.platform.base}/course"

    def claims(self, **more) -> Callable[[dict[str, str]], dict]:
        target = f"{self.address}/lti/launch"
        return lambda query: self.platform.launch_claims(query["nonce"], target=target, **more)


@pytest.fixture
def campus(live_server, settings) -> Iterator[Campus]:
    settings.BASE_URL = live_server.url.replace("localhost", "127.0.0.1")
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    known_key()
    known = public_keys()
    platform = Moodle(tool_keys=lambda: known)  # whose hints work once
    platform.host = "localhost"
    platform.start()
    cast = Cast()
    tool = Tool(platform, register(platform))
    tool.connect(cast.course)
    yield Campus(platform, tool, settings.BASE_URL, cast)
    platform.stop()


@pytest.fixture
def window(strict) -> Iterator[BrowserContext]:
    made = strict.new_context(viewport={"width": 1280, "height": 900})
    yield made
    made.close()


def framed(request) -> bool:
    try:
        return request.frame.parent_frame is not None
    except Error:  # of a window that is only just opening
        return False


def no_cookies(window: BrowserContext) -> None:
    """A browser that takes no cookie at all inside a frame of another site, not even a partitioned one."""

    def answer(route) -> None:
        if not framed(route.request):
            return route.continue_()
        found = route.fetch(max_redirects=0)
        headers = {name: value for name, value in found.headers.items() if name != "set-cookie"}
        return route.fulfill(response=found, headers=headers)

    window.route("**/lti/login*", answer)


def open_window(window: BrowserContext, page: Page) -> Page:
    with window.expect_page() as opened:
        page.frame_locator("iframe").get_by_role("button", name="Open Peerage").click()
    opened.value.wait_for_load_state()
    return opened.value


def test_a_launch_in_a_frame_leads_to_a_window_of_its_own(campus, window):
    page = window.new_page()
    complaints = complaints_of(page)
    page.goto(campus.page(campus.claims(name="Ada")))
    page.frame_locator("iframe").get_by_role("button", name="Open Peerage").wait_for()
    (frame,) = [one for one in page.frames if one.parent_frame]
    frame.evaluate("document.cookie = 'plain=1; SameSite=None; Secure; Path=/'")
    assert frame.evaluate("document.cookie") == "", "this browser blocks third-party cookies"

    opened = open_window(window, page)

    assert opened.url == f"{campus.address}/c/{campus.cast.course.key}/"
    assert opened.get_by_role("heading", name="Course", exact=True).is_visible()
    assert complaints == []
    opened.reload()
    assert opened.url.startswith(f"{campus.address}/c/"), "signed in by a cookie of its own"


def test_platform_storage_takes_the_place_of_cookies(campus, window):
    no_cookies(window)
    page = window.new_page()
    complaints = complaints_of(page)
    page.goto(campus.page(campus.claims(), keeps=True))

    opened = open_window(window, page)

    assert opened.url == f"{campus.address}/c/{campus.cast.course.key}/"
    assert sorted(set(page.evaluate("asked"))) == ["lti.get_data", "lti.put_data"]
    assert complaints == []


def test_without_cookies_and_storage_the_launch_begins_again_in_a_window(campus, window):
    no_cookies(window)
    page = window.new_page()
    page.goto(campus.page(campus.claims()))

    with window.expect_page() as opened:
        page.frame_locator("iframe").get_by_role("link", name="Open Peerage").click()
    opened.value.wait_for_url(f"{campus.address}/c/**")

    assert opened.value.url == f"{campus.address}/c/{campus.cast.course.key}/"


def test_storage_of_another_origin_is_not_asked(campus, window):
    """The page around is not the platform's, but says that it keeps things: nothing is told to it."""
    no_cookies(window)
    page = window.new_page()
    address = campus.page(campus.claims(), keeps=True)
    campus.tool.registration.auth_url = campus.tool.registration.auth_url.replace("localhost", "127.0.0.1")
    campus.tool.registration.more_origins = [campus.platform.base]
    campus.tool.registration.save()
    page.goto(address)

    page.frame_locator("iframe").get_by_role("link", name="Open Peerage").wait_for()

    assert page.evaluate("asked") == []


def test_deep_linking_in_a_frame(campus, window):
    base = campus.platform.base
    asked = {"deep_link_return_url": f"{base}/deep-links", "accept_types": ["ltiResourceLink"], "data": "d"}
    more = {
        f"{CLAIM}message_type": "LtiDeepLinkingRequest",
        f"{CLAIM}resource_link": ...,
        f"{DL}deep_linking_settings": asked,
    }
    page = window.new_page()
    complaints = complaints_of(page)
    page.goto(campus.page(campus.claims(roles=("Instructor",), sub="t1", **more)))
    inside = page.frame_locator("iframe")

    inside.get_by_role("radio", name="Poster").check()
    inside.get_by_role("button", name="Use this assignment").click()
    inside.get_by_role("heading", name="Linked").wait_for()

    assert (len(campus.platform.posted), complaints) == (1, [])


def test_no_other_site_shows_our_pages_in_a_frame(campus, window):
    page = window.new_page()
    address = campus.page(campus.claims()).replace("localhost", "127.0.0.1")

    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(address)

    (frame,) = [one for one in page.frames if one.parent_frame]
    assert "lti" not in frame.url or frame.evaluate("document.body.innerText") == ""


def test_pages_of_lti_keep_the_rules(campus, window):
    """What the operator and staff see."""
    page, found = window.new_page(), []
    course = campus.cast.course.key
    for who, path in (
        ("operator", "/operator/platforms/"),
        ("operator", "/operator/platforms/new"),
        ("instructor", f"/c/{course}/platform"),
    ):
        sign_in(window, campus.address, session_of(campus.cast.people[who]))
        assert page.goto(campus.address + path).status == 200
        found += [f"{path}: {one}" for one in in_every_look(page)]

    assert found == []
