"""A browser without script: it loads a page, fills a form of it and sends it."""

from __future__ import annotations

import http.client
import secrets
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

TIMEOUT = 60.0  # seconds for one answer


@dataclass
class Form:
    """Where it goes, what it holds, and the names of choices in which nothing is chosen yet."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)


class _Forms(HTMLParser):
    """All forms of a page; a field outside of its form names it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._named: dict[str, Form] = {}
        self._inside: Form | None = None
        self._select = self._area = ("", Form(""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "form":
            self._inside = self._form_of(given["id"]) if "id" in given else Form("")
            self._inside.action = given.get("action", "")
            self.found.append(self._inside)
            return
        form = self._form_of(given["form"]) if "form" in given else self._inside
        if tag == "option" and "selected" in given:
            self._select[1].values[self._select[0]] = given.get("value", "")
        elif form is not None and tag == "input":
            _read_input(form, name, given)
        elif form is not None and tag == "select":
            self._select = name, form
            form.open.add(name)
        elif form is not None and tag == "textarea":
            self._area = name, form
            form.values[name] = ""

    def _form_of(self, identity: str) -> Form:
        return self._named.setdefault(identity, Form(""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = None
        elif tag == "textarea":
            self._area = "", Form("")

    def handle_data(self, data: str) -> None:
        name, form = self._area
        if name:
            form.values[name] += data


def _read_input(form: Form, name: str, given: dict[str, str]) -> None:
    if given.get("type") in ("radio", "checkbox"):
        form.open.add(name)
        if "checked" not in given:
            return
    if given.get("type") != "file":
        form.values[name] = given.get("value", "")


class NoFormError(Exception):
    """The page has no such form, now."""


class Browser:
    """One person's, signed in by a session that is there already."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self._cookies = port, {"sessionid": session}

    def form(self, page: str, with_field: str = "", action: str = "") -> Form:
        """The form of a page that has this field, or goes there."""
        status, text = self.ask("GET", page)
        if status != 200:
            raise NoFormError(f"{page}: {status}")
        parser = _Forms()
        parser.feed(text)
        for one in parser.found:
            if (not action or one.action.endswith(action)) and (
                not with_field or with_field in one.values or with_field in one.open
            ):
                return one
        raise NoFormError(page)

    def send(self, path: str, values: dict[str, str], file: tuple[str, bytes] | None = None) -> int:
        """Send a form; the code of the answer."""
        if file is None:
            kind, body = "application/x-www-form-urlencoded", urlencode(values).encode()
        else:
            kind, body = _multipart(values, *file)
        return self.ask("POST", path, body, {"Content-Type": kind})[0]

    def ask(self, method: str, path: str, body: bytes | None = None, more: Any = ()) -> tuple[int, str]:
        """One request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {"Cookie": cookies, "Host": "localhost", "Referer": "http://localhost/", **dict(more)}
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for line in answer.headers.get_all("Set-Cookie") or ():
                name, _, value = line.partition(";")[0].partition("=")
                self._cookies[name] = value
            return answer.status, answer.read().decode()
        finally:
            connection.close()


def _multipart(values: dict[str, str], name: str, content: bytes) -> tuple[str, bytes]:
    line = f"----{secrets.token_hex(12)}"
    parts = [
        f'--{line}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in values.items()
    ]
    head = f'--{line}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    parts += [head.encode(), content, f"\r\n--{line}--\r\n".encode()]
    return f"multipart/form-data; boundary={line}", b"".join(parts)
