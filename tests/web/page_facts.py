"""What a page says, and the rules of ours that it breaks."""

from __future__ import annotations

import itertools
import re
from collections import Counter

from tests.report.page_rules import Node, parse

FIELDS = ("input", "select", "textarea")


def tree(response) -> Node:
    """The elements of a page or a part of one."""
    return parse(response.content.decode())


def texts(response, selector: str) -> list[str]:
    """The text of every element of a tag or, after a dot, of a class; without those that are hidden."""
    found = [node for node in tree(response).walk() if _is(node, selector) and "hidden" not in node.attrs]
    return [re.sub(r"\s+", " ", node.content).strip() for node in found]


def fields(response) -> dict[str, str]:
    """What the form of a page would send, but for files."""
    found = {}
    for node in tree(response).all(*FIELDS):
        if node.tag == "select":
            chosen = [option for option in node.all("option") if "selected" in option.attrs]
            option = (chosen or node.all("option"))[0]
            found[node.attrs["name"]] = option.attrs.get("value", option.content)
        elif node.attrs.get("type") == "radio":
            if "checked" in node.attrs:
                found[node.attrs["name"]] = node.attrs["value"]
        elif node.attrs.get("type") not in ("checkbox", "file"):
            found[node.attrs["name"]] = node.attrs.get("value", node.content)
        elif "checked" in node.attrs:
            found[node.attrs["name"]] = "on"
    found.pop("csrfmiddlewaretoken", None)
    return found


def _is(node: Node, selector: str) -> bool:
    if selector.startswith("."):
        return selector[1:] in node.attrs.get("class", "").split()
    return node.tag == selector


def broken_rules(response) -> list[str]:
    """What is wrong with a page, in words; empty for a good one."""
    root = tree(response)
    rules = (_document, _headings, _landmarks, _ids, _names, _tables, _labels, _inline)
    return [problem for rule in rules for problem in rule(root)]


def _document(root: Node):
    if root.all("html")[0].attrs.get("lang") != "en":
        yield "html has no lang"
    if not root.all("title")[0].content.strip():
        yield "no title"
    metas = {meta.attrs.get("name"): meta.attrs.get("content", "") for meta in root.all("meta")}
    if "width=device-width" not in metas.get("viewport", ""):
        yield "no viewport"
    if metas.get("robots") != "noindex, nofollow":
        yield "robots are not kept out"


def _headings(root: Node):
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    if levels.count(1) != 1 or levels[0] != 1:
        yield f"one h1 should come first, not {levels[:3]}"
    yield from (f"heading h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1)
    yield from ("empty heading" for node in root.all("h1", "h2", "h3") if not node.content.strip())


def _landmarks(root: Node):
    for tag in ("main", "header", "footer"):
        if len(root.all(tag)) != 1:
            yield f"{len(root.all(tag))} {tag} elements"
    if [a.attrs["href"] for a in root.all("a") if "skip" in a.attrs.get("class", "")] != ["#main"]:
        yield "no link that skips to main"


def _ids(root: Node):
    ids = [node.attrs["id"] for node in root.walk() if "id" in node.attrs]
    yield from (f"id {name!r} twice" for name, times in Counter(ids).items() if times > 1)
    for node in root.walk():
        pointers = ("for", "aria-labelledby", "aria-describedby")
        wanted = {name for pointer in pointers for name in node.attrs.get(pointer, "").split()}
        yield from (f"{node.tag} points to missing id {name!r}" for name in wanted - set(ids))


def _names(root: Node):
    for node in root.walk():
        named = node.attrs.get("aria-label") or node.attrs.get("aria-labelledby")
        if node.attrs.get("role") in ("img", "region", "group") and not named:
            yield f"{node.tag} of role {node.attrs['role']} without a name"
        if node.tag in ("nav", "section") and not named:
            yield f"{node.tag} without a name"
        if node.tag == "svg" and not named and node.attrs.get("aria-hidden") != "true":
            yield "svg without a name"
        if node.tag in ("button", "a", "summary") and not node.content.strip() and not named:
            yield f"{node.tag} without text"
        if int(node.attrs.get("tabindex", "0")) > 0:
            yield "tabindex above 0"


def _tables(root: Node):
    for table in root.all("table"):
        if not table.all("caption"):
            yield "table without caption"
        yield from (
            "th without scope" for th in table.all("th") if th.attrs.get("scope") not in ("col", "row")
        )


def _labels(root: Node):
    labelled = {label.attrs.get("for") for label in root.all("label") if label.content.strip()}
    for node in root.all(*FIELDS):
        if node.attrs.get("type") != "hidden" and node.attrs.get("id") not in labelled:
            yield f"{node.tag} {node.attrs.get('name')!r} without label"


def _inline(root: Node):
    """Nothing that the policy for content forbids, nothing from elsewhere."""
    for node in root.walk():
        yield from (f"{node.tag} has {name}" for name in node.attrs if re.match(r"on|style$|hx-on", name))
        if node.tag == "style" or (node.tag == "script" and "src" not in node.attrs):
            yield f"{node.tag} element with content"
        for name in ("src", "href", "action", "formaction"):
            if re.match(r"[a-z]+:|//", node.attrs.get(name, "")):
                yield f"{node.tag} leads elsewhere: {node.attrs[name]}"
