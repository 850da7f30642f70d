"""What classes do by themselves, once in a while."""

from __future__ import annotations

import time

from peerage_web.classes.services.delivering import forget_old_deliveries, send_in_background
from peerage_web.classes.services.keeping import keep_courses
from peerage_web.classes.services.phases import take_due_steps
from peerage_web.classes.services.release.mail import write_grade_mail
from peerage_web.classes.services.reminder_mail import write_waiting_reminders
from peerage_web.classes.services.reminding import note_due_reminders
from peerage_web.classes.services.roster import forget_old_rosters
from peerage_web.classes.services.storing import delete_leftovers
from peerage_web.shared.services.rate_limits import HOUR, MINUTE, count_request

TIDY = 600.0  # seconds between looks at every folder of works
_tidied = -TIDY


def maintain() -> None:
    """Move assignments on whose date has come; forget what nobody committed or uses; remind people.

    Last, because it takes longest: courses whose time is up.
    """
    global _tidied
    take_due_steps()
    forget_old_rosters()
    if time.monotonic() - _tidied > TIDY:
        delete_leftovers()
        forget_old_deliveries()
        _tidied = time.monotonic()
    if count_request(client="maintenance", kind="reminders", window=MINUTE) == 1:  # of all instances, one
        note_due_reminders()
    write_waiting_reminders()
    write_grade_mail()
    if count_request(client="maintenance", kind="keeping", window=HOUR) == 1:
        keep_courses()
    send_in_background()
