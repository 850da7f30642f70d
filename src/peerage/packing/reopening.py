"""What was packed is opened by the readers: `peerage.read` takes a packed folder like any file."""

from __future__ import annotations

from peerage.reading import Packed as Packed
from peerage.reading import PackedPart as PackedPart
from peerage.reading import open_packed as open_packed
