"""JPEG without what its segments say beside the picture: EXIF, XMP, profiles, comments, thumbnails."""

from __future__ import annotations

_APP0, _APP14, _APP15, _COMMENT = 0xE0, 0xEE, 0xEF, 0xFE
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_ADOBE = 12  # bytes of Adobe's segment, which says how colours are stored


def without_metadata(data: bytes) -> bytes:
    """The same picture, to the last pixel; ValueError where it is no JPEG."""
    if data[:2] != bytes((0xFF, _START)):
        raise ValueError("no JPEG")
    kept, place = [data[:2]], 2
    while True:
        marker, place = _marker(data, place)
        if marker == _END:
            return b"".join([*kept, bytes((0xFF, _END))])
        size = int.from_bytes(data[place : place + 2])
        if size < 2 or place + size > len(data):
            raise ValueError("a segment ends after the file")
        body = _kept(marker, data[place + 2 : place + size])
        place += size
        if body is not None:
            kept.append(bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2) + body)
        if marker == _SCAN:
            end = _scan_end(data, place)
            kept.append(data[place:end])
            place = end


def _marker(data: bytes, place: int) -> tuple[int, int]:
    """The next marker, and where its segment begins; a file that just stops has ended."""
    if place >= len(data):
        return _END, place
    if data[place] != 0xFF:
        raise ValueError("no marker where one should be")
    while place < len(data) and data[place] == 0xFF:  # any number of these may come before it
        place += 1
    return (data[place], place + 1) if place < len(data) else (_END, place)


def _kept(marker: int, body: bytes) -> bytes | None:
    if marker == _APP0 and body[:5] == b"JFIF\0" and len(body) >= 12:
        return body[:12] + b"\0\0"  # without its thumbnail
    if marker == _APP14 and body[:5] == b"Adobe":
        return body[:_ADOBE]
    if _APP0 <= marker <= _APP15 or marker == _COMMENT:
        return None
    return body


def _scan_end(data: bytes, place: int) -> int:
    """Where the pixels of a scan end: at a marker that is neither stuffing nor a restart."""
    while True:
        place = data.find(b"\xff", place)
        if place < 0 or place + 1 >= len(data):
            return len(data)
        following = data[place + 1]
        if following == 0xFF:
            place += 1
        elif following == 0 or 0xD0 <= following <= 0xD7:
            place += 2
        else:
            return place
