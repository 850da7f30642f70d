"""Results of simulations, kept between runs: the same question is answered at once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from peerage._version import __version__


def folder() -> Path:
    """The user's cache; XDG_CACHE_HOME moves it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "peerage" / "plan"


def remembered(question: dict[str, Any], answer: Callable[[], dict[str, float]]) -> dict[str, float]:
    """The answer kept for this question by this version, or a new one, which is kept.

    A cache that cannot be read or written costs time and nothing else.
    """
    key = json.dumps({"version": __version__, **question}, sort_keys=True)
    path = folder() / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(path.read_text())
        if kept["question"] == key:
            return {name: float(value) for name, value in kept["answer"].items()}
    found = answer()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"question": key, "answer": found}))
        os.replace(part, path)
    return found
