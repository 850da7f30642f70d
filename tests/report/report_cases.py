"""Small graded classes for the tests of the report, each made once."""

from functools import cache

import numpy as np

from peerage import Feedback, GradingResult, grade

HOSTILE = '</script><script>alert("x")</script><img src=x onerror=alert(1)>&amp;\u202e\x07$x$'


def orders(n_items: int, n_graders: int, *, tasks: int = 1, seed: int = 1) -> Feedback:
    """Graders who order four items each, mostly by number, with a few ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        for grader in range(n_graders):
            chosen = rng.permutation(n_items)[:4]
            noisy = 9 + np.round(chosen / n_items * 6 + rng.normal(size=len(chosen)))
            rows += [
                (f"peer{grader:03d}", f"work{i:03d}", int(r), f"t{task}")
                for i, r in zip(chosen, noisy, strict=True)
            ]
    grader, name, rank, task = zip(*rows, strict=True)
    return Feedback.from_columns(grader, name, rank=rank, task=task)


@cache
def plain() -> GradingResult:
    """Orders alone: no scale, no letters."""
    return grade(orders(12, 20), source={"file": "class.csv"})


@cache
def lettered() -> GradingResult:
    """Orders with points and letters, and the pre-flight's view of who made what."""
    makers = [*range(20), 30]  # the last one reviewed nothing
    roster = {"student": [f"peer{k:03d}" for k in makers], "item": [f"work{k % 12:03d}" for k in makers]}
    return grade(
        orders(12, 20),
        method="pl+g",
        scale="0:10",
        curve="6:1.5",
        letters="A:25%,B:75%",
        owners=roster,
        staff_budget=3,
    )


@cache
def several() -> GradingResult:
    """Eight tasks."""
    return grade(orders(6, 8, tasks=8), method="bt")


@cache
def large() -> GradingResult:
    """More items and graders than get a row each."""
    return grade(orders(450, 450), method="bt", letters="A:25%,B:75%")


@cache
def rankings() -> GradingResult:
    """A method whose scores only put items in order."""
    return grade(orders(8, 12), method="mal")


@cache
def hostile() -> GradingResult:
    """Labels that would do harm if they were not kept as text."""
    names = [HOSTILE, "b<i>", "c&d", 'e"f', "{{g}}"]
    lists = [(f"{HOSTILE}{k}", names[k % 2 :] + names[: k % 2]) for k in range(4)]
    return grade(Feedback.from_orders(lists, task=HOSTILE), source={"file": HOSTILE}, method="pl+g")


@cache
def empty_handed() -> GradingResult:
    """Nothing but ties, and an item nobody reviewed."""
    tied = Feedback.from_orders({"ada": [{"x", "y"}], "bob": [{"x", "y"}]})
    return grade(tied.with_items(["z"]), method="bt")


ALL = (plain, lettered, several, large, rankings, hostile, empty_handed)
