"""Codes in words, in the reader's language: reasons, steps, and the activity log."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.apps import apps
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext_lazy
from django.utils.translation import gettext_noop as _

from peerage_web.classes.enums import Phase, Role

# -- why a step cannot be taken, and what to know before it is ------------------------------------

REASONS: dict[str, Any] = {
    "few-students": ngettext_lazy(
        "The course has %(count)d student; at least %(least)d are needed. Import the roster first.",
        "The course has %(count)d students; at least %(least)d are needed. Import the roster first.",
        "count",
    ),
    "no-due-date": gettext_lazy("Set the submission due date."),
    "due-is-past": gettext_lazy("The submission due date has passed. Choose a later one."),
    "no-reviews-due-date": gettext_lazy("Set the review due date."),
    "no-file-kinds": gettext_lazy("Choose at least one file type for submissions."),
    "too-many-reviews": ngettext_lazy(
        "%(count)d review per student is too many for this course. At most %(most)d is possible.",
        "%(count)d reviews per student are too many for this course. At most %(most)d are possible.",
        "count",
    ),
    "few-submissions": ngettext_lazy(
        "There is %(count)d submission; at least %(least)d are needed.",
        "There are %(count)d submissions; at least %(least)d are needed.",
        "count",
    ),
    "no-allocation": gettext_lazy("There is no allocation yet, so nobody has submissions to review."),
    "no-grades": gettext_lazy("There are no grades yet. Start a grading run."),
    "no-approved-run": gettext_lazy("No grading run has been approved for release yet."),
    "reviews-due-is-past": gettext_lazy("The review due date has passed. Choose a later one."),
    "submissions-submitted": ngettext_lazy(
        "There is already %(count)d submission, which students would no longer see.",
        "There are already %(count)d submissions, which students would no longer see.",
        "count",
    ),
    "allocation-committed": ngettext_lazy(
        "%(count)d review is already allocated. Submissions that change now would differ from "
        "those under review.",
        "%(count)d reviews are already allocated. Submissions that change now would differ from "
        "those under review.",
        "count",
    ),
    "reviews-begun": ngettext_lazy(
        "%(count)d reviewer has started, and what they wrote would be lost. Reassign reviews instead.",
        "%(count)d reviewers have started, and what they wrote would be lost. Reassign reviews instead.",
        "count",
    ),
    "without-team": ngettext_lazy(
        "%(count)d student is not in a team and will submit alone.",
        "%(count)d students are not in a team and will each submit alone.",
        "count",
    ),
    "submissions-missing": ngettext_lazy(
        "%(count)d submission is still missing. If it arrives before the deadline for late "
        "submissions, it is added automatically.",
        "%(count)d submissions are still missing. If they arrive before the deadline for late "
        "submissions, they are added automatically.",
        "count",
    ),
    "open-reports": ngettext_lazy(
        "%(count)d report on a submission is still unresolved.",
        "%(count)d reports on submissions are still unresolved.",
        "count",
    ),
    "rankings-after-run": ngettext_lazy(
        "%(count)d ranking was submitted after the approved run and does not count in it.",
        "%(count)d rankings were submitted after the approved run and do not count in it.",
        "count",
    ),
    "newer-run": gettext_lazy("There is a newer grading run than the approved one."),
    "rankings-missing": ngettext_lazy(
        "%(count)d reviewer has not submitted a ranking.",
        "%(count)d reviewers have not submitted a ranking.",
        "count",
    ),
}


def reason(code: str, figures: Mapping[str, Any]) -> str:
    """A reason of `phases.readiness` in words."""
    return str(REASONS[code] % dict(figures))


# -- why somebody gets no reminder --------------------------------------------------------------------

NOT_REMINDED: dict[str, Any] = {
    "nothing-open": gettext_lazy("Nothing left that they can do here"),
    "no-mail": gettext_lazy("Account closed"),
    "turned-off": gettext_lazy("Reminders turned off"),
    "often": gettext_lazy("Reminded three times within a day"),
    "lately": gettext_lazy("Reminded in this course within the last 20 hours"),
}


# -- why a submission cannot be submitted -----------------------------------------------------------------

SUBMIT: dict[str, Any] = {
    "reviewed": gettext_lazy("The submission is being reviewed, so it can no longer be replaced."),
    "excluded": gettext_lazy("The submission was excluded. Ask your instructor what to do."),
    "stopped": gettext_lazy(
        "Submissions are closed. What was submitted counts and can no longer be replaced."
    ),
    "replaced-too-late": gettext_lazy(
        "The time to replace the submission is over. What was submitted counts."
    ),
    "closed": gettext_lazy("Submissions are closed. Ask your instructor if you still have to submit."),
    "over": gettext_lazy("The deadline has passed. Ask your instructor for an extension."),
}

# -- what is missing before a ranking can be submitted ------------------------------------------------

MISSING: dict[str, Any] = {
    "nothing-to-rank": gettext_lazy("You have no submissions to review yet."),
    "not-ranked": ngettext_lazy(
        "Submission %(labels)s is not ranked yet. If you cannot review it, report it.",
        "Submissions %(labels)s are not ranked yet. If you cannot review one of them, report it.",
        "count",
    ),
    "ties": ngettext_lazy(
        "Ties are not allowed in this assignment. Give submission %(labels)s its own rank.",
        "Ties are not allowed in this assignment. Give each of the submissions %(labels)s its own rank.",
        "count",
    ),
    "not-answered": ngettext_lazy(
        "You have not answered a required question for submission %(labels)s.",
        "You have not answered all required questions for submissions %(labels)s.",
        "count",
    ),
    "no-level": ngettext_lazy(
        "You have not chosen a level for every required criterion for submission %(labels)s.",
        "You have not chosen a level for every required criterion for submissions %(labels)s.",
        "count",
    ),
    "too-short": ngettext_lazy(
        "Write more about submission %(labels)s. The minimum length is %(least)d words per submission.",
        "Write more about submissions %(labels)s. The minimum length is %(least)d words per submission.",
        "count",
    ),
}


def missing(code: str, labels: Sequence[str], least: int = 0) -> str:
    """What `reviewing.services` finds missing, in words."""
    return str(MISSING[code] % {"count": len(labels), "labels": ", ".join(labels), "least": least})


# -- why somebody cannot appeal ---------------------------------------------------------------------------

APPEAL_CLOSED: dict[str, Any] = {
    "none": gettext_lazy("This assignment does not allow appeals. Talk to your instructor."),
    "no-grade": gettext_lazy("You have no graded submission here to appeal."),
    "open": gettext_lazy("Your appeal is waiting for a decision."),
    "not-seen": gettext_lazy("First look at your grade and at what your reviewers wrote."),
    "over": gettext_lazy("The appeal period is over. Your instructor can still open an appeal for you."),
    "used-up": gettext_lazy(
        "You have used all your appeals. Your instructor can still open an appeal for you."
    ),
}


# -- steps ---------------------------------------------------------------------------------------------------

STEPS: dict[str, tuple[Any, Any]] = {  # what the button says, and what will happen
    "publish": (
        gettext_lazy("Publish"),
        gettext_lazy("Once the assignment is published, students see it and can submit."),
    ),
    "stop-submitting": (
        gettext_lazy("Close submissions"),
        gettext_lazy(
            "Once submissions close, students can no longer replace theirs. Late "
            "submissions are accepted until their deadline."
        ),
    ),
    "start-reviewing": (
        gettext_lazy("Start the review phase"),
        gettext_lazy(
            "Once the review phase starts, reviewers see the submissions assigned to them and can rank them."
        ),
    ),
    "close": (
        gettext_lazy("Close the review phase"),
        gettext_lazy(
            "Once the review phase closes, reviewers can no longer change their rankings. If you close "
            "it here, the class is graded right away. Students see nothing until you release the grades."
        ),
    ),
    "unpublish": (
        gettext_lazy("Unpublish"),
        gettext_lazy("Students will no longer see the assignment."),
    ),
    "submit-again": (
        gettext_lazy("Reopen submissions"),
        gettext_lazy("Students will be able to submit and replace submissions again."),
    ),
    "allocate-again": (
        gettext_lazy("Back to allocation"),
        gettext_lazy("This will discard the allocation. You can then make a new one."),
    ),
    "review-again": (
        gettext_lazy("Reopen the review phase"),
        gettext_lazy("Reviewers will be able to change their rankings again. Nothing is lost."),
    ),
    "release": (
        gettext_lazy("Release grades"),
        gettext_lazy(
            "Once grades are released, students see them and what their reviewers "
            "wrote. Students are notified by e-mail."
        ),
    ),
    "retract": (
        gettext_lazy("Retract grades"),
        gettext_lazy("If you retract grades, students no longer see grades or feedback. Nothing is deleted."),
    ),
}

# -- the activity log: `%(…)s` is filled from the event's data ------------------------------------------

VERBS = {
    "course-created": _("created the course"),
    "course-changed": _("changed %(field)s from “%(before)s” to “%(after)s”"),
    "course-hidden": _("hid the course from students"),
    "course-shown": _("made the course visible to students"),
    "course-copied": _("created the course as a copy of “%(title)s”"),
    "member-added": _("added %(subject)s (%(role)s)"),
    "member-changed": _("changed %(field)s of %(subject)s from “%(before)s” to “%(after)s”"),
    "member-dropped": _("dropped %(subject)s"),
    "member-erased": _("erased a person’s data"),
    "member-returned": _("added %(subject)s to the course again (%(role)s)"),
    "roster-imported": _("imported a roster: %(added)s added, %(updated)s changed, %(dropped)s dropped"),
    "invited": _("sent %(subject)s an invitation"),
    "assignment-created": _("created the assignment"),
    "assignment-duplicated": _("created the assignment as a copy of “%(title)s”"),
    "assignment-changed": _("changed %(field)s from “%(before)s” to “%(after)s”"),
    "assignment-deleted": _("deleted the assignment “%(title)s”"),
    "date-changed": _("moved %(field)s from %(before)s to %(after)s"),
    "announcement-made": _("published the announcement “%(title)s” (e-mails: %(count)s)"),
    "announcement-changed": _("edited the announcement “%(title)s”"),
    "announcement-withdrawn": _("withdrew the announcement “%(title)s”"),
    "extension-granted": _("granted %(subject)s an extension: %(after)s"),
    "extension-removed": _("removed the extension of %(subject)s"),
    "teams-changed": _("changed the teams (teams: %(count)s)"),
    "reminded": _("sent reminders by e-mail (recipients: %(count)s)"),
    "allocated": _("allocated the reviews (reviews: %(count)s, reviewers: %(people)s)"),
    "allocation-discarded": _("discarded the allocation (reviews: %(count)s)"),
    "allocation-impossible": _("could not allocate reviews: %(reason)s"),
    "allocation-by-file": _("changed the allocation with a file: %(added)s added, %(dropped)s removed"),
    "joined-late": _("added late submissions to the allocation (reviews added: %(count)s)"),
    "repaired": _(
        "reassigned reviews (missing reviewers: %(people)s, reviews removed: %(released)s, "
        "reviews added: %(count)s)"
    ),
    "reviews-returned": _("returned reviews to %(subject)s (reviews: %(count)s)"),
    "submission-reported": _("reported a submission assigned to %(subject)s: %(reason)s"),
    "submission-excluded": _("excluded the submission of %(subject)s: %(reason)s"),
    "submission-included": _("included the submission of %(subject)s again"),
    "submission-reopened": _("reopened the submission of %(subject)s until %(after)s: %(reason)s"),
    "reports-settled": _("resolved reports on the submission of %(subject)s (reports: %(count)s)"),
    "phase-moved": _("moved the assignment from “%(before)s” to “%(after)s”"),
    "submission-submitted": _("submitted version %(count)s"),
    "submission-submitted-for": _("submitted version %(count)s on behalf of %(subject)s"),
    "submissions-downloaded": _("downloaded all submissions (%(count)s)"),
    "ranking-submitted": _("submitted the ranking of %(subject)s (version %(count)s)"),
    "ranking-counted": _("counted the saved ranking of %(subject)s, which was complete but not submitted"),
    "self-reviewed": _("reviewed their own submission"),
    "practice-finished": _("finished the practice round"),
    "practice-changed": _("changed the practice round (examples: %(count)s)"),
    "rubric-changed": _("changed the rubric (criteria: %(count)s)"),
    # appeals
    "appeal-opened": _("appealed against their grade"),
    "appeal-opened-for": _("opened an appeal for %(subject)s"),
    "appeal-withdrawn": _("withdrew their appeal"),
    "appeal-previewed": _("previewed what the appeal of %(subject)s would change (points: %(after)s)"),
    "appeal-accepted": _("accepted the appeal of %(subject)s (grades changed: %(count)s)"),
    "appeal-declined": _("declined the appeal of %(subject)s"),
    # survey
    "survey-changed": _("changed the survey (questions: %(count)s)"),
    "survey-closed": _("closed the survey (students who answered: %(count)s)"),
    "survey-results-seen": _("viewed how all staff categorised the survey answers"),
    # release
    "grades-released": _("released the grades (release %(number)s, students: %(count)s)"),
    "grades-released-on-date": _(
        "set the date on which the grades were released (release %(number)s, students: %(count)s)"
    ),
    "grades-released-again": _(
        "released the grades again (release %(number)s, students: %(count)s): %(reason)s"
    ),
    "grades-retracted": _("retracted the grades (release %(number)s)"),
    "comment-reported": _("reported a review by %(subject)s"),
    "comment-kept": _("resolved a report on a review by %(subject)s and kept it visible"),
    "comment-hidden": _("hid a comment by %(subject)s: %(reason)s"),
    "reply-written": _("replied to their reviewers"),
    "reply-reported": _("reported the reply of %(subject)s"),
    "reply-hidden": _("hid the reply of %(subject)s: %(reason)s"),
    "reply-shown": _("made the reply of %(subject)s visible again"),
    "reply-kept": _("resolved a report on the reply of %(subject)s and kept it visible"),
    "comment-shown": _("made a comment by %(subject)s visible again"),
    # tokens, webhooks and exports
    "token-made": _("created the API token “%(title)s” (days valid: %(count)s)"),
    "token-revoked": _("revoked the API token “%(title)s”"),
    "webhook-added": _("added a webhook to %(title)s"),
    "webhook-ended": _("removed the webhook to %(title)s"),
    "grades-exported": _("exported the grades (%(title)s, students: %(count)s)"),
    "course-exported": _("exported the whole course"),
    "course-imported": _("imported the course from an archive created on %(after)s with Peerage %(title)s"),
    "data-exported": _("exported a data set without names (rows: %(count)s)"),
    "webhook-gone": _("removed the webhook to %(title)s, because the address reported that it is gone"),
    # grading
    "plan-changed": _("changed the grading settings: %(field)s from %(before)s to %(after)s"),
    "run-started": _("started grading run %(count)s"),
    "run-cancelled": _("cancelled grading run %(count)s"),
    "run-done": _("finished grading run %(count)s"),
    "run-approved": _("approved grading run %(count)s for release"),
    "run-confirmed": _("confirmed what is unusual about the grades of grading run %(count)s"),
    "staff-graded": _("graded the submission of %(subject)s as staff: %(after)s"),
    "staff-grade-withdrawn": _("withdrew their staff grade for the submission of %(subject)s"),
    "staff-ranked": _("ranked submissions as staff (submissions: %(count)s)"),
    "staff-ranking-withdrawn": _("withdrew their staff ranking"),
    "grade-set": _("set the grade of %(subject)s by hand to %(after)s: %(reason)s"),
    "grade-unset": _("removed the grade of %(subject)s that was set by hand (%(before)s)"),
    "background-failed": _("could not complete background work (attempt %(count)s): %(reason)s"),
    # how long a course is kept
    "deletion-announced": _("notified the instructors that the course will be deleted on %(after)s"),
    "deletion-requested": _("decided to delete the course on %(after)s"),
    "deletion-cancelled": _("cancelled the deletion of the course"),
    "course-deleted": _("deleted the course “%(title)s” (people: %(people)s, submissions: %(count)s)"),
    # learning platforms
    "lti-connected": _("connected the course to “%(title)s” on a learning platform"),
    "lti-disconnected": _("disconnected the course from “%(title)s” on a learning platform"),
    "lti-roster": _(
        "imported the roster from the learning platform: %(added)s added, %(updated)s changed, "
        "%(dropped)s dropped"
    ),
    "lti-column": _("had a missing gradebook column of “%(title)s” looked for on the learning platform"),
    "lti-columns": _("chose %(after)s for each assignment in the gradebook of “%(title)s”"),
    "accounts-joined": _("joined the learning platform’s account of %(subject)s with an e-mail account"),
    "lti-settled": _("resolved a grade conflict with the learning platform for %(subject)s: %(after)s"),
}


HOW_FAR: dict[str, Any] = {  # a review
    "waiting": gettext_lazy("not opened"),
    "opened": gettext_lazy("opened"),
    "written": gettext_lazy("started"),
    "done": gettext_lazy("submitted"),
    "replaced": gettext_lazy("reported and replaced"),
    "released": gettext_lazy("reassigned"),
    "excluded": gettext_lazy("excluded"),
}
FLAGS: dict[str, Any] = {  # what the library finds about a reviewer's order
    "consistent": gettext_lazy("Consistent with the other reviewers"),
    "reversed": gettext_lazy("Opposite to the other reviewers"),
    "chance": gettext_lazy("No better than chance"),
    "unknown": gettext_lazy("Too few reviews to tell"),
    "ties": gettext_lazy("All submissions tied"),
}
TALK: dict[str, Any] = {  # why staff may want to talk to somebody
    "appeal": gettext_lazy("has appealed"),
    "reversed": gettext_lazy("ranks opposite to the other reviewers and may have mixed up best and worst"),
    "chance": gettext_lazy("ranks no better than chance"),
    "hidden": gettext_lazy("wrote a comment that was hidden"),
    "absent": gettext_lazy("has not submitted a ranking"),
}
WHY: dict[str, Any] = {  # codes of reasons in entries
    "blank": gettext_lazy("it is blank"),
    "unreadable": gettext_lazy("it cannot be opened"),
    "known": gettext_lazy("the reviewer knows who the author is"),
    "plagiarism": gettext_lazy("it seems to be copied"),
    "offensive": gettext_lazy("it is offensive"),
    "other": gettext_lazy("something else is wrong"),
    "digest": gettext_lazy("the daily e-mail to staff"),
    "reports": gettext_lazy("three reviewers reported it"),
    "staff": gettext_lazy("decided by staff"),
    "few-submissions": gettext_lazy("there are too few submissions"),
    "many-anchors": gettext_lazy("there are fewer submissions than the number of common submissions"),
    "staff-without-reviews": gettext_lazy("this allocation design needs staff reviews"),
    "without-section": gettext_lazy("some students have no section"),
    "team-across-sections": gettext_lazy("some teams include students from several sections"),
    "rules-clash": gettext_lazy("the rules cannot all be met"),
    "library": gettext_lazy("the settings do not fit the class"),
    # background work
    "phases": gettext_lazy("moving an assignment to its next phase"),
    "reminders": gettext_lazy("sending reminders"),
    "grade-mail": gettext_lazy("notifying students of their grades"),
    "retention": gettext_lazy("the end of the retention period"),
    "allocation": gettext_lazy("the automatic allocation of reviews"),
    "late-submissions": gettext_lazy("finding reviewers for late submissions"),
    "grading-results": gettext_lazy("taking over the results of a grading run"),
    "platform-grades": gettext_lazy("sending grades to the learning platform"),
}


FIELDS = {
    "account": gettext_lazy("the account"),
    "name": gettext_lazy("the name"),
    "term": gettext_lazy("the term"),
    "time_zone": gettext_lazy("the time zone"),
    "language": gettext_lazy("the e-mail language"),
    "keep_months": gettext_lazy("the retention period (months)"),
    "room": gettext_lazy("the storage limit (MB)"),
    "role": gettext_lazy("the role"),
    "section": gettext_lazy("the section"),
    "group": gettext_lazy("the group"),
    "student_id": gettext_lazy("the student number"),
    "email": gettext_lazy("the e-mail address"),
    "title": gettext_lazy("the title"),
    "instructions": gettext_lazy("the instructions"),
    "in_teams": gettext_lazy("the team setting"),
    "by_date": gettext_lazy("automatic phase changes"),
    "allocates_itself": gettext_lazy("automatic allocation"),
    "opens_at": gettext_lazy("the publication date"),
    "due_at": gettext_lazy("the submission due date"),
    "late_until": gettext_lazy("the deadline for late submissions"),
    "grace_minutes": gettext_lazy("the grace period (minutes)"),
    "reviews_due_at": gettext_lazy("the review due date"),
    "release_at": gettext_lazy("the grade release date"),
    "remind_hours": gettext_lazy("the reminder before a due date"),
    "file_kinds": gettext_lazy("the file types"),
    "most_bytes": gettext_lazy("the maximum file size"),
    "most_files": gettext_lazy("the maximum number of files"),
    "reviews_per_student": gettext_lazy("the number of reviews per student"),
    "reviews_per_staff": gettext_lazy("the number of reviews per staff member"),
    "design": gettext_lazy("the allocation design"),
    "anchors": gettext_lazy("the number of common submissions"),
    "seed": gettext_lazy("the random seed of the allocation"),
    "sections": gettext_lazy("the rule on sections"),
    "ties_allowed": gettext_lazy("the rule on ties"),
    "counts_saved": gettext_lazy("the rule on rankings that were not submitted"),
    "min_comment_words": gettext_lazy("the minimum length of comments (words)"),
    "self_review": gettext_lazy("the self-review"),
    "review_weight": gettext_lazy("the weight of reviewing"),
    "practice": gettext_lazy("the practice round"),
    "prompts": gettext_lazy("the questions for reviewers"),
    # grading
    "method": gettext_lazy("the method"),
    "scale_low": gettext_lazy("the minimum points"),
    "scale_high": gettext_lazy("the maximum points"),
    "letters": gettext_lazy("the letter grades"),
    "points_rule": gettext_lazy("how points are made"),
    "curve_mean": gettext_lazy("the mean of the curve"),
    "curve_sd": gettext_lazy("the standard deviation of the curve"),
    "shown": gettext_lazy("what students see of their grade"),
    "completeness_weight": gettext_lazy("the weight of completeness in the reviewing mark"),
    "helpfulness_weight": gettext_lazy("the weight of helpfulness in the reviewing mark"),
    "missing_get": gettext_lazy("what students without a submission get"),
    "late_penalty": gettext_lazy("the deduction per day late"),
    "late_penalty_most": gettext_lazy("the maximum deduction for late submissions"),
    "rubric_counts": gettext_lazy("whether the rubric counts"),
    "rates_helpfulness": gettext_lazy("the helpfulness rating by authors"),
    "appeal_days": gettext_lazy("the number of days for appeals"),
    "appeals_each": gettext_lazy("the number of appeals per student"),
    "has_survey": gettext_lazy("the survey"),
}
_DATES = ("opens_at", "due_at", "late_until", "reviews_due_at", "release_at")


def event(verb: str, data: Mapping[str, Any], subject: str) -> str:
    """An entry of the activity log in words; data may lack what an older version did not write."""
    names = ("field", "before", "after", "role", "title", "count", "added", "updated", "dropped")
    more = ("people", "released", "reason", "number")
    words = {name: _word(verb, data, name) for name in (*names, *more)}
    return gettext(VERBS[verb]) % {**words, "subject": subject}


def _word(verb: str, data: Mapping[str, Any], name: str) -> str:
    """One value of an entry: codes, dates and empty texts as people say them."""
    value, field = data.get(name, ""), data.get("field")
    if name == "field":
        return _field(str(value))
    if value in ("", None):
        return "–"
    if name == "reason":
        return str(WHY.get(str(value), value))
    if name == "role" or (field == "role" and value in Role.values):
        return str(Role(value).label)
    if verb == "phase-moved" and value in Phase.values:
        return str(Phase(value).label)
    dated = (
        "date-changed",
        "extension-granted",
        "deletion-announced",
        "deletion-requested",
        "course-imported",
        "submission-reopened",
    )
    if verb in dated and field in (*_DATES, None):
        return _date(str(value))
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return str(value)


def _field(name: str) -> str:
    """A field in words: from FIELDS, or as the assignment's model calls it."""
    if name in FIELDS:
        return str(FIELDS[name])
    fields = {field.name: field for field in apps.get_model("peerage_web", "Assignment")._meta.fields}
    return str(fields[name].verbose_name) if name in fields else name


def _date(text: str) -> str:
    """One date, or several divided by commas, on the reader's clock."""
    try:
        moments = [datetime.fromisoformat(part) for part in text.split(", ")]
    except ValueError:
        return text
    return ", ".join(date_format(timezone.localtime(moment), "DATETIME_FORMAT") for moment in moments)
