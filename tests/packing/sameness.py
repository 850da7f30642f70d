"""What packing, reading in batches and building from all rows at once make of the same files."""

from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

import peerage
from peerage import DataError
from peerage.errors import OpenQuestion
from peerage.feedback.cells import Origin
from peerage.feedback.container import build_feedback
from peerage.feedback.labels import LabelCodes, sort_names
from peerage.feedback.partition import partition_graders, split_feedback
from peerage.packing import pack_with
from peerage.reading.batches import read_in_batches
from peerage.reading.content import file_set_of
from peerage.reading.direction import direction_finder
from peerage.reading.file_sets import FileSetReader, RowLocator
from peerage.reading.long import ask_about_contradiction, rank_score_agreement
from peerage.reading.reader import confirmed
from peerage.reading.reading import Reading, complete_reading
from peerage.reading.sentences import describe

FIELDS = (
    "items", "bucket_starts", "list_starts", "list_graders", "list_tasks", "item_tasks", "scores", "weights",
    "item_labels", "grader_labels", "task_labels", "list_labels", "ordered_by", "direction", "kind",
    "notes", "sentences",
)  # fmt: skip


def told(work):
    """What a call returns, or what it complains of."""
    try:
        return work()
    except DataError as error:
        return type(error), str(error), error.total


def differences(one, other):
    """The fields in which two feedbacks differ in any bit."""
    return [name for name in FIELDS if plain(getattr(one, name)) != plain(getattr(other, name))]


def plain(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.tobytes()
    return value.to_list() if isinstance(value, pl.Series) else value


def pack_small(files, folder, *, reviews_per_part=3, **options):
    """Packed into parts of so few reviews that small files have several; two ranges make a part."""
    cut = partial(partition_graders, small=0, parts=1, largest=reviews_per_part)
    return pack_with(files, folder, reading_of(options), cut=cut, batch=(reviews_per_part + 1) // 2)


def reading_of(options):
    """Options as one object; what is none names a column."""
    known = Reading.table()
    columns = {name: told for name, told in options.items() if name not in known}
    return Reading(**{name: told for name, told in options.items() if name in known}, columns=columns)


def read_at_once(reader):
    """All rows of all files built together: slow, large, and plain."""
    files = list(reader)
    firsts = np.cumsum([0, *(file.lines[-1] if len(file.lines) else 0 for file in files)])
    lines = np.concatenate([file.lines + first for file, first in zip(files, firsts, strict=False)])
    columns = {
        role: pl.Series(np.concatenate([file.numbers[role] for file in files]), nan_to_null=True)
        for role in files[0].numbers
    }
    for role in files[0].labels:
        labels = sort_names({label for file in files for label in file.labels[role].labels})
        number = {label: which for which, label in enumerate(labels)}
        numbers = [
            np.array([*(number[label] for label in file.labels[role].labels), -1], dtype=np.int32)
            for file in files
        ]
        codes = [places[file.labels[role].codes] for places, file in zip(numbers, files, strict=True)]
        columns[role] = LabelCodes(np.concatenate(codes), pl.Series(labels, dtype=pl.String))
    schema, reading, notes = reader.schema, reader.reading, tuple(reader.notes)
    locator = RowLocator([file.path for file in files], firsts[1:], reader.files.is_single)
    try:
        feedback = build_feedback(
            columns,
            origin=Origin(reader.files.name, lambda rows: lines[rows], schema.names),
            duplicates=reading.duplicates,
            missing=reading.missing,
            ids=reading.ids,
            notes=notes,
            find_direction=direction_finder(schema.hint, reading, source=reader.files.name, line=schema.line),
        )
    except OpenQuestion as question:
        if "direction" in question.choices[0] or "empty" in question.choices[0]:
            raise
        told = locator.of_first_file(question)
        raise OpenQuestion(
            told.problems, choices=question.choices, source=told.source, total=told.total
        ) from None
    except DataError as error:
        raise locator.of_first_file(error) from error
    ask_about_contradiction(rank_score_agreement(feedback), reader.files.name, schema.names)
    roles = {"score" if role == "value" else role: name for role, name in schema.names.items()}
    said = {"format": "long", "columns": roles, "ignore": schema.ignored}
    complete = complete_reading(reading, said, feedback.direction)
    feedback = replace(feedback, notes=(*notes, *map(locator.rewrite, feedback.notes[len(notes) :])))
    return replace(feedback, reading=complete, sentences=describe(feedback, None, complete))


def assert_same(files, folder, *, reviews_per_part=3, **options):
    """Packing gives what reading gives, or refuses it in the same words; then nothing is left behind."""
    whole = told(lambda: peerage.read(files, **options))
    file_set = file_set_of(files)
    if file_set is not None:
        reading = reading_of(options)
        for work in (read_at_once, partial(read_in_batches, batch=(reviews_per_part + 1) // 2)):
            other = told(
                lambda work=work: confirmed(lambda said: work(FileSetReader(file_set, said)), reading)
            )
            assert isinstance(other, tuple) == isinstance(whole, tuple), (whole, other)
            assert other == whole if isinstance(whole, tuple) else differences(other, whole) == []
    packed = told(lambda: pack_small(files, folder, reviews_per_part=reviews_per_part, **options))
    if isinstance(whole, tuple):
        assert packed == whole
        assert not folder.exists()
        return None
    assert not isinstance(packed, tuple), packed
    assert differences(packed.feedback(), whole) == []
    edges = np.append([part.first_grader for part in packed.parts], whole.n_graders)
    for which, part in enumerate(split_feedback(whole, edges)):  # those that a fit is cut into
        counts = packed.parts[which]
        found = (counts.graders, counts.lists, counts.reviews)
        assert found == (part.n_graders, part.n_lists, part.n_entries)
        assert set(differences(packed.read(which), part)) <= {"notes", "sentences"}
    return packed
