"""What is wrong with an archive, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

import peerage
from peerage_web.shared.errors import Refused


def refused(problem: Mapping[str, Any]) -> Refused:
    """The refusal for a code that the child, or the import, has found."""
    code = str(problem.get("code"))
    figures = {name: str(value)[:100] for name, value in problem.items()} | {"ours": peerage.__version__}
    texts = {
        "may-not": _("This account may not create courses. Ask those who run this service."),
        "no-room": _("This service has no room for more files right now. Try again later."),
        "no-zip": _(
            "This file cannot be opened as an archive of a course. Choose one that Peerage has written."
        ),
        "no-json": _("The tables of this archive cannot be read. Export the course again."),
        "no-course": _("This is no archive of a course. Choose one that Peerage has written."),
        "newer": _(
            "This archive was made with Peerage %(version)s, which is newer than this one (%(ours)s)."
            " Update Peerage here first."
        ),
        "unknown": _(
            "This archive was made with Peerage %(version)s and has something that Peerage %(ours)s does not"
            " know (%(what)s). Update Peerage here first; nothing was imported, so that nothing is lost."
        ),
        "too-many-files": _("This archive has more than %(most)s files, or two of one name."),
        "too-large": _("This archive is larger than this service takes (%(most)s MB)."),
        "no-rows": _("The table %(table)s of this archive is damaged. Export the course again."),
        "value": _("In the table %(table)s, row %(row)s, the column %(column)s holds what it cannot."),
        "dangling": _("In the table %(table)s, row %(row)s, %(column)s leads to a row that is not there."),
        "file-missing": _("The file %(file)s is missing in the archive. Export the course again."),
        "file-damaged": _("The file %(file)s in the archive is damaged. Export the course again."),
        "does-not-fit": _("The rows of this archive do not hold together. Export the course again."),
    }
    text = texts.get(code, texts["no-course"])
    wanted = {"version": "?", "what": "?", "most": "?", "table": "?", "row": "?", "column": "?", "file": "?"}
    return Refused(text % {**wanted, **figures})
