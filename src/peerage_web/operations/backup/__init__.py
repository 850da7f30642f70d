"""Backups of database and files while the service runs, and their way back into an empty instance.

A backup is a folder: `manifest.json` (written last: without it, a backup is not complete), `rows/MODEL.jsonl`
with a row in each line, `files/` as they lie in the data folder, and `files.jsonl` with the hash of each.
Rows are JSON, not what one database makes of them: a backup of SQLite goes into PostgreSQL, and back.
"""
