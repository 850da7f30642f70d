"""Fetches everything that somebody can: every address of the URL configuration, and every link on a page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin

from django.db import transaction
from django.test import Client
from tests.web.classes.addresses import Address, addresses
from tests.web.classes.searching import Marks

from peerage_web.accounts.models import Mail, Person

MOST = 600  # fetches of one crawl: more would be a circle
_LINK = re.compile(r"""(?:href|src|action|hx-get|data-url|srcset)\s*=\s*["']([^"'\s]+)""")
_CALENDAR = re.compile(r"(?:https?|webcal)://[^\s\"'<>]+")
SENT = {"text": "x", "reason": "blank", "number": "1", "file": "1", "version": "0"}
ADDRESSES = addresses(("peerage_web.classes.", "peerage_web.accounts.", "peerage_web.lti."))
CLOSED = ("/sign-out", "/static/")  # ends the session; has nothing of anybody


@dataclass
class Crawl:
    """What one person gets to see, searched for marks of somebody else."""

    person: Person
    marks: Marks
    leaks: list[str] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)  # names of addresses that answered 200
    seen: set[str] = field(default_factory=set)
    searched: set[bytes] = field(default_factory=set)

    def everything(self, values: list[dict[str, object]], *, post: bool = True) -> None:
        """Every address with these objects in it, whatever pages link to, and answers to forms."""
        client = _signed_in(self.person)
        waiting = [path for address in ADDRESSES for path in _paths(address, values)]
        while waiting and len(self.seen) < MOST:
            path = waiting.pop()
            if path in self.seen or path.startswith(CLOSED):
                continue
            self.seen.add(path)
            waiting += self._fetch(client, path)
        if post:
            self._send(values)

    def mail(self) -> None:
        """What has come by mail."""
        for one in Mail.objects.filter(person=self.person):
            self._search(f"mail {one.kind}", f"{one.subject}\n{one.text}\n{one.about}".encode())

    def _fetch(self, client: Client, path: str) -> list[str]:
        answer = client.get(path)
        body = self._answer(f"GET {path}", answer)
        if answer.status_code == 200 and answer.resolver_match is not None:
            self.reached.add(answer.resolver_match.url_name)
        if answer.status_code in (301, 302):
            return [urljoin(path, answer["Location"])]
        kind = answer.get("Content-Type", "")
        return list(_links(path, body.decode("utf-8", "replace"))) if kind.startswith("text/") else []

    def _send(self, values: list[dict[str, object]]) -> None:
        """Each form, empty from a page and filled in from a script; what it writes is undone."""
        client = _signed_in(self.person)
        session = client.cookies.output(header="").strip()
        paths = {path for address in ADDRESSES if _takes_forms(address) for path in _paths(address, values)}
        for path in sorted(one for one in paths if not one.startswith(CLOSED)):
            for sent, accept in (({}, "text/html"), (SENT, "application/json")):
                client.cookies.load(session)  # a form may have ended it
                with transaction.atomic():
                    self._answer(f"POST {path}", client.post(path, sent, headers={"Accept": accept}))
                    self.mail()
                    transaction.set_rollback(True)

    def _answer(self, where: str, answer) -> bytes:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        cookies = answer.cookies.output()
        self._search(f"{where} (headers)", f"{headers}\n{cookies}".encode())
        self._search(where, body)
        return body

    def _search(self, where: str, data: bytes) -> None:
        """Once: many answers are the same, byte for byte."""
        if data in self.searched:
            return
        self.searched.add(data)
        self.leaks += [f"{where}: {place}" for place in self.marks.found_in(data)]


def _signed_in(person: Person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _takes_forms(address: Address) -> bool:
    """Whether a form can be sent there; where nothing is declared, it is tried."""
    declared = getattr(address.view, "rule", address.view)
    return "POST" in getattr(declared, "methods", ("POST",))


def _paths(address: Address, values: list[dict[str, object]]) -> Iterator[str]:
    """With each set of objects that has all that the address asks for."""
    for known in values:
        if set(address.keys) <= set(known):
            yield address.path(**known)


def _links(path: str, text: str) -> Iterator[str]:
    found = [*_LINK.findall(text), *_CALENDAR.findall(text)]
    for link in found:
        whole = re.sub(r"^(?:https?|webcal)://[^/]+", "", unescape(link).partition("#")[0])
        if whole.startswith(("/", "?", ".")):
            yield urljoin(path, whole)


def mail_from_staff(staff: Person, crawls: list[Crawl], values: dict[str, object]) -> None:
    """What staff make the service send, by every form there is; what they do is undone."""
    client = _signed_in(staff)
    known = set(values) - {"roster_import"}  # its file would be gone with the first of these
    for address in addresses():
        if set(address.keys) <= known and "POST" in address.view.rule.methods:
            with transaction.atomic():
                client.post(address.path(**values), {"sure": "on", "send": "yes", "confirm": "yes"})
                for crawl in crawls:
                    crawl.mail()
                transaction.set_rollback(True)
