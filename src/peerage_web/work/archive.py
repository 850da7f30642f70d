"""All files of a result in one."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

FILES = (
    "report.html",
    "grades.csv",
    "graders.csv",
    "results.json",
    "run.json",
    "gradebook-canvas.csv",
    "gradebook-moodle.csv",
)
ARCHIVE = "everything.zip"


def write_archive(folder: Path) -> None:
    """Pack the files of a folder; the same files give the same bytes, whenever and wherever it is done."""
    with ZipFile(folder / ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for name in FILES:
            entry = ZipInfo(f"peerage-results/{name}")  # dated 1980, as ZIP files begin
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (folder / name).read_bytes())
