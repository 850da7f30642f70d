"""What the commands that grade share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.grading.options import GradingOptions
    from peerage.roster.input import Input


def graded_feedback(given: Input, options: GradingOptions) -> Feedback:
    """What `peerage grade` grades: reviews of own work are left out, unless they are to be kept."""
    from peerage.checking.own_work import select_reviews

    people = None if given.roster is None else given.roster.for_class(given.feedback.task_labels)
    return select_reviews(given.feedback, people, options.own_work).feedback
