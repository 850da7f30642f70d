import pytest

from peerage import DataError, Feedback, fit
from peerage.grading.explanation import explain

ORDERS = Feedback.from_orders(
    [("ada", ["x", "y", "z"]), ("bob", ["y", {"x", "z"}]), ("cyd", ["z", "y"]), ("dan", ["x", "z"])]
)


@pytest.fixture(scope="module")
def found():
    return explain(fit(ORDERS, "bt"), "x")


def test_comparisons_are_counted(found):
    assert (found.wins, found.losses, found.ties) == (3, 1, 1)


def test_every_list_says_what_was_above_and_below(found):
    rows = {row["grader"]: row for row in found.lists.iter_rows(named=True)}

    assert set(rows) == {"ada", "bob", "dan"}
    assert (rows["ada"]["above"], rows["ada"]["below"]) == ([], ["y", "z"])
    assert (rows["bob"]["above"], rows["bob"]["level"], rows["bob"]["position"]) == (["y"], ["z"], 2)


def test_what_a_list_did_is_the_difference_to_a_fit_without_it(found):
    rest = Feedback.from_orders([("bob", ["y", {"x", "z"}]), ("cyd", ["z", "y"]), ("dan", ["x", "z"])])
    without = fit(rest, "bt").scores_[0]

    change = found.lists.filter(grader="ada")["score_change"].item()

    assert change == pytest.approx(found.score - without)
    assert change > 0


def test_the_helpful_list_comes_first_and_the_harmful_one_last(found):
    changes = found.lists["score_change"].to_list()

    assert changes == sorted(changes, reverse=True)
    assert found.lists["grader"][-1] == "bob"


def test_words_say_it_plainly(found):
    texts = found.sentences()

    assert texts[0].startswith("x is number 1 of 3 with a score of")
    assert "put it above y, z: raised its score by" in next(t for t in texts if t.startswith("ada"))
    assert "put it level with z, below y: lowered its score by" in next(
        t for t in texts if t.startswith("bob")
    )


def test_anonymous_words_name_no_grader(found):
    text = " ".join(found.sentences(anonymous=True))

    assert not any(name in text for name in ("ada", "bob", "dan"))
    assert "reviewer 1" in text


def test_an_item_nobody_reviewed_is_explained_too():
    texts = explain(fit(ORDERS.with_items(["lost"]), "bt"), "lost").sentences()

    assert len(texts) == 1
    assert "Nobody has reviewed it" in texts[0]


def test_the_only_list_of_a_class_can_be_explained():
    assert (
        explain(fit(Feedback.from_orders([("ada", ["x", "y"])]), "bt"), "x").lists["score_change"].item() > 0
    )


def test_an_unknown_item_is_refused():
    with pytest.raises(DataError, match="no item 'w'"):
        explain(fit(ORDERS, "bt"), "w")
