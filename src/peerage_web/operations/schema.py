"""Whether a database, or a backup, is one of this version's line of migrations.

From the first release on, migrations are only added to (`tests/web/configuration/released_migrations.json`).
So a database of a newer version has recorded all of ours and then some; whatever else does not fit was made
before the first release, when migrations were still rewritten.
"""

from collections.abc import Collection
from typing import Any

from django.apps import apps as present_apps
from django.db.migrations.loader import MigrationLoader

APP = "peerage_web"
Migration = tuple[str, str]  # app and name


def misfit(connection: Any) -> str:
    """Why this version cannot use the database, and what to do; empty where it can."""
    loader = MigrationLoader(connection)
    applied = set(loader.applied_migrations or ())
    reason = strangers(applied, loader)
    if reason:
        return f"the database {reason}"
    if not any(app == APP for app, _name in applied):
        return ""
    behind = set(loader.graph.nodes) - applied
    apps = loader.project_state(_ends(applied, loader)).apps if behind else present_apps
    missing = _differing_table(connection, apps)
    return f"the database {_unreleased(f'its table {missing} is not that of any release')}" if missing else ""


def strangers(recorded: Collection[Migration], loader: MigrationLoader) -> str:
    """What migrations that are unknown here say about who recorded them; empty where there are none."""
    known = set(loader.disk_migrations or ())
    unknown = sorted(set(recorded) - known)
    if not unknown:
        return ""
    ours = {migration for migration in known if migration[0] == APP}
    is_newer = ours <= set(recorded) and all(app != APP or name > max(ours)[1] for app, name in unknown)
    listed = ", ".join(".".join(migration) for migration in unknown[:3])
    if is_newer:
        return f"is of a newer Peerage ({listed} is unknown here): install that version"
    return _unreleased(f"{listed} is in no release")


def _unreleased(why: str) -> str:
    return (
        f"was made by an unreleased Peerage, older than 0.1 ({why}), and cannot be brought up to date."
        " To keep its courses, export each of them with the version that made it; then start with a new data"
        " folder (--data) or an empty database (DATABASE_URL), and import them there"
    )


def unreleased_backup(table: str) -> str:
    """The same, of a backup whose rows do not fit."""
    return f"the backup {_unreleased(f'its rows of {table} are not those of any release')}"


def _ends(applied: Collection[Migration], loader: MigrationLoader) -> list[Migration]:
    nodes = loader.graph.node_map
    return [
        migration
        for migration in sorted(applied)
        if migration in nodes and not any(child.key in applied for child in nodes[migration].children)
    ]


def _differing_table(connection: Any, apps: Any) -> str:
    """The first table whose columns are not those of its model; empty where all are."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for model in apps.get_app_config(APP).get_models(include_auto_created=True):
            if model._meta.proxy or not model._meta.managed:
                continue
            table = model._meta.db_table
            columns = {field.column for field in model._meta.local_concrete_fields}
            if table not in tables or columns != {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }:
                return str(table)
    return ""
