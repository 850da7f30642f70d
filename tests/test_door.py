"""The library as a notebook uses it: anything goes in, and everything shows itself."""

import polars as pl
import pytest

from peerage import DataError, Feedback, GradingOptions, allocate, check, fit, grade, plan, read
from peerage.grading.output.results_json import record

ROWS = {
    "grader": ["ada", "ada", "bob", "bob", "cyd", "cyd"],
    "item": ["x", "y", "x", "y", "y", "x"],
    "score": [8, 6, 9, 5, 7, 4],
}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "reviews.csv"
    pl.DataFrame(ROWS).write_csv(path)
    return path


def test_a_file_a_table_and_feedback_are_graded_alike(file):
    frame = pl.DataFrame(ROWS)
    expected = record(grade(read(file)))["items"]

    for given in (file, str(file), file.read_bytes(), frame, frame.to_pandas(), ROWS):
        assert record(grade(given))["items"] == expected
    assert grade(file).provenance["input"]["file"] == "reviews.csv"
    assert len(grade(file).provenance["input"]["sha256"]) == 64
    assert grade(ROWS).provenance["input"] == {}
    assert fit(file, "bt").grades().equals(fit(read(file), "bt").grades())


def test_who_made_what_is_read_from_the_same_table():
    rows = {**ROWS, "owner": ["ada", "eve", "ada", "eve", "eve", "ada"]}

    codes = [finding.code for finding in check(rows).findings]

    assert codes == [finding.code for finding in grade(rows).preflight.findings]
    assert "own-work" in codes


def test_scales_may_be_numbers_and_methods_to_compare_a_text():
    by_text = grade(ROWS, scale="0:10", peer_scale="0:20", compare="pl, bt")
    by_numbers = grade(ROWS, scale=[0, 10], peer_scale=(0, 20), compare=("pl", "bt"))

    assert record(by_numbers) == record(by_text)
    assert by_text.comparison.codes == by_numbers.comparison.codes
    assert GradingOptions(compare="pl,bt").to_dict()["compare"] == ["pl", "bt"]


def test_an_option_of_reading_is_told_where_it_belongs():
    with pytest.raises(TypeError, match=r"it says how to read a file: grade\(read\(file, item=…\)\)"):
        grade(ROWS, item="paper")


@pytest.mark.parametrize("orders", [[["P1", "P2", "P3"]], ["P1"], [("ada", 3)], {"ada": "P1"}])
def test_texts_are_not_lists_of_letters(orders):
    with pytest.raises(DataError, match=r"write \(grader, \[best, second, …\]\)"):
        Feedback.from_orders(orders)


def test_everything_shows_itself_in_a_line_and_in_a_table():
    result = grade(ROWS, scale=(0, 10), letters="A>=7,B")
    made = allocate({"student": ["ada", "bob", "cyd", "dan"]}, 2)
    things = [read(ROWS), result, made, result.fitted, result.preflight, plan(12, 3, repeats=1)]

    assert [repr(thing) for thing in things[:3]] == [
        "<Feedback: scores, 6 reviews of 2 items in 3 lists by 3 graders, 1 task>",
        "<GradingResult: 2 items by NCS+G, points 0:10 by scores, letters A>=7,B>",
        "<Allocation: 8 reviews of 4 items, design spread>",
    ]
    for thing in things:
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 200
        assert thing._repr_html_().startswith("<div><p><strong>")
    lonely = {"grader": ["ada", "bob"], "item": ["x", "y"], "score": [1, 2]}
    assert "warning" in repr(grade(lonely))


def test_labels_cannot_become_markup():
    rows = {**ROWS, "item": ["<b>x</b>" if item == "x" else item for item in ROWS["item"]]}

    for thing in (read(rows), grade(rows), fit(rows, "bt")):
        assert "<b>" not in thing._repr_html_()
        assert "&lt;b&gt;x" in thing._repr_html_()


def test_long_tables_are_cut():
    rows = {"grader": ["ada"] * 30, "item": [f"i{k:02d}" for k in range(30)], "rank": list(range(1, 31))}

    assert "… and 20 more rows." in read(rows)._repr_html_()
