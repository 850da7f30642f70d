"""Translations: every text of pages and mail has one, with the same blanks, and pages are in one language."""

import re

import pytest
from django.conf import settings
from django.template.base import Lexer, TokenType
from django.utils import translation
from tests.web.messages import LANGUAGES, SOURCE, messages, read_catalogue, untranslated

from peerage_web.accounts.models import Person
from peerage_web.classes import texts as class_texts
from peerage_web.shared import uploads
from peerage_web.shared.views import errors

BLANK = re.compile(r"%(?:\((\w+)\))?[a-z%]")


@pytest.fixture(scope="module")
def texts():
    """Every text of the service; to find them takes seconds."""
    return messages()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_untranslated(texts, language):
    catalogue = read_catalogue(language)

    assert texts - {one.id for one in catalogue} == set(), "run `make messages`, then translate"
    assert {one.id for one in catalogue if one.id} - texts == set(), "run `make messages`"
    assert untranslated(catalogue) == []
    assert (SOURCE / "locale" / language / "LC_MESSAGES" / "django.mo").is_file()  # which a build compiles
    assert {"en", *LANGUAGES} == {code for code, _ in settings.LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_fill_the_same_blanks(language):
    wrong = []
    for one in read_catalogue(language):
        if not one.id:
            continue
        texts = [one.id] if isinstance(one.id, str) else one.id
        made = [one.string] if isinstance(one.string, str) else one.string
        offered = {blank for text in texts for blank in BLANK.findall(text)}
        for number, text in enumerate(made):  # a singular may leave the number out where English does
            wanted = set(BLANK.findall(texts[min(number, len(texts) - 1)]))
            wrong += [] if wanted <= set(BLANK.findall(text)) <= offered else [text]
    assert wrong == []


def test_french_signs_stay_with_their_words():
    """A line may not begin with `:`, `;`, `?`, `!` or `»`, nor end with `«`."""
    made = [one.string for one in read_catalogue("fr") if one.id]
    texts = [text for one in made for text in ([one] if isinstance(one, str) else one)]

    assert [text for text in texts if re.search(r" [:;?!»]|« ", text)] == []


def test_templates_hold_no_bare_text():
    """Letters outside of tags and translations are English that nobody can translate."""
    allowed = {"Peerage", "SHA", "doctype", "html", "Cohen", "Fleiss"}
    places = [SOURCE / "shared/templates/shared/base.html", SOURCE / "shared/templates/shared/error.html"]
    for part in ("accounts", "classes"):
        places += [path for path in (SOURCE / part).rglob("templates/**/*.*") if path.is_file()]

    assert {path.name: words for path in places if (words := bare_words(path) - allowed)} == {}


def bare_words(path) -> set[str]:
    bare, inside, unseen = [], False, re.compile(r"(end)?(blocktranslate|comment)\b")
    for token in Lexer(path.read_text(encoding="utf-8")).tokenize():
        if token.token_type == TokenType.BLOCK and unseen.match(token.contents):
            inside = not token.contents.startswith("end")
        bare.append(token.contents if token.token_type == TokenType.TEXT and not inside else " \0 ")
    text = re.sub(r"<code\b[^>]*>.*?</code>", " ", "".join(bare), flags=re.DOTALL)  # what programs say
    text = re.sub(r'<[^>]*>| class="[^"]*"', " ", text)  # a block may hold attributes alone
    return set(re.findall(r"[A-Za-z]{2,}", re.sub(r"&\w+;", " ", text)))


# -- pages ------------------------------------------------------------------------------------------


@pytest.fixture
def reader(db, client):
    client.force_login(Person.objects.create_user("a@example.org", may_create_courses=True))
    return client


def test_pages_follow_the_browser_unless_the_person_chose(reader):
    for asked, title in (("de-CH", "Ihre Kurse"), ("fr", "Vos cours"), ("nl", "Your courses")):
        answer = reader.get("/courses", headers={"Accept-Language": asked})
        assert f"<h1>{title}</h1>" in answer.content.decode()
        language = re.search(r'<html lang="(\w+)">', answer.content.decode())[1]
        assert answer["Content-Language"] == language

    refused = reader.get("/c/nothing/", headers={"Accept-Language": "de"})
    assert refused.status_code == 404
    assert "<h1>An dieser Adresse ist nichts</h1>" in refused.content.decode()

    reader.post("/account", {"name": "", "language": "fr"})
    answer = reader.get("/courses", headers={"Accept-Language": "de"})
    assert "<h1>Vos cours</h1>" in answer.content.decode()

    files = reader.get("/", headers={"Accept-Language": "de"}).content.decode()
    assert '<html lang="en">' in files  # pages of the file service are English throughout
    assert "Skip to content" in files


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_goes_wrong_on_our_side_is_in_the_readers_language(rf, language):
    """These pages stand within ours, whose words are translated: they would be half English."""

    def told():
        pages = [errors.broken(rf.get("/")), errors.away(), errors.too_large(rf.get("/"))]
        wanted = re.compile(r"<h1>(.*?)</h1>|class=\"lead\">(.*?)</p>")
        found = [wanted.findall(one.content.decode()) for one in pages]
        return {title or text for page in found for title, text in page} | {str(uploads.too_large())}

    english = told()
    with translation.override(language):
        theirs = told()

    assert len(theirs) == len(english) >= 6
    assert theirs & english == set()


@pytest.mark.parametrize(
    ("language", "none", "one", "two"),
    [("de", "0 Arbeiten", "1 Arbeit wurde", "2 Arbeiten"), ("fr", "0 travail", "1 travail", "2 travaux")],
)
def test_plurals_follow_the_language(language, none, one, two):
    """French counts nothing as one."""
    with translation.override(language):
        texts = [class_texts.reason("few-submissions", {"count": count, "least": 3}) for count in range(3)]

    assert [text.startswith(word) for text, word in zip(texts, (none, one, two), strict=True)] == [True] * 3


def test_every_code_has_words_in_every_language():
    for language in ("en", *LANGUAGES):
        with translation.override(language):
            for code in class_texts.REASONS:
                assert class_texts.reason(code, {"count": 2, "least": 3, "most": 4})
            for verb in class_texts.VERBS:
                assert "%(" not in class_texts.event(verb, {}, "somebody")
