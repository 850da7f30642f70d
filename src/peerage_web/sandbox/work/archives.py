"""An archive of a course that somebody uploaded: unpacked within bounds, every value looked at.

What the tables may hold comes with the question, as plain data. The files of submissions and examples are
written beside the archive under the names that stand in it, which are made of digits; others are not
unpacked.
"""

import hashlib
import json
import math
import re
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from peerage_web.sandbox.contract.errors import DISK_FULL
from peerage_web.sandbox.contract.jobs import JobFiles, without_kernels
from peerage_web.sandbox.work.reading import StepListener

Schema = Mapping[str, Mapping[str, Mapping[str, Any]]]
MAX_TABLE_BYTES = 64 << 20  # of all tables together
MAX_ENTRIES = 60_000
MAX_TEXT = 200_000
MAX_DEPTH = 6  # of JSON in a column
MAX_INTEGER = 2**63 - 1
MAX_FLOAT = 1e12  # far beyond every scale, and sums of such stay finite
CHUNK = 1 << 20
UNPACKED = "unpacked"
_FILE = re.compile(r"(submissions|examples)/[0-9]{1,18}")


class BadArchiveError(Exception):
    """What is wrong with it: a code, and figures."""

    def __init__(self, code: str, **figures: Any) -> None:
        super().__init__(code)
        self.problem = {"code": code, **figures}


@without_kernels
def read_course_archive(
    files: JobFiles, schema: Schema, format_: str, newest: int, most: int, *, on_step: StepListener
) -> dict[str, Any]:
    """`manifest`, `tables` and `files` (names that were unpacked), or `problem`: a code with its figures."""
    files.enter()
    try:
        with zipfile.ZipFile(files.feedback) as archive:
            return _read(archive, schema, format_, newest, most)
    except BadArchiveError as error:
        return {"problem": error.problem}
    except (ValueError, RecursionError):
        return {"problem": {"code": "no-json"}}
    except OSError as error:
        if error.errno in DISK_FULL:  # our disk, not their file
            raise
        return {"problem": {"code": "no-zip"}}
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError):
        return {"problem": {"code": "no-zip"}}
    except RuntimeError:  # what `zipfile` says of other compressions and of passwords
        return {"problem": {"code": "no-zip"}}


def _read(archive: zipfile.ZipFile, schema: Schema, format_: str, newest: int, most: int) -> dict[str, Any]:
    names = archive.namelist()
    if len(names) > MAX_ENTRIES or len(set(names)) != len(names):
        raise BadArchiveError("too-many-files", most=MAX_ENTRIES)
    budget = [MAX_TABLE_BYTES]
    manifest = _read_manifest(archive, budget, format_, newest)
    version = str(manifest.get("peerage_version", ""))[:40]
    try:
        tables = _read_tables(archive, names, schema, budget)
    except BadArchiveError as error:
        error.problem["version"] = version
        raise
    unpacked = _unpack(archive, names, manifest.get("files"), most)
    return {"manifest": {"version": version, "made_at": str(manifest.get("made_at", ""))[:40]},
            "tables": tables, "files": unpacked}  # fmt: skip


def _read_manifest(archive: zipfile.ZipFile, budget: list[int], format_: str, newest: int) -> dict[str, Any]:
    if "course.json" not in archive.namelist():
        raise BadArchiveError("no-course")
    manifest = _read_json(archive, "course.json", budget)
    if not isinstance(manifest, dict) or manifest.get("format") != format_:
        raise BadArchiveError("no-course")
    version = manifest.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= newest:
        raise BadArchiveError("newer", version=str(manifest.get("peerage_version", ""))[:40])
    return manifest


def _read_json(archive: zipfile.ZipFile, name: str, budget: list[int]) -> Any:
    """One document; what it says of its size is not believed, what comes out of it is counted."""
    with archive.open(name) as entry:
        data = entry.read(budget[0] + 1)
    budget[0] -= len(data)
    if budget[0] < 0:
        raise BadArchiveError("too-large", most=MAX_TABLE_BYTES >> 20)
    return json.loads(data, parse_constant=_no_number)


def _no_number(text: str) -> Any:
    raise ValueError(text)


# -- tables ------------------------------------------------------------------------------------------------


def _read_tables(
    archive: zipfile.ZipFile, names: list[str], schema: Schema, budget: list[int]
) -> dict[str, list[dict[str, Any]]]:
    present = {
        name.removeprefix("tables/").removesuffix(".json") for name in names if name.startswith("tables/")
    }
    unknown = sorted(present - schema.keys())
    if unknown:
        raise BadArchiveError("unknown", what=unknown[0][:60])
    tables = {
        name: _check_rows(_read_json(archive, f"tables/{name}.json", budget), name, schema[name])
        for name in schema
        if name in present
    }
    numbers = {name: {row["id"] for row in rows} for name, rows in tables.items()}
    for name, rows in tables.items():
        refs = {column: str(kind["to"]) for column, kind in schema[name].items() if kind["kind"] == "ref"}
        for row in rows:
            for column, target in refs.items():
                value = row.get(column)
                if value is not None and value not in numbers.get(target, ()):
                    raise BadArchiveError("dangling", table=name, row=row["id"], column=column)
    return tables


def _check_rows(rows: Any, table: str, columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    if not isinstance(rows, list):
        raise BadArchiveError("no-rows", table=table)
    seen: set[int] = set()
    for row in rows:
        number = row.get("id") if isinstance(row, dict) else None
        if type(number) is not int or not 0 < number <= MAX_INTEGER or number in seen:
            raise BadArchiveError("no-rows", table=table)
        seen.add(number)
        for name, value in row.items():
            if name == "id":
                continue
            if name not in columns:
                raise BadArchiveError("unknown", what=f"{table}.{name}"[:60])
            if not _fits(value, columns[name]):
                raise BadArchiveError("value", table=table, row=number, column=name)
    return rows


def _fits(value: Any, column: Mapping[str, Any]) -> bool:
    if value is None:
        return bool(column["null"])
    kind = column["kind"]
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("int", "ref"):
        low, high = column.get("range") or (-MAX_INTEGER, MAX_INTEGER)
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    if kind == "float":
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_FLOAT
    if kind == "json":
        shape = dict if column["shape"] == "object" else list
        return isinstance(value, shape) and _is_plain(value, MAX_DEPTH)
    if not isinstance(value, str) or not _is_unicode(value, column.get("most") or MAX_TEXT):
        return False
    if kind == "moment":
        return _is_moment(value)
    return column["choices"] is None or value in column["choices"]


def _is_unicode(value: str, most: int) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half a character, which no database takes
        return False
    return len(value) <= most and "\0" not in value


def _is_moment(value: str) -> bool:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return False
    return moment.tzinfo is not None and 1990 <= moment.year <= 2999


def _is_plain(value: Any, deep: int) -> bool:
    if isinstance(value, str):
        return _is_unicode(value, MAX_TEXT)
    if isinstance(value, dict):
        return deep > 0 and all(
            isinstance(name, str) and _is_unicode(name, 200) and _is_plain(part, deep - 1)
            for name, part in value.items()
        )
    if isinstance(value, list):
        return deep > 0 and all(_is_plain(part, deep - 1) for part in value)
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


# -- files -------------------------------------------------------------------------------------------------


def _unpack(archive: zipfile.ZipFile, names: list[str], listed: Any, most: int) -> list[str]:
    """Works and examples that the manifest lists, each with the SHA-256 that it has there."""
    if not isinstance(listed, dict):
        raise BadArchiveError("no-course")
    wanted = [name for name in names if _FILE.fullmatch(name)]
    there = set(names)
    missing = [name for name in listed if _FILE.fullmatch(name) and name not in there]
    if missing:
        raise BadArchiveError("file-missing", file=missing[0])
    left = most
    for name in wanted:
        path = Path("..", UNPACKED, name)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with archive.open(name) as entry, path.open("wb") as out:
            digest, size = _copy_entry(entry, out, left)
        if size > left:
            raise BadArchiveError("too-large", most=most >> 20)
        left -= size
        if digest != listed.get(name):
            raise BadArchiveError("file-damaged", file=name)
    return wanted


def _copy_entry(entry: IO[bytes], out: IO[bytes], left: int) -> tuple[str, int]:
    """What it had, and how much; no more is written than there is room for."""
    digest, size = hashlib.sha256(), 0
    while chunk := entry.read(CHUNK):
        size += len(chunk)
        if size > left:
            break
        digest.update(chunk)
        out.write(chunk)
    return digest.hexdigest(), size
