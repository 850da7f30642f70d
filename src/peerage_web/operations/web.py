"""The web server: Gunicorn, set up for this service. Started by the supervisor."""

import argparse
import os
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger

from peerage_web.operations.parent_watch import end_with_parent
from peerage_web.sandbox.walls.system import deny_dumps

THREADS = 32  # per worker; most of them wait for slow clients


class QuietLogger(Logger):  # type: ignore[misc]
    """Gunicorn's messages go through our own log, which drops addresses; it has no access log."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True


class WebServer(BaseApplication):  # type: ignore[misc]
    """Gunicorn on a socket that the supervisor has opened."""

    def __init__(self, listener: int, workers: int, parent_watch: int) -> None:
        self.options = {
            "bind": f"fd://{listener}",
            "workers": workers,
            "threads": THREADS,
            "worker_class": "peerage_web.operations.slow_clients.PatientWorker",
            "logger_class": QuietLogger,
            "loglevel": "warning",
            "preload_app": True,
            "keepalive": 5,
            "timeout": 60,
            "graceful_timeout": 8,
            "max_requests": 20_000,  # a leak in a library never gets far
            "max_requests_jitter": 2_000,
            "sendfile": False,  # files too go through the metered connection
            "forwarded_allow_ips": "",  # Django alone decides what a proxy may say
            "control_socket_disable": True,
            "worker_tmp_dir": "/dev/shm" if os.path.isdir("/dev/shm") else None,
            "post_fork": lambda server, worker: end_with_parent(parent_watch),
            "post_worker_init": lambda worker: _warm_up(),
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        from peerage_web.wsgi import application

        return application


def _warm_up() -> None:
    """Begin to load the library and its kernels where files are read; no page waits for it."""
    from peerage_web.sandbox import parent

    parent.is_warm()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("listener", "workers", "parent-watch"):
        parser.add_argument(f"--{name}", type=int, required=True)
    arguments = parser.parse_args()
    deny_dumps()
    end_with_parent(arguments.parent_watch)
    WebServer(arguments.listener, arguments.workers, arguments.parent_watch).run()


if __name__ == "__main__":
    main()
