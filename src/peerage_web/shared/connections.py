"""Connections to the database are few and shared: nobody keeps one while waiting for something else."""

from __future__ import annotations

from django.db import connections


def give_back() -> None:
    """Let others have this thread's connection, unless it is in the middle of something."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
