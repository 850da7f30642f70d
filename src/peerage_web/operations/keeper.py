"""The keeper: finds lost jobs and deletes what is past its time. Started by the supervisor."""

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
        keep(given.identity)
        time.sleep(ROUND)


def keep(identity: str) -> None:
    """One round; what goes wrong in it is logged and tried again in the next."""
    from django.conf import settings
    from django.db import close_old_connections

    from peerage_web.operations import alive
    from peerage_web.services.upkeep import keep_up

    close_old_connections()
    try:
        keep_up()
        alive.beat(settings.ALIVE, "keeper", identity)
        alive.forget_old_signs(settings.ALIVE)
    except Exception:
        log.exception("a round of upkeep failed")


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    main()
