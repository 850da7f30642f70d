import pytest

from peerage import Feedback, check

USUAL = [(f"g{n}", ["a", "b", "c", "d", "e"]) for n in range(5)]


def codes(orders):
    return {finding.code for finding in check(Feedback.from_orders(orders)).findings}


def test_a_grader_of_one_item_is_named():
    finding = check(Feedback.from_orders([*USUAL, ("ada", ["a"])])).finding("one-item")

    assert finding.severity == "warning"
    assert finding.found == "1 grader never ranked two items together."
    assert finding.examples() == ["ada"]


def test_single_items_beside_a_real_list_are_fine():
    assert "one-item" not in codes([*USUAL, ("ada", ["a"]), ("ada", ["b", "c"])])


def test_a_grader_who_ties_everything_is_named():
    finding = check(Feedback.from_orders([*USUAL, ("ada", [{"a", "b", "c"}])])).finding("all-tied")

    assert finding.examples() == ["ada (3 items)"]


def test_one_strict_pair_is_not_all_tied():
    assert "all-tied" not in codes([*USUAL, ("ada", [{"a", "b"}, "c"])])


def test_a_grader_with_far_more_ties_than_the_class_is_flat():
    finding = check(Feedback.from_orders([*USUAL, ("ada", [{"a", "b", "c", "d"}, "e"])])).finding("flat")

    assert finding.severity == "info"
    assert finding.examples() == ["ada (60% tied)"]


@pytest.mark.parametrize(
    "orders",
    [
        USUAL,
        [(name, [{"a", "b", "c", "d"}, "e"]) for name in "xyz"],  # everybody is like that
        [*USUAL, ("ada", [{"a", "b"}, "c"])],  # too few pairs to say
    ],
)
def test_nobody_is_flat(orders):
    assert "flat" not in codes(orders)


def scored(*last):
    scores = [1, 3, 5, 7, 9] * 3 + list(last)
    graders = [name for name in "xyz" for _ in range(5)] + ["ada"] * len(last)
    return Feedback.from_columns(graders, list("abcde") * 4, score=scores)


def test_scores_that_hardly_differ_are_flat():
    case = check(scored(7, 7.1, 7.2, 7.3, 7.4)).finding("flat").cases.row(0, named=True)

    assert case["grader"] == "ada"
    assert case["score_sd"] == pytest.approx(0.02**0.5)


def test_scores_that_differ_are_not_flat():
    assert check(scored(6, 7, 8, 9, 10)).finding("flat") is None
