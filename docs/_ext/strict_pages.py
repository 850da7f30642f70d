"""Pages that a strict content security policy lets work as they are.

The theme writes small scripts into every page. Here each becomes a file, named after its content, so that
``script-src 'self'`` is enough, for the service as for anybody who puts the site on a server of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

INLINE = re.compile(r"<script(?![^>]*\ssrc=)((?:\s[^>]*)?)>(.*?)</script>", re.DOTALL)
PLACE = "_static/inline"


def _to_files(folder: Path) -> None:
    (folder / PLACE).mkdir(parents=True, exist_ok=True)
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text("utf-8")
        up = os.path.relpath(folder, page.parent)

        def moved(found: re.Match[str], up: str = up) -> str:
            attributes, script = found.groups()
            if "application/" in attributes or not script.strip():  # data, or nothing
                return found[0]
            name = f"{PLACE}/{hashlib.sha256(script.encode()).hexdigest()[:16]}.js"
            (folder / name).write_text(script.strip() + "\n", "utf-8")
            address = name if up == "." else f"{up}/{name}"
            return f'<script{attributes} src="{address}"></script>'

        page.write_text(INLINE.sub(moved, text), "utf-8")


def _finished(app: Any, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        _to_files(Path(app.outdir))
        for path in Path(app.outdir).rglob("*.map"):  # of the theme's scripts: megabytes that no reader needs
            path.unlink()


def setup(app: Any) -> dict[str, bool]:
    app.connect("build-finished", _finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
