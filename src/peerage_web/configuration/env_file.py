"""The settings of a service that systemd starts, for commands that somebody types."""

from __future__ import annotations

from pathlib import Path

PLACE = Path("/etc/peerage.env")  # as in docs/running-the-service.md


def settings_in(path: Path) -> dict[str, str]:
    """Names and values, one in a line, as systemd reads an EnvironmentFile."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, is_set, value = line.strip().partition("=")
        if is_set and not name.startswith(("#", ";")):
            value = value.strip()
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[name.strip()] = value[1:-1] if quoted else value
    return found
