"""A visitor without a browser: pages, forms and the API, from an address of their own."""

from __future__ import annotations

import http.client
import json
import re
import time
from dataclasses import dataclass
from secrets import token_hex
from urllib.parse import urlencode

PATIENCE = 900.0  # seconds after which whoever waits gives up
POLL = 0.1  # seconds between questions how far a job is; the page asks every second


class RefusedError(Exception):
    """The service has refused what it should have served."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        """The body of an answer of the API."""
        return json.loads(self.body)


class Visitor:
    """Somebody at an address of this machine (127.0.0.0/8), with cookies."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.port, self.address = port, address
        self.cookies: dict[str, str] = {}
        self.left: list[str] = []  # pages of jobs to be deleted

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request on a connection of its own."""
        where = ("127.0.0.1", self.port)
        connection = http.client.HTTPConnection(*where, timeout=PATIENCE, source_address=(self.address, 0))
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            given["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()
        for name, value in re.findall(r"(\w+)=([^;]+);", found.headers.get("set-cookie", "")):
            self.cookies[name] = value
        return found

    def get(self, path: str) -> Answer:
        """A page."""
        return self.ask("GET", path)

    def post(self, path: str, files: dict[str, tuple[str, bytes]] | None = None, **fields: str) -> Answer:
        """A form, as the pages send it."""
        if "csrftoken" not in self.cookies:
            self.get("/")
        fields["csrfmiddlewaretoken"] = self.cookies["csrftoken"]
        if not files:
            kind = "application/x-www-form-urlencoded"
            return self.ask("POST", path, urlencode(fields).encode(), Content_Type=kind)
        boundary = token_hex(16)
        body = _multipart(boundary, fields, files)
        return self.ask("POST", path, body, Content_Type=f"multipart/form-data; boundary={boundary}")

    def api(self, path: str, asked: object) -> Answer:
        """A question to the API."""
        return self.ask(
            "POST", f"/api/v1/{path}", json.dumps(asked).encode(), Content_Type="application/json"
        )

    def upload(self, data: bytes, name: str = "feedback.csv") -> str:
        """A file; the path of its page."""
        return self._page_of(self.post("/", files={"file": (name, data)}))

    def example(self) -> str:
        """The example; the path of its page."""
        return self._page_of(self.post("/example"))

    def grade(self, page: str, **fields: str) -> None:
        """Look at a draft and start it."""
        self._good(self.get(page))
        self._page_of(self.post(f"{page}grade", **fields))

    def wait(self, page: str) -> Answer:
        """The page of a job that is over."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if "hx-refresh" in self._good(self.get(f"{page}progress")).headers:
                return self._good(self.get(page))
            time.sleep(POLL)
        raise RefusedError(f"not done after {PATIENCE:g} s")

    def grade_example(self) -> float:
        """Everything from the first page to the grades; the seconds it took."""
        started = time.perf_counter()
        self._good(self.get("/"))
        page = self.example()
        self.grade(page, scale="0:10")
        if b"grades.csv" not in self.wait(page).body:
            raise RefusedError("the example has no grades")
        return time.perf_counter() - started

    def _good(self, answer: Answer) -> Answer:
        if answer.status >= 400:
            raise RefusedError(f"{answer.status}: {_words(answer.body)}")
        return answer

    def _page_of(self, answer: Answer) -> str:
        """Where a form leads; a refusal leads to a page that says why."""
        if answer.status != 302:
            raise RefusedError(f"{answer.status}: {_words(answer.body)}")
        page = answer.headers["location"]
        if "?" in page:  # a job's address asks nothing
            self._good(self.get(page))
        return page


def _words(body: bytes) -> str:
    """What a page says, its alert first."""
    page = body.decode(errors="replace")
    alert = re.search(r'role="alert".*', page, re.DOTALL)
    text = re.sub(r"<[^>]*>", " ", "<" + alert[0] if alert else page)
    return " ".join(text.split())[:300]


def _multipart(boundary: str, fields: dict[str, str], files: dict[str, tuple[str, bytes]]) -> bytes:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    parts += [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n\r\n'.encode()
        + data
        + b"\r\n"
        for name, (file, data) in files.items()
    ]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])
