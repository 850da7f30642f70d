"""PGF and PrefLib files, and how a format is added."""

import sys
from types import ModuleType

import pytest

from peerage import inspect, read
from peerage.reading import formats

VOTES = """# FILE NAME: 00099-00000001.toi
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 4
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: Amsterdam
# ALTERNATIVE NAME 2: Berlin: east
# ALTERNATIVE NAME 3: Cairo
# ALTERNATIVE NAME 4: Delhi
3: 1,{2,3}
1: 3
"""


@pytest.mark.parametrize(
    ("text", "orders", "kind", "tasks"),
    [
        (
            b"t1 g1 a (8.0) > b (7.0) ? c (7.0)\nt1 g2 c (9) > a (1)\n",
            [("g1", [["a"], ["b", "c"]]), ("g2", [["c"], ["a"]])],
            "scores",
            ["t1"],
        ),
        (b"t1 g1 a (3.0) > b (7.0)\n", [("g1", [["a"], ["b"]])], "orders+scores", ["t1"]),
        (
            b"# a comment\n\nt1 g1 a > b = c\r\nt2 g1 x>y\n",
            [("g1", [["a"], ["b", "c"]]), ("g1", [["x"], ["y"]])],
            "orders",
            ["t1", "t2"],
        ),
        (b"t g a > b\nt g b > a\n", [("g", [["a"], ["b"]]), ("g", [["b"], ["a"]])], "pairs", ["t"]),
    ],
    ids=["ties and scores", "an order against its scores", "comments and blank lines", "two lists"],
)
def test_pgf(text, orders, kind, tasks):
    feedback = read(text)

    assert list(feedback.orders()) == orders
    assert feedback.kind == kind
    assert feedback.task_labels.to_list() == tasks


def test_preflib_votes_are_graders_and_counts_are_weights():
    feedback = read(VOTES.encode())

    first, second = feedback.orders()
    assert first == ("v1", [["Amsterdam"], ["Berlin: east", "Cairo"]])
    assert second == ("v2", [["Cairo"]])
    assert feedback.list_weights.tolist() == [3.0, 1.0]
    assert "Delhi" in feedback.item_labels
    (note,) = feedback.notes
    assert note == "PrefLib has no grader names: each of the 2 votes counts as a grader of its own"


def test_preflib_is_known_by_its_ending(tmp_path):
    path = tmp_path / "votes.soc"
    path.write_text("2: 1,2\n1: 2,1\n", encoding="utf-8")

    assert read(path).item_labels.to_list() == ["1", "2"]


def test_head_of_a_form_that_asks_is_no_pgf_list():
    rows = b"Your name,Which poster?,Points\nada,x,3\nada,y,2\n"

    feedback = read(rows, grader="Your name", item="Which poster?")

    assert feedback.item_labels.to_list() == ["x", "y"]


def test_a_new_format_is_a_module_and_an_entry(monkeypatch):
    module = ModuleType("peerage.reading.shouted")
    source = (
        "from peerage.feedback.cells import Origin\n"
        "from peerage.feedback.choices import Direction\n"
        "from peerage.reading.table import ParsedReviews\n"
        "def suits(head): return head.startswith('SHOUTED')\n"
        "def read_reviews(data, *, source, reading):\n"
        "    lines = [line.split() for line in data.decode().splitlines()[1:]]\n"
        "    rows = [(name, item, rank) for name, *items in lines for rank, item in enumerate(items, 1)]\n"
        "    columns = dict(zip(('grader', 'item', 'rank'), map(list, zip(*rows))))\n"
        "    best = Direction('orders', 'first', 'it is shouted so', 'format')\n"
        "    return ParsedReviews(columns, Origin(), (), direction=best)\n"
    )
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = formats.Format("shouted", "a shouted file", "shouted", endings=(".shout",))
    monkeypatch.setitem(formats.LIST_FILES, entry.name, entry)

    data = b"SHOUTED\nADA X Y\nBOB Y X\n"

    assert list(read(data).orders()) == [("ADA", [["X"], ["Y"]]), ("BOB", [["Y"], ["X"]])]
    assert (inspect(data).kind, inspect(data).rows[1]) == ("shouted", ("ADA X Y",))
