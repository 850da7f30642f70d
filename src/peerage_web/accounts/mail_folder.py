"""Mail as files, one each, where no server for it is set up."""

import secrets
from datetime import datetime
from pathlib import Path

from django.core.mail.backends import filebased


class EmailBackend(filebased.EmailBackend):
    """Django's own names a file by the second and the address of an object: two messages may share one."""

    def _get_filename(self) -> str:
        return str(Path(self.file_path) / f"{datetime.now():%Y%m%d-%H%M%S}-{secrets.token_hex(6)}.log")
