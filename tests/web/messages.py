"""The texts of pages and mail: `python -m tests.web.messages` brings them into .po files and compiles those.

Reads the code with Babel and the templates with Django's own lexer, so that no gettext has to be installed.
What is new stands in the .po file with an empty translation; a test counts those.
"""

import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from django.template.base import Lexer, Token, TokenType

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "peerage_web"
LOCALE = SOURCE / "locale"
LANGUAGES = ("de", "fr")
WHEN = datetime(2026, 11, 15, tzinfo=UTC)  # the same bytes whenever it runs
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
}
Message = str | tuple[str, str]
_INLINE = re.compile(r"""^trans(?:late)?\s+(?:"([^"]*)"|'([^']*)')""")
_CONSTANT = re.compile(r"""_\((?:"([^"]*)"|'([^']*)')\)""")


def messages() -> set[Message]:
    """Every text there is; one with a plural is a pair."""
    found: set[Message] = set()
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" not in path.parts:
            found |= set(_of_code(path))
    for path in sorted(SOURCE.rglob("templates/**/*.*")):
        if path.is_file():
            found |= set(_of_template(path.read_text(encoding="utf-8")))
    return {one for one in found if one}


def _of_code(path: Path) -> Iterator[Message]:
    for _line, text, _comments, _context in extract_from_file("python", str(path), keywords=KEYWORDS):
        yield text if isinstance(text, str) else (text[0], text[1])


def _of_template(text: str) -> Iterator[Message]:
    tokens = iter(Lexer(text).tokenize())
    for token in tokens:
        if token.token_type in (TokenType.BLOCK, TokenType.VAR):
            for found in _CONSTANT.finditer(token.contents):
                yield _escaped(found[1] or found[2])
        if token.token_type != TokenType.BLOCK:
            continue
        inline = _INLINE.match(token.contents)
        if inline:
            yield _escaped(inline[1] or inline[2])
        elif token.contents.startswith(("blocktranslate", "blocktrans")):
            yield _block(tokens)


def _block(tokens: Iterator[Token]) -> Message:
    parts = [""]
    for token in tokens:
        if token.token_type == TokenType.BLOCK:
            if token.contents.startswith("end"):
                break
            parts.append("")  # plural
        elif token.token_type == TokenType.VAR:
            parts[-1] += f"%({token.contents.strip()})s"
        else:
            parts[-1] += _escaped(token.contents)
    return parts[0] if len(parts) == 1 else (parts[0], parts[1])


def _escaped(text: str) -> str:
    """As Django looks it up."""
    return text.replace("%", "%%")


def read_catalogue(language: str) -> Catalog:
    """The .po file, empty where there is none."""
    path = _path(language)
    if not path.is_file():
        return Catalog(language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def update(language: str) -> int:
    """Bring the file up to date; how many texts wait for their translation."""
    before = read_catalogue(language)
    catalogue = Catalog(
        language,
        project="Peerage",
        version="1",
        copyright_holder="the authors of Peerage",
        msgid_bugs_address="",
        creation_date=WHEN,
        revision_date=WHEN,
        last_translator="the authors of Peerage",
        language_team=language,
        fuzzy=False,
    )
    for text in sorted(messages(), key=lambda one: one if isinstance(one, str) else one[0]):
        known = before.get(text if isinstance(text, str) else text[0])
        catalogue.add(text, known.string if known is not None and known.id == text else None)
    path = _path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=110, no_location=True, omit_header=False)
    return len(untranslated(catalogue))


def untranslated(catalogue: Catalog) -> list[Message]:
    """What has no translation, or not every plural."""
    return [one.id for one in catalogue if one.id and not _is_whole(one.string)]


def _is_whole(string: str | tuple[str, ...] | list[str] | None) -> bool:
    return bool(string) if isinstance(string, str) or string is None else all(string)


def _path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "django.po"


def compile_all() -> None:
    """The .mo files, as a build makes them."""
    sys.path.insert(0, str(ROOT))
    from hatch_build import compile_catalogues

    compile_catalogues(ROOT)


def main() -> None:
    for language in LANGUAGES:
        print(f"{language}: {update(language)} texts without translation")  # noqa: T201 - it is a script
    compile_all()


if __name__ == "__main__":
    main()
