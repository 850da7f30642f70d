"""A roster that staff uploaded, read by the library: who is in the class, and what is wrong with the file."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from peerage.errors import DataError, PeerageError
from peerage_web.sandbox.contract.errors import describe_problem
from peerage_web.sandbox.contract.jobs import JobFiles, without_kernels
from peerage_web.sandbox.work.reading import StepListener

MAX_PEOPLE = 20_000  # people
MAX_PROBLEMS = 200  # problems
# what staff map, and what files often call it (letters and digits only), the best first
HEADER_WORDS: dict[str, tuple[str, ...]] = {
    "student_id": (
        "studentid", "studentnumber", "matriculationnumber", "matrikelnummer", "idnumber", "sisuserid",
        "orgdefinedid", "numerodetudiant", "numeroetudiant", "student", "id", "number", "userid", "username",
        "loginid", "sisloginid",
    ),
    "email": ("email", "emailaddress", "mail", "emailadresse", "adressemail", "courriel"),
    "name": ("name", "fullname", "studentname", "displayname", "nom", "nomcomplet", "anzeigename"),
    "first_name": ("firstname", "givenname", "vorname", "prenom"),
    "last_name": ("lastname", "surname", "familyname", "nachname", "nomdefamille"),
    "section": ("section", "sections", "tutorial", "tutorium", "gruppe", "td"),
    "group": ("group", "team", "groups", "groupname", "teamname", "equipe"),
}  # fmt: skip
UNUSED_COLUMNS = (
    "item",
    "task",
    "conflicts",
    "submits",
    "reviews",
)  # of the library's roster; not for a course


EMPTY_ROSTER = {"header": [], "columns": {}, "rows": [], "notes": [], "left_out": 0, "problem": None}


@without_kernels
def read_roster_file(files: JobFiles, columns: Mapping[str, str], *, on_step: StepListener) -> dict[str, Any]:
    """Everybody on the roster, which is the first of the files.

    ``columns`` maps student_id, email, name, first_name, last_name, section, group to a column of the file,
    "" for none; what it does not mention is guessed from the header. The answer has `header`, `columns`
    (as used), `rows`, `notes`, `left_out` (lines of staff) and `problem` (None where it can be used).
    """
    from peerage.reading.reader import open_table

    files.enter()
    name = files.feedback
    answer: dict[str, Any] = {**EMPTY_ROSTER}
    try:
        header = [column.strip() for column in open_table(name).header]
        answer["header"] = [column for column in dict.fromkeys(header) if column]
        answer["columns"] = {**_guess_columns(answer["header"]), **_known_columns(columns, answer["header"])}
        answer |= _read_rows(name, answer["columns"])
    except PeerageError as error:
        answer["problem"] = describe_problem(error)
        answer["problem"]["problems"] = answer["problem"]["problems"][:MAX_PROBLEMS]
    return answer


def _guess_columns(header: Sequence[str]) -> dict[str, str]:
    plain = {re.sub(r"[\W_]+", "", column).lower(): column for column in reversed(header)}
    guessed: dict[str, str] = {}
    for role, words in HEADER_WORDS.items():
        taken = set(guessed.values())
        guessed[role] = next((plain[w] for w in words if w in plain and plain[w] not in taken), "")
    if guessed["first_name"] and guessed["last_name"]:
        guessed["name"] = ""
    return guessed


def _known_columns(columns: Mapping[str, str], header: Sequence[str]) -> dict[str, str]:
    return {
        role: name for role, name in columns.items() if role in HEADER_WORDS and (name in header or not name)
    }


def _read_rows(name: str, columns: Mapping[str, str]) -> dict[str, Any]:
    from peerage.roster.reader import read_roster

    student = columns["student_id"] or columns["email"]
    if not student:
        raise DataError("no column was chosen that tells people apart: a student number or an e-mail address")
    mapped = {role: columns[role] for role in ("email", "section", "group")}
    if not columns["student_id"]:
        mapped["email"] = ""  # a column has one meaning; people are called by their address here
    roster = read_roster(name, student=student, **mapped, **dict.fromkeys(UNUSED_COLUMNS, ""))
    if len(roster.rows) > MAX_PEOPLE:
        raise DataError(f"the roster has {len(roster.rows)} people; {MAX_PEOPLE} are all that a course takes")
    names = _full_names(roster.cells, columns, len(roster.rows))
    whole = zip(roster.rows.iter_rows(named=True), names, strict=True)
    people = [(row, full) for row, full in whole if row["role"] == "student"]
    return {
        "rows": [_person(row, full, bool(columns["student_id"])) for row, full in people],
        "notes": list(roster.notes),
        "left_out": len(roster.rows) - len(people),
    }


def _full_names(cells: Any, columns: Mapping[str, str], count: int) -> list[str]:
    """First and last name, or the one column there is."""
    chosen = [columns["name"]] if columns["name"] else [columns["first_name"], columns["last_name"]]
    parts = [cells[column].to_list() for column in chosen if column]
    return [" ".join(part for part in whole if part) for whole in zip(*parts, strict=True)] or [""] * count


def _person(row: Mapping[str, Any], name: str, has_number: bool) -> dict[str, Any]:
    return {
        "line": row["line"],
        "student_id": row["student"] if has_number else "",
        "email": (row["email"] if has_number else row["student"]) or "",
        "name": name,
        "section": row["section"] or "",
        "group": row["group"] or "",
    }
