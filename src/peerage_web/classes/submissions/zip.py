"""All submissions as one ZIP, made while it is sent: nothing is kept in memory or on the disk."""

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from peerage.writing.spreadsheet import neutralise_text
from peerage_web.sandbox.contract.jobs import safe_name

CHUNK = 1 << 20
HEADER = (
    "path", "team", "students", "emails", "student_ids", "version", "submitted_at", "late", "excluded",
    "kind", "bytes", "sha256", "file_name",
)  # fmt: skip


class Sink(io.RawIOBase):
    """What was written since it was asked last; it cannot go back."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        whole, self._parts = b"".join(self._parts), []
        return whole


def archive_of(rows: Sequence[dict[str, Any]]) -> Iterator[bytes]:
    """The bytes of the ZIP: an index, then the files as they were submitted."""
    sink = Sink()
    named = [(row, _path(row)) for row in rows]
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("index.csv", _index(named))
        yield sink.taken()
        for row, path in named:
            yield from _file(archive, sink, row["file"], path)
    yield sink.taken()


def _file(archive: zipfile.ZipFile, sink: Sink, file: Any, path: str) -> Iterator[bytes]:
    if not file.original.is_file():
        return
    with file.original.open("rb") as kept, archive.open(path, "w", force_zip64=True) as entry:
        while chunk := kept.read(CHUNK):
            entry.write(chunk)
            yield sink.taken()


def _path(row: dict[str, Any]) -> str:
    """A folder for each submission, named after who made it, and numbered so that no two are the same."""
    submission, file = row["submission"], row["file"]
    who = submission.team.name if submission.team is not None else _first(row["people"])
    folder = safe_name(f"{submission.pk:05}-{who}", (), f"{submission.pk:05}")
    return f"{folder}/{file.position}-{safe_name(file.name, (), file.kind)}"


def _first(people: Sequence[Any]) -> str:
    return (people[0].student_id or people[0].shown_name) if people else ""


def _index(named: Sequence[tuple[dict[str, Any], str]]) -> bytes:
    kept = io.StringIO(newline="")
    out = csv.writer(kept)
    out.writerow(HEADER)
    for row, path in named:
        out.writerow([_cell(value) for value in _line(row, path)])
    return kept.getvalue().encode("utf-8-sig")


def _line(row: dict[str, Any], path: str) -> tuple[object, ...]:
    submission, file, people = row["submission"], row["file"], row["people"]
    version = file.version
    return (
        path,
        submission.team.name if submission.team is not None else "",
        "; ".join(member.shown_name for member in people),
        "; ".join(member.person.email for member in people),
        "; ".join(person.student_id for person in people),
        version.number,
        version.submitted_at.isoformat(timespec="seconds"),
        "yes" if version.is_late else "no",
        "yes" if submission.excluded_at else "no",
        file.kind,
        file.bytes,
        file.sha256,
        file.name,
    )


def _cell(value: object) -> object:
    return neutralise_text(value) if isinstance(value, str) else value
