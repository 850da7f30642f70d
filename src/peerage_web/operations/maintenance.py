"""Maintenance: finds lost jobs and deletes what is past its time. Started by the supervisor."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from types import FrameType

from peerage_web.operations.lifeline import hold_on

log = logging.getLogger(__name__)
ROUND = 5.0  # seconds between rounds


def main() -> None:
    """The process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--identity", required=True)
    parser.add_argument("--lifeline", type=int, required=True)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, _leave)
    hold_on(given.lifeline)
    import django

    django.setup()
    while True:
        round_of_maintenance(given.identity)
        time.sleep(ROUND)


def round_of_maintenance(identity: str) -> None:
    """One round; what goes wrong in it is logged and tried again in the next."""
    from django.conf import settings
    from django.db import close_old_connections

    from peerage_web.accounts.services.maintenance import maintain as maintain_accounts
    from peerage_web.classes.services.maintenance import maintain as maintain_classes
    from peerage_web.files.services.maintenance import maintain
    from peerage_web.shared import heartbeats

    close_old_connections()
    try:
        maintain()
        maintain_classes()
        maintain_accounts()
        heartbeats.beat(settings.HEARTBEATS, "maintenance", identity)
        heartbeats.forget_old(settings.HEARTBEATS)
    except Exception:
        log.exception("a round of maintenance failed")


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
