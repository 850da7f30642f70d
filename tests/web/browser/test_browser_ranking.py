"""The ranking screen in a real browser: mouse, touch, keyboard, without script; ties, undo, two tabs."""

import pytest
from tests.web.browser.desk import Desk, kept, sign_in
from tests.web.browser.looks import in_every_look, violations
from tests.web.browser.visitor import follow

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def rooms(service) -> list[dict]:
    return service.put_rankings("9")


@pytest.fixture(scope="module")
def fresh(rooms):
    """A class that no other test has touched."""
    return list(rooms).pop


@pytest.fixture
def sit(open_window, service):
    """Somebody at a desk."""

    def make(room, *size, who="student", **options) -> Desk:
        window = sign_in(open_window(*size, **options), service.address, room["sessions"][who])
        return Desk(window, service.address, room)

    return make


def centre(desk: Desk, selector: str, part: float = 0.5) -> tuple[float, float]:
    box = desk.page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * part


def handle(submission: str) -> str:
    return f'.list [data-submission="{submission}"] .handle'


def place(number: int) -> str:
    return f'.tier[data-place="{number}"]'


def show(desk: Desk, submission: str) -> None:
    """In the middle of the window: near its edges it would scroll while something is dragged."""
    desk.page.locator(handle(submission)).evaluate(
        "one => one.scrollIntoView({ block: 'center', behavior: 'instant' })"
    )


def drag(desk: Desk, submission: str, target: str, part: float) -> None:
    show(desk, submission)
    desk.page.mouse.move(*centre(desk, handle(submission)))
    desk.page.mouse.down()
    desk.page.mouse.move(*centre(desk, target, part), steps=6)


def test_mouse_between_makes_a_place_and_onto_a_tie(sit, fresh):
    desk = sit(fresh(), tall=1400).open()
    assert desk.order() == []

    for submission, target, part, expected in (
        ("A", ".tiers", 0.5, [["A"]]),
        ("B", place(0), 0.95, [["A"], ["B"]]),
        ("C", place(0), 0.05, [["C"], ["A"], ["B"]]),
        ("D", place(1), 0.5, [["C"], ["A", "D"], ["B"]]),
        ("B", ".unranked", 0.5, [["C"], ["A", "D"]]),
    ):
        drag(desk, submission, target, part)
        desk.page.mouse.up()
        assert desk.order() == expected

    desk.wait_saved()
    assert kept(desk.window, desk.address, desk.room)[0] == [["C"], ["A", "D"]]


def test_escape_cancels_and_little_moves_are_no_drag(sit, rooms):
    desk = sit(rooms[0], tall=1400).open()
    before = desk.order()
    drag(desk, "A", ".tiers", 0.5)
    desk.page.keyboard.press("Escape")
    desk.page.mouse.up()
    assert (desk.order(), desk.status()) == (before, "Nothing was moved.")

    x, y = centre(desk, handle("A"))
    desk.page.mouse.move(x, y)
    desk.page.mouse.down()
    desk.page.mouse.move(x + 3, y + 4)
    desk.page.mouse.up()
    assert desk.order() == before


def test_touch_drags_by_the_handle(sit, fresh):
    desk = sit(fresh(), "phone").open()
    desk.rank("A")
    show(desk, "B")
    start, end = centre(desk, handle("B")), centre(desk, place(0), 0.5)
    fingers = desk.window.new_cdp_session(desk.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    touch("touchStart", start)
    for step in range(1, 7):
        point = (one + (other - one) * step / 6 for one, other in zip(start, end, strict=True))
        touch("touchMove", tuple(point))
    touch("touchEnd")

    assert desk.order() == [["A", "B"]]
    desk.wait_saved()


def shown(desk: Desk) -> list[str]:
    """Which of the two views is in sight."""
    return [one for one in ("#submissions", ".list") if desk.page.locator(one).is_visible()]


def test_a_bar_on_a_phone_switches_between_submissions_and_ranking(sit, fresh):
    desk = sit(fresh(), "phone", reduced_motion="reduce").open()
    page, bar = desk.page, desk.page.get_by_role("navigation", name="On this page")
    submissions, ranking = bar.get_by_role("link").all()
    assert (shown(desk), submissions.get_attribute("aria-current")) == (["#submissions"], "true")
    page.locator("#submission-A .part[data-state=here]").wait_for()
    page.evaluate("scrollTo(0, 300)")

    ranking.tap()
    assert shown(desk) == [".list"]
    assert page.evaluate("document.activeElement.id") == "order-title"
    assert page.locator("#order-title").bounding_box()["y"] < 100
    desk.rank("A")
    assert "(1 of 4)" in ranking.inner_text()
    desk.wait_saved()
    assert violations(page) == []

    submissions.focus()
    page.keyboard.press("Enter")
    assert (shown(desk), page.evaluate("scrollY")) == (["#submissions"], 300), "where one was"
    assert [one.get_attribute("aria-current") for one in (submissions, ranking)] == ["true", None]
    assert page.locator(".saving").is_visible(), "what is said about saving stays in sight"
    assert violations(page) == []
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    edge = page.locator("footer.site").bounding_box()
    assert edge["y"] + edge["height"] <= bar.bounding_box()["y"], "the bar covers nothing"


def test_the_bar_works_without_script_and_wide_screens_have_none(sit, rooms):
    desk = sit(rooms[0], "phone", java_script_enabled=False)
    desk.page.goto(desk.address + desk.room["reviews"])
    assert not desk.page.locator("#place-A").is_visible()
    desk.page.get_by_role("link", name="Ranking", exact=True).click()
    assert desk.page.locator("#place-A").is_visible()
    assert not desk.page.locator("#submissions").is_visible()

    desk = sit(rooms[0]).open()
    assert shown(desk) == ["#submissions", ".list"]
    assert not desk.page.locator(".views").is_visible()


def test_keyboard_alone_ranks_ties_and_undoes(sit, fresh):
    desk = sit(fresh()).open()
    page = desk.page
    focus = "document.activeElement.getAttribute('aria-label')"
    for submission in "ABC":
        page.get_by_label(f"Submission {submission}: add to the end of your ranking").focus()
        page.keyboard.press("Enter")
    assert desk.status() == "Submission C is ranked 3 of 3"

    page.get_by_label("Submission C: move up").focus()
    page.keyboard.press("Alt+ArrowUp")
    assert (desk.order(), page.evaluate(focus)) == ([["A"], ["C"], ["B"]], "Submission C: move up")
    page.get_by_label("Submission C: tie with above").focus()
    page.keyboard.press("Space")
    assert desk.status() == "Submission C is ranked 1 of 2, tied with Submission A"
    assert page.evaluate(focus) == "Submission C: break tie"
    page.keyboard.press("Enter")
    assert desk.order() == [["A"], ["C"], ["B"]]
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert desk.order() == [["A"], ["C"], ["B"]]

    page.get_by_label("Submission D: move to…").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.evaluate(focus) == "Submission D: move to…"
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Rank 2, tied with Submission C").press("Enter")
    assert (desk.order(), page.evaluate(focus)) == ([["A"], ["C", "D"], ["B"]], "Submission D: move to…")

    desk.wait_saved()
    desk.press("Submission D: move down")
    page.keyboard.press("Control+z")  # moved and moved back is saved, too
    desk.wait_saved()


def test_everything_can_be_done_without_script(sit, fresh):
    desk = sit(fresh(), java_script_enabled=False)
    page = desk.page
    page.goto(desk.address + desk.room["reviews"])
    for submission, number in zip("ABCD", "2113", strict=True):
        page.select_option(f"#place-{submission}", number)
        page.locator(f"#submission-{submission} textarea").nth(1).fill(f"Better {submission}")
    follow(page.get_by_role("button", name="Save"))
    assert kept(desk.window, desk.address, desk.room)[0] == [["B", "C"], ["A"], ["D"]]

    with desk.window.expect_page() as opened:
        page.get_by_role("link", name="Read submission A").click()
    assert "twelve beans" in opened.value.locator("main").inner_text().lower()
    follow(page.get_by_role("button", name="Submit"))

    assert page.locator("h1").inner_text() == "Your ranking is submitted"
    assert "B = C > A > D" in page.locator("main").inner_text()


def test_typed_without_script_survives_the_end_of_the_session(sit, fresh):
    desk = sit(fresh(), java_script_enabled=False)
    page = desk.page
    page.goto(desk.address + desk.room["reviews"])
    page.select_option("#place-A", "1")
    page.locator("#submission-A textarea").first.fill("long thought about")
    desk.window.clear_cookies(name="sessionid")
    follow(page.get_by_role("button", name="Save"))
    assert page.locator("h1").inner_text() == "You have been signed out"

    desk.sign_in_again()
    follow(page.get_by_role("button", name="Send again"))
    follow(page.get_by_role("button", name="Send again"))  # the sign-in has changed the browser's token

    tiers, comments = kept(desk.window, desk.address, desk.room)
    assert (tiers, list(comments.values())) == ([["A"]], ["long thought about"])


def test_two_tabs_show_two_orders_and_keep_all_comments(sit, fresh):
    first = sit(fresh()).open()
    second = Desk(first.window, first.address, first.room).open()
    first.page.get_by_text("This page is also open in another tab or window").wait_for()
    first.page.route("**/reviews/save", lambda route: route.abort())
    first.rank("A")
    first.write("from the first tab")
    first.page.locator(".saving[data-state=away]").wait_for()
    second.rank("B")
    second.write("from the second tab")
    second.wait_saved()
    first.page.unroute("**/reviews/save")
    first.page.evaluate("dispatchEvent(new Event('online'))")

    first.page.locator("#two-orders").wait_for()
    assert violations(first.page) == []
    first.page.get_by_role("button", name="Keep the ranking on this page").click()
    first.wait_saved()

    tiers, comments = kept(first.window, first.address, first.room)
    assert tiers == [["A"]]
    assert all(text in "".join(comments.values()) for text in ("from the first tab", "from the second tab"))


def test_submitting_wipes_the_copy_and_a_later_change_is_said_not_to_be_submitted(sit, fresh):
    desk = sit(fresh()).open()
    for submission in "ABCD":
        desk.rank(submission)
        desk.write("fine", 1, submission)
    assert desk.copies() == 1
    desk.page.get_by_role("button", name="Submit").click()
    desk.page.wait_for_url("**/receipts/**")
    assert desk.copies() == 0

    desk.open()
    notice = desk.page.locator("#not-submitted")
    assert notice.is_hidden()
    desk.press("Submission D: move up")
    notice.wait_for(state="visible")
    desk.wait_saved()
    desk.press("Submission D: move down")
    notice.wait_for(state="hidden")

    desk.press("Submission D: move up")
    desk.wait_saved()
    follow(notice.get_by_role("button", name="Submit again"))  # at once, as all is saved
    desk.page.wait_for_url("**/receipts/**")
    assert desk.open().page.locator("#not-submitted").is_hidden()


@pytest.fixture(scope="module")
def practice_room(service) -> dict:
    return service.put_rankings("1", "3", "yes", "required")[0]


def test_practice_answers_every_choice(sit, practice_room):
    best, second, third = practice_room["examples"]
    desk = sit(practice_room).open("practice")
    desk.press(f"Example {second}: add to the end of your ranking")
    desk.press(f"Example {best}: add to the end of your ranking")
    desk.page.locator(".list .says").first.wait_for()

    said = desk.page.locator(f'.list [data-submission="{second}"] .says').inner_text()
    assert f"They rank it below {best}." in said
    desk.press(f"Example {best}: move up")
    desk.page.locator(f'.list [data-submission="{best}"] .says.right').wait_for()
    desk.press(f"Example {third}: add to the end of your ranking")
    desk.page.get_by_role("button", name="Finish the practice round").click()
    follow(desk.page.get_by_role("link", name="Go to your reviews"))
    assert desk.page.locator("h1").inner_text() == "Review and rank"


@pytest.fixture(scope="module")
def rubric_room(service) -> dict:
    return service.put_rankings("1", "2", "yes", "none", "yes")[0]


def group(desk: Desk, submission: str):
    """The levels of the first criterion."""
    return desk.page.locator(f"#submission-{submission} fieldset.criterion").first


def test_levels_are_chosen_with_the_keyboard_saved_and_submitted(sit, rubric_room):
    desk = sit(rubric_room, "phone").open()
    for submission in "AB":
        desk.rank(submission)
        desk.write("Good.", field=1, submission=submission)
    group(desk, "B").get_by_role("radio").first.focus()
    desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("ArrowUp")
    desk.page.locator("[data-state=saved]").wait_for(state="attached")
    assert desk.page.locator("#rubric-state").text_content() == "Rubric: 1 of 4 levels chosen."

    desk.view("order-title")
    desk.page.get_by_role("button", name="Submit", exact=True).click()
    desk.page.get_by_role("alert").wait_for()
    assert "required criterion for submission A" in desk.page.get_by_role("alert").inner_text()
    desk.open()
    assert group(desk, "B").get_by_label("Clear").first.is_checked()

    # offline meanwhile: the choice is sent later, and reaches another tab
    other = Desk(desk.window, desk.address, desk.room).open()
    desk.window.set_offline(True)
    desk.view("submissions-title")
    group(desk, "A").get_by_label("Mostly clear").check()
    desk.page.locator("[data-state=offline]").wait_for(state="attached")
    desk.window.set_offline(False)
    desk.page.locator("[data-state=saved]").wait_for(state="attached")
    other.page.wait_for_function("document.querySelector('#submission-A .criterion input[value]:checked')")
    assert group(other, "A").get_by_label("Mostly clear").is_checked()

    desk.view("order-title")
    desk.page.get_by_role("button", name="Submit", exact=True).click()
    desk.page.locator("#receipt").wait_for()
    assert "Levels of the rubric" in desk.page.locator("#receipt").inner_text()


@pytest.mark.full
def test_nothing_stands_in_anybodys_way(sit, rooms, practice_room, rubric_room):
    wrong = []
    desk = sit(rooms[0]).open()
    desk.page.locator(".part[data-state=here]").first.wait_for()
    wrong += look(desk)
    desk.press("Submission A: move to…")
    wrong += look(desk)
    desk.page.keyboard.press("Escape")
    desk.page.goto(desk.page.locator("#submission-A .read a").evaluate("one => one.href"))
    wrong += look(desk)
    wrong += look(sit(practice_room).open("practice"))
    wrong += look(sit(rubric_room).open())
    staff = sit(practice_room, who="teacher")
    for path in (practice_room["practice"] + "examples/", practice_room["assignment"] + "rubric/"):
        staff.page.goto(staff.address + path)
        wrong += look(staff)

    assert wrong == []


def look(desk: Desk) -> list[str]:
    return in_every_look(desk.page, lambda: small_targets(desk))


def small_targets(desk: Desk) -> list[str]:
    small = desk.page.evaluate(
        """() => [...document.querySelectorAll(".list button, .handle, .chooser button")]
          .map((one) => one.getBoundingClientRect())
          .filter((box) => box.width && (box.width < 43.5 || box.height < 43.5)).length"""
    )
    return [f"{small} targets below 44 pixels"] if small else []
