"""What was packed is opened by the readers: `peerage.read` takes a packed folder like any file."""

from __future__ import annotations

from peerage.reading.manifest import PackedPart as PackedPart
from peerage.reading.packed import Packed as Packed
from peerage.reading.packed import open_packed as open_packed
