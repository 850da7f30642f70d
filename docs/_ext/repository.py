"""Links that leave `docs`, to source, experiments or examples: on the site only their words stay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)]*)?\)")


def _without_outside(app: Any, name: str, source: list[str]) -> None:
    page = Path(app.env.doc2path(name))
    root = Path(app.srcdir)

    def kept(found: re.Match[str]) -> str:
        target = (page.parent / found[2]).resolve()
        return found[0] if target.is_relative_to(root) else found[1]

    source[0] = LINK.sub(kept, source[0])


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _without_outside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
