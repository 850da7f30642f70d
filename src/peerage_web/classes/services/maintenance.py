"""What is done for classes in every round of maintenance."""

from __future__ import annotations

import time

from peerage_web.classes.services.phases import take_due_steps
from peerage_web.classes.services.roster import forget_old_rosters
from peerage_web.classes.services.storing import delete_leftovers

TIDY = 600.0  # seconds between looks at every folder of works
_tidied = -TIDY


def maintain() -> None:
    """Move assignments on whose date has come; forget rosters that nobody committed and files of no work."""
    take_due_steps()
    forget_old_rosters()
    global _tidied
    if time.monotonic() - _tidied > TIDY:
        delete_leftovers()
        _tidied = time.monotonic()
