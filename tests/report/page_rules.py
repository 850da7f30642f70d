"""Our own rules of accessibility for a page, checked on its HTML, and of contrast."""

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr", "img", "link"}
FOREIGN = re.compile(r"https?://|//[a-z0-9]|url\(", re.IGNORECASE)


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)
    text: str = ""

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, *tags):
        return [node for node in self.walk() if node.tag in tags]

    @property
    def content(self):
        return self.text + "".join(child.content for child in self.children)

    def inside(self, tag):
        above = self.parent
        while above is not None and above.tag != tag:
            above = above.parent
        return above is not None


class _Tree(HTMLParser):
    def __init__(self):
        super().__init__()
        self.root = self.here = Node("", {})
        self.unbalanced: list[str] = []

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.here = self.here.parent

    def handle_endtag(self, tag):
        if self.here.tag != tag:
            self.unbalanced.append(f"</{tag}> closes <{self.here.tag}>")
        self.here = self.here.parent or self.root

    def handle_data(self, data):
        self.here.text += data


def parse(page: str) -> Node:
    """The tree of a page; a page whose elements do not nest is an error of its own."""
    tree = _Tree()
    tree.feed(page)
    assert tree.unbalanced == []
    assert tree.here is tree.root
    return tree.root


def broken_rules(page: str, *, served: bool = False) -> list[str]:
    """What is wrong with a page, in words; empty for a good one. A page that is served may load its files."""
    root = parse(page)
    rules = [_document, _headings, _landmarks, _ids, _names, _tables, _labels, _handlers]
    rules += [_served] if served else [_network, _rows]
    return [problem for rule in rules for problem in rule(root)]


def _document(root):
    if root.all("html")[0].attrs.get("lang") not in ("en", "de", "fr"):
        yield "html has no lang"
    if not root.all("title")[0].content.strip():
        yield "no title"
    if not any("width=device-width" in m.attrs.get("content", "") for m in root.all("meta")):
        yield "no viewport"


def _headings(root):
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    if levels.count(1) != 1 or levels[0] != 1:
        yield f"one h1 should come first, not {levels[:3]}"
    yield from (f"heading h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1)
    yield from ("empty heading" for node in root.all("h1", "h2", "h3", "h4") if not node.content.strip())


def _landmarks(root):
    for tag in ("main", "header", "footer"):
        if len(root.all(tag)) != 1:
            yield f"{len(root.all(tag))} {tag} elements"
    if [a.attrs["href"] for a in root.all("a") if "skip" in a.attrs.get("class", "")] != ["#main"]:
        yield "no link that skips to main"


def _ids(root):
    ids = [node.attrs["id"] for node in root.walk() if "id" in node.attrs]
    yield from (f"id {name!r} twice" for name, times in Counter(ids).items() if times > 1)
    pointers = ("for", "aria-labelledby", "aria-describedby")
    for node in root.walk():
        wanted = {name for pointer in pointers for name in node.attrs.get(pointer, "").split()}
        if re.match("#.", node.attrs.get("href", "")):
            wanted.add(node.attrs["href"][1:])
        yield from (f"{node.tag} points to missing id {name!r}" for name in sorted(wanted - set(ids)))


def _names(root):
    """Every picture, region and group says what it is; nothing hidden can be focused."""
    for node in root.walk():
        named = node.attrs.get("aria-label") or node.attrs.get("aria-labelledby")
        hidden = node.attrs.get("aria-hidden") == "true"
        role = node.attrs.get("role")
        if node.tag == "svg" and not (node.inside("svg") or named or hidden):
            yield "svg without a name"
        if role in ("img", "region", "group") and not named:
            yield f"{node.tag} of role {role} without a name"
        if node.tag in ("nav", "section") and not named:
            yield f"{node.tag} without a name"
        if node.tag in ("button", "a", "summary") and not node.content.strip() and not named:
            yield f"{node.tag} without text"
        focusable = [inner for inner in node.walk() if inner.attrs.get("tabindex", "-1") != "-1"]
        if hidden and focusable:
            yield "hidden element can be focused"
        if role == "img" and any(inner is not node for inner in focusable):
            yield "picture with focusable parts"
        if int(node.attrs.get("tabindex", "0")) > 0:
            yield "tabindex above 0"


def _tables(root):
    for table in root.all("table"):
        if not table.all("caption"):
            yield "table without caption"
        yield from (
            "th without scope" for th in table.all("th") if th.attrs.get("scope") not in ("col", "row")
        )


def _rows(root):
    """Every row of a report is about somebody or something."""
    rows = [row for body in root.all("tbody") for row in body.all("tr")]
    yield from ("row without a header" for row in rows if not row.all("th"))


def _labels(root):
    labelled = {label.attrs.get("for") for label in root.all("label") if label.content.strip()}
    for node in root.all("input", "select", "textarea"):
        if node.attrs.get("type") != "hidden" and node.attrs.get("id") not in labelled:
            yield f"{node.tag} {node.attrs.get('name')!r} without label"


def _network(root):
    for node in root.walk():
        if node.tag in ("link", "img", "iframe", "object", "embed", "base", "form"):
            yield f"{node.tag} element"
        for name in ("src", "href", "action", "xlink:href", "srcset", "poster"):
            if name in node.attrs and not node.attrs[name].startswith("#"):
                yield f"{node.tag} loads {node.attrs[name]!r}"
    yield from ("style loads something" for node in root.all("style") if FOREIGN.search(node.content))


def _served(root):
    """Nothing that the policy for content forbids, nothing from elsewhere, nothing for search engines."""
    for node in root.walk():
        if node.tag == "style" or (node.tag == "script" and (node.content or "src" not in node.attrs)):
            yield f"{node.tag} element with content"
        for name in ("src", "href", "action", "formaction"):
            if re.match(r"[a-z]+:|//", node.attrs.get(name, "")):
                yield f"{node.tag} leads elsewhere: {node.attrs[name]}"
    robots = [meta.attrs["content"] for meta in root.all("meta") if meta.attrs.get("name") == "robots"]
    if robots != ["noindex, nofollow"]:
        yield "robots are not kept out"


def _handlers(root):
    for node in root.walk():
        yield from (f"{node.tag} has {name}" for name in node.attrs if re.match(r"on|style$|hx-on", name))


# -- colours --------------------------------------------------------------------------------------------


def themes(css: str) -> dict[str, dict[str, str]]:
    """The custom properties of the light and of the dark theme."""
    blocks = re.findall(r":root\s*\{([^}]*)\}", css)
    light, dark = (dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}}


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours, from 1 to 21."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
