"""Which tests run again on PostgreSQL: those that use a database. `make test` runs some there only."""

from __future__ import annotations

import pytest

# of tests that start services, and so have a database of their own, or that `make test` runs there only
FOLDERS = frozenset({"browser", "commands", "hostile", "operations", "sandbox"})


def uses_database(item: pytest.Item) -> bool:
    """Whether a test belongs to the run on the second database; one that uses none would only run twice."""
    fixtures = {"db", "transactional_db", "service"} & set(getattr(item, "fixturenames", ()))
    marked = any(item.get_closest_marker(name) is not None for name in ("django_db", "once"))
    return bool(fixtures) or marked or item.path.parent.name in FOLDERS
