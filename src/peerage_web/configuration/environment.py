"""Settings come from the environment; a value that cannot be meant is refused aloud."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


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


def database(url: str) -> dict[str, Any]:
    """Django's description of the database at an address, as `postgresql://user:word@host:5432/name`."""
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
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {name: unquote(value) for name, value in options.items()},
    }


def mail(url: str, folder: Path) -> dict[str, Any]:
    """Django's settings for `smtp://USER:PASSWORD@HOST:587` (STARTTLS where a user is named) or `smtps://…`.

    Without an address, mail is written into a folder, from where it can be read and is not lost.
    """
    if not url:
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": str(folder),
        }
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ImproperlyConfigured("PEERAGE_MAIL: use smtp://USER:PASSWORD@HOST:587 or smtps://…:465")
    safe = parts.scheme == "smtps"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if safe else 587 if parts.username else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": safe,
        "EMAIL_USE_TLS": not safe and bool(parts.username),
    }


def sqlite(path: str) -> dict[str, Any]:
    """SQLite that readers and a writer share, and whose deleted rows are overwritten."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                " PRAGMA busy_timeout=20000; PRAGMA secure_delete=ON;"
            ),
        },
    }
