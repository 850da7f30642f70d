"""Secrets are in no environment once the service has started; its own processes know them all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

SECRETS = {
    "PEERAGE_SECRET_KEY": "k" * 60,
    "DATABASE_URL": "postgresql://user:word@host/name",
    "PGPASSWORD": "another word",
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere secrets stay where they are")

SUPERVISOR = """
import json, os, subprocess, sys
from pathlib import Path
from peerage_web.configuration import secrets
from peerage_web.operations.supervisor import Process

secrets.hide_secrets()
CHILD = '''
import json, os
from pathlib import Path
from peerage_web.configuration.secrets import secret
known = {name: secret(name) for name in json.loads(os.environ["ASKED"])}
environ = Path("/proc/self/environ").read_text()
handed = os.environ.get("_PEERAGE_SECRETS")
started = __import__("subprocess").run(["env"], capture_output=True, text=True).stdout
print(json.dumps([known, environ + started, handed]), flush=True)
'''
process = Process("child", lambda: [sys.executable, "-c", CHILD])
process.start_if_due()
process.wait(60)
stranger = subprocess.run(["env"], capture_output=True, text=True).stdout
print(json.dumps([Path("/proc/self/environ").read_text() + stranger, secrets.secret("PGPASSWORD")]))
"""


def test_secrets_leave_the_environment_and_reach_our_own_processes():
    environment = {**os.environ, **SECRETS, "ASKED": json.dumps([*SECRETS]), "AFTER": "kept"}

    done = subprocess.run(
        [sys.executable, "-c", SUPERVISOR], env=environment, capture_output=True, text=True, check=True
    )

    (known, child, handed), (supervisor, own) = map(json.loads, done.stdout.splitlines())
    assert (known, handed, own) == (SECRETS, None, SECRETS["PGPASSWORD"])
    assert "AFTER=kept" in child
    assert "AFTER=kept" in supervisor
    for value in SECRETS.values():
        assert value not in child
        assert value not in supervisor
