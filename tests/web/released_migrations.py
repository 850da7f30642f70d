"""Which migrations each release has, and a hash of what they do: from then on they are only added to.

`python -m tests.web.released_migrations 0.1.0` writes them down, once, when that version is released.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

APP = "peerage_web"
FILE = Path(__file__).parent / "configuration" / "released_migrations.json"


def released() -> dict[str, dict[str, str]]:
    """Version to its migrations in their order, each with the hash of its operations."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text("utf-8"))
    return found


def present() -> dict[str, str]:
    """Those of this tree."""
    from django.db.migrations.loader import MigrationLoader
    from django.db.migrations.writer import OperationWriter

    loader = MigrationLoader(None)
    (leaf,) = loader.graph.leaf_nodes(APP)
    texts = {
        name: "\n".join(
            OperationWriter(one, indentation=0).serialize()[0]
            for one in loader.disk_migrations[app, name].operations
        )
        for app, name in loader.graph.forwards_plan(leaf)
        if app == APP
    }
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}


def changed(releases: Mapping[str, Mapping[str, str]], now: Mapping[str, str]) -> list[str]:
    """What is no longer as it was released: operations, or what comes before what."""
    slips = []
    for version, then in releases.items():
        slips += [f"{version}: {name} was changed or removed" for name in then if now.get(name) != then[name]]
        if not slips and list(now)[: len(then)] != list(then):
            slips.append(f"{version}: a migration was put before those that are released")
    return slips


def main(version: str) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerage_web.settings")
    django.setup()
    releases = released()
    if version in releases:
        sys.exit(f"{version} is written down already; what is released stays")
    FILE.write_text(json.dumps({**releases, version: present()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
