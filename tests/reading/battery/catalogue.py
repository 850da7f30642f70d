"""All cases of the battery, by family."""

from __future__ import annotations

from functools import cache

from tests.reading.battery.case import Case
from tests.reading.battery.makers import (
    ballots,
    long_tables,
    matrices,
    own_files,
    pairs,
    platforms,
    slots,
    texts,
    workbooks,
)  # fmt: skip

FAMILIES = {
    "long tables": long_tables, "matrices": matrices, "pairs": pairs, "ballots": ballots, "texts": texts,
    "slots": slots, "workbooks": workbooks, "platforms": platforms, "own files": own_files,
}  # fmt: skip


@cache
def families() -> dict[str, tuple[Case, ...]]:
    return {family: tuple(module.cases()) for family, module in FAMILIES.items()}


def all_cases() -> tuple[Case, ...]:
    return tuple(case for cases in families().values() for case in cases)
