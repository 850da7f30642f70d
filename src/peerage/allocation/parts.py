"""Sections pooled or apart: the parts of a class that are allocated on their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from peerage.errors import DataError, Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.allocation.pool import Pool

Sections = Literal["pooled", "apart"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Graders, their numbers of reviews, and the items they choose from."""

    name: str
    graders: NDArray[np.int64]
    numbers: NDArray[np.int64]
    items: NDArray[np.int64]


def parts_of(pool: Pool, numbers: NDArray[np.int64], sections: Sections) -> list[Part]:
    """The class as a whole, or one part per section."""
    everybody, everything = np.arange(pool.n_graders), np.arange(pool.n_items)
    if sections == "pooled":
        return [Part("the class", everybody, numbers, everything)]
    _check_sections(pool)
    shares = _shares(pool, numbers)
    parts = []
    for section, name in enumerate(pool.sections):
        graders = np.flatnonzero((pool.grader_sections == section) | (shares[:, section] > 0))
        items = np.flatnonzero(pool.item_sections == section)
        if len(items):
            parts.append(Part(f"section {name}", graders, shares[graders, section], items))
    return parts


def _check_sections(pool: Pool) -> None:
    problems = []
    for grader in range(pool.n_graders):
        line, name = int(pool.lines[grader]), str(pool.graders[grader])
        item, section = int(pool.own[grader]), int(pool.grader_sections[grader])
        if section < 0 and not (pool.is_staff[grader] and item < 0):
            fix = "fill in the section, or pool the sections"
            problems.append(Problem("has no section", line=line, column="section", value=name, fix=fix))
        elif item >= 0 and section != pool.item_sections[item]:
            fix = "move the group into one section, or pool the sections"
            rule = f"hands in {pool.items[item]!r} together with people of another section"
            problems.append(Problem(rule, line=line, column="section", value=name, fix=fix))
    if problems:
        raise DataError(problems, source=pool.source)


def _shares(pool: Pool, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many reviews everybody gives in each section; people without one split theirs evenly."""
    n_sections = len(pool.sections)
    shares = np.zeros((pool.n_graders, n_sections), dtype=np.int64)
    first = 0
    for grader in range(pool.n_graders):
        section = pool.grader_sections[grader]
        if section >= 0:
            shares[grader, section] = numbers[grader]
            continue
        whole, rest = divmod(int(numbers[grader]), n_sections)
        shares[grader] = whole
        shares[grader, (first + np.arange(rest)) % n_sections] += 1
        first += rest  # the next person goes on where this one stopped
    return shares
