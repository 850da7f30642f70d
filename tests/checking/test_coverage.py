from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from typer.testing import CliRunner

import naive
from peerage import Feedback, check, grade
from peerage.checking import coverage
from peerage.checking.coverage import item_components, pair_blocks, pairs_possible, pairs_seen
from peerage.cli import app
from strategies import feedbacks

CYCLE = [("ada", ["x", "y", "z"]), ("bob", ["z", "x"])]
LADDER = [("ada", ["x", "y", "z"])]
APART = [("ada", ["a", "b", "c"]), ("bob", ["y", "z"])]


def leads_to(won):
    """Which item reaches which over any number of comparisons, itself included: [from, to]."""
    reached = won | np.eye(len(won), dtype=bool)
    for via in range(len(won)):
        reached |= reached[:, [via]] & reached[via]
    return reached


@given(feedbacks())
def test_components_are_those_of_a_plain_search(feedback):
    won = np.zeros((feedback.n_items, feedback.n_items), dtype=bool)
    for order in naive.orders_of(feedback):
        for pair in naive.strict_pairs(order.buckets):
            won[pair] = True

    weak, strong = item_components(feedback)

    np.testing.assert_array_equal(weak[:, None] == weak, leads_to(won | won.T))
    np.testing.assert_array_equal(strong[:, None] == strong, leads_to(won) & leads_to(won).T)


@given(feedback=feedbacks())
def test_pair_blocks_visit_every_pair_of_every_list_once_and_both_routes_count_them(feedback):
    blocks = [zip(*map(np.ndarray.tolist, block), strict=True) for block in pair_blocks(feedback)]
    starts = feedback.list_starts.tolist()
    together = {pair for order in naive.orders_of(feedback) for pair in combinations(sorted(order.items), 2)}
    tasks = [feedback.item_tasks[item] for item, _ in together]

    assert sorted(pair for block in blocks for pair in block) == [
        (i, j) for low, high in pairwise(starts) for i in range(low, high) for j in range(i + 1, high)
    ]
    for marked, sorted_out in ((10**9, 0), (0, 10**9)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(coverage, "MARKED_AT_MOST", marked)
            patch.setattr(coverage, "SORTED_AT_MOST", sorted_out)
            seen, exact = pairs_seen(feedback)
        assert exact
        assert seen.tolist() == [tasks.count(task) for task in range(feedback.n_tasks)]


def test_too_many_pairs_are_bounded_and_said_to_be(monkeypatch):
    monkeypatch.setattr(coverage, "MARKED_AT_MOST", 0)
    monkeypatch.setattr(coverage, "SORTED_AT_MOST", 2)
    feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["x", "z"])])

    seen, exact = pairs_seen(feedback)

    assert (seen.tolist(), exact) == ([3], False)
    assert (seen <= pairs_possible(feedback)).all()


def test_a_task_row_counts_parts_and_levels():
    row = check(Feedback.from_orders(APART)).tasks.row(0, named=True)

    assert (row["items"], row["lists"], row["reviews"]) == (5, 2, 5)
    assert (row["pairs_seen"], row["pairs_possible"], row["pairs_share"]) == (4, 10, 0.4)
    assert (row["components"], row["largest_component"]) == (2, 3)
    assert (row["strong_components"], row["largest_strong_component"]) == (5, 1)


@pytest.mark.parametrize(
    ("orders", "severities"),
    [
        (APART, {"disconnected": "warning"}),
        ([("ada", ["x", "y"]), ("bob", [{"y", "z"}])], {"disconnected": "warning"}),  # ties hold nothing
        (CYCLE, {}),
        ([*LADDER, ("bob", ["x", "y"])], {"one-way": "warning"}),
        ([*CYCLE, ("cyd", ["x", "last"])], {"one-way": "info"}),  # one weak item below the rest
        ([("ada", [f"i{n}" for n in range(8)])], {"one-grader": "warning"}),  # an opinion, no levels
        ([(grader, ["x", "y", "z"]) for grader in ("ada", "bob")], {"one-way": "warning"}),
    ],
)
def test_parts_levels_and_single_graders_are_found(orders, severities):
    preflight = check(Feedback.from_orders(orders))
    found = {code: preflight.finding(code) for code in ("disconnected", "one-way", "one-grader")}

    assert {code: finding.severity for code, finding in found.items() if finding} == severities


def test_separate_parts_name_the_smaller_and_levels_are_counted():
    apart = check(Feedback.from_orders(APART)).finding("disconnected")
    ladder = check(Feedback.from_orders([*LADDER, ("bob", ["x", "y"])])).finding("one-way")

    assert apart.found == "The items fall into 2 separate parts, the largest with 3 of 5 items."
    assert apart.examples() == ["{y, z}"]
    assert ladder.found.startswith("The items form 3 levels")


def test_parts_are_sought_within_each_task():
    feedback = Feedback.from_columns(
        ["ada"] * 6, list("xyxyzw"), rank=[1, 2, 1, 2, 1, 2], task=list("112222"), list=list("112233")
    )

    finding = check(feedback).finding("disconnected")

    assert finding.found == "In 1 of 2 tasks the items fall into separate parts."
    assert finding.examples() == ["{x, y} in task 2"]


@pytest.mark.parametrize(("kind", "values"), [("rank", list(range(1, 13))), ("score", [10, 20])])
def test_what_one_grader_says_tells_nothing_apart(kind, values):
    items = [f"i{k:02d}" for k in range(len(values))]

    result = grade({"grader": ["ada"] * len(values), "item": items, kind: values})

    assert set(result.items["step"]) == {1}
    assert result.sentences["steps"].startswith("The data are nowhere 90 % certain of the order")


def test_only_the_task_of_one_grader_is_meant():
    rows = {
        "task": ["a", "a", "b", "b", "b", "b"],
        "grader": ["ada", "ada", "ada", "ada", "bob", "bob"],
        "item": ["x", "y"] * 3,
        "rank": [1, 2, 1, 2, 1, 2],
    }

    found = check(rows).finding("one-grader")

    assert found.found == "All reviews of 1 of 2 tasks are by one grader."
    assert found.examples() == ["ada in task a"]


def test_grading_warns_of_what_the_check_warns_of(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text("grader,item,rank\nada,x,1\nada,y,2\nbob,z,1\nbob,w,2\n", encoding="utf-8")
    warnings = check(file).warnings

    shown = " ".join(CliRunner().invoke(app, ["grade", str(file)]).output.split())

    assert len(warnings) >= 2
    assert f"{len(warnings)} warnings before you use them" in shown
    for finding in warnings:
        assert finding.found.removesuffix(".") in shown
    nothing_wrong = CliRunner().invoke(app, ["grade", "examples/posters/feedback.csv", "--method", "scavg"])
    assert nothing_wrong.exit_code == 0
    assert "before you use them" not in nothing_wrong.output
