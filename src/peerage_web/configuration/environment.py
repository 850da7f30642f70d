"""Settings come from the environment; a value that cannot be meant is refused aloud."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

PATIENCE = 20  # seconds to wait for a lock in the database
POOL_PATIENCE = 5  # seconds to wait for a connection to it; whoever waits holds a thread


def text(name: str, default: str) -> str:
    """The value as it is."""
    return os.environ.get(name, default).strip()


def data_folder() -> Path:
    """Where the instance keeps everything."""
    return Path(text("PEERAGE_DATA", "peerage-data")).absolute()


def listed(name: str, default: str) -> list[str]:
    """Values divided by commas."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def flag(name: str, default: bool) -> bool:
    """True or False, spelt so."""
    value = os.environ.get(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name}={value!r}: use 'True' or 'False'")
    return value == "True"


def number(name: str, default: int, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    value = os.environ.get(name, str(default))
    if not value.isdecimal() or int(value) < least:
        raise ImproperlyConfigured(f"{name}={value!r}: use a whole number of at least {least}")
    return int(value)


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    value = os.environ.get(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r}: use one of {', '.join(allowed)}")
    return value


def database(url: str, pool: int = 1) -> dict[str, Any]:
    """Django's description of the database at an address, as `postgresql://user:word@host:5432/name`.

    `pool` bounds the connections that one process has at once.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            "DATABASE_URL: use postgresql://USER:PASSWORD@HOST:PORT/NAME, or leave it out for SQLite"
        )
    options = dict(pair.partition("=")[::2] for pair in parts.query.split("&") if pair)
    host = unquote(options.pop("host", "")) or unquote(parts.hostname or "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "connect_timeout": "10",
            "options": f"-c lock_timeout={PATIENCE * 1000}",  # as long as SQLite waits for a lock
            **{name: unquote(value) for name, value in options.items()},
            "pool": {"min_size": 0, "max_size": pool, "timeout": POOL_PATIENCE, "max_idle": 60},
        },
    }


def sqlite(path: str) -> dict[str, Any]:
    """SQLite that readers and a writer share, and whose deleted rows are overwritten."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": PATIENCE,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                f" PRAGMA busy_timeout={PATIENCE * 1000}; PRAGMA secure_delete=ON;"
            ),
        },
    }
