"""Settings come from the environment; values that make no sense are rejected with a message.

`Limits` are what one visitor may ask of the service: stated on the pages, enforced everywhere.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from peerage_web.configuration.secrets import secret

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit, with its meaning; an instance changes them through the environment."""

    file_bytes: int  # of one uploaded file
    reviews: int  # rows of feedback in one job
    list_length: int  # items one grader may have ranked at once
    job_seconds: int  # running time of one grading job
    direct_seconds: int  # a preview, an explanation, any answer for which the visitor waits
    memory: int  # bytes that one job may use
    sandbox_slots: int  # previews and other direct answers at once in one web worker
    jobs_per_visitor: int  # waiting or running at once
    jobs: int  # waiting or running at once, in all
    kept_hours: int  # until everything of a job is deleted
    kept_days_longest: int  # that a visitor may choose to keep a result instead; 0: none
    direct_reviews: int  # up to this many reviews, the API answers at once
    requests: int  # API requests per visitor or token and minute
    uploads: int  # uploads per visitor and hour
    previews: int  # previews, explanations and other direct answers per visitor and minute
    visitor_bytes: int  # of disk for the files and results of one visitor
    disk_bytes: int  # of disk for all files and results
    submission_bytes: int  # of disk for all that was submitted of one submission of a class
    submissions_bytes: int  # of disk for all submissions of all classes
    course_bytes: int  # of disk for the files of one course, unless operators gave it another limit
    archive_bytes: int  # of an archive of a course that is imported, packed and unpacked

    @classmethod
    def from_environment(cls) -> Limits:
        return cls(
            file_bytes=number("PEERAGE_MAX_MEGABYTES", 20, most=10_000) * MEGABYTE,
            reviews=number("PEERAGE_MAX_REVIEWS", 500_000),
            list_length=number("PEERAGE_MAX_LIST", 500, least=2),
            job_seconds=number("PEERAGE_MAX_SECONDS", 300, most=24 * 3600),
            direct_seconds=number("PEERAGE_MAX_DIRECT_SECONDS", 30, most=3600),
            memory=number("PEERAGE_JOB_MEMORY_MEGABYTES", 2048, least=512, most=1 << 20) * MEGABYTE,
            sandbox_slots=number("PEERAGE_SANDBOX_SLOTS", 2),
            jobs_per_visitor=number("PEERAGE_JOBS_PER_VISITOR", 3),
            jobs=number("PEERAGE_JOBS", 50),
            kept_hours=number("PEERAGE_KEEP_HOURS", 24, most=24 * 366),
            kept_days_longest=number("PEERAGE_KEEP_DAYS_LONGEST", 30, least=0, most=366),
            direct_reviews=number("PEERAGE_DIRECT_REVIEWS", 20_000),
            requests=number("PEERAGE_API_REQUESTS", 120),
            uploads=number("PEERAGE_UPLOADS", 120),
            previews=number("PEERAGE_PREVIEWS", 120),
            visitor_bytes=number("PEERAGE_VISITOR_MEGABYTES", 1000) * MEGABYTE,
            disk_bytes=number("PEERAGE_DISK_MEGABYTES", 20_000) * MEGABYTE,
            submission_bytes=number("PEERAGE_SUBMISSION_MEGABYTES", 500) * MEGABYTE,
            submissions_bytes=number("PEERAGE_SUBMISSIONS_MEGABYTES", 50_000) * MEGABYTE,
            course_bytes=number("PEERAGE_COURSE_MEGABYTES", 10_000) * MEGABYTE,
            archive_bytes=number("PEERAGE_ARCHIVE_MEGABYTES", 1000) * MEGABYTE,
        )


LOCK_SECONDS = 20  # to wait for a lock in the database
POOL_SECONDS = 5  # to wait for a connection to it; whoever waits holds a thread
MOST = 10**9  # what no limit of a service exceeds
# read where the settings are not: by the web server for each connection, and by experiments
ELSEWHERE = {"PEERAGE_SECRET_KEY", "PEERAGE_MAIL", "PEERAGE_CLIENT_SECONDS", "PEERAGE_DATASETS"}
_asked: set[str] = set()
_HOST = re.compile(r"\*|\.?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")


def text(name: str, default: str) -> str:
    _asked.add(name)
    return os.environ.get(name, default).strip()


def refuse_unknown() -> None:
    """Refuse a name that nobody has asked for: whoever set it thinks that it does something."""
    known = _asked | ELSEWHERE
    for name in sorted(os.environ):
        if name.startswith("PEERAGE_") and name not in known:
            close = get_close_matches(name, known, n=1, cutoff=0.8)
            meant = f"did you mean {close[0]}?" if close else "docs/reference/settings.md lists all"
            raise ImproperlyConfigured(f"{name}: there is no such setting; {meant}")


def data_folder() -> Path:
    """Where the instance keeps everything."""
    return Path(text("PEERAGE_DATA", "peerage-data")).absolute()


def manual(name: str, packaged: Path) -> Path | None:
    """The folder of the built documentation: a named one, else the one that came with the package, if any."""
    named = text(name, "")
    if named and not (Path(named) / "index.html").is_file():
        raise ImproperlyConfigured(f"{name}={named!r}: there is no index.html; `make docs` builds build/docs")
    folder = Path(named).absolute() if named else packaged
    return folder if (folder / "index.html").is_file() else None


def hosts(name: str, default: str) -> list[str]:
    """Names by which visitors call the service, as browsers send them; divided by commas."""
    names = [part.strip() for part in text(name, default).split(",") if part.strip()]
    if not names:
        raise ImproperlyConfigured(f"{name} is empty; leave it out, or name at least one")
    for host in names:
        if not _HOST.fullmatch(host):
            raise ImproperlyConfigured(
                f"{name}: {host!r} is no name of a host; write it without https://, port and path, as in"
                f" {name}=peerage.example.org"
            )
    return [host.lower() for host in names]


def flag(name: str, default: bool) -> bool:
    """True or False, spelt so."""
    value = text(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name}={value!r}: use 'True' or 'False'")
    return value == "True"


def number(name: str, default: int, *, least: int = 1, most: int = MOST) -> int:
    """A whole number from `least` to `most`."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdecimal()) or len(value) > 12 or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name}={value!r}: use a whole number from {least:,} to {most:,}")
    return int(value)


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """One of a few words."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r}: use one of {', '.join(allowed)}")
    return value


def database(url: str, pool: int = 1) -> dict[str, Any]:
    """Django's description of the database at an address, as `postgresql://user:word@host:5432/name`.

    `pool` bounds the connections that one process has at once.
    """
    parts, options = _split_database_url(url)
    host = unquote(options.pop("host", "")) or unquote(parts.hostname or "")
    return {
        "ENGINE": "peerage_web.shared.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or "") or secret("PGPASSWORD") or "",
        "HOST": host,
        "PORT": str(parts.port or ""),
        "OPTIONS": {
            "connect_timeout": "10",
            "options": f"-c lock_timeout={LOCK_SECONDS * 1000}",  # as long as SQLite waits for a lock
            **{name: unquote(value) for name, value in options.items()},
            "pool": {
                "min_size": 0,
                "max_size": pool,
                "timeout": POOL_SECONDS,
                "max_idle": 60,
                # tries to connect grow apart, up to minutes, and hold up the next: begin anew before that
                "reconnect_timeout": POOL_SECONDS,
            },
        },
    }


def mail(url: str, folder: Path) -> dict[str, Any]:
    """Django's settings for `smtp://USER:PASSWORD@HOST:587` (STARTTLS where a user is named) or `smtps://…`.

    Without an address, mail is written into a folder, from where it can be read and is not lost.
    """
    if not url:
        return {
            "EMAIL_BACKEND": "peerage_web.accounts.mail_folder.EmailBackend",
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
        "CONN_MAX_AGE": None,  # each thread keeps its own (see release_connections)
        "OPTIONS": {
            "timeout": LOCK_SECONDS,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                f" PRAGMA busy_timeout={LOCK_SECONDS * 1000}; PRAGMA secure_delete=ON;"
            ),
        },
    }


_FORM = "use postgresql://USER:PASSWORD@HOST:PORT/NAME, or leave it out for SQLite"
_ESCAPES = "; characters of a password that mean something in an address (: / ? # [ ] @ %) are written with %"
_OPTION = re.compile(r"[a-z_]+=[^=@]*")


def _split_database_url(url: str) -> tuple[SplitResult, dict[str, str]]:
    """Its parts, and the options after the question mark. No message shows any of it: it holds a password."""
    try:
        parts = urlsplit(url)
        checked = (parts.scheme in ("postgres", "postgresql"), parts.port, parts.hostname)
    except ValueError:  # its words would quote what stands where the port should be
        raise ImproperlyConfigured(f"DATABASE_URL cannot be taken apart: {_FORM}{_ESCAPES}") from None
    if not checked[0]:
        raise ImproperlyConfigured(f"DATABASE_URL: {_FORM}")
    pairs = [pair for pair in parts.query.split("&") if pair]
    name = parts.path.removeprefix("/")
    # what a password with an unescaped character in it leaves behind
    if not name or "/" in name or "@" in name or parts.fragment or not all(map(_OPTION.fullmatch, pairs)):
        raise ImproperlyConfigured(f"DATABASE_URL cannot be taken apart: {_FORM}{_ESCAPES}")
    return parts, {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
