"""The task worker: takes jobs from the queue in the database. Started by the supervisor."""

from __future__ import annotations

import argparse

from peerage_web.operations.lifeline import hold_on
from peerage_web.sandbox.walls import deny_dumps

INTERVAL = 0.2  # seconds between questions to an empty queue


def main() -> None:
    """The process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", required=True)
    parser.add_argument("--lifeline", type=int, required=True)
    given = parser.parse_args()
    deny_dumps()
    hold_on(given.lifeline)
    _work(given.worker)


def _work(worker: str) -> None:
    import django
    from django.conf import settings
    from django.core.management import call_command

    from peerage_web import sandbox
    from peerage_web.shared.heartbeats import keep_beating

    django.setup()
    sandbox.warm_up()  # before the first heartbeat: who has no kernels yet is not ready for a job
    keep_beating(settings.HEARTBEATS, "task_worker", worker)
    call_command("db_worker", interval=INTERVAL, startup_delay=False, worker_id=worker)


if __name__ == "__main__":
    main()
