"""A scheduler and workers as others start them, each a process of its own."""

import json
import os
import subprocess
import sys
import time

BOUND = 600  # seconds after which a test gives up; what is waited for takes a few
START = {role: f"from distributed.cli.dask_{role} import main; main()" for role in ("scheduler", "worker")}


class Processes:
    def __init__(self, folder, *options: str) -> None:
        self.file, self.options, self.all = folder / "scheduler.json", options, []
        self.scheduler = self.start("scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0")

    def start(self, role: str, *options: str, before: str = "") -> subprocess.Popen:
        command = [sys.executable, "-c", before + START[role], "--host", "127.0.0.1"]
        command += ["--scheduler-file", str(self.file), *self.options, *options]
        patient = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{BOUND}s"}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=patient)
        self.all.append(process)
        return process

    def worker(self, before: str = "") -> subprocess.Popen:
        return self.start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard", before=before)

    def address(self) -> str:
        while not self.file.exists() or not self.file.read_text():
            assert self.scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        return json.loads(self.file.read_text())["address"]

    def client(self, workers: int, **options):
        from distributed import Client

        client = Client(self.address(), set_as_default=False, timeout=BOUND, **options)
        client.wait_for_workers(workers, timeout=BOUND)
        return client

    def end(self) -> None:
        for process in self.all:
            process.kill()
            process.wait()
