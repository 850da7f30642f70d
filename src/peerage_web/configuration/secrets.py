"""Secrets of the instance: from the environment at the start, and not in any environment afterwards.

What a process was started with can be read in /proc as long as it lives, and is handed on to whatever it
starts. So the supervisor takes the secrets out of its environment, and hands them to its own processes alone,
through a file that exists in memory only.
"""

import ctypes
import json
import os
import secrets
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SECRETS = ("PEERAGE_SECRET_KEY", "PEERAGE_MAIL", "DATABASE_URL", "PGPASSWORD")
SECRETS_FILE_NUMBER = "_PEERAGE_SECRETS"  # the number of the open file, for processes of ours
MOST_BYTES = 1 << 16
_known: dict[str, str] = {}
_open_files: list[int] = []


def secret(name: str) -> str | None:
    _receive()
    return os.environ.get(name, _known.get(name))


def hide_secrets() -> None:
    """Take the secrets out of the environment of this process, as it is and as it was at the start."""
    values = {name: os.environ[name] for name in SECRETS if name in os.environ}
    if not values or sys.platform != "linux":
        return
    file = os.memfd_create("peerage-secrets")
    os.write(file, json.dumps(values).encode())
    _open_files.append(file)
    _known.update(values)
    for name in values:
        del os.environ[name]
    _wipe(values)
    os.environ[SECRETS_FILE_NUMBER] = str(file)


def inherited_files() -> list[int]:
    """Open files that a process of ours has to inherit to know the secrets."""
    return list(_open_files)


def _receive() -> None:
    """What the supervisor has handed over; once."""
    number = os.environ.pop(SECRETS_FILE_NUMBER, None) if not _open_files else None
    if number is not None:
        _known.update(json.loads(os.pread(int(number), MOST_BYTES, 0)))
        os.close(int(number))


def _wipe(values: dict[str, str]) -> None:
    """Overwrite the values where /proc/PID/environ shows them."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])  # env_start and env_end
    block = b"\0" + ctypes.string_at(start, end - start)
    for name in values:
        start_of_name = block.find(b"\0" + name.encode() + b"=")
        if start_of_name >= 0:
            value = start_of_name + len(name) + 2
            ctypes.memset(start + value - 1, 0, block.index(b"\0", value) - value)


LEAST_CHARACTERS = 50
KEY_FILE = "secret.key"


def secret_key(data: Path) -> str:
    """From PEERAGE_SECRET_KEY, else from the file in the data folder.

    Without either, a key that lasts as long as this process: importing settings must not write files.
    """
    value = secret("PEERAGE_SECRET_KEY")
    if value is not None:
        if len(value) < LEAST_CHARACTERS:
            raise ImproperlyConfigured(
                f"PEERAGE_SECRET_KEY has {len(value)} characters; use {LEAST_CHARACTERS} or more"
            )
        return value
    path = data / KEY_FILE
    if not path.exists():
        return secrets.token_urlsafe(64)
    if path.stat().st_mode & 0o077:
        raise ImproperlyConfigured(f"{path} can be read by others; run: chmod 600 {path}")
    key = path.read_text(encoding="ascii").strip()
    if len(key) < LEAST_CHARACTERS:
        raise ImproperlyConfigured(f"{path} is too short; delete it, and a new one is made at the next start")
    return key


def make_secret_key(data: Path) -> None:
    """Make the file, unless there is one or the key is given; before any worker starts."""
    if secret("PEERAGE_SECRET_KEY") is None and not (data / KEY_FILE).exists():
        _make(data / KEY_FILE)


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # written beside and linked, so that of two processes that start at once one wins and neither reads half
    draft = path.with_name(f".secret.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(64) + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
