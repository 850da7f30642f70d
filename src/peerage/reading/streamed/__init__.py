"""Many files as numbers, of which one file or one range of graders at a time is worked on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.reading.streamed.engine import AT_A_TIME as AT_A_TIME
    from peerage.reading.streamed.engine import Cut as Cut
    from peerage.reading.streamed.engine import Sink as Sink
    from peerage.reading.streamed.engine import stream_parts as stream_parts
    from peerage.reading.streamed.gathering import read_streamed as read_streamed

__getattr__, __dir__ = lazy(
    __name__,
    {
        "AT_A_TIME": "engine",
        "Cut": "engine",
        "Sink": "engine",
        "read_streamed": "gathering",
        "stream_parts": "engine",
    },
)
