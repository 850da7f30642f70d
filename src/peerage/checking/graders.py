"""Graders whose lists say little, and graders who judged the same pair of items several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._words import plural
from peerage.checking.coverage import pair_blocks
from peerage.checking.findings import Finding, score_scale, template

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

FEWEST_PAIRS = 6  # a flat grader must have had the chance to be otherwise: four items make six pairs
MOSTLY_TIED = 0.5
TINY_SPREAD = 0.25  # of the spread of the middle grader's scores
PAIRS_PER_BLOCK = 10_000_000  # pairs held at a time
MOST_PAIRS = 100_000_000  # pairs looked at in all: some ten seconds


def grader_findings(feedback: Feedback) -> list[Finding]:
    """Graders with one item, with everything tied, and with next to no differences."""
    pairs, strict = _pairs(feedback)
    handed_in = feedback.grader_reviews > 0
    return [
        _one_item(feedback, np.flatnonzero(handed_in & (pairs == 0))),
        _all_tied(feedback, np.flatnonzero((pairs > 0) & (strict == 0))),
        _flat(feedback, pairs, strict),
    ]


def _pairs(feedback: Feedback) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Per grader: pairs listed together, and those ordered strictly."""
    lengths = feedback.list_lengths
    pairs = np.zeros(feedback.n_graders, dtype=np.int64)
    np.add.at(pairs, feedback.list_graders, lengths * (lengths - 1) // 2)
    return pairs, feedback.grader_strict_pairs


def _cases(feedback: Feedback, graders: NDArray[np.int64], **columns: object) -> pl.DataFrame:
    named = {"grader": feedback.grader_labels.gather(graders), "reviews": feedback.grader_reviews[graders]}
    return pl.DataFrame({**named, **columns})


def _one_item(feedback: Feedback, graders: NDArray[np.int64]) -> Finding:
    return Finding(
        code="one-item",
        severity="warning",
        found=f"{plural(len(graders), 'grader')} never ranked two items together.",
        means="A single item cannot be ranked against anything: these reviews do not move an ordinal"
        " grade, and nothing can be said about the grader's reliability.",
        advice="Ask them for the rest of their reviews, or count them as not submitted.",
        cases=_cases(feedback, graders),
        example="{grader}".format_map,
    )


def _all_tied(feedback: Feedback, graders: NDArray[np.int64]) -> Finding:
    return Finding(
        code="all-tied",
        severity="warning",
        found=f"{plural(len(graders), 'grader')} put everything in one tie.",
        means="A tie means indifference: these reviews do not tell the items apart and do not move an"
        " ordinal grade.",
        advice="Ask whether they meant it; if many did, the scale is too coarse or the items too alike.",
        cases=_cases(feedback, graders),
        example="{grader} ({reviews} items)".format_map,
    )


def _flat(feedback: Feedback, pairs: NDArray[np.int64], strict: NDArray[np.int64]) -> Finding:
    """Far flatter than the class, though not wholly tied."""
    tied = 1 - strict / np.maximum(pairs, 1)
    enough = pairs >= FEWEST_PAIRS
    usual = float(tied[enough].mean()) if enough.any() else 0.0
    spread, middle = _spreads(feedback)
    flat = (tied > MOSTLY_TIED) & (tied > 2 * usual)
    flat |= (spread < TINY_SPREAD * middle) & ~np.isnan(spread)
    graders = np.flatnonzero(flat & enough & (strict > 0))
    graders = graders[np.argsort(-tied[graders], kind="stable")]
    columns: dict[str, object] = {"tied_share": tied[graders]}
    if feedback.scores is not None:
        columns["score_sd"] = pl.Series(spread[graders]).fill_nan(None)
    return Finding(
        code="flat",
        severity="info",
        found=f"{plural(len(graders), 'grader')} told the items apart far less than the class did.",
        means=f"More than half of their pairs are tied (the class: {usual:.0%}) or their scores hardly"
        f" differ{_middle(middle)}. They may be careful, or may not have looked; they add little to an"
        " ordinal grade either way.",
        advice="Look at their lists beside the others' before counting the work as done.",
        cases=_cases(feedback, graders, **columns),
        example=_flat_in_words,
    )


def _middle(spread: float) -> str:
    return f" (the middle grader: sd {spread:.2g})" if spread else ""


def _flat_in_words(case: Mapping[str, Any]) -> str:
    spread = case.get("score_sd")
    scores = "" if spread is None else f", sd {spread:.2g}"
    return f"{case['grader']} ({case['tied_share']:.0%} tied{scores})"


def _spreads(feedback: Feedback) -> tuple[NDArray[np.float64], float]:
    """Standard deviation of each grader's scores (NaN below four), and that of the middle grader."""
    if feedback.scores is None:
        return np.full(feedback.n_graders, np.nan), 0.0
    scored = ~np.isnan(feedback.scores)
    scale = score_scale(feedback.scores[scored])
    scores, graders = feedback.scores[scored] / scale, feedback.entry_graders[scored]
    number = np.bincount(graders, minlength=feedback.n_graders)
    enough = np.maximum(number, 1)
    mean = np.bincount(graders, weights=scores, minlength=feedback.n_graders) / enough
    away = (scores - mean[graders]) ** 2
    spread = np.sqrt(np.bincount(graders, weights=away, minlength=feedback.n_graders) / enough)
    spread *= scale
    spread[number < 4] = np.nan
    return spread, float(np.nanmedian(spread)) if (number >= 4).any() else 0.0


# -- pairs that one grader judged several times, over several lists of a task -----------------------


def repeat_findings(feedback: Feedback) -> list[Finding]:
    """The pairs repeated, and among them those that contradict each other."""
    pairs, unchecked = repeated_pairs(feedback)
    contrary = (pl.col("above") > 0) & (pl.col("below") > 0)
    return [
        _contradictions(feedback, pairs.filter(contrary), len(pairs)),
        _repeated(feedback, pairs.filter(~contrary)),
        _unchecked(feedback, unchecked),
    ]


def repeated_pairs(feedback: Feedback) -> tuple[pl.DataFrame, NDArray[np.int32]]:
    """Every (task, grader, item, other) judged more than once: times above, below and tied.

    Graders beyond the most pairs that are looked at are handed back as unchecked.
    """
    groups = _groups(feedback)
    several = np.bincount(groups, minlength=1)[groups] > 1
    part = feedback.take_lists(np.flatnonzero(several))
    groups = groups[several]
    again = _reviewed_again(part, np.repeat(groups, part.list_lengths))
    groups = groups[np.bincount(part.entry_lists[again], minlength=part.n_lists) > 0]
    part = part.keep_entries(again)
    order = np.argsort(groups, kind="stable")
    order = order[: int(np.searchsorted(_pairs_so_far(part, groups, order), MOST_PAIRS, side="right"))]
    unchecked = np.setdiff1d(part.list_graders, part.list_graders[order])
    part, groups = part.take_lists(order), groups[order]
    tallies = [_tally(part.take_lists(lists), groups[lists]) for lists in _blocks(part, groups)]
    pairs = pl.concat(tallies) if tallies else _tally(part, groups)
    named = pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks[pairs["item"].to_numpy()]),
            "grader": feedback.grader_labels.gather(pairs["grader"]),
            "item": feedback.item_labels.gather(pairs["item"]),
            "other": feedback.item_labels.gather(pairs["other"]),
            **{name: pairs[name] for name in ("above", "below", "tied")},
        }
    )
    return named, unchecked


def _pairs_so_far(part: Feedback, groups: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs of the lists in this order up to the end of each list's group, so that no group is cut."""
    lengths, groups = part.list_lengths[order], groups[order]
    total = np.cumsum(lengths * (lengths - 1) // 2)
    return np.asarray(total[np.searchsorted(groups, groups, side="right") - 1])


def _groups(feedback: Feedback) -> NDArray[np.int64]:
    """One number per grader and task, for each list."""
    keys = feedback.list_tasks.astype(np.int64) * feedback.n_graders + feedback.list_graders
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def _reviewed_again(part: Feedback, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Entries whose item the same grader has in another list too: only these can repeat a pair."""
    keys = groups * part.n_items + part.items
    return np.asarray(pl.Series(keys).is_duplicated().to_numpy())


def _blocks(part: Feedback, groups: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Runs of lists with about PAIRS_PER_BLOCK pairs, no group split."""
    lengths = part.list_lengths
    before = np.cumsum(lengths * (lengths - 1) // 2)
    block = before // PAIRS_PER_BLOCK
    block = block[np.searchsorted(groups, groups)]  # a group follows its first list
    edges = np.flatnonzero(np.diff(block, prepend=-1, append=-2))
    for low, high in pairwise(edges):
        yield np.arange(low, high)


def _tally(part: Feedback, groups: NDArray[np.int64]) -> pl.DataFrame:
    """Count how every repeated pair was judged; `above` means the lower-numbered item won."""
    entry_groups, entry_graders = np.repeat(groups, part.list_lengths), part.entry_graders
    bucket = np.cumsum(part.bucket_starts)
    frames = []
    for first, second in pair_blocks(part):
        left, right = part.items[first], part.items[second]
        won = np.where(bucket[first] == bucket[second], 0, np.where(left < right, 1, -1))
        frames.append(
            pl.DataFrame(
                {
                    "group": entry_groups[first],
                    "grader": entry_graders[first],
                    "item": np.minimum(left, right),
                    "other": np.maximum(left, right),
                    "won": won.astype(np.int8),
                }
            )
        )
    empty = {"group": pl.Int64, "grader": pl.Int32, "item": pl.Int32, "other": pl.Int32, "won": pl.Int8}
    pairs = pl.concat(frames) if frames else pl.DataFrame(schema=empty)
    counted = pairs.group_by("group", "grader", "item", "other").agg(
        above=(pl.col("won") > 0).sum(), below=(pl.col("won") < 0).sum(), tied=(pl.col("won") == 0).sum()
    )
    repeated = counted.filter(pl.sum_horizontal("above", "below", "tied") > 1)
    return repeated.sort("group", "item", "other")


def _contradictions(feedback: Feedback, pairs: pl.DataFrame, repeated: int) -> Finding:
    graders = pairs["grader"].n_unique()
    return Finding(
        code="contradictory",
        severity="warning",
        found=f"{plural(graders, 'grader')} contradicted themselves on {plural(len(pairs), 'pair')}"
        f" ({len(pairs) / max(repeated, 1):.0%} of the {plural(repeated, 'pair')} judged more than once).",
        means="A over B in one list and B over A in another cancel out, and lower the grader's reliability.",
        advice="Check whether a later list was meant to replace an earlier one; if so, keep only the later.",
        cases=pairs,
        example=template(feedback, "{grader} on {item} against {other}"),
    )


def _repeated(feedback: Feedback, pairs: pl.DataFrame) -> Finding:
    graders = pairs["grader"].n_unique()
    return Finding(
        code="repeated",
        severity="info",
        found=f"{plural(len(pairs), 'pair was', 'pairs were')} judged more than once by the same grader,"
        f" without contradiction ({plural(graders, 'grader')}).",
        means="Every judgement counts, so these graders' opinions of these pairs count double or more.",
        advice="Fine if the pairs were shown again on purpose; otherwise look for lists submitted twice.",
        cases=pairs,
        example=template(feedback, "{grader} on {item} against {other}"),
    )


def _unchecked(feedback: Feedback, graders: NDArray[np.int32]) -> Finding:
    return Finding(
        code="repeats-unchecked",
        severity="info",
        found=f"{plural(len(graders), 'grader')} with several lists went unchecked for repeated pairs.",
        means="There are too many pairs to look at all of them; contradictions may have been missed.",
        advice="Check these graders in a file of their own if it matters.",
        cases=pl.DataFrame({"grader": feedback.grader_labels.gather(graders)}),
        example="{grader}".format_map,
    )
