"""The labels of large delimited texts, numbered where they stand: no cell becomes a text of its own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from peerage.feedback.labels import LabelCodes, recode_sorted
from peerage.reading import field_kernels as kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

AT_A_TIME = 1 << 14  # records whose fields are looked at together
ROOM = 1 << 12  # for labels, at first


def count_records(text: bytes, delimiter: str, width: int) -> int | None:
    """How many records a text without quotes has; None where one of them has too few or too many fields."""
    n_records = kernels.count_records(_bytes(text), np.uint8(ord(delimiter)), width)
    return None if n_records < 0 else n_records


def encode_columns(
    text: bytes, delimiter: str, columns: Sequence[int], width: int, n_records: int
) -> list[LabelCodes]:
    """Some columns of a text without quotes, whose records have been counted."""
    data, mark = _bytes(text), np.uint8(ord(delimiter))
    wanted = list(dict.fromkeys(columns))  # one column may be two things
    slots = np.full(width, -1, dtype=np.int64)
    slots[wanted] = np.arange(len(wanted))
    encoders = [_LabelEncoder(n_records) for _ in wanted]
    begins = np.empty((len(wanted), min(AT_A_TIME, n_records)), dtype=np.int64)
    ends = np.empty_like(begins)
    at = first = 0
    while first < n_records:
        n_found, at = kernels.find_fields(data, at, mark, slots, begins, ends)
        for slot, encoder in enumerate(encoders):
            encoder.encode(data, begins[slot, :n_found], ends[slot, :n_found], first)
        first += n_found
    by_column = {column: encoder.label_codes() for column, encoder in zip(wanted, encoders, strict=True)}
    return [by_column[column] for column in columns]


def _bytes(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(text, dtype=np.uint8)


class _LabelEncoder:
    """The labels of one column so far, by a table of their hashes."""

    def __init__(self, n_records: int) -> None:
        self.codes = np.empty(n_records, dtype=np.int32)
        self.seed = np.uint64(secrets.randbits(64))  # so that nobody can choose labels that collide
        self.n_labels = 0
        self.known, self.starts = np.zeros((ROOM, 4), dtype=np.uint64), np.zeros(ROOM + 1, dtype=np.int64)
        self.labels = np.empty(16 * ROOM, dtype=np.uint8)
        self.table = np.full(2 * ROOM, kernels.FREE)

    def encode(
        self, data: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64], first: int
    ) -> None:
        """The fields of the records from `first` on."""
        keys = np.empty((len(begins), 4), dtype=np.uint64)
        kernels.hash_fields(data, begins, ends, self.seed, keys)
        codes, done = self.codes[first : first + len(begins)], 0
        while True:
            done, self.n_labels = kernels.number_fields(
                data,
                begins,
                keys,
                done,
                self.table,
                self.known,
                self.starts,
                self.labels,
                self.n_labels,
                codes,
            )
            if done == len(begins):
                return
            self._make_room(int(ends[done] - begins[done]))

    def _make_room(self, longest: int) -> None:
        """Room for as many labels again, also for one as long as this."""
        if self.n_labels == len(self.known):
            self.known = np.concatenate([self.known, np.zeros_like(self.known)])
            self.starts = np.concatenate([self.starts, np.zeros(self.n_labels, dtype=np.int64)])
            self.table = np.full(2 * len(self.table), kernels.FREE)
            kernels.fill_table(self.table, self.known[: self.n_labels])
        else:
            more = np.empty(max(len(self.labels), longest + 1), dtype=np.uint8)
            self.labels = np.concatenate([self.labels, more])

    def label_codes(self) -> LabelCodes:
        """The numbers of all fields among the labels in order."""
        if self.n_labels == 0:
            return LabelCodes(self.codes, pl.Series([], dtype=pl.String))
        written = self.labels[: self.starts[self.n_labels] - 1].tobytes().decode("utf-8")
        return recode_sorted(self.codes, pl.Series(written.split("\n"), dtype=pl.String))
