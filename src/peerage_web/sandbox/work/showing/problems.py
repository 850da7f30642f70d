"""Why a file cannot be shown, for a reason that its author can do something about."""

from __future__ import annotations


class CannotShowError(Exception):
    """A code of `classes.file_problems`, and the figures of its sentence."""

    def __init__(self, code: str, **figures: int) -> None:
        super().__init__(code)
        self.code, self.figures = code, figures
