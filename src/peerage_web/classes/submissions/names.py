"""Names, e-mail addresses and numbers of people of the course in a text.

Whole words, whatever their case and accents. Parts of a name count from three letters on. In a comment those
of everybody count; a long submission mentions half of all first names, so there only those of its authors
do, and the others by their whole name.

Whoever writes a text reads what was found in it, so the search must not answer questions about others: a text
of all numbers there can be would come back as the list of the course's. Addresses and student numbers are
looked for if they are the writer's own. Names of others are looked for in the beginning of a text, and a
few are told.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.names import without_accents
from peerage_web.classes.submissions.models import SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.queries import Authors
from peerage_web.sandbox.contract.rendering import COPY_FOLDER, InvalidCopyError, read_review_copy
from peerage_web.shared.errors import Refused

LEAST_PART = 3  # letters of a part of a name
LEAST_NUMBER = 4  # characters of a student number, with a digit among them
MOST_SEARCHED = 20_000  # characters of a text in which others are looked for
MOST_TOLD = 10  # mentions of others
_WORD = re.compile(r"\w+")
# scripts that put no spaces between words
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SENTENCE = re.compile(r"[.!?:;\n•–-]")  # what begins one, or a line
Words = tuple[str, ...]
RosterRow = tuple[int, str, str, str]  # number of the member, name, address, student number

# parts of names that are no names
_PARTICLES = """
aus bin bint dal das del della den der des dos het ibn las les los mac san santa ten ter van vom von zum zur
"""
# family and given names that stand in any text, without accents: English, German, French
_COMMON = """
april art august bell best bill bishop black blue bond brown bush case cash chase church cook cross dawn day
dean drew early east english eve fair faith field fields fine fish flower flowers forest fox frank free
french frost gene glass gold good grant gray green grey hall hand hill hope house hunt hunter ivy joy june
key king knight lake lane law light little long love major many march mark marks marsh max may miles mill
min moon moss much new noble norm north pace page park parks penny pierce pool poor pope post potter power
price prince ray rich ring rivers rob rock rose rush sage sang sharp shore short silver small smart snow
song south spring stark steel stone storm strange street strong sue summer summers sun sweet temple tree
wall walls ward waters way wells west white wild will winter winters wise wood woods worth yes you young

bach bauer baum berg blau braun burg ernst feld frei frisch fuchs gross gut haus held herr herz hoch hof
jung kaiser kalt kern klar klein klug koch konig krieg kunst kurz lang lange laut lieb markt neu ort rau
recht reich rein richter ritter rot roth scharf schnell schon schwarz sommer stein stern still sturm tag
tief vogel voll wald warm weg weiss wolf wunder zeit ziel zimmer

beau belle blanc bois bon bonnet brun court fleur fort franc grand gris leger lune marchand mer moulin noir
petit pierre place pont riche roi roux roy vert ville
"""
# what stands before a noun, which German writes with a capital: English, German, French
_ARTICLES = """
the an our your this that
der die das des dem den ein eine einen einem einer eines kein keine keinen im am zum zur vom beim ins ans ihr
ihre ihren ihrem ihrer euer eure dein deine diese dieser dieses diesen diesem
le la les un une du de au aux ce cette votre
"""
ARTICLES = frozenset(_ARTICLES.split())
PARTICLES, COMMON = frozenset(_PARTICLES.split()), frozenset(_COMMON.split())


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody of the course in a text; `found` is what stands there, and nothing else of the roster."""

    member: int
    what: str  # name, email or number
    found: str
    position: int = 0  # of the file
    hidden: bool = False  # only its author would see it: it is not in the copy

    @property
    def stored(self) -> dict[str, Any]:
        """As a submission keeps it: whom it was about, not how they are called."""
        return {"member": self.member, "what": self.what, "file": self.position, "hidden": self.hidden}


class NamesFound(Refused):
    """A text names people of the course; it is taken once its writer says that this is fine."""

    def __init__(self, message: str, names: list[str]) -> None:
        super().__init__(message)
        self.names = names


def names_in(texts: Iterable[str], assignment: Assignment, writer: Membership) -> list[str]:
    """What stands in somebody's texts of the people of a course, each once; empty for clean ones."""
    found = _search("\n\n".join(texts), _roster(assignment), {writer.pk}, parts_of_others=True)
    return list(dict.fromkeys(mention.found for mention in found))


def found_in_version(version: SubmissionVersion, authors: Authors) -> list[Mention]:
    """In all files of a submission, in what reviewers see and in what is left out for them."""
    roster, own = _roster(authors.assignment), {member.pk for member in authors.members}
    mentions = []
    for file in version.files.all():
        for text, hidden in _texts(file):
            mentions += [
                Mention(mention.member, mention.what, mention.found, file.position, hidden)
                for mention in _search(text, roster, own, parts_of_others=False)
            ]
    return list(dict.fromkeys(mentions))


def _texts(file: SubmissionFile) -> Iterator[tuple[str, bool]]:
    try:
        copy = read_review_copy(file.folder / COPY_FOLDER)
    except InvalidCopyError:
        return
    yield "\n".join([copy.text, *(page.text for page in copy.pictures)]), False
    yield copy.hidden, True


def _roster(assignment: Assignment) -> list[RosterRow]:
    people = Membership.objects.filter(course=assignment.course_id, person__erased_at=None).order_by("pk")
    return list(people.values_list("pk", "name", "person__email", "student_id"))


# -- searching ----------------------------------------------------------------------------------------


def _search(
    text: str, roster: Iterable[RosterRow], own: Container[int], *, parts_of_others: bool
) -> list[Mention]:
    """In the order of the text: that of the roster would say which number is whose."""
    if not text.strip():
        return []
    whole, part = _Text(text), _Text(text[:MOST_SEARCHED])
    mine: dict[tuple[int, str], tuple[int, Mention]] = {}
    others: dict[tuple[int, str], tuple[int, Mention]] = {}
    for pk, *facts in roster:
        is_own = pk in own
        for what, needle in _needles(*facts, own=is_own, parts=is_own or parts_of_others):
            at = (whole if is_own else part).find(needle)
            if at is not None:
                start, found = at
                (mine if is_own else others).setdefault((pk, found), (start, Mention(pk, what, found)))
    told = [*mine.values(), *sorted(others.values(), key=_place)[:MOST_TOLD]]
    return [mention for _start, mention in sorted(told, key=_place)]


def _place(found: tuple[int, Mention]) -> tuple[int, int, str]:
    start, mention = found
    return start, -len(mention.found), mention.found


def _needles(name: str, email: str, number: str, *, own: bool, parts: bool) -> Iterator[tuple[str, Words]]:
    """What to look for, the longest first."""
    whole = _split(name)
    if len(whole) > 1 or (whole and len(whole[0]) >= LEAST_PART) or UNSPACED.search(name):
        yield "name", whole
        if len(whole) > 1:
            yield "name", (*whole[1:], whole[0])  # the family's name first, or last
            yield "name", (whole[-1], *whole[:-1])
    if own and email:
        yield "email", _split(email)
    if own and len(number) >= LEAST_NUMBER and any(character.isdigit() for character in number):
        yield "number", _split(number)
    if parts:
        yield from (("name", (part,)) for part in whole if len(part) >= LEAST_PART and part not in PARTICLES)


class _Text:
    """A text that is searched for the words of a whole roster."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans = [found.span() for found in _WORD.finditer(text)]
        self.words = [without_accents(text[start:end]) for start, end in self.spans]
        self.places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self.words):
            self.places[word].append(place)
        self.unspaced = without_accents(text) if UNSPACED.search(text) else ""

    def find(self, needle: Words) -> tuple[int, str] | None:
        """Where the words stand first, one after the other, and how they are written there."""
        if not needle:
            return None
        for start, end in self.spans_of(needle):
            return start, self.text[start:end]
        if self.unspaced and UNSPACED.search(needle[0]):
            joined = "".join(needle)
            start = self.unspaced.find(joined)
            return (start, joined) if start >= 0 else None
        return None

    def spans_of(self, needle: Words) -> Iterator[tuple[int, int]]:
        """Every place where the words stand one after the other."""
        size = len(needle)
        for at in self.places.get(needle[0], []):
            if tuple(self.words[at : at + size]) == needle and self._is_name(at, needle):
                yield self.spans[at][0], self.spans[at + size - 1][1]

    def _is_name(self, at: int, needle: Words) -> bool:
        """A common word is a name where a capital stands inside a sentence: "as Brown says", not "brown".

        Behind an article it is a noun: "das Ziel", "im Wald".
        """
        if len(needle) > 1 or needle[0] not in COMMON:
            return True
        if at and self.words[at - 1] in ARTICLES:
            return False
        start = self.spans[at][0]
        between = self.text[self.spans[at - 1][1] : start] if at else "."
        return self.text[start].isupper() and not _SENTENCE.search(between)


def _split(text: str) -> Words:
    return tuple(without_accents(word) for word in _WORD.findall(text))


# -- taking a name out ---------------------------------------------------------------------------------


BLACKED_OUT = "█████"


@dataclass(frozen=True, slots=True)
class AuthorIdentity:
    """By what a text tells who somebody is."""

    name: str
    email: str
    number: str

    def black_out(self, text: str, *, parts_of_name: bool = True) -> str:
        """The text without the name, its parts, the address and the number: all that counts as one's own.

        Without `parts_of_name` a first name alone stays, which may be somebody else's.
        """
        needles = _needles(self.name, self.email, self.number, own=True, parts=parts_of_name)
        searched = _Text(text)
        spans = sorted(span for _what, needle in needles if needle for span in searched.spans_of(needle))
        pieces, end = [], 0
        for start, stop in spans:
            if start >= end:
                pieces += [text[end:start], BLACKED_OUT]
            end = max(end, stop)
        text = "".join([*pieces, text[end:]])
        for word in self.name.split() if UNSPACED.search(self.name) else ():
            text = text.replace(word, BLACKED_OUT)
        return text
