"""What a page says, and the rules of ours that it breaks."""

import re

from tests.report import page_rules
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
    return page_rules.broken_rules(response.content.decode(), served=True)
