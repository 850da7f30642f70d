from pathlib import Path

import pytest

from peerage import DataError, Feedback, fit, grade
from peerage.grading.explanation import ExplainedGrade, explain
from peerage.grading.output.files import write_table

EXAMPLES = Path(__file__).parents[2] / "examples"
LISTS = [("ada", ["x", "y", "z"]), ("bob", ["y", {"x", "z"}]), ("cyd", ["z", "y"]), ("dan", ["x", "z"])]
ORDERS = Feedback.from_orders(LISTS)


@pytest.fixture(scope="module")
def found():
    return explain(fit(ORDERS, "bt"), "x")


def test_every_list_says_what_was_above_and_below(found):
    rows = {row["grader"]: row for row in found.lists.iter_rows(named=True)}

    assert (found.wins, found.losses, found.ties) == (3, 1, 1)
    assert set(rows) == {"ada", "bob", "dan"}
    assert (rows["ada"]["above"], rows["ada"]["below"]) == ([], ["y", "z"])
    assert (rows["bob"]["above"], rows["bob"]["level"], rows["bob"]["position"]) == (["y"], ["z"], 2)


def test_what_a_list_did_is_the_difference_to_a_fit_without_it_and_the_helpful_one_comes_first(found):
    without = fit(Feedback.from_orders([order for order in LISTS if order[0] != "ada"]), "bt").scores_[0]
    changes = found.lists["score_change"].to_list()

    assert found.lists.filter(grader="ada")["score_change"].item() == pytest.approx(found.score - without)
    assert found.score > without
    assert changes == sorted(changes, reverse=True)
    assert found.lists["grader"][-1] == "bob"


def test_words_say_it_plainly_and_name_no_grader_where_asked(found):
    texts, anonymous = found.sentences(), " ".join(found.sentences(anonymous=True))

    assert texts[0].startswith("x is number 1 of 3 with a score of")
    assert "put it above y, z: raised its score by" in sentence_about(texts, "ada")
    assert "put it level with z, below y: lowered its score by" in sentence_about(texts, "bob")
    assert not any(name in anonymous for name in ("ada", "bob", "dan"))
    assert "reviewer 1" in anonymous


def test_items_of_no_list_and_of_the_only_list_are_explained_and_unknown_ones_suggested():
    [text] = explain(fit(ORDERS.with_items(["lost"]), "bt"), "lost").sentences()
    only = fit(Feedback.from_orders({"ada": ["poster07", "talk"]}), "bt")

    assert "Nobody has reviewed it" in text
    assert explain(only, "poster07").lists["score_change"].item() > 0
    with pytest.raises(DataError, match=r"no item 'Poster7' in this feedback; did you mean 'poster07'\?"):
        explain(only, "Poster7")
    with pytest.raises(DataError, match="did you mean 'poster07'"):
        explain(only, "07")


SCORES = {
    "grader": ["ada"] * 3 + ["bob"] * 3 + ["cyd"] * 3 + ["dan"] * 3,
    "item": ["x", "y", "z"] * 4,
    "score": [9.0, 10, 10, 7, 5, 6, 8, 6, 6, 7.5, 5, 5.5],
}


def sentence_about(texts, start):
    return next(text for text in texts if text.startswith(start))


def test_a_result_explains_the_grade_that_was_handed_out():
    result = grade(SCORES, scale=(0, 10), letters="A>=8,B>=6,C")
    found = explain(result, "x")
    row = result.items.filter(item="x").row(0, named=True)

    texts = found.sentences()

    assert texts[1].startswith(f"Its grade is {row['points']:.1f} points on 0:10, ")
    assert result.sentences["points"] in texts[1]
    assert texts[2].startswith(f"Its letter is {row['letter']}, by the rule A>=8,B>=6,C. The points are ")
    assert texts[3] == f"The plain mean of the marks it got is {(9 + 7 + 8 + 7.5) / 4:.2f}."


def test_the_way_to_the_next_letters_is_said():
    result = grade(SCORES, scale=(0, 10), letters="A>=9.5,B>=2,C")
    points = result.items.filter(item="x")["points"].item()

    text = sentence_about(explain(result, "x").sentences(), "Its letter is B")

    assert f"{9.5 - points:.1f} short of A and {points - 2:.1f} above where B begins" in text


def test_points_move_along_the_map_of_the_class():
    found = explain(grade(SCORES, method="bt", scale=(0, 100), curve=(70, 10)), "x")

    change = found.lists.filter(grader="bob")["points_change"].item()

    assert change > 1
    assert f"({change:+.1f} points" in sentence_about(found.sentences(), "bob")


def test_a_high_mark_that_lowers_a_score_is_explained_by_its_list():
    text = sentence_about(explain(grade(SCORES, method="pl"), "x").sentences(), "ada")

    assert text.endswith("compares with the rest of the list, where 2 got more and 0 less.")


def test_a_high_mark_that_lowers_a_score_is_explained_by_the_leniency_of_its_grader():
    found = explain(grade(EXAMPLES / "posters" / "feedback.csv", method="ncs+g"), "poster03")
    row = found.lists.filter(grader="student035").row(0, named=True)

    assert row["score_change"] < 0
    assert row["score"] > found.mean_mark > row["score"] - row["bias"]
    assert sentence_about(found.sentences(), "student035").endswith(
        f"Although 9.5 is above the mean of its marks, {found.mean_mark:.2f}: this grader gives"
        f" {row['bias']:.1f} more than others do, so it counts as {9.5 - row['bias']:.1f}."
    )


@pytest.mark.parametrize(
    ("as_evidence", "words"), [(False, "its own grade is still what the peers'"), (True, "that is its grade")]
)
def test_staff_grades_are_part_of_the_explanation(as_evidence, words):
    staff = {"item": ["x", "y", "z"], "score": [8, 6, 6]}

    result = grade(SCORES, scale=(0, 10), anchors=staff, anchors_as_evidence=as_evidence)

    assert words in sentence_about(explain(result, "x").sentences(), "Staff gave it 8")


def test_a_written_table_explains_the_same_grade(tmp_path):
    result = grade({**SCORES, "item": ["=x", "y", "z"] * 4}, scale=(0, 10), letters="A>=8,B>=6,C")
    write_table(result.items, tmp_path / "grades.csv")

    read = ExplainedGrade.from_file(tmp_path / "grades.csv", "=x", "1", result.provenance["options"], 0.9)

    ours = explain(result, "=x").grade.sentences()
    assert read.sentences()[1:] == ours[1:]
    assert ours[0].startswith(read.sentences()[0])
