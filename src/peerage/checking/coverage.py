"""How the comparisons hang together: which items can be compared with which, and by how many graders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage.checking.findings import Finding, template
from peerage.feedback.weak_links import reviews_across, weakly_linked_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback
    from peerage.roster.container import Roster

    Ints = NDArray[np.int64]

SORTED_AT_MOST = 100_000_000  # pairs: 800 MB of keys
MARKED_AT_MOST = 2**29  # cells of the table of all pairs: 0.5 GB
VISITED_AT_MOST = 500_000_000  # pairs: some ten seconds
_TIERS = (
    "task {task}: {strong_components} levels, the largest with {largest_strong_component} of {items} items"
)


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """The comparison graph of all tasks.

    Attributes
    ----------
    table : one row per task.
    components : per item, the set of items it is linked to by comparisons, directly or through others.
    strong : per item, the set of items that it beats and that beat it, directly or through others.
    """

    table: pl.DataFrame
    components: Ints
    strong: Ints


def measure_coverage(feedback: Feedback) -> Coverage:
    """Follow the comparisons of every task."""
    components, strong = item_components(feedback)
    seen, exact = pairs_seen(feedback)
    possible = pairs_possible(feedback)
    table = pl.DataFrame(
        {
            "task": feedback.task_labels,
            "items": np.diff(feedback.task_starts),
            "lists": np.bincount(feedback.list_tasks, minlength=feedback.n_tasks),
            "reviews": _sum_by(feedback.list_tasks, feedback.list_lengths, feedback.n_tasks),
            "pairs_seen": seen,
            "pairs_possible": possible,
            "pairs_exact": np.full(feedback.n_tasks, exact),
            **_sizes(feedback, components, "components", "largest_component"),
            **_sizes(feedback, strong, "strong_components", "largest_strong_component"),
        }
    )
    share = pl.col("pairs_seen") / pl.col("pairs_possible")
    share = pl.when(pl.col("pairs_possible") > 0).then(share).otherwise(None)
    return Coverage(table.with_columns(pairs_share=share), components, strong)


def item_components(feedback: Feedback) -> tuple[Ints, Ints]:
    """Weak and strong components of the graph with an edge from each item to those ranked strictly below.

    A list of b buckets needs only the edges between neighbouring buckets, as the rest follow by
    transitivity; where both buckets have several items, they run through a node of their own, so that the
    graph has no more edges than entries, however large the ties.
    """
    above, below, n_nodes = _edges(feedback)
    graph = coo_array((np.ones(len(above), dtype=np.int8), (above, below)), shape=(n_nodes, n_nodes)).tocsr()
    strong = connected_components(graph, directed=True, connection="strong")[1]
    # what is strongly connected is connected, so that only the edges between strong components are left
    left, right = strong[above], strong[below]
    weak = _connected(left[left != right], right[left != right], int(strong.max()) + 1)[strong]
    return weak[: feedback.n_items].astype(np.int64), strong[: feedback.n_items].astype(np.int64)


def _connected(left: NDArray[np.int32], right: NDArray[np.int32], n_nodes: int) -> NDArray[np.int32]:
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(n_nodes, n_nodes))
    return np.asarray(connected_components(graph.tocsr(), directed=True, connection="weak")[1])


def _edges(feedback: Feedback) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    sizes, lists = feedback.bucket_sizes, feedback.bucket_lists
    items = feedback.items
    next_inside = np.zeros(len(sizes), dtype=bool)  # has a bucket below it in its list
    next_inside[:-1] = lists[1:] == lists[:-1]
    alone = sizes == 1
    single = next_inside.copy()
    single[:-1] &= alone[1:] & alone[:-1]
    starts = np.flatnonzero(feedback.bucket_starts)
    direct = starts[single]

    through = next_inside & ~single
    node = np.full(len(sizes) + 1, -1, dtype=np.int32)
    node[:-1][through] = feedback.n_items + np.arange(through.sum(), dtype=np.int32)
    bucket = np.cumsum(feedback.bucket_starts) - 1
    out, into = node[bucket], node[bucket - 1]  # bucket -1 is the spare last node: no edge
    above = np.concatenate([items[direct], items[out >= 0], into[into >= 0]])
    below = np.concatenate([items[direct + 1], out[out >= 0], items[into >= 0]])
    return above, below, feedback.n_items + int(through.sum())


def _sizes(feedback: Feedback, labels: Ints, number: str, largest: str) -> dict[str, Ints]:
    """Components of each task and the size of its largest; a component never spans two tasks."""
    size = np.bincount(labels)
    first = np.unique(labels, return_index=True)[1]
    tasks, sizes = feedback.item_tasks[first], size[labels[first]]
    most = np.zeros(feedback.n_tasks, dtype=np.int64)
    np.maximum.at(most, tasks, sizes)
    return {number: np.bincount(tasks, minlength=feedback.n_tasks), largest: most}


def _sum_by(groups: NDArray[np.int32], values: Ints, size: int) -> Ints:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, groups, values)
    return total


def coverage_findings(feedback: Feedback, graph: Coverage) -> list[Finding]:
    """Tasks that fall apart, and tasks held together in one direction only."""
    return [*_disconnected(feedback, graph), *_one_way(feedback, graph)]


def _disconnected(feedback: Feedback, graph: Coverage) -> list[Finding]:
    apart = graph.table.filter(pl.col("components") > 1)
    if apart.is_empty():
        return []
    between = (
        "Ordinal grades are only comparable within a part; between parts they rest on the prior alone."
        if feedback.scores is None
        else "Between parts scores are only comparable as far as their graders are equally strict."
    )
    return [
        Finding(
            code="disconnected",
            severity="warning",
            found=_apart_in_words(feedback, apart),
            means="Nobody compared items of one part with items of another, directly or through a third."
            f" {between}",
            advice="Ask a few graders (or staff) to rank items from different parts together, or grade the"
            " parts separately.",
            cases=_small_parts(feedback, graph.components),
            example=lambda case: _part_in_words(case, feedback.n_tasks > 1),
        )
    ]


def _apart_in_words(feedback: Feedback, apart: pl.DataFrame) -> str:
    if feedback.n_tasks == 1:
        return (
            f"The items fall into {apart['components'][0]:,} separate parts,"
            f" the largest with {apart['largest_component'][0]:,} of {feedback.n_items:,} items."
        )
    return f"In {len(apart):,} of {feedback.n_tasks:,} tasks the items fall into separate parts."


def _small_parts(feedback: Feedback, components: Ints) -> pl.DataFrame:
    """Every part but the largest of its task, with its items."""
    frame = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks),
            "part": components,
            "item": feedback.item_labels,
        }
    )
    parts = frame.group_by("task", "part", maintain_order=True).agg(pl.len().alias("size"), pl.col("item"))
    largest = pl.col("size").arg_max().over("task") == pl.int_range(pl.len()).over("task")
    return parts.filter(~largest).select("task", "size", items="item")


def _part_in_words(row: Mapping[str, Any], several_tasks: bool) -> str:
    names = ", ".join(row["items"][:3]) + (" …" if row["size"] > 3 else "")
    text = names if row["size"] == 1 else f"{{{names}}}"
    return f"{text} in task {row['task']}" if several_tasks else text


def _one_way(feedback: Feedback, graph: Coverage) -> list[Finding]:
    """Connected, but not strongly: some set of items never loses to the rest."""
    several = pl.Series(~single_grader_tasks(feedback))  # one grader's list is a ladder by itself
    ladder = graph.table.filter(several & (pl.col("components") == 1) & (pl.col("strong_components") > 1))
    if ladder.is_empty():
        return []
    torn = ladder.filter(2 * pl.col("largest_strong_component") < pl.col("items"))
    where = (
        f"The items form {ladder['strong_components'][0]:,} levels"
        if feedback.n_tasks == 1
        else f"In {len(ladder):,} of {feedback.n_tasks:,} tasks the items form levels"
    )
    distance = (
        "how far apart they are is set by the prior, not by the data"
        if feedback.scores is None
        else "how far apart they are, the scores say, and not the orders"
    )
    held = f"{ladder['largest_strong_component'][0]:,} of {ladder['items'][0]:,} items"
    most = f"; {held} are in the largest" if feedback.n_tasks == 1 else ""
    return [
        Finding(
            code="one-way",
            severity="warning" if len(torn) and feedback.scores is None else "info",
            found=f"{where} that never lose to a lower one{most}.",
            means="Within a level, wins go both ways and fix the distances. Between levels the order is"
            f" clear; {distance}.",
            advice="More reviews per item close the gaps; with few, trust the order of the levels more than"
            " the distance in points.",
            cases=ladder.select("task", "items", "strong_components", "largest_strong_component"),
            example=_TIERS.format_map if feedback.n_tasks > 1 else None,
        )
    ]


# -- parts that few reviews connect -----------------------------------------------------------------


def weak_link_findings(feedback: Feedback, roster: Roster | None) -> list[Finding]:
    """Parts of a task that hardly a list has items of two of; named by section where they are sections."""
    parts = weakly_linked_parts(feedback)
    tasks = feedback.item_tasks[np.unique(parts, return_index=True)[1]]
    sections = None if roster is None else roster.item_sections(feedback)
    rows, n_parts = [], 0
    for task in np.flatnonzero(np.bincount(tasks, minlength=feedback.n_tasks) > 1):
        own = np.flatnonzero(tasks == task).tolist()
        names, n_parts = _part_names(feedback, parts, own, sections), n_parts + len(own)
        rows += [
            (feedback.task_labels[int(task)], names[left], names[right], count)
            for left, right in combinations(own, 2)
            if (count := reviews_across(feedback, parts, left, right))
        ]
    cases = pl.DataFrame(rows, schema=("task", "part", "other", "reviews"), orient="row")
    return [
        Finding(
            code="weak-links",
            severity="warning",
            found=f"The class falls into {n_parts:,} parts that few reviews compare.",
            means="Ranks within a part are as sure as in any class. Across parts they rest on these few"
            " reviews: the intervals allow for parts that are better or worse as a whole.",
            advice="Ask a few graders (or staff) to rank items of several parts together.",
            cases=cases,
            example=template(feedback, "{part} and {other} are compared through {reviews} reviews"),
        )
    ]


def _part_names(
    feedback: Feedback, parts: Ints, of_task: list[int], sections: pl.Series | None
) -> dict[int, str]:
    """The section that most items of a part are from; without sections, or one twice, its first item."""
    names: dict[int, str] = {}
    for part in of_task:
        items = np.flatnonzero(parts == part)
        first = f"the part of {feedback.item_labels[int(items[0])]}"
        name = first
        if sections is not None:
            values, counts = np.unique(sections.gather(items).to_list(), return_counts=True)
            name = f"section {values[counts.argmax()]}" if 2 * counts.max() > len(items) else first
        names[part] = name if name not in names.values() else first
    return names


# -- tasks with a single grader ---------------------------------------------------------------------


def single_grader_tasks(feedback: Feedback) -> NDArray[np.bool_]:
    """Per task, whether all its lists are by one grader."""
    graders = pl.DataFrame({"task": feedback.list_tasks, "grader": feedback.list_graders})
    counts = graders.group_by("task").agg(pl.col("grader").n_unique())
    single = np.zeros(feedback.n_tasks, dtype=bool)
    single[counts.filter(pl.col("grader") == 1)["task"].to_numpy()] = True
    return single


def single_grader_findings(feedback: Feedback) -> list[Finding]:
    """Tasks that one grader alone has judged: there is an opinion, and nothing to hold it against."""
    tasks = np.flatnonzero(single_grader_tasks(feedback))
    if len(tasks) == 0:
        return []
    first = [int(np.flatnonzero(feedback.list_tasks == task)[0]) for task in tasks]
    cases = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(tasks),
            "grader": feedback.grader_labels.gather(feedback.list_graders[first]),
        }
    )
    where = "" if feedback.n_tasks == 1 else f" of {len(tasks):,} of {feedback.n_tasks:,} tasks"
    return [
        Finding(
            code="one-grader",
            severity="warning",
            found=f"All reviews{where} are by one grader.",
            means="The grades are that grader's opinion. Nothing says how far others would agree, so no two"
            " items can be told apart.",
            advice="Have at least two others review the same items.",
            cases=cases,
            example=template(feedback, "{grader}"),
        )
    ]


# -- pairs of items that were listed together -------------------------------------------------------


def pair_blocks(feedback: Feedback) -> Iterator[tuple[Ints, Ints]]:
    """Entry numbers (first, second) of all pairs in a list, second the lower placed or tied.

    Pairs come by their distance in the list: the lists too short for it drop out, so the work is that of
    the pairs themselves whatever the mixture of lengths.
    """
    ends = np.repeat(feedback.list_starts[1:], feedback.list_lengths)
    first = np.flatnonzero(np.arange(1, feedback.n_entries + 1) < ends)
    distance = 1
    while len(first):
        yield first, first + distance
        distance += 1
        first = first[first + distance < ends[first]]


def pairs_seen(feedback: Feedback) -> tuple[NDArray[np.int64], bool]:
    """Distinct pairs of items listed together, per task, and whether that number is exact.

    Beyond a size where counting would take too long it is an upper bound: every pair counted as often as
    it was seen, but no more than there are.
    """
    lengths = feedback.list_lengths
    visits = np.zeros(feedback.n_tasks, dtype=np.int64)
    np.add.at(visits, feedback.list_tasks, lengths * (lengths - 1) // 2)
    total, cells = int(visits.sum()), feedback.n_items**2
    if (
        cells <= MARKED_AT_MOST
        and total <= VISITED_AT_MOST
        and (cells <= 4 * total or total > SORTED_AT_MOST)
    ):
        keys = _marked_keys(feedback)
    elif total <= SORTED_AT_MOST:
        keys = _sorted_keys(feedback, total)
    else:
        return np.minimum(visits, pairs_possible(feedback)), False
    tasks = feedback.item_tasks[keys // max(feedback.n_items, 1)]
    return np.bincount(tasks, minlength=feedback.n_tasks), True


def pairs_possible(feedback: Feedback) -> NDArray[np.int64]:
    """Pairs of items of each task."""
    items = np.diff(feedback.task_starts)
    return np.asarray(items * (items - 1) // 2)


def _keys(feedback: Feedback) -> Iterator[NDArray[np.int64]]:
    """Blocks of pair numbers: lower item times n_items plus higher item."""
    for first, second in pair_blocks(feedback):
        left, right = feedback.items[first], feedback.items[second]
        yield np.minimum(left, right).astype(np.int64) * feedback.n_items + np.maximum(left, right)


def _marked_keys(feedback: Feedback) -> NDArray[np.int64]:
    seen = np.zeros(feedback.n_items**2, dtype=bool)
    for block in _keys(feedback):
        seen[block] = True
    return np.flatnonzero(seen)


def _sorted_keys(feedback: Feedback, total: int) -> NDArray[np.int64]:
    keys, filled = np.empty(total, dtype=np.int64), 0
    for block in _keys(feedback):
        keys[filled : filled + len(block)] = block
        filled += len(block)
    keys.sort()
    fresh = np.ones(total, dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return np.asarray(keys[fresh])
