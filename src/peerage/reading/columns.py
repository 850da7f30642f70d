"""Which column is which: by the names given, or guessed from what people call things."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from peerage._options import named
from peerage.errors import DataError, OpenQuestion, Problem
from peerage.reading.table import InputTable, select_columns
from peerage.reading.values import number_columns
from peerage.reading.vocabulary import (
    FEEDBACK,
    Vocabulary,
    bare_name,
    hint_in_name,
    is_aside,
    is_number,
    plain_name,
)

MOST_CHOICES = 5  # columns that are offered for a role
MOST_OPEN = 40  # columns among which somebody could choose
LOOKED_AT = 200  # columns among which a misspelt one is looked for: that takes time


def find_columns(
    table: InputTable,
    column_names: Mapping[str, str],
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    words: Vocabulary = FEEDBACK,
) -> dict[str, int]:
    """The position of each role's column. Names that were given come first, the rest is guessed.

    An empty name means that the file has no such column, whatever its columns are called.
    A required column that cannot be found, or a guess between two columns, raises DataError.
    """
    roles = (*required, *optional)
    _refuse_odd_roles(column_names, roles, required, words)
    positions = {
        role: _find_by_name(table, role, name) for role, name in column_names.items() if name.strip()
    }
    problems = _check_shared(table, positions)
    choices: list[dict[str, Any]] = []
    missing: list[str] = []
    for role in roles:
        if role in positions or role in column_names:
            continue
        likely = candidate_columns(table.header, role, tuple(positions.values()), words)
        if len(likely) == 1:
            positions[role] = likely[0]
        elif likely:
            problems.append(_ambiguous_problem(table, role, likely, words))
            choices = choices or _choices(table, role, likely)
        elif role in required:
            missing.append(role)
    for role in missing:
        problems.append(missing_column(table, role, words))
        choices = choices or _choices(table, role, _open_columns(table, positions.values()))
    if problems and choices and words.nameable:
        raise OpenQuestion(problems, choices=choices, source=table.source)
    if problems:
        raise DataError(problems, source=table.source)
    return {role: positions[role] for role in roles if role in positions}


def _choices(table: InputTable, role: str, columns: Iterable[int]) -> list[dict[str, Any]]:
    """One choice per column, for those that can be named."""
    names = [table.header[which] for which in columns]
    return [{"columns": {role: name}} for name in names[:MOST_CHOICES] if name and names.count(name) == 1]


def _open_columns(table: InputTable, taken: Collection[int]) -> list[int]:
    """Columns that may hold labels: not taken, not known to say nothing about the order; numbers last."""
    free = [
        which for which, name in enumerate(table.header) if which not in taken and name and not is_aside(name)
    ]
    if len(free) > MOST_OPEN:
        return []
    numbers = number_columns(table)
    return sorted(free, key=lambda which: which in numbers)


def _refuse_odd_roles(
    column_names: Mapping[str, str], roles: Sequence[str], required: Sequence[str], words: Vocabulary
) -> None:
    for role in column_names:
        if role not in words.words:
            close = get_close_matches(role, words.words, n=1)
            fix = f"did you mean {close[0]}=?" if close else f"known are {', '.join(words.words)}"
            raise DataError(Problem(f"there is no column option {role!r}", fix=fix))
        if role not in roles:
            raise DataError(f"{role}= does not go with this layout, which has {', '.join(roles)}")
        if role in required and not column_names[role].strip():
            raise DataError(f"{role}= is empty, but there must be a column for the {role}")


def _check_shared(table: InputTable, positions: Mapping[str, int]) -> list[Problem]:
    """Columns that were given two roles."""
    roles: dict[int, list[str]] = {}
    for role, which in positions.items():
        roles.setdefault(which, []).append(role)
    return [
        Problem(
            f"column {table.header[which]!r} is given as {' and as '.join(shared)}",
            line=table.header_line,
            fix="a column can have one role only",
        )
        for which, shared in roles.items()
        if len(shared) > 1
    ]


def candidate_columns(
    header: Sequence[str], role: str, taken: Sequence[int] = (), words: Vocabulary = FEEDBACK
) -> list[int]:
    """The columns that may be meant: those called exactly so if there are any, else by synonym."""
    levels = {which: words.level(name, role) for which, name in enumerate(header) if which not in taken}
    best = min((level for level in levels.values() if level is not None), default=None)
    likely = [which for which, level in levels.items() if level is not None and level == best]
    bare = {bare_name(header[which]) for which in likely}
    if len(likely) > 1 and len(bare) == 1 and bare != {""} and len({header[which] for which in likely}) > 1:
        return []  # `Rank [P1]`, `Rank [P2]`: a question about several items
    return likely


def has_column(table: InputTable, column_names: Mapping[str, str], role: str) -> bool:
    """Whether there is a column for it: as given, where an empty name says no, or by its name."""
    return (
        bool(column_names[role].strip())
        if role in column_names
        else bool(candidate_columns(table.header, role))
    )


def nearly_has_column(header: Sequence[str], role: str) -> bool:
    """Whether a column is called so, or nearly."""
    words = [plain_name(name) for name in header]
    return bool(candidate_columns(header, role)) or bool(get_close_matches(role, words, n=1, cutoff=0.7))


def _find_by_name(table: InputTable, role: str, name: str) -> int:
    lowered = [header_name.lower() for header_name in table.header]
    exact = [which for which, header_name in enumerate(table.header) if header_name == name.strip()]
    places = exact or [which for which, other in enumerate(lowered) if other == name.strip().lower()]
    if len(places) > 1:
        numbers = " and ".join(str(which + 1) for which in places)
        rule = f"column {name!r} appears more than once (columns {numbers})"
        raise table.error(rule, "rename one of them", table.header_line)
    if not places:
        close = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
        near = table.header[lowered.index(close[0])] if close else ""
        fix = f"did you mean {near!r}?" if close else f"the file has {_join_names(table.header)}"
        raise table.error(f"column {name!r} not found", fix, table.header_line)
    return places[0]


def _ambiguous_problem(table: InputTable, role: str, candidates: list[int], words: Vocabulary) -> Problem:
    names = [table.header[which] for which in candidates]
    if len(set(names)) < len(names):
        rule, fix = f"column {names[0]!r} appears more than once", "rename one of them"
    else:
        rule = f"{_join_names(names, 'and')} could each be the {role}"
        fix = words.advice("choose with", role, names[0])
    return Problem(rule, line=table.header_line, fix=fix)


def missing_column(table: InputTable, role: str, words: Vocabulary = FEEDBACK) -> Problem:
    """A misspelt column is worth more than the list of those there are."""
    near = [name for name in table.header[:LOOKED_AT] if name]
    taken = {name for name in near for known_role in words.words if words.level(name, known_role) is not None}
    folded = {plain_name(name): name for name in near if name not in taken}
    for word in (role, *words.words[role]):
        close = get_close_matches(word, list(folded), n=1, cutoff=0.8)
        if close and word not in close[0]:  # a 'remark' is not a misspelt 'mark'
            name = folded[close[0]]
            rule = f"no column for the {role} found; {name!r} looks like a misspelt {word!r}"
            fix = f"rename it, or {words.advice('say', role, name)}"
            return Problem(rule, line=table.header_line, fix=fix)
    fix = f"{words.advice('name it with', role)}; the file has {_join_names(table.header)}"
    if any(is_number(name) for name in table.header):
        fix = f"the first line looks like data: if it is, say {named('header', 'none')}"
    return Problem(f"no column for the {role} found", line=table.header_line, fix=fix)


def unused_columns(table: InputTable, used: Iterable[int]) -> tuple[str, ...]:
    """The names of the columns that play no role."""
    taken = set(used)
    return tuple(
        name or f"(column {which + 1})" for which, name in enumerate(table.header) if which not in taken
    )


def named_roles(table: InputTable, positions: Mapping[str, int]) -> dict[str, str]:
    """What the columns of these roles are called."""
    return {role: table.header[which] for role, which in positions.items() if table.header[which]}


def note_ignored(table: InputTable, used: Iterable[int]) -> tuple[str, ...]:
    """A note that names the columns nobody asked for."""
    extra = unused_columns(table, used)
    if not extra:
        return ()
    return (f"column{'s' if len(extra) > 1 else ''} ignored: {_join_names(extra)}",)


def _join_names(names: Sequence[str], word: str | None = None) -> str:
    shown = [repr(name if len(name) <= 40 else name[:37] + "…") for name in names[:12]]
    if len(names) > 12:
        shown.append(f"… ({len(names)} in all)")
    if word and len(shown) > 1:
        return ", ".join(shown[:-1]) + f" {word} {shown[-1]}"
    return ", ".join(shown)


# -- questions about several items at once: forms write them as columns `Question [Item]` ---------------


_CELL = re.compile(r"(.*\S)\s*\[([^\[\]]+)\]\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Grid:
    """One question, and the columns that hold its answers by what they are about."""

    question: str
    columns: dict[int, str]


def find_grids(header: Sequence[str], taken: Collection[int] = ()) -> list[Grid]:
    """The questions of a header that are about two things or more."""
    questions: dict[str, dict[int, str]] = {}
    for which, name in enumerate(header):
        cell = _CELL.fullmatch(name)
        if cell is not None and which not in taken:
            questions.setdefault(" ".join(cell[1].split()), {})[which] = cell[2].strip()
    return [Grid(question, columns) for question, columns in questions.items() if len(columns) > 1]


_OF = re.compile(r"\s*(?:of|for|von|fur|de|du|des|pour|para)?\s*[-:_]?\s*", re.IGNORECASE)


def _is_label(text: str) -> bool:
    """Whether a part of a name may be an item: `P1`, but not the `submission` of `Grade for submission`."""
    return bool(text) and FEEDBACK.level(text, "item") is None and text.count("(") == text.count(")")


def find_measured(header: Sequence[str], taken: Collection[int] = ()) -> Grid | None:
    """Columns that begin or end with the same word for ranks or scores: `Score P1`, `P1 rank`."""
    groups: dict[tuple[str, bool], dict[int, str]] = {}
    for which, name in enumerate(header):
        words = re.split(r"(?<=[\s:_-])|(?=[\s:_-])", name.strip()) if which not in taken else []
        for end in range(1, len(words)):
            phrases = [("".join(words[:end]), "".join(words[end:]), True)]
            phrases += [("".join(words[-end:]), "".join(words[:-end]), False)]
            for phrase, item, in_front in phrases:
                label = (_OF.sub("", item, count=1) if in_front else item).strip(" _-:")
                label = label[1:-1] if label.startswith("(") and label.endswith(")") else label
                if hint_in_name(phrase).measure is not None and _is_label(label) and not is_aside(phrase):
                    groups.setdefault((phrase.strip().lower(), in_front), {}).setdefault(which, label)
    largest = max(groups.items(), key=lambda group: (len(group[1]), -len(group[0][0])), default=None)
    if largest is None or len(largest[1]) < 2 or len(set(largest[1].values())) < len(largest[1]):
        return None
    return Grid(largest[0][0], largest[1])


def select_question(table: InputTable, question: str | None) -> InputTable:
    """The table without the other questions, where one was chosen."""
    if not question:
        return table
    grids = find_grids(table.header)
    wanted = " ".join(question.lower().split())
    similar = [grid for grid in grids if wanted in grid.question.lower()]
    exact = [grid for grid in similar if grid.question.lower() == wanted]
    if len(exact or similar) != 1:
        rule = (
            f"no question {question!r} found" if not similar else f"several questions are called {question!r}"
        )
        listed = ", ".join(repr(grid.question) for grid in grids[:6]) or "none with several items"
        raise table.error(rule, f"the file has {listed}", table.header_line)
    chosen = (exact or similar)[0]
    others = {which for grid in grids if grid is not chosen for which in grid.columns}
    return select_columns(table, [which for which in range(len(table.header)) if which not in others])


def refuse_several_grids(table: InputTable, grids: Sequence[Grid]) -> None:
    """Nobody but the instructor knows which of several questions is the grade."""
    if len(grids) > 1:
        listed = ", ".join(repr(grid.question) for grid in grids[:6])
        rule = f"there are {len(grids)} questions about several items: {listed}"
        fix = f"choose one with {named('question', grids[0].question)}"
        raise table.question(rule, fix, [{"question": grid.question} for grid in grids[:MOST_CHOICES]])
