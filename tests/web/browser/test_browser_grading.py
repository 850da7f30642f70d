"""From a file to grades, as a visitor does it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.web.browser.visitor import POSTERS

pytestmark = pytest.mark.browser

SIZES = pytest.mark.parametrize(("size", "theme"), [("desktop", "light"), ("phone", "dark")])
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


@SIZES
def test_example_is_graded_in_two_clicks(visit, size, theme):
    visitor = visit(size, theme)
    visitor.go("/")
    assert visitor.broken_rules() == []

    visitor.page.get_by_role("button", name="Try it with an example class").click()
    visitor.page.get_by_role("button", name="Grade this class").click()
    visitor.see_result()

    assert visitor.page.locator("tbody th", has_text="poster07").count() > 0
    assert visitor.broken_rules() == []


def test_example_by_keyboard_alone(visit):
    visitor = visit()
    visitor.go("/")

    visitor.tab_to("Try it with an example class")
    visitor.page.keyboard.press("Enter")
    visitor.page.wait_for_url("**/j/**")
    visitor.tab_to("Grade this class")
    visitor.page.keyboard.press("Enter")

    visitor.see_result()
    assert visitor.complaints == []


def test_example_without_script(visit):
    visitor = visit(java_script_enabled=False)
    visitor.go("/")

    visitor.page.get_by_role("button", name="Try it with an example class").click()
    visitor.grade()

    assert visitor.page.get_by_role("heading", level=1).count() == 1


def choose(visitor, line: str) -> None:
    """Press the button of the reading that says so."""
    offer = visitor.page.locator(".offers li", has_text=line)
    offer.get_by_role("button", name="Read it this way").click()
    visitor.page.get_by_role("heading", name="This is how we read your file").wait_for()


@SIZES
def test_reading_is_chosen_and_the_grades_are_those_of_the_command_line(visit, tmp_path, size, theme):
    visitor = visit(size, theme)
    visitor.upload("feedback.csv", OPEN)
    assert visitor.page.get_by_role("button", name="Grade this class").count() == 0
    assert visitor.broken_rules() == []

    choose(visitor, "Line 2: ada ranks P5 first (5)")
    assert visitor.page.locator(".sentence").first.inner_text().startswith("Line 2: ada ranks P5 first (5)")
    visitor.page.fill("#id_scale", "0:10")
    assert visitor.broken_rules() == []
    visitor.grade()

    expected = on_the_command_line(tmp_path, OPEN, "--direction", "scores", "--scale", "0:10")
    assert visitor.download("Download the grades (CSV)") == expected
    assert "ada ranks P5 first" in visitor.page.locator("#how-read").inner_text()


def test_reading_is_chosen_by_keyboard(visit):
    visitor = visit()
    visitor.upload("feedback.csv", OPEN)

    visitor.tab_to("Read it this way")
    described = visitor.page.evaluate("document.activeElement.getAttribute('aria-describedby')")
    said = visitor.page.locator(f"#{described}").inner_text()
    visitor.page.keyboard.press("Enter")

    visitor.page.get_by_role("heading", name="This is how we read your file").wait_for()
    assert visitor.page.locator(".sentence").first.inner_text() == said.splitlines()[0]
    assert visitor.complaints == []


def test_reading_is_chosen_without_script(visit):
    visitor = visit(java_script_enabled=False)
    visitor.go("/")
    file = {"name": "feedback.csv", "mimeType": "text/csv", "buffer": OPEN}
    visitor.page.set_input_files("#id_file", file)
    visitor.page.get_by_role("button", name="Continue").click()

    choose(visitor, "Line 2: ada ranks P1 first")

    assert visitor.page.get_by_role("button", name="Grade this class").is_visible()


def test_reading_is_changed_in_haste_and_all_of_it_arrives(visit):
    visitor = visit("phone", "dark")
    visitor.upload("feedback.csv", ODD)
    visitor.page.get_by_text("None of these? Say it yourself").click()

    visitor.page.select_option("#id_column_grader", "Von wem")
    visitor.page.select_option("#id_column_item", "Woran")
    visitor.page.select_option("#id_column_score", "Wie gut")
    visitor.page.select_option("#id_direction", "scores")
    visitor.page.fill("#id_empty", "none")
    visitor.page.locator("#id_empty").blur()

    visitor.page.get_by_role("button", name="Grade this class").wait_for()
    assert visitor.page.locator(".role").all_inner_texts() == ["Who graded", "What was graded", "Score given"]
    assert visitor.page.locator("#id_column_grader").is_visible()  # what is being changed stays open
    visitor.complaints.clear()  # the browser reports questions that were overtaken
    assert visitor.broken_rules() == []


def test_broken_file_is_explained(visit):
    visitor = visit("phone", "dark")

    visitor.upload("feedback.csv", BROKEN)

    places = visitor.page.locator(".problems .where").all_inner_texts()
    assert places == ["Line 2, column “rank”", "Line 3, column “rank”", "Line 5, column “item”"]
    assert visitor.page.get_by_role("button", name="Grade this class").count() == 0
    assert visitor.page.get_by_role("link", name="Choose another file").is_visible()
    assert visitor.broken_rules() == []


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


def test_rows_are_pasted(visit):
    visitor = visit()
    visitor.go("/")

    visitor.page.get_by_text("Or paste the rows").click()
    visitor.page.get_by_label("Rows, with their column names in the first line").fill(ROWS.decode())
    visitor.page.get_by_role("button", name="Use these rows").click()

    visitor.page.get_by_role("button", name="Grade this class").wait_for()
    assert visitor.page.locator("dd").first.inner_text() == "148"


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


def test_wrong_option_is_said_beside_its_field(visit):
    visitor = visit("phone", "dark")
    visitor.upload("feedback.csv", ROWS)

    visitor.page.fill("#id_scale", "ten")
    with visitor.page.expect_navigation():
        visitor.page.press("#id_scale", "Enter")

    described = visitor.page.locator("#id_scale").get_attribute("aria-describedby").split()
    said = visitor.page.locator(f"#{described[-1]}").inner_text()
    assert said == "“Scale of the points” 'ten' is not LOW:HIGH, as in 0:100"
    visitor.complaints.clear()  # the browser reports the answer 422
    assert visitor.broken_rules() == []
