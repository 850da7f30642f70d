"""What reviewers get instead of a file: pictures of pages, text, a download; and how much of it there may be.

A child makes it in the folder `SHOWN` of its job. What it says about that is checked here, by the parent,
before anybody gets to see it: a file that has taken the child over may say anything.
"""

from __future__ import annotations

import json
import re
import stat
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SHOWN = "shown"
INDEX = "shown.json"
PAGES = 100  # of one file
PIXELS = 6_000_000  # of one picture
MOST_PIXELS = 100_000_000  # of an image that is handed in, unpacked
CHARACTERS = 1_000_000  # of the text of one file
KINDS = ("pdf", "image", "text", "markdown")
TYPES = {  # of what is given out, by the end of its name
    "webp": "image/webp",
    "png": "image/png",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}
_PICTURE = re.compile(r"page-[0-9]{3}\.(webp|png|jpg)")
_DOWNLOAD = re.compile(r"copy\.(pdf|png|jpg|txt|md)")


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as an image, and the words on it."""

    name: str
    width: int
    height: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """All that was made of one file.

    html : of Markdown, not yet safe to show
    hidden : texts of the file that nobody but its author gets to see, such as the properties of a PDF
    left_out : what the copy does not have, by kind
    """

    kind: str
    download: str
    pictures: list[Picture] = field(default_factory=list)
    text: str = ""
    html: str = ""
    hidden: str = ""
    left_out: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> str:
        """For the index."""
        return json.dumps(asdict(self), ensure_ascii=False)


class NotShownError(ValueError):
    """What was said about it cannot be."""


def made_from(said: Any) -> Made:
    """What a child (or the index) says, believed only as far as it has the right shape."""
    try:
        pictures = [_picture(one) for one in said["pictures"]]
        made = Made(
            kind=_one_of(said["kind"], KINDS),
            download=_matching(said["download"], _DOWNLOAD),
            pictures=pictures,
            text=_text(said["text"]),
            html=_text(said["html"], 20 * CHARACTERS),
            hidden=_text(said["hidden"]),
            left_out={_text(name, 40): _whole(count, 1 << 31) for name, count in said["left_out"].items()},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise NotShownError(type(error).__name__) from None
    if len(pictures) > PAGES:
        raise NotShownError("too many pages")
    return made


def read_made(folder: Path) -> Made:
    """What the index of a folder says; NotShownError where there is none."""
    try:
        return made_from(json.loads((folder / INDEX).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise NotShownError(type(error).__name__) from None


def is_plain_file(path: Path) -> bool:
    """Whether it is a file, and nothing that leads to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _picture(said: Any) -> Picture:
    width, height = (_whole(said[name], 100_000) for name in ("width", "height"))
    return Picture(_matching(said["name"], _PICTURE), width, height, _text(said["text"]))


def _matching(value: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise NotShownError("a name that none can have")
    return value


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise NotShownError("an unknown kind")
    return str(value)


def _whole(value: Any, most: int) -> int:
    if not isinstance(value, int) or not 0 < value <= most:
        raise NotShownError("a number that cannot be")
    return value


def _text(value: Any, most: int = CHARACTERS) -> str:
    if not isinstance(value, str):
        raise NotShownError("no text")
    return value[:most].replace("\0", "")
