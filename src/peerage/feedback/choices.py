"""What can be done where feedback does not say what is meant."""

from __future__ import annotations

from typing import Literal

Duplicates = Literal["error", "first", "last", "mean"]
Missing = Literal["error", "drop"]
Ids = Literal["exact", "fold"]
