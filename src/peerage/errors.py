"""What can go wrong, as a tree.

PeerageError
├── DataError           (also ValueError)   the feedback cannot be used as given
│   ├── OpenQuestion                        it can be read in several ways, and nobody said which
│   ├── AmbiguousReadingError               the same, with every way in which it can be read
│   └── NoPointsError                       points were asked for, and nothing says what makes them
├── NotFittedError      (also ValueError, AttributeError)   a result was asked for before fit()
├── MethodError         (also ValueError)   no such method, or not for this kind of feedback
├── ClusterError        (also RuntimeError) the workers of a cluster cannot do the work, or are gone
└── MissingExtraError   (also ImportError)  a package is not installed that only some things need

ConvergenceWarning      (a UserWarning)     the fit is usable, but its optimum was not reached
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SHOWN_PROBLEMS = 20
SHOWN_ALIKE = 3  # problems of one kind that are shown as such
KEPT_PROBLEMS = 1000  # a hostile file has millions
QUOTED = 200  # characters of a cell or a column's name


class PeerageError(Exception):
    """Base of all errors that Peerage raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with the input: where it is, the rule it breaks, and the likely fix."""

    rule: str
    line: int | None = None
    column: str | None = None
    value: str | None = None
    fix: str | None = None

    def __post_init__(self) -> None:
        """A hostile cell may hold megabytes, and a thousand problems may quote it."""
        for name in ("column", "value"):
            text = getattr(self, name)
            if text is not None and len(text) > QUOTED:
                object.__setattr__(self, name, text[: QUOTED - 1] + "…")

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.line is not None else []
        where += [f"column '{self.column}'"] if self.column is not None else []
        text = ", ".join(where) + ": " if where else ""
        text += f"{_shown(self.value)} " if self.value is not None else ""
        text += self.rule
        return f"{text}; {self.fix}" if self.fix else text


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of one kind: the first, a few others as examples, and how many there are."""

    first: Problem
    others: tuple[Problem, ...] = ()
    count: int = 1

    @property
    def more(self) -> str:
        """`and 17 more such cells, as in line 4 ('x')`; nothing where there is but one."""
        if self.count == 1:
            return ""
        shown = [
            f"line {other.line}" + (f" ({_shown(other.value)})" if other.value else "")
            for other in self.others
        ]
        return f"and {self.count - 1:,} more like it, as in {' and '.join(shown)}"

    def __str__(self) -> str:
        return f"{self.first} – {self.more}" if self.more else str(self.first)


class DataError(PeerageError, ValueError):
    """The feedback cannot be used as given; `problems` says why, `source` where it came from.

    `total` counts the problems where only the first of very many are kept.
    """

    def __init__(
        self,
        problems: str | Problem | Sequence[Problem],
        *,
        source: str | None = None,
        total: int | None = None,
    ):
        if isinstance(problems, str):
            problems = Problem(problems)
        listed = (problems,) if isinstance(problems, Problem) else problems
        self.problems: tuple[Problem, ...] = tuple(listed[:KEPT_PROBLEMS])
        self.source = source
        self.total = max(total or 0, len(listed))
        super().__init__(self._text())

    def _text(self) -> str:
        where = f"{self.source}: " if self.source else ""
        if len(self.problems) == 1:
            return f"{where}{self.problems[0]}"
        groups = self.groups
        lines = [f"{where}{self.total} problems"]
        lines += [f"  {group}" for group in groups[:SHOWN_PROBLEMS]]
        hidden = self.total - sum(group.count for group in groups[:SHOWN_PROBLEMS])
        if hidden:
            lines.append(f"  … and {hidden} more")
        return "\n".join(lines)

    @property
    def groups(self) -> tuple[ProblemGroup, ...]:
        """The problems, those that complain of the same thing together."""
        alike: dict[tuple[str | None, ...], list[Problem]] = {}
        for problem in self.problems:
            alike.setdefault((problem.rule, problem.column, problem.fix), []).append(problem)
        found: list[tuple[Problem, ...]] = []
        for problems in alike.values():
            single = len(problems) <= SHOWN_ALIKE
            found += [(problem,) for problem in problems] if single else [tuple(problems)]
        found.sort(key=lambda problems: self.problems.index(problems[0]))
        unkept = self.total - len(self.problems) if len(found) == 1 else 0  # all of them of this one kind
        return tuple(
            ProblemGroup(problems[0], problems[1:SHOWN_ALIKE], len(problems) + unkept) for problems in found
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.problems, self.source, self.total)


class OpenQuestion(DataError):  # noqa: N818 - caught by `read`, which asks it
    """The file does not say what it means here; each of `choices` is a set of options that would."""

    def __init__(
        self,
        problems: str | Problem | Sequence[Problem],
        *,
        choices: Sequence[Mapping[str, Any]] = (),
        source: str | None = None,
        total: int | None = None,
    ):
        self.choices = tuple(choices)
        super().__init__(problems, source=source, total=total)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_question, (self.problems, self.choices, self.source, self.total)


class AmbiguousReadingError(DataError):
    """Nobody said what the file means; `readings` are the ways to read it, the most likely first.

    Each of them was tried. Read the file with ``reading=error.readings[0].reading`` to confirm the first.
    """

    def __init__(
        self,
        problems: str | Problem | Sequence[Problem],
        *,
        readings: Sequence[Any] = (),
        source: str | None = None,
        total: int | None = None,
    ):
        self.readings = tuple(readings)
        super().__init__(problems, source=source, total=total)

    def _text(self) -> str:
        lines = [super()._text()]
        for number, proposal in enumerate(self.readings, start=1):
            lines.append(f"  {number}. {' '.join(proposal.sentences)}")
            lines.append(f"     read it so with reading=error.readings[{number - 1}].reading")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_ambiguous, (self.problems, self.readings, self.source, self.total)


@dataclass(frozen=True, slots=True)
class PointsChoice:
    """One way to grade: in words, and the options to change; None leaves one out.

    `first` are options that say what to do before, such as whose submissions staff should grade.
    """

    words: str
    options: Mapping[str, Any]
    first: Mapping[str, Any] | None = None


class NoPointsError(DataError):
    """Points or letters by points were asked for, and nothing says what makes them; `choices` would."""

    def __init__(
        self,
        problems: str | Problem | Sequence[Problem],
        *,
        choices: Sequence[PointsChoice] = (),
        source: str | None = None,
        total: int | None = None,
    ):
        self.choices = tuple(choices)
        super().__init__(problems, source=source, total=total)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_no_points, (self.problems, self.choices, self.source, self.total)


class MethodError(PeerageError, ValueError):
    """No such method, or a method asked for something it is not defined for."""


class ClusterError(PeerageError, RuntimeError):
    """The workers of a cluster cannot do the work, or are gone."""


class MissingExtraError(PeerageError, ImportError):
    """A package that only some things need is missing; the message names the command to install it."""


class NotFittedError(PeerageError, ValueError, AttributeError):
    """A result was asked for before `fit`."""


class ConvergenceWarning(UserWarning):
    """The optimum was not reached; the result is usable but not exact."""


def _rebuild(
    kind: type[DataError], problems: tuple[Problem, ...], source: str | None, total: int
) -> DataError:
    return kind(problems, source=source, total=total)


def _rebuild_question(
    problems: tuple[Problem, ...], choices: tuple[Mapping[str, Any], ...], source: str | None, total: int
) -> OpenQuestion:
    return OpenQuestion(problems, choices=choices, source=source, total=total)


def _rebuild_ambiguous(
    problems: tuple[Problem, ...], readings: tuple[Any, ...], source: str | None, total: int
) -> AmbiguousReadingError:
    return AmbiguousReadingError(problems, readings=readings, source=source, total=total)


def _rebuild_no_points(
    problems: tuple[Problem, ...], choices: tuple[PointsChoice, ...], source: str | None, total: int
) -> NoPointsError:
    return NoPointsError(problems, choices=choices, source=source, total=total)


def _shown(value: str) -> str:
    """The value in quotes, cut where a hostile cell would flood the screen."""
    return repr(value) if len(value) <= 60 else repr(value[:57]) + "…"
