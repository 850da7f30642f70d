"""What reviewers get instead of a file: pictures of pages, text, a download; and how much of it there may be.

A child makes it in the folder `COPY_FOLDER` of its job. What it says about that is checked here, by the
parent, before anybody gets to see it: a file that has taken the child over may say anything.
"""

import json
import re
import stat
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

COPY_FOLDER = "shown"
COPY_INDEX = "shown.json"
MAX_PAGES = 100  # of one file
MAX_PAGE_PIXELS = 6_000_000  # of one picture
MAX_SOURCE_PIXELS = 100_000_000  # of an image that is submitted, unpacked
MAX_CHARACTERS = 1_000_000  # of the text of one file
_KINDS = ("pdf", "image", "text", "markdown", "word")
COPY_CONTENT_TYPES = {  # of what is given out, by the end of its name
    "webp": "image/webp",
    "png": "image/png",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}
_PICTURE = re.compile(r"page-[0-9]{3}\.(webp|png|jpg)")
_TAG = re.compile(r"<[^>]*>")
_DOWNLOAD = re.compile(r"copy\.(pdf|png|jpg|txt|md)")


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as an image, and the words on it."""

    name: str
    width: int
    height: int
    text: str = ""
    blank: bool = False  # one colour all over: there is nothing to see


@dataclass(frozen=True, slots=True)
class ReviewCopy:
    """All that was made of one file.

    html : of Markdown and Word, not yet safe to show; `image_mark(3)` stands where the third picture belongs
    hidden : texts of the file that nobody but its author gets to see, such as the properties of a PDF
    left_out : what the copy does not have, by kind
    """

    kind: str
    download: str
    pictures: list[PageImage] = field(default_factory=list)
    text: str = ""
    html: str = ""
    hidden: str = ""
    left_out: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @property
    def blank_pages(self) -> int:
        return sum(picture.blank for picture in self.pictures)

    @property
    def is_blank(self) -> bool:
        """Whether reviewers would see neither a word nor a picture."""
        if self.blank_pages < len(self.pictures):
            return False
        if self.kind in ("pdf", "image"):
            return bool(self.pictures)
        seen = _TAG.sub("", self.html) if self.kind == "markdown" else self.text
        return not any(character.isalnum() for character in seen)


class CannotRenderError(Exception):
    """Why a file cannot be shown: a code of `classes.submissions.copies`, and the figures of its sentence."""

    def __init__(self, code: str, **figures: int) -> None:
        super().__init__(code)
        self.code, self.figures = code, figures


class InvalidCopyError(ValueError):
    """A child says about its copy what cannot be."""


# control characters, and those that make text run against its direction and hide what it says
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def clean_text(text: str) -> str:
    """What a page can show of it; lines end alike."""
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n"))


IMAGE_MARK = re.compile("\ue000([0-9]{1,4})\ue001")
IMAGE_MARK_SIGNS = re.compile("[\ue000\ue001]")  # which a document must not bring along


def image_mark(number: int) -> str:
    """Where a picture stands in HTML."""
    return f"\ue000{number}\ue001"


def check_review_copy(answer: Any) -> ReviewCopy:
    """What a child (or the index) says, believed only as far as it has the right shape."""
    try:
        pictures = [_check_picture(picture) for picture in answer["pictures"]]
        review_copy = ReviewCopy(
            kind=_member(answer["kind"], _KINDS),
            download=_match(answer["download"], _DOWNLOAD),
            pictures=pictures,
            text=_text(answer["text"]),
            html=_text(answer["html"], 20 * MAX_CHARACTERS),
            hidden=_text(answer["hidden"]),
            left_out={
                _text(name, 40): _positive(count, 1 << 31) for name, count in answer["left_out"].items()
            },
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidCopyError(type(error).__name__) from None
    if len(pictures) > MAX_PAGES:
        raise InvalidCopyError("too many pages")
    return review_copy


def read_review_copy(folder: Path) -> ReviewCopy:
    """What the index of a folder says; InvalidCopyError where there is none."""
    try:
        return check_review_copy(json.loads((folder / COPY_INDEX).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InvalidCopyError(type(error).__name__) from None


def is_plain_file(path: Path) -> bool:
    """Whether it is a file, and nothing that leads to one."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _check_picture(answer: Any) -> PageImage:
    width, height = (_positive(answer[name], 100_000) for name in ("width", "height"))
    name, blank = _match(answer["name"], _PICTURE), answer.get("blank", False) is True
    return PageImage(name, width, height, _text(answer["text"]), blank)


def _match(value: Any, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or pattern.fullmatch(value) is None:
        raise InvalidCopyError("a name that none can have")
    return value


def _member(value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InvalidCopyError("an unknown kind")
    return str(value)


def _positive(value: Any, maximum: int) -> int:
    if not isinstance(value, int) or not 0 < value <= maximum:
        raise InvalidCopyError("a number that cannot be")
    return value


def _text(value: Any, maximum: int = MAX_CHARACTERS) -> str:
    if not isinstance(value, str):
        raise InvalidCopyError("no text")
    return value[:maximum].replace("\0", "")
