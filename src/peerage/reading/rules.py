"""What a reader was told about values that do not speak for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from peerage.errors import DataError
from peerage.feedback.choices import Duplicates, Ids, Missing

DirectionWish = Literal["auto", "ranks", "scores"]
Zeros = Literal["auto", "scores", "empty"]


def scale_words(words: str | Sequence[str]) -> tuple[str, ...]:
    """The marks of a scale, from a text with commas or one by one."""
    parts = words.split(",") if isinstance(words, str) else list(words)
    found = tuple(part.strip() for part in parts if part.strip())
    if len({word.lower() for word in found}) < len(found) or len(found) == 1:
        raise DataError(
            f"words={','.join(found)!r} is no scale: give two marks or more, each once, best first"
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of :func:`peerage.read`, in one object; what is not said is found out or refused."""

    duplicates: Duplicates = "error"
    missing: Missing = "error"
    direction: DirectionWish = "auto"
    lower_is_better: bool = False
    zeros: Zeros = "auto"
    words: tuple[str, ...] = ()
    ids: Ids = "exact"

    def check(self) -> None:
        """Refuse words that there are not."""
        for name, kind in (("direction", DirectionWish), ("zeros", Zeros), ("ids", Ids)):
            value, allowed = getattr(self, name), get_args(kind)
            if value not in allowed:
                raise DataError(f"{name}={value!r} is not known; use one of {', '.join(allowed)}")
