"""How messages name options on the command line."""

from __future__ import annotations

import shlex
from typing import Any

_OWN = {"params": "--set", "own_work": "--self", "columns": "--column", "owners": "--owners", "to": "--to"}


class Flags:
    """`--missing drop`."""

    def option(self, name: str, value: Any = None) -> str:
        """A flag, with its value where it takes one."""
        flag = _OWN.get(name) or f"--{name.replace('_', '-')}"
        if value is None or value is True:
            return flag
        return f"{flag} {_word(_text(value))}"

    def column(self, role: str, header: str | None = None) -> str:
        """`--column item=paper`."""
        return f"--column {role}={'…' if header is None else _word(header)}"


def _text(value: Any) -> str:
    return ":".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)


def _word(text: str) -> str:
    """As a shell wants it; placeholders stay as they are."""
    return text if text in ("…", "LOW:HIGH", "FILE", "DIR") else shlex.quote(text)
