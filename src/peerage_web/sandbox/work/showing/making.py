"""One file, made into what reviewers see of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from peerage_web.sandbox.contract import Files
from peerage_web.sandbox.contract.outcome import FULL, where
from peerage_web.sandbox.contract.shown import SHOWN, Made
from peerage_web.sandbox.work.showing.problems import CannotShowError

Step = Callable[[str], None]


def make_shown(files: Files, kind: str, *, on_step: Step) -> dict[str, Any]:
    """Make it in the folder `shown` beside the file's.

    The answer is a :class:`Made`, or a `problem` with its code and figures. Parsers raise whatever they like
    on a damaged file, so everything they raise means that it is one; `where` tells us what it was.
    """
    files.enter()
    folder = Path("..") / SHOWN
    folder.mkdir()
    try:
        return asdict(_make(kind, Path(files.feedback), folder))
    except CannotShowError as error:
        return {"problem": {"code": error.code, **error.figures}}
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        return {"problem": {"code": "unreadable"}, "where": where(error)}


def _make(kind: str, source: Path, folder: Path) -> Made:
    """Each kind loads its own libraries, and only when it is asked for."""
    if kind == "pdf":
        from peerage_web.sandbox.work.showing.pdf import make_pdf

        return make_pdf(source, folder)
    if kind == "image":
        from peerage_web.sandbox.work.showing.images import make_image

        return make_image(source, folder)
    from peerage_web.sandbox.work.showing.texts import make_text

    return make_text(source, folder, kind)
