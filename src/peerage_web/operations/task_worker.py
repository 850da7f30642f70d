"""A task worker: takes one job after another from the queue in the database. Started by the supervisor."""

import argparse
import logging
import signal
import threading
from types import FrameType

from peerage_web.operations.parent_watch import end_with_parent
from peerage_web.sandbox.walls.system import deny_dumps

log = logging.getLogger(__name__)
INTERVAL = 0.5  # seconds between questions to an empty queue
PAUSE = 2.0  # seconds after which a database that did not answer is asked again
_stop = threading.Event()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", required=True)
    parser.add_argument("--small-only", action="store_true")
    parser.add_argument("--parent-watch", type=int, required=True)
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    deny_dumps()
    end_with_parent(arguments.parent_watch)
    _work(arguments.worker, arguments.small_only)


def _work(worker: str, small_only: bool) -> None:
    import django
    from django.conf import settings

    from peerage_web.sandbox import parent
    from peerage_web.shared.heartbeats import keep_beating

    django.setup()
    is_beating = False
    while not _stop.is_set():
        is_warm = parent.is_warm()  # who has no kernels yet takes no job, and has no heartbeat
        if is_warm and not is_beating:
            keep_beating(settings.HEARTBEATS, "task_worker", worker)
            is_beating = True
        _stop.wait(_pause_after_one(worker, small_only, grades=is_warm))


def _pause_after_one(worker: str, small_only: bool, *, grades: bool) -> float:
    """Do one of what waits for classes and one job of grading; the seconds until the next is asked for."""
    from django.db import DatabaseError, InterfaceError, connection

    from peerage_web.classes.maintenance import run_pending
    from peerage_web.classes.submissions.copies import make_next
    from peerage_web.files.services.running import run_next

    try:
        run_pending()
        done = grades and run_next(worker=worker, small_only=small_only)
        return 0.0 if make_next(small_only=small_only) or done else INTERVAL
    except (DatabaseError, InterfaceError):  # it is away or locked, which may pass
        log.exception("the queue could not be asked")
        connection.close()
        return PAUSE


def _leave(number: int, frame: FrameType | None) -> None:
    """Finish the job at hand, then end."""
    _stop.set()


if __name__ == "__main__":
    main()
