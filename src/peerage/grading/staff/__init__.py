"""Staff grades: read, mapped to, held against the peers, used as evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.grading.staff.anchors import Anchors as Anchors
    from peerage.grading.staff.anchors import read_anchors as read_anchors
    from peerage.grading.staff.evidence import condition as condition
    from peerage.grading.staff.validity import AnchoredMap as AnchoredMap
    from peerage.grading.staff.validity import Validity as Validity
    from peerage.grading.staff.validity import validate as validate

__getattr__, __dir__ = lazy(
    __name__,
    {
        "AnchoredMap": "validity",
        "Anchors": "anchors",
        "Validity": "validity",
        "condition": "evidence",
        "read_anchors": "anchors",
        "validate": "validity",
    },
)
