"""From a file to grades, as a visitor does it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Route
from tests.web.at_work import SMALL
from tests.web.browser.looks import in_every_look, own_rules
from tests.web.browser.visitor import POSTERS
from tests.web.held import hold, let_go

pytestmark = pytest.mark.browser

ROWS = (POSTERS / "feedback.csv").read_bytes()
ODD = ROWS.replace(b"grader,item,score", b"Von wem,Woran,Wie gut", 1)
OPEN = b"Name,P1,P2,P3,P4,P5\nada,1,3,2,4,5\nben,2,3,1,4,5\ncem,1,4,2,3,5\ndia,2,1,3,5,4\n"
BROKEN = b"grader,item,rank\ns1,essay 1,the best\ns1,essay 2,not bad\ns2,essay 1,1\ns2,,2\n"


def on_the_command_line(folder, content: bytes, *options: str) -> bytes:
    """What `peerage grade` writes for the same file."""
    (folder / "feedback.csv").write_bytes(content)
    command = [sys.executable, "-m", "peerage", "grade", "feedback.csv", "--out", "results", *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "results" / "grades.csv").read_bytes()


def choose(visitor, line: str) -> None:
    """Take the reading that says so, by keyboard."""
    offer = visitor.page.locator(".offers li", has_text=line)
    offer.get_by_role("button", name="Read it this way").press("Enter")
    visitor.page.get_by_role("heading", name="This is how we read your file").wait_for()


def test_example_is_graded_by_keyboard_alone(visit):
    visitor = visit()
    visitor.go("/")
    wrong = in_every_look(visitor.page)

    visitor.tab_to("Try it with an example class")
    assert visitor.page.evaluate("getComputedStyle(document.activeElement).outlineWidth") == "3px"
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url("**/j/**")
    visitor.tab_to("Grade this class")
    visitor.page.keyboard.press("Enter")
    visitor.see_result()

    assert visitor.page.locator("tbody th", has_text="poster07").count() > 0
    assert wrong + in_every_look(visitor.page) + visitor.complaints == []


def test_reading_is_chosen_and_the_grades_are_those_of_the_command_line(visit, tmp_path):
    visitor = visit("phone")
    visitor.upload("feedback.csv", OPEN)
    assert visitor.page.get_by_role("button", name="Grade this class").count() == 0

    choose(visitor, "Line 2: ada ranks P5 first (5)")
    assert visitor.page.locator(".sentence").first.inner_text().startswith("Line 2: ada ranks P5 first (5)")
    visitor.page.fill("#id_scale", "0:10")
    visitor.grade()

    expected = on_the_command_line(tmp_path, OPEN, "--direction", "scores", "--scale", "0:10")
    assert visitor.download("Download the grades (CSV)") == expected
    assert "ada ranks P5 first" in visitor.page.locator("#how-read").inner_text()


def test_a_file_is_read_and_graded_without_script(visit):
    visitor = visit(java_script_enabled=False)
    visitor.go("/")
    file = {"name": "feedback.csv", "mimeType": "text/csv", "buffer": OPEN}
    visitor.page.set_input_files("#id_file", file)
    visitor.page.get_by_role("button", name="Continue").click()

    choose(visitor, "Line 2: ada ranks P1 first")
    visitor.grade()

    assert "ada ranks P1 first" in visitor.page.locator("#how-read").inner_text()


def test_reading_is_changed_in_haste_and_all_of_it_arrives(visit):
    """Each change comes before the answer to the one before it, which is not waited for any more."""
    visitor = visit("phone", color_scheme="dark")
    visitor.upload("feedback.csv", ODD)
    visitor.page.get_by_text("None of these? Say it yourself").click()

    def let_the_last_pass(route: Route) -> None:
        if b'name="empty"\r\n\r\nnone\r\n' in route.request.post_data_buffer:
            route.continue_()

    visitor.page.route("**/preview", let_the_last_pass)
    visitor.page.select_option("#id_column_grader", "Von wem")
    visitor.page.select_option("#id_column_item", "Woran")
    visitor.page.select_option("#id_column_score", "Wie gut")
    visitor.page.select_option("#id_direction", "scores")
    visitor.page.fill("#id_empty", "none")
    visitor.page.locator("#id_empty").blur()

    visitor.page.get_by_role("button", name="Grade this class").wait_for()
    assert visitor.page.locator(".role").all_inner_texts() == ["Who graded", "What was graded", "Score given"]
    assert visitor.page.locator("#id_column_grader").is_visible()  # what is being changed stays open
    assert own_rules(visitor.page) == []


def test_file_is_dropped(visit):
    visitor = visit()
    visitor.go("/")

    visitor.page.evaluate(
        """(rows) => {
          const data = new DataTransfer();
          data.items.add(new File([rows], "dropped.csv", { type: "text/csv" }));
          const zone = document.getElementById("drop");
          for (const kind of ["dragover", "drop"]) {
            zone.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
          }
        }""",
        ROWS.decode(),
    )

    visitor.page.wait_for_url("**/j/**")
    assert visitor.page.get_by_role("heading", level=2).first.inner_text() == "dropped.csv"
    assert visitor.complaints == []


def test_file_that_is_too_large_is_not_sent(visit, tmp_path):
    visitor = visit()
    visitor.go("/")
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(1 + (20 << 20))

    visitor.page.set_input_files("#id_file", large)

    assert visitor.page.get_by_role("alert").inner_text() == (
        "large.csv is larger than 20 MB, the limit on this site. "
        "Peerage on your own computer has no such limit."
    )


def test_roster_and_staff_grades_are_added(visit):
    visitor = visit()
    visitor.upload("feedback.csv", ROWS)

    for kind, name in (("roster", "roster.csv"), ("anchors", "staff.csv")):
        visitor.page.set_input_files(f"#id_{kind}", POSTERS / name)
        visitor.page.locator(".given .file", has_text=name).wait_for()
    visitor.page.locator("#id_roster_gone").check()
    visitor.page.locator(".given .file", has_text="roster.csv").wait_for(state="detached")

    assert visitor.page.locator(".given .file").all_inner_texts() == ["staff.csv"]
    assert visitor.complaints == []


def test_page_follows_the_theme(visit):
    visitor = visit()
    visitor.go("/")
    papers = set()

    for theme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=theme)
        papers.add(visitor.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert len(papers) == 2


# -- states that need a walk -----------------------------------------------------------------------------


def start_and_hold(visitor, service) -> Path:
    """A job that stands still at its file, so that there is time to look and to cancel; its file."""
    visitor.upload("feedback.csv", SMALL)
    visitor.page.locator("#id_scale").fill("0:10")
    visitor.page.locator("#id_curve").fill("6:1")
    newest = max((service.folder / "data" / "jobs").iterdir(), key=lambda folder: folder.stat().st_mtime_ns)
    file = newest / "input" / "feedback.csv"
    with asleep(service):  # the button has the file read once more, so it cannot be held before
        visitor.page.get_by_role("button", name="Grade this class").click()
        visitor.page.locator("#progress").wait_for()
        hold(file)
    return file


@contextmanager
def asleep(service) -> Iterator[None]:
    """Meanwhile no job is taken from the queue."""
    workers = service.processes()["task_worker"]
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)


@pytest.mark.full
def test_cancelled_job_can_be_tried_again(visit, service):
    visitor = visit()
    page = visitor.page
    file = start_and_hold(visitor, service)
    wrong = in_every_look(page)

    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="Cancelled").wait_for()
    wrong += in_every_look(page)
    let_go(file)
    page.get_by_role("button", name="Change the options and try again").click()

    page.get_by_role("button", name="Grade this class").wait_for()
    assert page.locator("#id_scale").input_value() == "0:10"
    assert wrong + visitor.complaints == []


@pytest.mark.full
def test_other_pages_keep_the_rules(visit):
    visitor = visit()
    wrong = []
    for path in ("/privacy", "/sign-in", "/reset", "/link/gone"):
        visitor.go(path)
        wrong += [f"{path}: {one}" for one in in_every_look(visitor.page)]
    visitor.upload("feedback.csv", OPEN)
    wrong += [f"question: {one}" for one in in_every_look(visitor.page)]
    choose(visitor, "Line 2: ada ranks P5 first (5)")
    wrong += [f"reading: {one}" for one in in_every_look(visitor.page)]
    visitor.upload("feedback.csv", BROKEN)
    assert visitor.page.locator(".problems .where").first.inner_text() == "Line 2, column “rank”"
    wrong += [f"problems: {one}" for one in in_every_look(visitor.page)]

    assert wrong + visitor.complaints == []


@pytest.mark.full
def test_focus_is_never_under_a_bar(visit):
    """On the way down the buttons stay at the foot of the page, on the way up the contents at its head."""
    visitor = visit("phone", reduced_motion="reduce")
    visitor.example()
    visitor.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert visitor.covered_by(".actions.sticky", "Tab", 60) == []
    visitor.grade()
    visitor.page.locator("main a:visible").last.focus()
    assert visitor.covered_by(".contents", "Shift+Tab", 60) == []
