"""Pages that the code writes: the command line from its options, the HTTP API from its OpenAPI document.

```{commands}
```
"""

from __future__ import annotations

import os
import re
import tempfile
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Commands(SphinxDirective):
    """Every command of `peerage`: its text and a table of its options."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(commands(), allow_section_headings=True)


class Addresses(SphinxDirective):
    """Every address of the HTTP API: what it takes and what it answers."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(addresses(), allow_section_headings=True)


def commands() -> str:
    """Markdown, made from what Typer knows."""
    import click
    from typer.main import get_command

    from peerage.cli import app

    group = get_command(app)
    context = click.Context(group)
    lines: list[str] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        lines += _command(f"peerage {name}", command)
        for sub, inner in sorted(getattr(command, "commands", {}).items()):
            lines += _command(f"peerage {name} {sub}", inner, "###")
    return "\n".join(lines)


def _command(name: str, command: Any, level: str = "##") -> list[str]:
    lines = ["", f"{level} {name}", "", *_help(command.help or ""), ""]
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    if arguments:
        rows = [
            (f"`{(one.metavar or one.name).upper()}`", _cell(getattr(one, "help", ""))) for one in arguments
        ]
        lines += _table(("argument", "meaning"), rows)
    if options:
        lines += _table(("option", "default", "meaning"), [_option(one) for one in options])
    return lines


def _option(one: Any) -> tuple[str, str, str]:
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    plain = isinstance(one.default, (str, int, float)) and not isinstance(one.default, bool)
    default = f"`{one.default}`" if plain and one.default != "" else ""
    return names, default, _cell(one.help or "")


def _help(text: str) -> list[str]:
    """Paragraphs as they are; lines after a backspace character, or indented ones, as they would be typed."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", _plain(text).strip()):
        typed = paragraph.startswith("\b") or re.match(r"\s{2,}", paragraph)
        body = paragraph.replace("\b", "").strip("\n")
        if typed and lines[-1:] == ["```"]:  # one block of several examples
            lines[-1:] = [*(line.strip() for line in body.splitlines()), "```"]
        elif typed:
            lines += ["", "```sh", *(line.strip() for line in body.splitlines()), "```"]
        else:
            lines += ["", body]
    return lines


def _plain(text: str) -> str:
    return re.sub(r"\[/?(?:bold|dim|italic|cyan|green|red|yellow|b|i)\]", "", text)


def _cell(text: str) -> str:
    return " ".join(_plain(text).replace("|", "\\|").split())


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return ["", *lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def addresses() -> str:
    """Markdown, made from the document that the service itself answers with."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerage_web.settings")
        os.environ.setdefault("PEERAGE_DATA", folder)
        import django

        django.setup()
        from peerage_web.api_urls import api

        document = api.get_openapi_schema()
    lines: list[str] = []
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines += _operation(f"{method.upper()} {path}", operation, document)
    return "\n".join(lines)


def _operation(title: str, operation: dict[str, Any], document: dict[str, Any]) -> list[str]:
    lines = ["", f"## `{title}`", "", operation.get("description") or operation.get("summary", "")]
    parameters = [
        (f"`{one['name']}`", one["in"], _kind(one["schema"]), _cell(one["schema"].get("description", "")))
        for one in operation.get("parameters", ())
        if one["in"] != "path"
    ]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        parameters += _fields(content["schema"], document)
    if parameters:
        lines += _table(("field", "in", "type", "meaning"), parameters)
    codes = ", ".join(f"`{code}`" for code in operation["responses"])
    return [*lines, "", f"Answers: {codes}."]


def _fields(schema: dict[str, Any], document: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return [
        (f"`{name}`", "body", _kind(one), _cell(one.get("description", "")))
        for name, one in schema.get("properties", {}).items()
    ]


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[-1])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "any"))


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    app.add_directive("addresses", Addresses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
