"""Reading a job's feedback and roster, within the limits of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peerage_web.sandbox.contract import Bounds, Files, Options, TooLargeError

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.reading.content import Content
    from peerage.roster.container import Roster


def read_feedback(files: Files, options: Options, bounds: Bounds, content: Content | None = None) -> Feedback:
    """The feedback; call it from inside the folder of the files. `content` is its file where it is read."""
    feedback = options.read(content or files.feedback)
    longest = int((feedback.list_starts[1:] - feedback.list_starts[:-1]).max())
    if feedback.n_entries > bounds.reviews:
        raise TooLargeError(
            f"the file has {feedback.n_entries:,} reviews; this service takes {bounds.reviews:,}"
        )
    if longest > bounds.list_length:
        raise TooLargeError(
            f"a grader has ranked {longest:,} items at once; this service takes {bounds.list_length:,}"
        )
    return feedback


def read_people(files: Files, options: Options, content: Content | None = None) -> Roster | None:
    """Who made what: from the roster, or from columns of the feedback itself."""
    from peerage.roster.input import roster_of_reviews
    from peerage.roster.reader import read_roster

    if files.roster is not None:
        return read_roster(files.roster)
    return roster_of_reviews(content or files.feedback, options.columns, **options.opening)


def judged_feedback(files: Files, options: Options, bounds: Bounds) -> Feedback:
    """What was graded: without reviews of own work, unless they are to be kept."""
    from peerage.checking.own_work import select_reviews

    feedback, people = read_feedback(files, options, bounds), read_people(files, options)
    known = None if people is None else people.for_class(feedback.task_labels)
    return select_reviews(feedback, known, options.own_work).feedback


def source(files: Files, content: Content) -> dict[str, Any]:
    """What identifies the file in the result, as on the command line."""
    return {"file": files.feedback, "sha256": content.sha256}
