"""Students in browsers: signed in beforehand, each request on a connection of its own."""

from __future__ import annotations

import asyncio
import re
from typing import Any

TOKEN = "t" * 32  # the browser's and the form's have to be the same, nothing more
HTML, JSON, FORM = "text/html", "application/json", "application/x-www-form-urlencoded"


def cookie_of(person: Any) -> str:
    """Sign somebody in; what their browser sends."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    return f"sessionid={session.session_key}; csrftoken={TOKEN}"


async def ask(
    port: int, path: str, cookie: str, body: bytes | None = None, *, kind: str = FORM, accept: str = HTML
) -> tuple[int, bytes]:
    """Status and body of a page; of a form or script that is sent, where there is a body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = [
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        f"Accept: {accept}",
        f"Cookie: {cookie}",
    ]
    if body is not None:
        head += [f"Content-Type: {kind}", f"X-CSRFToken: {TOKEN}", f"Content-Length: {len(body)}"]
    try:
        writer.write(("\r\n".join(head) + "\r\n\r\n").encode() + (body or b""))
        whole = await reader.readuntil(b"\r\n\r\n")
        size = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", whole)[1])
        return int(whole.split(b" ", 2)[1]), await reader.readexactly(size)
    finally:
        writer.close()
