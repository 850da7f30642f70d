"""The one state machine: from which phase to which, what a step is called, and which date takes it.

    setup -> submitting -> allocating -> reviewing -> closed -> released

What blocks a step and what would be lost by going back is looked up by `phases.readiness`; the step itself
is taken by `phases.services`, under a lock.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from peerage_web.classes.enums import ORDER, Phase


class Dated(Protocol):
    phase: str
    by_date: bool
    opens_at: datetime | None
    due_at: datetime | None
    grace_minutes: int
    allocates_itself: bool
    release_at: datetime | None

    @property
    def closes_at(self) -> datetime | None:
        """When the last review is due, extensions included."""


@dataclass(frozen=True, slots=True)
class Step:
    code: str
    source: Phase
    target: Phase

    @property
    def is_back(self) -> bool:
        return ORDER.index(self.target) < ORDER.index(self.source)


STEPS = (
    Step("publish", Phase.SETUP, Phase.SUBMITTING),
    Step("stop-submitting", Phase.SUBMITTING, Phase.ALLOCATING),
    Step("start-reviewing", Phase.ALLOCATING, Phase.REVIEWING),
    Step("close", Phase.REVIEWING, Phase.CLOSED),
    Step("release", Phase.CLOSED, Phase.RELEASED),
    Step("unpublish", Phase.SUBMITTING, Phase.SETUP),
    Step("submit-again", Phase.ALLOCATING, Phase.SUBMITTING),
    Step("allocate-again", Phase.REVIEWING, Phase.ALLOCATING),
    Step("review-again", Phase.CLOSED, Phase.REVIEWING),
    Step("retract", Phase.RELEASED, Phase.CLOSED),
)
BY_CODE = {step.code: step for step in STEPS}


def onward(phase: Phase) -> Step | None:
    """The step to the next phase; None from the last."""
    return next((step for step in STEPS if step.source == phase and not step.is_back), None)


def backward(phase: Phase) -> Step | None:
    """The step to the phase before; None from the first."""
    return next((step for step in STEPS if step.source == phase and step.is_back), None)


def date_of(step: Step, dates: Dated) -> datetime | None:
    """When the step is to be taken by itself, as far as dates say; None for never.

    Reviewing starts at once where submissions are allocated by themselves (its other conditions are
    blockers). An assignment that was moved back stays where it is (`by_date` is False) until somebody says
    otherwise, or the date that has passed would move it on again.
    """
    if not dates.by_date or step.is_back:
        return None
    match step.code:
        case "publish":
            return dates.opens_at
        case "stop-submitting":
            return dates.due_at and dates.due_at + timedelta(minutes=dates.grace_minutes)
        case "start-reviewing" if dates.allocates_itself:
            return dates.due_at and dates.due_at + timedelta(minutes=dates.grace_minutes)
        case "close":
            return dates.closes_at
        case "release":
            return dates.release_at
    return None


def is_due(dates: Dated, now: datetime) -> Step | None:
    """The step that dates say should have been taken by now."""
    step = onward(Phase(dates.phase))
    at = date_of(step, dates) if step is not None else None
    return step if at is not None and at <= now else None
