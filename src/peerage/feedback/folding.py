"""Labels that are one name written in several ways: other case, other blanks, another Unicode form."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNUSUAL = r"[^\x20-\x7e]"  # signs that take more to fold than small letters and single blanks


def fold_key(label: str) -> str:
    """What a label has in common with all its spellings."""
    text = unicodedata.normalize("NFKC", label).casefold()
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")  # invisible marks
    return " ".join(unicodedata.normalize("NFKC", text).split())


def fold_keys(labels: pl.Series) -> pl.Series:
    """The key of every label; of plain ones, which are most, all at once."""
    keys = labels.str.to_lowercase().str.replace_all(" +", " ").str.strip_chars(" ")
    unusual = labels.str.contains(UNUSUAL).arg_true()
    if not len(unusual):
        return keys
    return keys.scatter(unusual, [fold_key(label) for label in labels.gather(unusual)])


def alike(labels: pl.Series) -> list[list[str]]:
    """The labels that differ in nothing but that, together; those without company are left out."""
    groups: dict[str, list[str]] = {}
    for label in labels.filter(fold_keys(labels).is_duplicated()):
        groups.setdefault(fold_key(label), []).append(label)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def joined(
    codes: NDArray[np.int32], labels: pl.Series
) -> tuple[NDArray[np.int32], pl.Series, list[list[str]]]:
    """Codes and labels with spellings of one name as one, called as it is written most often."""
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    lookup, kept, groups = spellings(labels, counts)
    return (np.append(lookup, np.int32(-1))[codes], kept, groups) if groups else (codes, labels, [])


def spellings(
    labels: pl.Series, counts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], pl.Series, list[list[str]]]:
    """The new number of each label, the new labels, and who was joined, as `counts` say who is usual."""
    groups = alike(labels)
    if not groups:
        return np.arange(len(labels), dtype=np.int32), labels, []
    names = labels.to_list()
    number = {name: which for which, name in enumerate(names)}
    spelling: dict[str, str] = {}
    for group in groups:
        usual = max(group, key=lambda name: (int(counts[number[name]]), [-ord(sign) for sign in name]))
        spelling |= dict.fromkeys(group, usual)
    called = [spelling.get(name, name) for name in names]
    kept = pl.Series(sorted(set(called)), dtype=pl.String)
    place = {name: which for which, name in enumerate(kept)}
    return np.array([place[name] for name in called], dtype=np.int32), kept, groups
