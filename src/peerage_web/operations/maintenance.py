"""Maintenance: finds lost jobs and deletes what is past its time. Started by the supervisor."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING

from peerage_web.operations.lifeline import hold_on
from peerage_web.sandbox.walls.system import deny_dumps

if TYPE_CHECKING:
    from peerage_web.files.services.recovery import LostJobs

log = logging.getLogger(__name__)
ROUND = 5.0  # seconds between rounds


def main() -> None:
    """The process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--identity", required=True)
    parser.add_argument("--lifeline", type=int, required=True)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _leave)
    deny_dumps()
    hold_on(given.lifeline)
    import django

    django.setup()
    from peerage_web.files.services.recovery import LostJobs

    lost = LostJobs()
    while True:
        round_of_maintenance(given.identity, lost)
        time.sleep(ROUND)


def round_of_maintenance(identity: str, lost: LostJobs) -> None:
    """One round; what goes wrong in it is logged and tried again in the next."""
    from django.conf import settings
    from django.db import connection

    from peerage_web.shared import heartbeats

    try:
        if _all_parts(lost):
            heartbeats.beat(settings.HEARTBEATS, "maintenance", identity)
            heartbeats.forget_old(settings.HEARTBEATS)
    except OSError:
        log.exception("maintenance could not give a sign of life")
    finally:
        connection.close()  # five seconds are long; others may need it


def _all_parts(lost: LostJobs) -> bool:
    """Every part in turn; what goes wrong in one is logged, and does not keep the others waiting."""
    from peerage_web.accounts.services.maintenance import maintain as maintain_accounts
    from peerage_web.classes.services.maintenance import maintain as maintain_classes
    from peerage_web.files.services.maintenance import maintain
    from peerage_web.lti.maintenance import maintain as maintain_lti

    done = maintain(lost)
    for part in (maintain_classes, maintain_lti, maintain_accounts):
        try:
            part()
        except Exception:
            log.exception("a round of maintenance failed")
            done = False
    return done


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
