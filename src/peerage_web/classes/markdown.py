"""Instructions in Markdown as safe HTML: no raw HTML, no pictures, nothing but an allow-list of tags."""

import re
from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    "a", "blockquote", "br", "code", "em", "h3", "h4", "h5", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_LOWER = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h5", "h5": "h5", "h6": "h5"}  # the page has its own


def to_html(text: str) -> SafeString:
    """What a browser may show."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        token.tag = _LOWER.get(token.tag, token.tag)
    return cleaned(parser.renderer.render(tokens, parser.options, {}))


def cleaned(raw: str) -> SafeString:
    """HTML that somebody else made, a child for one, with nothing in it but what is on the list."""
    clean = nh3.clean(
        raw,
        tags=TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # nh3 has just made it safe


_LINK = re.compile(r'<a(?: href="([^"]*)")?[^>]*>(.*?)</a>', re.DOTALL)


def without_links(clean: SafeString) -> SafeString:
    """What `cleaned` made, with addresses as text: a link that is followed tells its owner who reads it."""
    return mark_safe(_LINK.sub(_as_text, clean))  # nothing is added but what nh3 has escaped


def _as_text(link: re.Match[str]) -> str:
    address, words = link.group(1) or "", link.group(2)
    return words if not address or address == words else f"{words} ({address})"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False})
    return parser.enable(["table", "strikethrough"]).disable("image")
