"""Maintenance: finds lost jobs and deletes what is past its time. Started by the supervisor.

Nothing of Django is loaded before `main` has set it up.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from peerage_web.operations.parent_watch import end_with_parent
from peerage_web.sandbox.walls.system import deny_dumps

if TYPE_CHECKING:
    from peerage_web.files.services.running import LostJobs

log = logging.getLogger(__name__)
ROUND = 5.0  # seconds between rounds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--identity", required=True)
    parser.add_argument("--parent-watch", type=int, required=True)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, _leave)
    deny_dumps()
    end_with_parent(arguments.parent_watch)
    import django

    django.setup()
    from peerage_web.files.services.running import LostJobs

    lost = LostJobs()
    while True:
        round_of_maintenance(arguments.identity, lost)
        time.sleep(ROUND)


def round_of_maintenance(identity: str, lost: LostJobs) -> None:
    """One round; what goes wrong in it is logged and tried again in the next."""
    from django.conf import settings
    from django.db import connection

    from peerage_web.shared import heartbeats

    try:
        if _maintain_all(lost):
            heartbeats.beat(settings.HEARTBEATS, "maintenance", identity)
            heartbeats.forget_old(settings.HEARTBEATS)
    except OSError:
        log.exception("maintenance could not give a sign of life")
    finally:
        connection.close()  # five seconds are long; others may need it


def _maintain_all(lost: LostJobs) -> bool:
    """Whether all went well; a part that fails does not keep the others waiting."""
    from peerage_web.classes.maintenance import maintain as maintain_classes
    from peerage_web.lti.maintenance import maintain as maintain_lti

    done = [maintain_files(lost)]
    done += [_is_done(part) for part in (maintain_classes, maintain_lti, maintain_accounts)]
    return all(done)


def maintain_files(lost: LostJobs) -> bool:
    """Whether all duties of the file service went well; one that fails stops no other.

    What makes room comes first: on a full disk the rest may fail until there is some.
    """
    from peerage_web.files.services import jobs, storage
    from peerage_web.shared.services.rate_limits import forget_old_counts
    from peerage_web.shared.traces import forget_old_traces

    duties: list[Callable[[], object]] = [
        storage.delete_leftovers,
        jobs.delete_expired_jobs,
        lost.recover,
        forget_old_counts,
        forget_old_traces,
        storage.checkpoint_sqlite,
    ]
    done = [_is_done(duty) for duty in duties]
    return all(done)


def maintain_accounts() -> None:
    """Delete what is past its time, then send mail, which may take a while."""
    from peerage_web.accounts.services.links import delete_expired_links
    from peerage_web.accounts.services.mail import send_waiting_mail
    from peerage_web.accounts.services.sign_in import delete_expired_sign_ins

    delete_expired_links()
    delete_expired_sign_ins()
    send_waiting_mail()


def _is_done(duty: Callable[[], object]) -> bool:
    try:
        duty()
    except Exception:
        log.exception("a duty of maintenance failed; it is tried again in the next round")
        return False
    return True


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
