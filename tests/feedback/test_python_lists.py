"""Feedback written in Python: lists, pairs, matrices and frames; and what is done with it afterwards."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from peerage import DataError, Feedback, fit, grade, read

LISTS = [["x", "y", "z"], ["y", "x"], ["x", {"y", "z"}]]


# -- lists ------------------------------------------------------------------------------------------------


def test_lists_are_orders_by_graders_of_their_own():
    feedback = Feedback.from_lists(LISTS)

    orders = [buckets for _, buckets in feedback.orders()]
    assert orders == [[["x"], ["y"], ["z"]], [["y"], ["x"]], [["x"], ["y", "z"]]]
    assert (feedback.n_graders, feedback.anonymous) == (3, True)
    for tie in (("y", "z"), ["y", "z"]):
        assert Feedback.from_lists([*LISTS[:2], ["x", tie]]).equals(feedback)
    named = Feedback.from_lists(LISTS, graders=["ada", "bob", "ada"])
    assert (named.n_graders, named.n_lists, named.anonymous) == (2, 3, False)


def test_integers_stay_integers_in_numeric_order():
    fitted = fit([(10, 2), (7, 2), (10, 7), (7, 2)], "bt")

    assert fitted.feedback_.item_values.to_list() == [2, 7, 10]
    assert fitted.grades()["item"].dtype == pl.Int64
    assert fitted.predict_order() == [10, 7, 2]
    assert fitted.feedback_.to_frame()["item"].dtype == pl.Int64
    assert fitted.feedback_.to_pairs()["winner"].to_list() == [10, 7, 10, 7]
    graded = grade(Feedback.from_lists([[3, 1, 20], [3, 20, 1], [1, 3, 20]]))
    assert sorted(graded.items["item"].to_list()) == ["1", "20", "3"]
    assert Feedback.from_lists([(1, "b"), ("b", 2)]).item_values.to_list() == ["1", "2", "b"]


def test_items_in_no_list_are_there():
    feedback = Feedback.from_lists([(0, 1), (3, 1)], items=range(5))

    assert feedback.item_values.to_list() == [0, 1, 2, 3, 4]
    assert feedback.item_reviews.tolist() == [1, 2, 0, 1, 0]


def test_without_graders_no_reliabilities_are_estimated():
    assert repr(fit([("x", "y"), ("y", "z")])) == "BradleyTerry()"
    assert repr(fit(LISTS)) == "PlackettLuce(ties='model')"
    table = {"grader": ["a", "a"], "item": ["x", "y"], "rank": [1, 2]}
    assert repr(fit(table)).startswith("BradleyTerry(reliab")


@pytest.mark.parametrize(
    ("lists", "complaint"),
    [
        ([[2, 3, 1], [1, 2, 3]], r"from_lists\(lists\) if every row names items.*from_ranks\(lists\)"),
        ([[1, 2, 0]], "lists of all numbers from 0 to 2 can be orders or ranks"),
        (np.array([[1, 2], [2, 1]]), r"from_lists\(array\).*from_ranks\(array\)"),
        (
            [("ada", ["x", "y"]), ("bob", ["y", "x"])],
            r"from_orders\(lists\) if graders come first, or .*from_lists",
        ),
        ([("a", "b", "tie")], "looks like the outcome of a comparison"),
        (["ab", "cd"], "is not a list of items"),
        ([["x", 1.5]], "an item is a text or an integer"),
        ([["x", True]], "an item is a text or an integer"),
        ([["y", "z"], ["x", "y", "x"]], "list 2 names the item 'x' twice"),
        ([["x", {"y", "x"}]], "list 1 names the item 'x' twice"),
        ([], "there are no reviews"),
        ([[]], "there are no reviews"),
        ({"ada": ["x", "y"], "bob": ["y", "x"]}, r"Feedback\.from_orders"),
    ],
)
def test_what_can_be_meant_in_two_ways_is_refused(lists, complaint):
    with pytest.raises(DataError, match=complaint):
        fit(lists)


def test_what_fit_cannot_take_is_told_so():
    with pytest.raises(TypeError, match="generator: give a path, bytes, a file, a table or a list of"):
        fit(pair for pair in [("x", "y")])
    with pytest.raises(TypeError, match=r"fit\(read\(file, direction=…\)\)"):
        fit(pd.DataFrame({"x": [1, 2], "y": [2, 1]}), direction="ranks")


def test_a_named_index_of_a_matrix_of_ranks_has_the_graders():
    ranks = pd.DataFrame({"x": [1, 2], "y": [2, 1]}, index=pd.Index(["ada", "bob"], name="judge"))

    named = Feedback.from_ranks(ranks)
    nameless = Feedback.from_ranks(ranks.rename_axis(None))

    assert (named.grader_labels.to_list(), named.anonymous) == (["ada", "bob"], False)
    assert (nameless.grader_labels.to_list(), nameless.anonymous) == (["1", "2"], True)
    assert Feedback.from_ranks(ranks, graders=["cem", "dia"]).grader_labels.to_list() == ["cem", "dia"]


def test_what_reads_alike_both_ways_is_taken():
    """Pairs of 1 and 2, and orders that are their own ranks; of others, the call says which they are."""
    rows = np.array([[2, 3, 1], [2, 3, 1]])

    assert fit([(1, 2), (2, 1), (1, 2)]).predict_order() == [1, 2]
    assert fit([[2, 1, 3], [1, 2, 3], [1, 3, 2]]).feedback_.n_lists == 3
    assert fit(Feedback.from_lists(rows)).predict_order() == [2, 3, 1]
    assert fit(Feedback.from_ranks(rows)).predict_order() == [3, 1, 2]


@pytest.mark.parametrize("array", [np.array([[3, 0, -1], [0, 1, 3]]), np.array([[3, 0, np.nan], [0, 1, 3]])])
def test_rows_of_an_array_may_be_shorter(array):
    assert Feedback.from_lists(array).equals(Feedback.from_lists([[3, 0], [0, 1, 3]]))


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Feedback.from_lists(np.array([1, 2])), "two dimensions"),
        (lambda: Feedback.from_lists(np.array([[1, -1, 2]])), "ends in -1"),
        (lambda: Feedback.from_lists(np.array([[1, -2]])), "ends in -1"),
        (lambda: Feedback.from_lists(np.array([[1.5, 2.0]])), "fractions"),
        (lambda: Feedback.from_lists(np.array([[True, False]])), "cannot name items"),
        (lambda: Feedback.from_lists(LISTS, graders=[1]), "1 graders for 3 lists"),
        (lambda: Feedback.from_lists(LISTS, weights=[1]), "1 weights for 3 lists"),
        (lambda: Feedback.from_lists(LISTS, shown=[1]), "1 shown for 3 lists"),
        (lambda: Feedback.from_lists([("x", "y")], shown=[("x", "z")]), "list 1 was shown as"),
        (lambda: Feedback.from_ranks([1, 2]), "two dimensions"),
        (lambda: Feedback.from_ranks([[-1, 2]]), "ranks start at 1"),
        (lambda: Feedback.from_ranks([["a", "b"]]), "holds numbers alone"),
        (lambda: Feedback.from_ranks([[1, 2]], items=["a", "a"]), "1 different items for 2 columns"),
        (
            lambda: read(pd.DataFrame([["a", "x", 1]], columns=["grader", "item", "item"])),
            "the column 'item' more than once",
        ),
        (lambda: Feedback.from_lists(LISTS).for_items(["w"]), "there is no item 'w'"),
    ],
)
def test_what_are_no_lists_or_ranks_is_refused(make, complaint):
    with pytest.raises(DataError, match=complaint):
        make()


# -- ranks ------------------------------------------------------------------------------------------------


def test_ranks_with_ties_and_gaps():
    feedback = Feedback.from_ranks(
        [[2, 1, 1, 0], [1, np.nan, 3, 0]], items=["a", "b", "c", "d"], graders=["p", "q"]
    )

    assert dict(feedback.orders()) == {"p": [["b", "c"], ["a"]], "q": [["a"], ["c"]]}
    assert feedback.item_labels.to_list() == ["a", "b", "c", "d"]


# -- frames -----------------------------------------------------------------------------------------------


def test_a_named_index_is_a_column_and_one_without_a_name_is_none():
    rows = {"item": ["x", "y", "x", "y"], "rank": [1, 2, 2, 1]}
    index = pd.Index(["ada", "ada", "bob", "bob"], name="grader")
    both = pd.MultiIndex.from_arrays([index, rows["item"]], names=["grader", "item"])
    expected = read({"grader": list(index), **rows})

    assert read(pd.DataFrame(rows, index=index)).equals(expected)
    assert read(pd.DataFrame({"rank": rows["rank"]}, index=both)).equals(expected)
    assert read(pd.DataFrame({"grader": list(index), **rows}, index=[7, 8, 9, 10])).equals(expected)


def test_pandas_needs_no_pyarrow(monkeypatch):
    rows = {"grader": ["a", "a", "b", "b"], "item": ["x", "y", "x", "y"], "score": [1.5, 2.0, None, 3.0]}
    frame = pd.DataFrame({**rows, "item": pd.Categorical(rows["item"])})
    expected = read(rows, missing="drop")
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert read(frame, missing="drop").equals(expected)
    assert read(frame.astype({"score": "Float64"}), missing="drop").equals(expected)


# -- slices, merging, pairs ---------------------------------------------------------------------------------


def test_length_and_slices_are_of_lists():
    feedback = Feedback.from_lists(LISTS)

    assert len(feedback) == 3
    assert feedback.shape == (3,)
    assert len(feedback[1:]) == 2
    assert [len(one.items) for one in feedback] == [3, 2, 3]
    for which in (-1, [2], np.array([False, False, True]), (np.array([2]), ...)):
        part = feedback[which]
        assert [buckets for _, buckets in part.orders()] == [[["x"], ["y", "z"]]]
        assert part.item_labels.equals(feedback.item_labels)
    with pytest.raises(IndexError, match="there is no list 3"):
        feedback[3]


def test_by_graders_and_items():
    feedback = Feedback.from_lists(LISTS, graders=["ada", "bob", "ada"])

    assert len(feedback.for_graders(["ada"])) == 2
    assert feedback.for_graders(["bob"]).equals(feedback.for_graders([1]))
    pair = feedback.for_items(["z", "x"])
    assert pair.item_labels.to_list() == ["x", "z"]
    assert [buckets for _, buckets in pair.orders()] == [[["x"], ["z"]], [["x"], ["z"]], [["x"]]]


def test_merged_parts_are_the_whole():
    feedback = Feedback.from_lists(
        LISTS, graders=["ada", "bob", "cyd"], items=["x", "y", "z", "w"], weights=[1, 2, 1]
    )

    assert feedback[:1].merge(feedback[1:2], feedback[2:]).equals(feedback)
    assert len(feedback.merge(feedback)) == 6
    ints = Feedback.from_lists([(10, 2)])
    assert ints.merge(Feedback.from_lists([(2, 3)])).item_values.to_list() == [2, 3, 10]
    assert ints.merge(Feedback.from_lists([("a", "b")])).item_values.dtype == pl.String


def test_scores_merge_with_scores_only():
    scores = read({"grader": ["a", "a"], "item": ["x", "y"], "score": [1.5, 2]})

    assert scores.merge(scores).scores.tolist() == [2, 1.5, 2, 1.5]
    with pytest.raises(DataError, match="cannot be merged"):
        scores.merge(Feedback.from_lists([("x", "y")]))


def test_pairs_of_lists():
    feedback = Feedback.from_lists(LISTS, weights=[1, 1, 3])

    pairs = feedback.to_pairs(ties=True)

    assert pairs.select("winner", "loser", "tied", "weight").rows() == [
        ("x", "y", False, 1.0), ("x", "z", False, 1.0), ("y", "z", False, 1.0),
        ("y", "x", False, 1.0),
        ("x", "y", False, 3.0), ("x", "z", False, 3.0), ("y", "z", True, 3.0),
    ]  # fmt: skip
    assert feedback.to_pairs().height == int(feedback.list_strict_pairs.sum())
