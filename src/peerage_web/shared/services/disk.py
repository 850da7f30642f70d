"""Room on the disk, for every part that keeps files."""

import os
import shutil
from pathlib import Path

from django.conf import settings


def has_disk_space() -> bool:
    """Whether the disk has more than its last reserve, which is for jobs under way and for the database."""
    return not settings.DATA.is_dir() or shutil.disk_usage(settings.DATA).free >= settings.LEAST_FREE


def size_of(folder: Path) -> int:
    return sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(folder)
        for name in names
        if os.path.lexists(os.path.join(place, name))
    )
