"""The comparison graph the slow and plain way, from lists of buckets."""

from itertools import combinations

from peerage import Feedback


def lists(feedback: Feedback) -> list[tuple[int, str, list[list[int]]]]:
    """(task, grader, buckets of item numbers) of every list."""
    out = []
    for which in range(feedback.n_lists):
        buckets: list[list[int]] = []
        for entry in range(feedback.list_starts[which], feedback.list_starts[which + 1]):
            if feedback.bucket_starts[entry]:
                buckets.append([])
            buckets[-1].append(int(feedback.items[entry]))
        grader = feedback.grader_labels[int(feedback.list_graders[which])]
        out.append((int(feedback.list_tasks[which]), grader, buckets))
    return out


def together(buckets: list[list[int]]) -> list[tuple[int, int]]:
    """All pairs of the list, the lower number first."""
    return list(combinations(sorted(item for bucket in buckets for item in bucket), 2))


def strict_pairs(buckets: list[list[int]]) -> set[tuple[int, int]]:
    """(better, worse) of all pairs in different buckets."""
    return {(i, j) for above, below in combinations(buckets, 2) for i in above for j in below}


def beats(feedback: Feedback) -> set[tuple[int, int]]:
    return {pair for _, _, buckets in lists(feedback) for pair in strict_pairs(buckets)}


def reach(edges: set[tuple[int, int]], n_items: int) -> list[set[int]]:
    """What can be reached from each item, itself included."""
    reached = []
    for start in range(n_items):
        seen, stack = {start}, [start]
        while stack:
            here = stack.pop()
            fresh = {j for i, j in edges if i == here} - seen
            seen |= fresh
            stack += fresh
        reached.append(seen)
    return reached


def partition(labels: object) -> set[frozenset[int]]:
    """Sets of items that share a label."""
    parts: dict[int, set[int]] = {}
    for item, label in enumerate(labels):  # type: ignore[arg-type]
        parts.setdefault(int(label), set()).add(item)
    return {frozenset(part) for part in parts.values()}


def strong_parts(feedback: Feedback) -> set[frozenset[int]]:
    reached = reach(beats(feedback), feedback.n_items)
    return {frozenset(j for j in reached[i] if i in reached[j]) for i in range(feedback.n_items)}


def weak_parts(feedback: Feedback) -> set[frozenset[int]]:
    edges = beats(feedback)
    reached = reach(edges | {(j, i) for i, j in edges}, feedback.n_items)
    return {frozenset(part) for part in reached}
