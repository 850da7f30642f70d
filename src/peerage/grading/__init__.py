"""From scores to grades an instructor can defend."""

from __future__ import annotations

from peerage.grading.result import GradingResult, MethodUsed
from peerage.grading.run import grade

__all__ = ["GradingResult", "MethodUsed", "grade"]
