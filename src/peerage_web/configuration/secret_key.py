"""The instance's secret key: made once, readable by its owner alone."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from peerage_web.configuration.secrets import secret

LEAST = 50  # characters
NAME = "secret.key"


def secret_key(data: Path) -> str:
    """From PEERAGE_SECRET_KEY, else from the file in the data folder.

    Without either, a key that lasts as long as this process: importing settings must not write files.
    """
    given = secret("PEERAGE_SECRET_KEY")
    if given is not None:
        if len(given) < LEAST:
            raise ImproperlyConfigured(f"PEERAGE_SECRET_KEY has {len(given)} characters; use {LEAST} or more")
        return given
    path = data / NAME
    if not path.exists():
        return secrets.token_urlsafe(64)
    if path.stat().st_mode & 0o077:
        raise ImproperlyConfigured(f"{path} can be read by others; run: chmod 600 {path}")
    key = path.read_text(encoding="ascii").strip()
    if len(key) < LEAST:
        raise ImproperlyConfigured(f"{path} is too short; delete it, and a new one is made at the next start")
    return key


def make_secret_key(data: Path) -> None:
    """Make the file, unless there is one or the key is given; before any worker starts."""
    if secret("PEERAGE_SECRET_KEY") is None and not (data / NAME).exists():
        _make(data / NAME)


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
