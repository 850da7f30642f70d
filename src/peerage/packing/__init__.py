"""Packing: feedback larger than memory, read once and kept in parts that can be read on their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.packing.packer import pack as pack
    from peerage.packing.packer import pack_with as pack_with
    from peerage.packing.reopening import Packed as Packed
    from peerage.packing.reopening import PackedPart as PackedPart
    from peerage.packing.reopening import open_packed as open_packed

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Packed": "reopening",
        "PackedPart": "reopening",
        "open_packed": "reopening",
        "pack": "packer",
        "pack_with": "packer",
    },
)
