"""What can go wrong, as a tree.

PeerageError
├── DataError           (also ValueError)   the feedback cannot be used as given
├── NotFittedError      (also ValueError, AttributeError)   a result was asked for before fit()
└── MethodError         (also ValueError)   no such method, or not for this kind of feedback

ConvergenceWarning      (a UserWarning)     the fit is usable, but its optimum was not reached
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN_PROBLEMS = 20
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
        lines = [f"{where}{self.total} problems"]
        lines += [f"  {problem}" for problem in self.problems[:SHOWN_PROBLEMS]]
        if self.total > SHOWN_PROBLEMS:
            lines.append(f"  … and {self.total - SHOWN_PROBLEMS} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.problems, self.source, self.total)


class MethodError(PeerageError, ValueError):
    """No such method, or a method asked for something it is not defined for."""


class NotFittedError(PeerageError, ValueError, AttributeError):
    """A result was asked for before `fit`."""


class ConvergenceWarning(UserWarning):
    """The optimum was not reached; the result is usable but not exact."""


def _rebuild(problems: tuple[Problem, ...], source: str | None, total: int) -> DataError:
    return DataError(problems, source=source, total=total)


def _shown(value: str) -> str:
    """The value in quotes, cut where a hostile cell would flood the screen."""
    return repr(value) if len(value) <= 60 else repr(value[:57]) + "…"
