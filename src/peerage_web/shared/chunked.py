"""Uploads without a length beforehand (`Transfer-Encoding: chunked`), as programs send what they make.

Django reads as much as the header Content-Length says, which such a request does not have. So it is taken in
first, within the bounds of a form, and has a length from then on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from typing import Any

CHUNK = 64 * 1024
IN_MEMORY = 1 << 20  # bytes; more goes to the disk

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def with_length(application: Application, *, most: int, folder: str) -> Application:
    """The same application, for which every request has a length. Of longer ones it sees the first bytes."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "chunked" not in environ.get("HTTP_TRANSFER_ENCODING", "").lower():
            return application(environ, start_response)
        with tempfile.SpooledTemporaryFile(IN_MEMORY, dir=folder) as body:
            size = _copy(environ["wsgi.input"], body, most)
            body.seek(0)
            return application({**environ, "wsgi.input": body, "CONTENT_LENGTH": str(size)}, start_response)

    return answer


def _copy(source: Any, body: Any, most: int) -> int:
    """How long it is; one more than allowed where it is too long."""
    size = 0
    while size <= most and (chunk := source.read(CHUNK)):
        body.write(chunk)
        size += len(chunk)
    return size
