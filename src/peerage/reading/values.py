"""What people write where a number belongs: `1st`, `2=`, `8/10`, `85%`, `B+`, `7,5`, `not reviewed`.

One meaning is found for a whole column (or all columns of a matrix), and where there is none the cells are
refused with what would be plain. Cells that nobody can read are left for the builder, which names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from peerage._options import named
from peerage.errors import KEPT_PROBLEMS, DataError
from peerage.feedback.cells import EMPTY_NUMBERS, Origin
from peerage.reading.table import InputTable, Lines
from peerage.reading.vocabulary import PLACE_OF_ORDINAL, PLACE_WORDS, HeaderHint, fold

NOT_REVIEWED = (
    "-", "--", "–", "—", ".", "n/a", "not reviewed", "not graded", "not ranked", "not rated",
    "not assessed", "did not review", "no review", "unrated", "unranked", "no grade", "no answer",
    "missing", "absent", "skipped", "excused", "nicht bewertet", "keine bewertung", "non evalue",
    "non évalué", "no evaluado", "sin evaluar",
)  # fmt: skip
LETTERS = ("A+", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D+", "D", "D-", "E+", "E", "E-", "F")

Kind = Literal["place", "of", "percent", "points", "choice", "comma", "half", "letter", "word"]
_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_PLACE = re.compile(  # of folded text
    rf"(?:(?:#|no\.?|nr\.?|{PLACE_WORDS})\s*#?\s*)?(\d+)\s*(?:st|nd|rd|th|er|re|eme|e|\.)?\s*(?:{PLACE_WORDS})?\s*"
    r"(?P<tie>=|t|tie|tied|\((?:tie|tied)\))?|(?P<front>=|t-?|tied?\s+)(\d+)"
)
_NAMED_PLACE = re.compile(rf"\d+\s*(?:st|nd|rd|th|er|re|eme|e|\.)?\s*(?:{PLACE_WORDS})")
_SPELLED_PLACE = re.compile(rf"({'|'.join(PLACE_OF_ORDINAL)})(?:\s+(?:{PLACE_WORDS}))?")
_OF = re.compile(rf"({_NUMBER})\s*(?:/|out of|of)\s*({_NUMBER})(?:\s*(?:points?|pts?\.?))?", re.IGNORECASE)
_PERCENT = re.compile(rf"({_NUMBER})\s*(?:%|percent|per cent)", re.IGNORECASE)
_POINTS = re.compile(rf"({_NUMBER})\s*(?:stars?|points?|pts?\.?|marks?|★)", re.IGNORECASE)
_CHOICE = re.compile(rf"({_NUMBER})\s*[-–:.)]\s*[^\W\d].*", re.DOTALL)
_WITH_OTHER = re.compile(
    rf"({_NUMBER})\s*\((?:-|{_NUMBER})\)"
)  # Moodle Workshop: the grade, and one for giving it
_COMMA = re.compile(r"([+-]?\d+),(\d+)")
_PRAISE = [
    (
        re.compile(r"\breject|\bdisagree", re.IGNORECASE),
        re.compile(r"\baccept|(?<!dis)\bagree", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:poor|bad|weak|worst|fail|terrible|unsatisfactory|inadequate)", re.IGNORECASE),
        re.compile(r"\b(?:good|excellent|outstanding|strong|best|superb|great)", re.IGNORECASE),
    ),
]
_ORDINAL_SIGN = re.compile(r"[ºª°]")
_STARS = re.compile(r"[★⭐*]*[☆✩]*")
_HALF = re.compile(r"(\d*)\s*([½¼¾])")
_FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d.*|\d{1,2}[-. ](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-. ]\d{1,4}",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\d+(?:[.,]\d+)?\s*(?:-|–|to)\s*\d+(?:[.,]\d+)?")


# words of scales, best first; each line is one step
SCALE = (
    ("outstanding", "excellent", "exceptional", "superb", "ausgezeichnet", "hervorragend",
     "exzellent", "excelente", "sobresaliente", "strongly agree", "strong accept"),
    ("very good", "very high", "great", "sehr gut", "tres bien", "très bien", "muy bueno", "muy bien",
     "accept"),
    ("good", "high", "gut", "hoch", "bien", "bon", "eleve", "élevé", "bueno", "alto", "agree",
     "weak accept"),
    ("satisfactory", "average", "fair", "medium", "ok", "okay", "befriedigend", "mittel", "assez bien",
     "moyen", "regular", "medio", "neutral", "borderline", "acceptable"),
    ("adequate", "sufficient", "ausreichend", "passable", "suficiente", "weak reject"),
    ("poor", "low", "weak", "schlecht", "niedrig", "mangelhaft", "mauvais", "faible", "malo", "bajo",
     "deficiente", "disagree", "reject", "insufficient"),
    ("very poor", "very low", "bad", "unacceptable", "fail", "ungenügend", "ungenugend", "insuffisant",
     "muy malo", "insuficiente", "strongly disagree", "strong reject"),
)  # fmt: skip
_OWN = frozenset(("x", "own", "self", "mine", "me", "eigene", "selbst", "moi", "yo", "propio"))
MOST_CODES = 3  # different texts among numbers that may all say "not reviewed"


@dataclass(frozen=True, slots=True)
class _Cell:
    """What one text means: its kind and its number, and of `8/10` also what it is out of."""

    kind: Kind
    number: float
    whole: float = 0.0


@dataclass(frozen=True, slots=True)
class CellValues:
    """What the texts of a column mean.

    Attributes
    ----------
    numbers : text to number; None where it says that there was no review.
    hint : what the way of writing says about the direction: `1st` is a rank, `8/10` and `85%` are scores.
    refused : text to why it cannot be read in this company, and what would be plain.
    notes : what was understood, one sentence each.
    """

    numbers: Mapping[str, float | None] = field(default_factory=dict)
    hint: HeaderHint = field(default_factory=HeaderHint)
    refused: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def apply(self, column: pl.Series) -> pl.Series:
        """The column with numbers for what was understood; the rest as it is."""
        if not self.numbers or column.dtype != pl.String:
            return column
        text = column.str.strip_chars()
        pairs = [(name, None if number is None else repr(number)) for name, number in self.numbers.items()]
        names, values = [name for name, _ in pairs], [value for _, value in pairs]
        return text.replace(pl.Series(names, dtype=pl.String), pl.Series(values, dtype=pl.String))


def is_plain(column: pl.Series) -> bool:
    """Whether there is nothing but numbers and empty cells: most files, and there is much of them."""
    if column.dtype != pl.String:
        return True
    return column.cast(pl.Float64, strict=False).null_count() == column.null_count()


def not_reviewed(column: pl.Series, empty: Sequence[str]) -> pl.Series | None:
    """Which cells say, in words or by a code, that there was no review; None where none can."""
    codes = [text.strip().lower() for text in empty]
    numbers = [number for text in codes if (number := _as_number(text)) is not None]
    plain = is_plain(column)
    if plain and not numbers:
        return None
    absent = pl.repeat(False, len(column), eager=True)
    if not plain:
        text = column.str.strip_chars()
        written = interpret_cells([column]).numbers if numbers else {}  # `0,0` and `0/10` are 0, too
        also = [cell.lower() for cell, number in written.items() if number in numbers]
        absent = text.str.to_lowercase().is_in([*NOT_REVIEWED, *codes, *also]).fill_null(False)
    if numbers:
        absent |= column.cast(pl.Float64, strict=False).is_in(numbers).fill_null(False)
    return absent


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def ask_about_words(
    columns: Mapping[str, pl.Series], values: CellValues, table: InputTable, lines: Lines
) -> None:
    """Ask what texts mean that nobody can read as numbers: the words of a scale, or "not reviewed"."""
    unknown: dict[str, int] = {}
    first: tuple[str, int] | None = None  # the column and the row of the first
    numbers = 0
    for name, column in columns.items():
        if is_plain(column):
            numbers += column.count()
            continue
        left = values.apply(column).str.strip_chars()
        number = left.cast(pl.Float64, strict=False)
        numbers += number.count()
        odd = left.is_not_null() & number.is_null() & ~left.str.to_lowercase().is_in(EMPTY_NUMBERS)
        for text, count in left.filter(odd).value_counts().iter_rows():
            unknown[text] = unknown.get(text, 0) + count
        if odd.any() and first is None:
            first = name, int(odd.arg_max() or 0)
    if first is None:
        return
    choice: dict[str, Any]
    steps = {text: step for text in unknown for step, words in enumerate(SCALE) if text.lower() in words}
    if numbers == 0 and len(steps) == len(unknown) > 1 and len(set(steps.values())) == len(steps):
        scale = ",".join(sorted(steps, key=lambda text: steps[text]))
        rule = f"the words {scale.replace(',', ', ')} may be a scale"
        choice, fix = {"words": scale}, named("words", scale)
    elif (
        numbers
        and len(unknown) <= MOST_CODES
        and all(count > 1 or text.lower() in _OWN for text, count in unknown.items())
    ):
        rule = f"{' and '.join(map(repr, unknown))} may say that the item was not reviewed"
        choice, fix = {"empty": tuple(unknown)}, named("empty", ", ".join(unknown))
    else:
        return
    line = int(lines(np.array([first[1]]))[0])
    raise table.question(rule, f"say {fix}", [choice], line=line, column=first[0])


def refuse_cells(values: CellValues, column: pl.Series, origin: Origin, role: str) -> None:
    """Raise what cannot be read in this company, cell by cell."""
    if not values.refused:
        return
    text = column.cast(pl.String).str.strip_chars()
    rows = text.is_in(list(values.refused)).fill_null(False).arg_true()
    problems = [
        origin.problem(int(row), role, text[int(row)], *values.refused[text[int(row)]])
        for row in rows.head(KEPT_PROBLEMS)
    ]
    raise DataError(problems, source=origin.source, total=len(rows))


def interpret_cells(columns: Iterable[pl.Series], words: Sequence[str] = ()) -> CellValues:
    """What is written in these columns, together; ``words`` are the marks of a scale, best first."""
    odd: dict[str, None] = {}
    plain: dict[str, float] = {}
    for column in columns:
        if column.dtype != pl.String:
            plain |= {f"{value:g}": value for value in column.drop_nulls().head(1)}
            continue
        text = column.str.strip_chars()
        number = text.cast(pl.Float64, strict=False)
        is_odd = text.is_not_null() & number.is_null() & (text != "")
        if is_odd.any():
            odd |= dict.fromkeys(text.filter(is_odd).unique(maintain_order=True))
        for which in (number.arg_max(), number.arg_min()):
            if which is not None:
                plain[text[which]] = float(number[which])
    return _interpret(list(odd), plain, words) if odd else CellValues()


def _interpret(texts: Sequence[str], plain: Mapping[str, float], words: Sequence[str]) -> CellValues:
    scale = {word.strip().lower(): place for place, word in enumerate(words, start=1)}
    empty = {text: None for text in texts if text.lower() in NOT_REVIEWED}
    rest = [text for text in texts if text not in empty]
    cells = {text: cell for text in rest if (cell := _cell(text, scale)) is not None}
    refused = {
        text: why for text in rest if text not in cells and (why := _accident_advice(text)) is not None
    }
    kinds: dict[Kind, str] = {}
    for text, cell in cells.items():
        kinds.setdefault(cell.kind, text)
    refused |= _find_odd_cells(cells, plain) | _not_interpret(cells, kinds, plain)
    if refused:
        return CellValues(dict(empty), refused=refused)
    numbers = _to_numbers(cells)
    hint = _hint_of_choices(cells) if "choice" in kinds else _hint_of_kinds(kinds)
    return CellValues({**empty, **numbers}, hint, notes=_notes(cells, kinds, numbers))


def _cell(text: str, scale: Mapping[str, int]) -> _Cell | None:
    if _DATE.fullmatch(text):
        return None
    if text.lower() in scale:
        return _Cell("word", scale[text.lower()])
    if text.upper().replace("−", "-").replace("–", "-") in LETTERS:
        return _Cell("letter", LETTERS.index(text.upper().replace("−", "-").replace("–", "-")) + 1)
    folded = fold(_ORDINAL_SIGN.sub(".", text))
    if match := _SPELLED_PLACE.fullmatch(folded):
        return _Cell("place", float(PLACE_OF_ORDINAL[match[1]]))
    for kind, pattern in (
        ()
        if _NAMED_PLACE.fullmatch(folded)
        else (
            ("comma", _COMMA),
            ("percent", _PERCENT),
            ("points", _POINTS),
            ("points", _WITH_OTHER),
            ("of", _OF),
            ("choice", _CHOICE),
        )
    ):
        if match := pattern.fullmatch(text):
            return _number_cell(kind, match)
    if _STARS.fullmatch(text):
        return _Cell("points", float(sum(sign in "★⭐*" for sign in text)))
    if match := _HALF.fullmatch(text):
        return _Cell("half", float(match[1] or 0) + _FRACTIONS[match[2]])
    if match := _PLACE.fullmatch(folded):
        return _Cell("place", float(next(part for part in (match[1], match[4]) if part)))
    return None


def _number_cell(kind: str, match: re.Match[str]) -> _Cell:
    if kind == "comma":
        return _Cell("comma", float(f"{match[1]}.{match[2]}"))
    number = float(match[1].replace(",", "."))
    if kind == "of":
        return _Cell("of", number, float(match[2].replace(",", ".")))
    return _Cell("percent" if kind == "percent" else "choice" if kind == "choice" else "points", number)


def _accident_advice(text: str) -> tuple[str, str] | None:
    """What to say of a cell that looks like a well-known accident."""
    if _DATE.fullmatch(text):
        return (
            "looks like a date",
            "spreadsheets make dates of 8/10: enter it again as text",
        )
    if _RANGE.fullmatch(text):
        return "is a range, and one number is needed", "write the number that is meant"
    return None


def _find_odd_cells(cells: Mapping[str, _Cell], plain: Mapping[str, float]) -> dict[str, tuple[str, str]]:
    """Cells that are not what they pretend."""
    wrong: dict[str, tuple[str, str]] = {}
    commas = [text for text, cell in cells.items() if cell.kind == "comma"]
    if commas and all(len(text.rpartition(",")[2]) == 3 for text in commas):
        wrong |= dict.fromkeys(commas, ("may be a thousand or a fraction", "write it without the comma"))
    points = next((text for text in plain if "." in text), None)
    if commas and points:
        rule = f"has a decimal comma, and others such as {points} a point"
        wrong |= dict.fromkeys(commas, (rule, "write all of them with a point"))
    for text, cell in cells.items():
        if cell.kind == "of" and not 0 < cell.whole >= cell.number:
            wrong[text] = ("is more than there is", "write the points first, then what they are out of")
    return wrong


def _not_interpret(
    cells: Mapping[str, _Cell], kinds: Mapping[Kind, str], plain: Mapping[str, float]
) -> dict[str, tuple[str, str]]:
    """Ways of writing that do not go together. `1st, 2=, 3` are places all the same, and `8/10, 9` of 10."""
    wrong: dict[str, tuple[str, str]] = {}
    alone: tuple[Kind, ...] = ("place", "of", "percent", "letter", "word")
    loose = [text for kind, text in kinds.items() if kind not in alone] + list(plain)
    wholes = {cell.whole for cell in cells.values() if cell.kind == "of"}
    fits = len(wholes) == 1 and all(number <= next(iter(wholes)) for number in plain.values())
    for kind in alone:
        company = [text for other, text in kinds.items() if other in alone and other != kind]
        if kind not in ("place", "of") or (kind == "of" and not fits):
            company += loose
        if kind in kinds and company:
            rule = f"stands in one column with {company[0]!r}, which is another way to write it"
            mine = [text for text, cell in cells.items() if cell.kind == kind]
            wrong |= dict.fromkeys(mine, (rule, "write all cells in one way"))
    return wrong


def _to_numbers(cells: Mapping[str, _Cell]) -> dict[str, float | None]:
    wholes = {cell.whole for cell in cells.values() if cell.kind == "of"}
    share = 100.0 if len(wholes) > 1 else 0.0  # out of different totals: as percentages
    return {text: share * cell.number / cell.whole if share else cell.number for text, cell in cells.items()}


def _hint_of_choices(cells: Mapping[str, _Cell]) -> HeaderHint:
    """Which end of `1 - Reject` to `4 - Accept` is best, if the words tell."""
    good, bad = ([cell.number for text, cell in cells.items() if _praise(text) == sign] for sign in (1, -1))
    if good and bad and (min(good) > max(bad) or max(good) < min(bad)):
        best: Literal["low", "high"] = "high" if min(good) > max(bad) else "low"
        return HeaderHint(None, best, next(text for text in cells if _praise(text) == 1), cells=True)
    return HeaderHint()


def _praise(text: str) -> int:
    """1 for a word of praise, -1 for one of blame, 0 for neither; `weak accept` is an acceptance."""
    for blame, praise in _PRAISE:
        sign = bool(praise.search(text)) - bool(blame.search(text))
        if sign:
            return sign
    return 0


def _hint_of_kinds(kinds: Mapping[Kind, str]) -> HeaderHint:
    for kind, text in kinds.items():
        if kind == "place":
            return HeaderHint("ranks", "low", text, cells=True)
        if kind in ("of", "percent", "points"):
            return HeaderHint("scores", None, text, cells=True)  # `1/8` may be a rank out of eight
        if kind in ("letter", "word"):
            return HeaderHint("letters", "low", text, cells=True)
    return HeaderHint()


def _notes(
    cells: Mapping[str, _Cell], kinds: Mapping[Kind, str], numbers: Mapping[str, float | None]
) -> tuple[str, ...]:
    notes = []
    for kind, text in kinds.items():
        if kind in ("letter", "word"):
            best = min((cell.number, name) for name, cell in cells.items())[1]
            notes.append(f"marks such as {text!r} read in their order; the best one given is {best!r}")
        else:
            notes.append(f"{text!r} and the like read as {numbers[text]:g}")
    return tuple(notes)


SAMPLED = 200  # rows by which a column is known


def number_columns(table: InputTable) -> list[int]:
    """Columns of which the cells are numbers, or marks that stand for numbers; empty ones are.

    There may be thousands of columns, so the few cells of each are looked at in plain Python.
    """
    frame = table.first_rows(range(len(table.header)), SAMPLED)
    kinds = [_kind_of(column) for column in frame]
    are_grades = "grades" in kinds  # letters alone may be answers to a quiz
    return [
        which
        for which, kind in enumerate(kinds)
        if kind in ("numbers", "grades") or (kind == "letters" and are_grades)
    ]


def _kind_of(column: pl.Series) -> Literal["numbers", "letters", "grades", "other"]:
    """What the cells are, but for a few that say in words that there was no review."""
    if column.dtype.is_numeric():
        return "numbers"
    texts = [text for cell in column.to_list() if (text := str(cell).strip() if cell is not None else "")]
    texts = [text for text in texts if text.lower() not in NOT_REVIEWED and text.lower() not in EMPTY_NUMBERS]
    odd = [text for text in texts if _as_number(text) is None]
    if not odd:
        return "numbers" if len(column) else "other"
    if are_marks(odd):
        return "numbers"
    if {fold(text) for text in odd} <= {*_FIRST_OR_SECOND}:
        return "other"  # which of two was better, rather than a place
    cells = [_cell(text, {}) for text in odd]
    if all(cell is not None and cell.kind == "letter" for cell in cells):
        return "grades" if any(set("+-") & set(text) for text in odd) else "letters"
    unread = {text for text, cell in zip(odd, cells, strict=True) if cell is None or cell.kind == "letter"}
    read = len(texts) - sum(text in unread for text in odd)
    few = len(unread) <= FEW_TEXTS or 2 * read >= len(texts)
    return "numbers" if read and few else "other"


_FIRST_OR_SECOND = [word for word, place in PLACE_OF_ORDINAL.items() if place <= 2]
FEW_TEXTS = 2  # different texts among the numbers of a column, such as X and own
_WORDS = frozenset(word for words in SCALE for word in words)


def are_marks(texts: Iterable[str]) -> bool:
    """Whether all are words of scales, or drawn stars."""
    lowered = {text.lower() for text in texts}
    return bool(lowered) and (lowered <= _WORDS or all(map(_STARS.fullmatch, lowered)))
