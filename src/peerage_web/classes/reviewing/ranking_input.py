"""What a browser sends about an order, comments and levels: the form without script, and the script's JSON.

Both become `RankingInput`. An order is a list of places, best first, each a list of labels; submissions that
share one are tied, submissions in none are not ranked. Only the order of places counts: 1, 1, 3 and 1, 1, 2
say the same.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from peerage_web.shared.errors import Refused

Tiers = list[list[str]]
FIELD = 10_000  # characters that the field of a comment holds
MOST_CHARACTERS = 4 * FIELD  # two texts of two tabs may have been put together
MOST_SUBMISSIONS = 500
GENERAL = 0  # stands for "no prompt" in names of fields


@dataclass(frozen=True, slots=True)
class CommentInput:
    """One comment as it was sent; `version` is of the text it started from."""

    label: str
    prompt: int | None
    text: str
    version: int


@dataclass(frozen=True, slots=True)
class LevelInput:
    """The level of a criterion that was chosen; None: no choice."""

    label: str
    criterion: int
    level: int | None
    version: int


@dataclass(frozen=True, slots=True)
class RankingInput:
    """An order (None: it was not touched) with the version it started from, comments and levels."""

    tiers: Tiers | None
    version: int
    comments: tuple[CommentInput, ...] = ()
    levels: tuple[LevelInput, ...] = ()


class Unreadable(Refused):
    """No page of ours sends this."""


def field_name(label: str, prompt: int | None) -> str:
    return f"comment-{label}-{prompt or GENERAL}"


def level_name(label: str, criterion: int) -> str:
    return f"level-{label}-{criterion}"


def before(tiers: Tiers, version: int, versions: Mapping[str, int] | None = None) -> str:
    """What a form is filled with, for its hidden field: so that what was not touched is not sent back."""
    return json.dumps({"tiers": tiers, "version": version, "versions": dict(versions or {})})


def from_form(form: Mapping[str, str]) -> RankingInput:
    """The form: `place-A` … (empty: not ranked), `comment-A-7` …, `level-A-3` …, and in `before` what it was
    filled with."""
    before = _json(form.get("before", "{}"))
    if not isinstance(before, dict):
        raise _odd()
    versions = before.get("versions", {})
    if not isinstance(versions, dict):
        raise _odd()
    tiers = tiers_of(
        {name.removeprefix("place-"): at for name, at in form.items() if name.startswith("place-")}
    )
    comments = [
        _comment(name, text, versions.get(name, 0))
        for name, text in form.items()
        if name.startswith("comment-")
    ]
    levels = [
        _level(name, text, versions.get(name, 0)) for name, text in form.items() if name.startswith("level-")
    ]
    untouched = tiers == before.get("tiers") or not _places(form)
    version = _whole(before.get("version", 0))
    return RankingInput(None if untouched else tiers, version, tuple(comments), tuple(levels))


def as_typed(form: Mapping[str, str]) -> RankingInput:
    """The same form when it cannot be taken as it is: whatever can be shown again, so that it is not lost."""
    places = _places(form)
    comments, levels = [], []
    for name, text in form.items():
        kind, _dash, rest = name.partition("-")
        label, _dash, number = rest.rpartition("-")
        if kind == "comment" and _is_number(number):
            comments.append(CommentInput(label, int(number) or None, text.replace("\0", ""), 0))
        if kind == "level" and _is_number(number) and _is_number(text):
            levels.append(LevelInput(label, int(number), int(text), 0))
    readable = {label: at for label, at in places.items() if at.isascii() and at.isdecimal() and len(at) < 5}
    return RankingInput(tiers_of(readable), 0, tuple(comments), tuple(levels))


def _places(form: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix("place-"): at for name, at in form.items() if name.startswith("place-")}


def tiers_of(places: Mapping[str, str]) -> Tiers:
    """Places as the selects have them, as an order."""
    by_place: dict[int, list[str]] = {}
    for label, place in places.items():
        if place == "":
            continue
        if not (place.isascii() and place.isdecimal() and len(place) < 5):
            raise Unreadable(_("“%(place)s” is not a valid rank.") % {"place": place[:20]})
        by_place.setdefault(int(place), []).append(label)
    return _checked([sorted(by_place[place]) for place in sorted(by_place)])


def from_json(body: bytes) -> RankingInput:
    """The script's: `{"tiers": [["A"], ["B", "C"]], "version": 3, "comments": {"comment-A-7": {…}}}`.

    Among the comments, by the name of their field, are levels: the text is the level's number.
    """
    sent = _json(body)
    if not isinstance(sent, dict) or not isinstance(sent.get("comments", {}), dict):
        raise _odd()
    tiers = sent.get("tiers")
    comments, levels = [], []
    for name, comment in sent.get("comments", {}).items():
        if not isinstance(comment, dict) or not isinstance(comment.get("text"), str):
            raise _odd()
        version = comment.get("version", 0)
        if name.startswith("level-"):
            levels.append(_level(name, comment["text"], version))
        else:
            comments.append(_comment(name, comment["text"], version))
    checked = None if tiers is None else _checked(tiers)
    return RankingInput(checked, _whole(sent.get("version", 0)), tuple(comments), tuple(levels))


def without(tiers: Iterable[Iterable[str]], kept: Iterable[str]) -> Tiers:
    """The order with only these submissions in it; the others keep their order."""
    there = set(kept)
    left = [[label for label in tier if label in there] for tier in tiers]
    return [tier for tier in left if tier]


def _comment(name: str, text: str, version: Any) -> CommentInput:
    label, _dash, number = name.removeprefix("comment-").rpartition("-")
    if not label or not _is_number(number):
        raise _odd()
    return CommentInput(label, int(number) or None, _plain(text), _whole(version))


def _level(name: str, level: str, version: Any) -> LevelInput:
    label, _dash, number = name.removeprefix("level-").rpartition("-")
    if not label or not _is_number(number) or not (level == "" or _is_number(level)):
        raise _odd()
    return LevelInput(label, int(number), int(level) if level else None, _whole(version))


def _is_number(text: str) -> bool:
    """Of a row of the database."""
    return text.isascii() and text.isdecimal() and len(text) < 19


def _plain(text: str) -> str:
    """As it is kept: one kind of line end, and without the character that PostgreSQL refuses."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if len(text) > MOST_CHARACTERS:
        raise Refused(
            _("A comment is %(count)d characters long; the limit is %(most)d. Shorten it.")
            % {"count": len(text), "most": MOST_CHARACTERS}
        )
    return text


def _checked(tiers: Any) -> Tiers:
    if not isinstance(tiers, list) or not all(isinstance(tier, list) and tier for tier in tiers):
        raise _odd()
    labels = [label for tier in tiers for label in tier]
    if len(labels) > MOST_SUBMISSIONS or not all(isinstance(label, str) for label in labels):
        raise _odd()
    if len(set(labels)) < len(labels):
        raise Unreadable(_("A submission is ranked twice."))
    return [sorted(tier) for tier in tiers]


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**31:
        raise _odd()
    return number


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _odd() from None


def _odd() -> Unreadable:
    return Unreadable(_("Peerage could not read what your browser sent. Reload the page."))
