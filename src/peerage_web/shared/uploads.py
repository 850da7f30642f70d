"""Uploads: measured while they come in, and refused the moment they are too large.

Programs send what they make without a length beforehand (`Transfer-Encoding: chunked`). Django reads as much
as the header Content-Length says, which such a request does not have. So it is taken in first, within the
bounds of a form, and has a length from then on.
"""

import tempfile
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _

ARCHIVES = "/courses/import"
MORE = 1 << 16  # of a form around the file


class BoundedUpload(FileUploadHandler):
    """Passes chunks on until there are too many."""

    chunk_size = 64 * 1024

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *rest: Any) -> None:  # noqa: N803
        """A request that says beforehand that it is too large is not read at all."""
        # feedback, roster and staff grades may come together
        room = 3 * settings.LIMITS.file_bytes if self._most() == settings.LIMITS.file_bytes else self._most()
        if content_length > room:
            raise too_large(self._most())

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > self._most():
            self._throw_away()
            raise too_large(self._most())
        return raw_data

    def _most(self) -> int:
        """Bytes of one file; an archive of a course may have more, from whoever may create courses."""
        request = self.request
        person = getattr(request, "user", None)
        if request is not None and request.path == ARCHIVES and getattr(person, "may_create_courses", False):
            return settings.LIMITS.archive_bytes + MORE
        return settings.LIMITS.file_bytes

    def _throw_away(self) -> None:
        """What has come in so far goes at once, not when somebody collects garbage."""
        for handler in self.request.upload_handlers if self.request is not None else ():
            handler.upload_interrupted()

    def file_complete(self, file_size: int) -> None:
        """The handlers behind this one make the file."""
        return


def too_large(bytes_: int | None = None) -> RequestDataTooBig:
    """What a visitor reads whose file is too large."""
    most = (bytes_ or settings.LIMITS.file_bytes) >> 20
    text = _(
        "The file is larger than %(most)d MB, the limit on this site. Peerage on your own "
        "computer has no such limit."
    )
    return RequestDataTooBig(text % {"most": most})


# -- without a length -----------------------------------------------------------------------------------

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
