import pytest

from peerage import Feedback, check

USUAL = [(f"g{n}", ["a", "b", "c", "d", "e"]) for n in range(5)]


def finding(code, *orders):
    return check(Feedback.from_orders([*USUAL, *orders])).finding(code)


def test_a_grader_of_one_item_is_named():
    found = finding("one-item", ("ada", ["a"]))

    assert found.severity == "warning"
    assert found.found == "1 grader never ranked two items together."
    assert found.examples() == ["ada"]
    assert finding("one-item", ("ada", ["a"]), ("ada", ["b", "c"])) is None


def test_a_grader_who_ties_everything_is_named():
    assert finding("all-tied", ("ada", [{"a", "b", "c"}])).examples() == ["ada (3 items)"]
    assert finding("all-tied", ("ada", [{"a", "b"}, "c"])) is None


def test_a_grader_with_far_more_ties_than_the_class_is_flat():
    found = finding("flat", ("ada", [{"a", "b", "c", "d"}, "e"]))

    assert found.severity == "info"
    assert found.examples() == ["ada (60% tied)"]


@pytest.mark.parametrize(
    "orders",
    [
        USUAL,
        [(name, [{"a", "b", "c", "d"}, "e"]) for name in "xyz"],  # everybody is like that
        [*USUAL, ("ada", [{"a", "b"}, "c"])],  # too few pairs to say
    ],
)
def test_nobody_is_flat(orders):
    assert check(Feedback.from_orders(orders)).finding("flat") is None


def scored(*last):
    scores = [1, 3, 5, 7, 9] * 3 + list(last)
    graders = [name for name in "xyz" for _ in range(5)] + ["ada"] * len(last)
    return Feedback.from_columns(graders, list("abcde") * 4, score=scores)


def test_scores_that_hardly_differ_are_flat():
    case = check(scored(7, 7.1, 7.2, 7.3, 7.4)).finding("flat").cases.row(0, named=True)

    assert case["grader"] == "ada"
    assert case["score_sd"] == pytest.approx(0.02**0.5)
    assert check(scored(6, 7, 8, 9, 10)).finding("flat") is None
