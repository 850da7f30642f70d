"""Uploads are measured while they come in, and refused the moment they are too large."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from django.utils.translation import gettext as _


class BoundedUpload(FileUploadHandler):
    """Passes chunks on until there are too many."""

    chunk_size = 64 * 1024

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *rest: Any) -> None:  # noqa: N803
        """A request that says beforehand that it is too large is not read at all."""
        room = 3 * settings.LIMITS.file_bytes  # feedback, roster and staff grades may come together
        if content_length > room:
            raise too_large()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """One more chunk of a file."""
        if start + len(raw_data) > settings.LIMITS.file_bytes:
            self._throw_away()
            raise too_large()
        return raw_data

    def _throw_away(self) -> None:
        """What has come in so far goes at once, not when somebody collects garbage."""
        for handler in self.request.upload_handlers if self.request is not None else ():
            handler.upload_interrupted()

    def file_complete(self, file_size: int) -> None:
        """The handlers behind this one make the file."""
        return


def too_large() -> RequestDataTooBig:
    """What a visitor reads whose file is too large."""
    most = settings.LIMITS.file_bytes >> 20
    text = _(
        "The file is larger than %(most)d MB, which is all this service takes."
        " Peerage on your own computer has no such limit."
    )
    return RequestDataTooBig(text % {"most": most})
