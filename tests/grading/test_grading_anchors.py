import polars as pl
import pytest

from peerage import Feedback
from peerage.errors import DataError
from peerage.grading.staff.anchors import read_anchors

FEEDBACK = Feedback.from_orders([("ada", ["x", "y", "z"]), ("bob", ["z", "y", "x"])])


def anchors(item, score, **columns):
    return read_anchors(pl.DataFrame({"item": item, "score": score, **columns}), FEEDBACK)


def test_grades_are_matched_by_label():
    found = anchors(["z", "w", "x"], [3.0, 5.0, 8.0])

    assert found.items.tolist() == [0, 2]
    assert found.grades.tolist() == [8.0, 3.0]
    assert found.unknown == ("w",)  # nobody reviewed it
    assert found.staff_noise is None


def test_two_sources_are_put_on_one_level():
    found = anchors(["x", "y", "x", "y"], [8.0, 6.0, 6.0, 4.0], source=["ann", "ann", "bea", "bea"])

    assert found.grades == pytest.approx([7.0, 5.0])
    assert found.sources["offset"].to_list() == pytest.approx([1.0, -1.0], abs=1e-4)
    assert found.staff_noise == pytest.approx(0.0, abs=1e-4)


def test_the_noise_of_staff_is_what_offsets_do_not_explain():
    found = anchors(["x", "y", "x", "y"], [8.0, 6.0, 6.0, 6.0], source=["ann", "ann", "bea", "bea"])

    assert found.staff_noise == pytest.approx(1.0, abs=1e-3)  # 4 grades, 2 items and 1 offset: rest 4 * 0.25


def test_sources_that_share_no_item_keep_their_level():
    found = anchors(["x", "y"], [8.0, 3.0], source=["ann", "bea"])

    assert found.grades.tolist() == [8.0, 3.0]
    assert found.sources["offset"].to_list() == [0.0, 0.0]


@pytest.mark.parametrize("score", ["", "good", "inf"])
def test_a_grade_that_is_no_number_is_refused_with_its_line(tmp_path, score):
    path = tmp_path / "staff.csv"
    path.write_text(f"item,score\nx,5\ny,{score}\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"line 3.*needs an item and a number"):
        read_anchors(path, FEEDBACK)


def test_missing_columns_are_named():
    said = "no column for the score found; call it 'score'; the file has 'poster'"

    with pytest.raises(DataError, match=said):
        read_anchors(pl.DataFrame({"poster": ["x"]}), FEEDBACK)


def test_staff_grades_may_be_in_any_table_and_in_other_words():
    found = read_anchors("Poster;Mark\nx;8\nä;5\n".encode("cp1252"), FEEDBACK)

    assert (found.grades.tolist(), found.unknown) == ([8.0], ("ä",))


def test_grades_of_another_class_are_refused():
    with pytest.raises(DataError, match="none of the 2 staff grades"):
        anchors(["v", "w"], [1.0, 2.0])


def test_several_tasks_need_the_task():
    two = Feedback.from_columns(["a"] * 4, ["x", "y"] * 2, rank=[1, 2, 2, 1], task=["1", "1", "2", "2"])
    staff = pl.DataFrame({"task": ["2"], "item": ["x"], "score": [1.0]})

    assert read_anchors(staff, two).items.tolist() == [2]
    with pytest.raises(DataError, match="need a column 'task'"):
        read_anchors(staff.drop("task"), two)
