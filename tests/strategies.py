"""Random feedback for property tests."""

from typing import Any

from hypothesis import strategies as st

from peerage import Feedback

PLAIN_LABELS = st.sampled_from(["a", "b", "c", "d", "01", "1", "ä", "=2", "x-y"])
ANY_LABELS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6
).map(str.strip).filter(bool)  # fmt: skip
SCORES = st.one_of(
    st.integers(0, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300),
)


@st.composite
def feedbacks(
    draw: st.DrawFn,
    *,
    labels: st.SearchStrategy[str] = PLAIN_LABELS,
    kinds: tuple[str, ...] = ("rank", "score", "both"),
    tasks: int = 2,
    weights: bool = True,
) -> Feedback:
    """A small feedback: ties, several tasks and lists, unscored items and weights all occur."""
    kind = draw(st.sampled_from(kinds))
    columns: dict[str, list[Any]] = {
        name: [] for name in ("task", "grader", "list", "item", "rank", "score", "weight")
    }
    task_names = draw(st.lists(labels, min_size=1, max_size=tasks, unique=True))
    keys = st.tuples(st.sampled_from(task_names), labels, st.integers(1, 3))
    for task, grader, number in draw(st.lists(keys, min_size=1, max_size=6, unique=True)):
        weight = draw(st.integers(1, 3)) if weights else 1
        for item in draw(st.lists(labels, min_size=1, max_size=5, unique=True)):
            columns["task"].append(task)
            columns["grader"].append(grader)
            columns["list"].append(str(number))
            columns["item"].append(item)
            columns["rank"].append(draw(st.integers(1, 4)))
            columns["score"].append(draw(SCORES if kind == "score" else st.one_of(st.none(), SCORES)))
            columns["weight"].append(weight)
    for unused in {"rank": ("score",), "score": ("rank",), "both": ()}[kind]:
        del columns[unused]
    return Feedback.from_columns(**columns)


def votes() -> st.SearchStrategy[Feedback]:
    """What PrefLib can hold: orders by graders named as votes, one task, whole weights."""
    bucket_ranks = st.lists(st.integers(1, 3), min_size=1, max_size=4)
    return st.lists(st.tuples(st.integers(1, 4), bucket_ranks), min_size=1, max_size=12).map(_election)


def _election(ballots: list[tuple[int, list[int]]]) -> Feedback:
    width = len(str(len(ballots)))
    rows = [
        (f"v{number:0{width}d}", f"item {item}", rank, weight)
        for number, (weight, ranks) in enumerate(ballots, 1)
        for item, rank in enumerate(ranks)
    ]
    grader, item, rank, weight = zip(*rows, strict=True)
    return Feedback.from_columns(grader, item, rank=rank, weight=weight)
