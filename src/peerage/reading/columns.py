"""Which column is which: by the names given, or guessed from what people call things."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache

from peerage._options import named, named_column
from peerage.errors import DataError, Problem
from peerage.reading.table import InputTable, select_columns

SYNONYMS: dict[str, tuple[str, ...]] = {
    "grader": (
        "reviewer", "student", "worker", "assessor", "rater", "judge", "evaluator", "voter", "annotator",
        "marker", "peer", "user", "participant", "respondent", "reader",
    ),
    "item": (
        "submission", "paper", "essay", "project", "document", "work", "report", "poster", "script", "text",
        "candidate", "alternative", "object", "proposal", "manuscript", "abstract", "answer", "solution",
        "passage", "gradee", "reviewee", "assessee",
    ),
    "score": (
        "grade", "mark", "points", "rating", "overallrating", "overallscore", "totalscore", "totalpoints",
        "overallgrade", "overallmark", "overallmerit",
    ),
    "rank": ("position", "place", "order", "ranking", "placement", "placing", "standing"),
    "order": ("ranking", "rankorder", "preferences"),
    "task": ("assignment", "exercise", "question", "criterion"),
    "list": ("ballot", "comparison"),
    "weight": ("count", "multiplicity"),
    "left": (
        "leftitem", "itema", "modela", "item1", "model1", "optiona", "option1", "candidatea",
        "first", "firstitem", "a",
    ),
    "right": (
        "rightitem", "itemb", "modelb", "item2", "model2", "optionb", "option2", "candidateb", "second",
        "seconditem", "b",
    ),
    "winner": ("label", "preference", "preferred", "choice", "chosen", "result", "outcome", "vote"),
    "top": ("topitem", "winner", "better", "preferred", "chosen", "winneritem"),
    "bottom": ("bottomitem", "loser", "worse", "rejected", "loseritem"),
}  # fmt: skip
LOOKED_AT = 200  # columns among which a misspelt one is looked for: that takes time
_EXACT, _SYNONYM, _DESCRIBED = range(3)
_IDS, _DESCRIPTIONS = ("id", "ids"), ("name", "number", "no", "email", "code")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """What people call the columns of one kind of table.

    Attributes
    ----------
    words : role to its other names, lower case and without blanks and signs.
    ranked : whether a name takes precedence over those after it, and all of them over names with an `id` or
        `name` at their end; otherwise two columns that both suit a role are an error.
    nameable : whether whoever reads the file can say which column plays a role.
    """

    words: Mapping[str, tuple[str, ...]]
    ranked: bool = False
    nameable: bool = False

    def level(self, name: str, role: str) -> int | None:
        """How well a column's name suits a role, 0 best; None where it does not."""
        word = _plain(name)
        if word == role:
            return _EXACT
        if not self.ranked:
            level = self._plain_level(word, role)
            return level if level is not None else self._bare_level(name, role)
        return _precedence(self, role).get(word)

    def _plain_level(self, word: str, role: str) -> int | None:
        if word in self.words[role]:
            return _SYNONYM
        for level, tails in ((_SYNONYM, _IDS), (_DESCRIBED, _DESCRIPTIONS)):
            for tail in tails:
                stem = word.removesuffix(tail)
                if stem != word and (stem == role or stem in self.words[role]):
                    return level
        return None

    def _bare_level(self, name: str, role: str) -> int | None:
        """Of a name without what it explains in brackets: `Placement (1 = best)`."""
        bare = _bare(name)
        return _DESCRIBED if bare == role or (bare and self._plain_level(bare, role) is not None) else None

    def advice(self, verb: str, role: str, name: str | None = None) -> str:
        """How to say which column plays the role: this one, or one still to be named."""
        return f"{verb} {named_column(role, name)}" if self.nameable else f"call it {role!r}"


@cache
def _precedence(words: Vocabulary, role: str) -> dict[str, int]:
    """Every name that suits a role, and how many are better."""
    names = (role, *words.words[role])
    suitable = (*names, *(name + tail for tail in (*_IDS, *_DESCRIPTIONS) for name in names))
    return {name: suitable.index(name) for name in suitable}


FEEDBACK = Vocabulary(SYNONYMS, nameable=True)


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
    unclear = guess_columns(table.header, roles, column_names, positions, words)
    for role in roles:
        if role in unclear:
            problems.append(_ambiguous_problem(table, role, unclear[role], words))
        elif role in required and role not in positions:
            problems.append(missing_column(table, role, words))
    if problems:
        raise DataError(problems, source=table.source)
    return {role: positions[role] for role in roles if role in positions}


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


def guess_columns(
    header: Sequence[str],
    roles: Sequence[str],
    column_names: Mapping[str, str],
    positions: dict[str, int],
    words: Vocabulary = FEEDBACK,
) -> dict[str, list[int]]:
    """Add to `positions` what can be guessed of the roles not given; roles that several columns suit."""
    unclear: dict[str, list[int]] = {}
    for role in roles:
        if role in positions or role in column_names:
            continue
        likely = candidate_columns(header, role, tuple(positions.values()), words)
        if len(likely) == 1:
            positions[role] = likely[0]
        elif likely:
            unclear[role] = likely
    return unclear


def candidate_columns(
    header: Sequence[str], role: str, taken: Sequence[int] = (), words: Vocabulary = FEEDBACK
) -> list[int]:
    """The columns that may be meant: those called exactly so if there are any, else by synonym."""
    levels = {which: words.level(name, role) for which, name in enumerate(header) if which not in taken}
    best = min((level for level in levels.values() if level is not None), default=None)
    likely = [which for which, level in levels.items() if level is not None and level == best]
    bare = {_bare(header[which]) for which in likely}
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
    words = [_plain(name) for name in header]
    return bool(candidate_columns(header, role)) or bool(get_close_matches(role, words, n=1, cutoff=0.7))


def _bare(name: str) -> str:
    """A name without what stands in brackets; nothing where there are none."""
    return _plain(re.sub(r"[\[(][^\[\]()]*[\])]", " ", name)) if "(" in name or "[" in name else ""


@lru_cache(maxsize=50_000)
def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _find_by_name(table: InputTable, role: str, name: str) -> int:
    places = [which for which, header_name in enumerate(table.header) if header_name == name.strip()]
    if not places:
        lowered = [header_name.lower() for header_name in table.header]
        places = [which for which, header_name in enumerate(lowered) if header_name == name.strip().lower()]
    if len(places) > 1:
        numbers = " and ".join(str(which + 1) for which in places)
        fix = "rename one of them"
        rule = f"column {name!r} appears more than once (columns {numbers})"
        raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)
    if not places:
        raise DataError(_not_found_problem(table, name), source=table.source)
    return places[0]


def _not_found_problem(table: InputTable, name: str) -> Problem:
    folded = {header_name.lower(): header_name for header_name in table.header}
    close = get_close_matches(name.lower(), list(folded), n=1, cutoff=0.6)
    fix = f"did you mean {folded[close[0]]!r}?" if close else f"the file has {_join_names(table.header)}"
    return Problem(f"column {name!r} not found", line=table.header_line, fix=fix)


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
    folded = {_plain(name): name for name in near if name not in taken}
    for word in (role, *words.words[role]):
        close = get_close_matches(word, list(folded), n=1, cutoff=0.8)
        if close and word not in close[0]:  # a 'remark' is not a misspelt 'mark'
            name = folded[close[0]]
            rule = f"no column for the {role} found; {name!r} looks like a misspelt {word!r}"
            fix = f"rename it, or {words.advice('say', role, name)}"
            return Problem(rule, line=table.header_line, fix=fix)
    fix = f"{words.advice('name it with', role)}; the file has {_join_names(table.header)}"
    if any(_is_number(name) for name in table.header):
        fix = "the first line must hold the column names; it looks like data"
    return Problem(f"no column for the {role} found", line=table.header_line, fix=fix)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?\d+([.,]\d+)?", text))


def note_ignored(table: InputTable, used: Sequence[int]) -> tuple[str, ...]:
    """A note that names the columns nobody asked for."""
    extra = [name or f"(column {which + 1})" for which, name in enumerate(table.header) if which not in used]
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
        raise DataError(
            Problem(rule, line=table.header_line, fix=f"the file has {listed}"), source=table.source
        )
    chosen = (exact or similar)[0]
    others = {which for grid in grids if grid is not chosen for which in grid.columns}
    return select_columns(table, [which for which in range(len(table.header)) if which not in others])


def refuse_several_grids(table: InputTable, grids: Sequence[Grid]) -> None:
    """Nobody but the instructor knows which of several questions is the grade."""
    if len(grids) > 1:
        listed = ", ".join(repr(grid.question) for grid in grids[:6])
        rule = f"there are {len(grids)} questions about several items: {listed}"
        fix = f"choose one with {named('question', grids[0].question)}"
        raise DataError(Problem(rule, line=table.header_line, fix=fix), source=table.source)


# -- who graded, in tables with a row per grader --------------------------------------------------------


PERSON_HEADERS = (
    "name",
    "who",
    "fullname",
    "yourname",
    "email",
    "emailaddress",
    "username",
    "login",
    "person",
)


def first_names_people(table: InputTable, column_names: Mapping[str, str]) -> bool:
    """Whether the first column is that of people, by a name which is too common to mean it elsewhere."""
    first = re.sub(r"[\W_]+", "", table.header[0]).lower()
    return "grader" not in column_names and (first == "" or first in PERSON_HEADERS)


def find_row_columns(
    table: InputTable, column_names: Mapping[str, str], optional: Sequence[str]
) -> dict[str, int]:
    """The position of each role's column, the grader perhaps in a first column of people."""
    if first_names_people(table, column_names) and not candidate_columns(table.header, "grader"):
        rest = [role for role in optional if role != "grader"]
        return {"grader": 0, **find_columns(table, column_names, required=(), optional=rest)}
    return find_columns(table, column_names, required=(), optional=optional)
