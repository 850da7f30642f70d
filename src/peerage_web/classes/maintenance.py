"""What classes do on their own: regular maintenance, and submission that waits for a task worker."""

import logging
import time

from django.conf import settings
from django.db import DatabaseError, InterfaceError

from peerage_web.classes.activity_log.digest import write_digests
from peerage_web.classes.allocation.services import allocate_waiting
from peerage_web.classes.grading.results import draw_waiting
from peerage_web.classes.phases.services import take_due_steps
from peerage_web.classes.progress.reminders import note_due_reminders, write_waiting_reminders
from peerage_web.classes.reassignment.services import join_waiting
from peerage_web.classes.release.services import write_grade_mail
from peerage_web.classes.retention.services import keep_courses
from peerage_web.classes.roster.imports import forget_old_rosters
from peerage_web.classes.submissions.storage import delete_leftovers
from peerage_web.classes.webhooks.delivery import forget_old_deliveries, send_in_background
from peerage_web.shared.services.rate_limits import HOUR, MINUTE, count_request

TIDY = 600.0  # seconds between looks at every folder of submissions
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
        write_digests()
    write_waiting_reminders()
    write_grade_mail()
    if count_request(client="maintenance", kind="keeping", window=HOUR) == 1:
        keep_courses()
    send_in_background()


# -- What task workers do for classes: allocations that make themselves, late submissions, runs that are done


log = logging.getLogger(__name__)
INTERVAL = 5.0  # seconds between two looks of one worker
_last = 0.0


def run_pending() -> None:
    """Do what waits, and not more often than every few seconds; what fails is there at the next look."""
    global _last
    now = time.monotonic()
    if not settings.CLASSES or now - _last < INTERVAL:
        return
    _last = now
    for part in (allocate_waiting, join_waiting, draw_waiting):
        try:
            part()
        except (DatabaseError, InterfaceError):  # it is away, for which the worker waits
            raise
        except Exception:  # a fault of ours in one class does not keep files from being graded
            log.exception("what waits in classes could not be done")
