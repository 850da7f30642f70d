"""Codes in words, in the reader's language: reasons, steps, and the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

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
    "no-due-date": gettext_lazy("Say until when works can be handed in."),
    "due-is-past": gettext_lazy(
        "The date until which works can be handed in has passed. Choose a later one."
    ),
    "no-reviews-due-date": gettext_lazy("Say until when reviews are due."),
    "no-file-kinds": gettext_lazy("Choose at least one kind of file that can be handed in."),
    "too-many-reviews": ngettext_lazy(
        "%(count)d review per student is more than there are works of others. At most %(most)d would do.",
        "%(count)d reviews per student are more than there are works of others. At most %(most)d would do.",
        "count",
    ),
    "few-works": ngettext_lazy(
        "%(count)d work was handed in; at least %(least)d are needed.",
        "%(count)d works were handed in; at least %(least)d are needed.",
        "count",
    ),
    "no-allocation": gettext_lazy("No allocation was committed yet: nobody has works to review."),
    "no-grades": gettext_lazy("There are no grades yet: start a grading run."),
    "no-approved-run": gettext_lazy("No grading run was approved for release yet."),
    "reviews-due-is-past": gettext_lazy(
        "The date until which reviews are due has passed. Choose a later one."
    ),
    "works-handed-in": ngettext_lazy(
        "%(count)d work was handed in, which students would no longer see.",
        "%(count)d works were handed in, which students would no longer see.",
        "count",
    ),
    "allocation-committed": ngettext_lazy(
        "%(count)d review was allocated; works that change now would not be those that are reviewed.",
        "%(count)d reviews were allocated; works that change now would not be those that are reviewed.",
        "count",
    ),
    "reviews-begun": ngettext_lazy(
        "%(count)d reviewer has begun; what they wrote would be lost. Repair the allocation instead.",
        "%(count)d reviewers have begun; what they wrote would be lost. Repair the allocation instead.",
        "count",
    ),
    "without-team": ngettext_lazy(
        "%(count)d student is in no team and will hand in alone.",
        "%(count)d students are in no team and will each hand in alone.",
        "count",
    ),
    "works-missing": ngettext_lazy(
        "%(count)d work is still missing; within the late window it can come in and join by itself.",
        "%(count)d works are still missing; within the late window they can come in and join by themselves.",
        "count",
    ),
    "open-reports": ngettext_lazy(
        "%(count)d report on a work is still to be settled.",
        "%(count)d reports on works are still to be settled.",
        "count",
    ),
    "rankings-after-run": ngettext_lazy(
        "%(count)d ranking was handed in after the approved run was made, and does not count in it.",
        "%(count)d rankings were handed in after the approved run was made, and do not count in it.",
        "count",
    ),
    "newer-run": gettext_lazy("There is a newer grading run than the approved one."),
    "rankings-missing": ngettext_lazy(
        "%(count)d reviewer has not handed in a ranking.",
        "%(count)d reviewers have not handed in a ranking.",
        "count",
    ),
}


def reason(code: str, figures: Mapping[str, Any]) -> str:
    """A reason of `queries.readiness` in words."""
    return str(REASONS[code] % dict(figures))


# -- why somebody gets no reminder --------------------------------------------------------------------

NOT_REMINDED: dict[str, Any] = {
    "nothing-open": gettext_lazy("Have nothing to do here that is still possible"),
    "no-mail": gettext_lazy("Have an account that is closed"),
    "turned-off": gettext_lazy("Have turned reminders off"),
    "often": gettext_lazy("Were reminded three times within a day"),
    "lately": gettext_lazy("Were reminded in this course within the last 20 hours"),
}


# -- why a work cannot be handed in -----------------------------------------------------------------

HAND_IN: dict[str, Any] = {
    "reviewed": gettext_lazy("The work is being reviewed, so it can no longer be replaced."),
    "taken-out": gettext_lazy("The work was taken out. Ask your instructor what is to be done."),
    "stopped": gettext_lazy("Handing in is over; what was handed in counts and can no longer be replaced."),
    "replaced-too-late": gettext_lazy(
        "The time in which the work could be replaced is over; what was handed in counts."
    ),
    "over": gettext_lazy("The time to hand in is over. Ask your instructor for more time."),
}

# -- what is missing before a ranking can be handed in ------------------------------------------------

MISSING: dict[str, Any] = {
    "nothing-to-rank": gettext_lazy("You have no works to review yet."),
    "not-ranked": ngettext_lazy(
        "Work %(labels)s has no place yet. If it cannot be judged, report it.",
        "Works %(labels)s have no place yet. If one cannot be judged, report it.",
        "count",
    ),
    "ties": ngettext_lazy(
        "In this assignment works cannot share a place: give work %(labels)s its own.",
        "In this assignment works cannot share a place: give works %(labels)s each its own.",
        "count",
    ),
    "not-answered": ngettext_lazy(
        "A question that has to be answered is still open for work %(labels)s.",
        "Questions that have to be answered are still open for works %(labels)s.",
        "count",
    ),
}


def missing(code: str, labels: Sequence[str]) -> str:
    """What `services.handing_in_rankings` finds missing, in words."""
    return str(MISSING[code] % {"count": len(labels), "labels": ", ".join(labels)})


# -- why somebody cannot appeal ---------------------------------------------------------------------------

APPEAL_CLOSED: dict[str, Any] = {
    "none": gettext_lazy("There are no appeals in this assignment. Speak to your instructor."),
    "no-grade": gettext_lazy("There is no grade for a work of yours to appeal against."),
    "open": gettext_lazy("Your appeal waits for an answer."),
    "not-seen": gettext_lazy("Look at your grade first, and at what your reviewers wrote."),
    "over": gettext_lazy("The time to appeal is over. Your instructor can still open one for you."),
    "used-up": gettext_lazy("You have used all your appeals. Your instructor can still open one for you."),
}


# -- steps ---------------------------------------------------------------------------------------------------

STEPS: dict[str, tuple[Any, Any]] = {  # what the button says, and what will happen
    "publish": (
        gettext_lazy("Publish"),
        gettext_lazy("Students see the assignment and can hand in their works."),
    ),
    "stop-submitting": (
        gettext_lazy("Stop handing in"),
        gettext_lazy("Works can no longer be replaced. Late works are taken until the late window ends."),
    ),
    "start-reviewing": (
        gettext_lazy("Start reviewing"),
        gettext_lazy("Every reviewer sees the works allocated to them and can rank them."),
    ),
    "close": (
        gettext_lazy("Close reviewing"),
        gettext_lazy("Rankings can no longer be changed, and grades can be estimated from them."),
    ),
    "unpublish": (
        gettext_lazy("Take back"),
        gettext_lazy("Students no longer see the assignment."),
    ),
    "submit-again": (
        gettext_lazy("Back to handing in"),
        gettext_lazy("Students can hand in and replace works again."),
    ),
    "allocate-again": (
        gettext_lazy("Back to allocating"),
        gettext_lazy("The allocation is thrown away, and another can be made."),
    ),
    "review-again": (
        gettext_lazy("Open reviewing again"),
        gettext_lazy("Reviewers can change their rankings again. Nothing is lost."),
    ),
    "release": (
        gettext_lazy("Release the grades"),
        gettext_lazy("Students see their grades and what their reviewers wrote, and are told by e-mail."),
    ),
    "retract": (
        gettext_lazy("Take the grades back"),
        gettext_lazy("Students no longer see grades and feedback. Everything is kept."),
    ),
}

# -- the record: `%(…)s` is filled from the event's data ------------------------------------------

VERBS = {
    "course-created": _("created the course"),
    "course-changed": _("changed %(field)s from “%(before)s” to “%(after)s”"),
    "member-added": _("added %(subject)s (%(role)s)"),
    "member-changed": _("changed %(field)s of %(subject)s from “%(before)s” to “%(after)s”"),
    "member-dropped": _("dropped %(subject)s"),
    "member-erased": _("erased somebody at their request"),
    "member-returned": _("took %(subject)s back (%(role)s)"),
    "roster-imported": _("imported a roster: %(added)s added, %(updated)s changed, %(dropped)s dropped"),
    "invited": _("sent %(subject)s an invitation"),
    "assignment-created": _("created the assignment"),
    "assignment-duplicated": _("made the assignment as a copy of “%(title)s”"),
    "assignment-changed": _("changed %(field)s from “%(before)s” to “%(after)s”"),
    "assignment-deleted": _("deleted the assignment “%(title)s”"),
    "date-changed": _("moved %(field)s from %(before)s to %(after)s"),
    "extension-granted": _("gave %(subject)s more time: %(after)s"),
    "extension-removed": _("took the extension of %(subject)s away"),
    "teams-changed": _("changed the teams: there are %(count)s now"),
    "reminded": _("sent reminders by e-mail, to so many people: %(count)s"),
    "allocated": _("allocated %(count)s reviews to %(people)s reviewers"),
    "allocation-impossible": _("could not allocate by itself: %(reason)s"),
    "allocation-by-file": _("changed the allocation by a file: %(added)s added, %(dropped)s taken away"),
    "joined-late": _("let late works join: %(count)s reviews were added"),
    "repaired": _(
        "gave %(released)s open reviews of %(people)s people to others: %(count)s reviews were added"
    ),
    "given-back": _("gave %(subject)s their %(count)s reviews back"),
    "work-reported": _("reported a work on the list of %(subject)s: %(reason)s"),
    "work-taken-out": _("took the work of %(subject)s out: %(reason)s"),
    "work-put-back": _("put the work of %(subject)s back in"),
    "reports-settled": _("settled %(count)s reports on the work of %(subject)s"),
    "phase-moved": _("moved the assignment from “%(before)s” to “%(after)s”"),
    "work-handed-in": _("handed in (submission %(count)s)"),
    "work-handed-in-for": _("handed in for %(subject)s (submission %(count)s)"),
    "works-downloaded": _("downloaded all works (%(count)s)"),
    "ranking-handed-in": _("handed in the ranking of %(subject)s (number %(count)s)"),
    "practice-finished": _("finished the practice round"),
    "practice-changed": _("changed the practice round: it has %(count)s examples now"),
    # appeals
    "appeal-opened": _("appealed against the grade of the own work"),
    "appeal-opened-for": _("opened an appeal for %(subject)s"),
    "appeal-withdrawn": _("took the own appeal back"),
    "appeal-previewed": _(
        "looked at what the appeal of %(subject)s would change, with these points: %(after)s"
    ),
    "appeal-accepted": _("accepted the appeal of %(subject)s, which changed so many grades: %(count)s"),
    "appeal-declined": _("declined the appeal of %(subject)s"),
    # survey
    "survey-changed": _("changed the survey: it has %(count)s questions now"),
    "survey-closed": _("closed the survey, which so many students had answered: %(count)s"),
    "survey-looked": _("looked at how all staff sorted the answers of the survey"),
    # release
    "grades-released": _("released the grades of %(count)s students (release %(number)s)"),
    "grades-released-again": _(
        "released the grades of %(count)s students again (release %(number)s): %(reason)s"
    ),
    "grades-retracted": _("took the grades back (release %(number)s)"),
    "comment-hidden": _("hid a comment that %(subject)s wrote: %(reason)s"),
    "comment-shown": _("showed a comment again that %(subject)s wrote"),
    # interfaces and exports
    "token-made": _("made the token “%(title)s” for programs, for %(count)s days"),
    "token-revoked": _("revoked the token “%(title)s”"),
    "webhook-added": _("had %(title)s told what happens here"),
    "webhook-ended": _("had %(title)s told nothing any more"),
    "grades-exported": _("exported the grades of %(count)s students (%(title)s)"),
    "course-exported": _("exported the whole course"),
    "course-imported": _("imported the course from an archive of %(after)s, made with Peerage %(title)s"),
    "data-exported": _("exported a data set without names (%(count)s rows)"),
    "webhook-gone": _("stopped telling %(title)s, which said that it is gone"),
    # grading
    "plan-changed": _("changed how the assignment is graded: %(field)s from %(before)s to %(after)s"),
    "run-started": _("started grading run %(count)s"),
    "run-cancelled": _("cancelled grading run %(count)s"),
    "run-done": _("finished grading run %(count)s"),
    "run-approved": _("approved grading run %(count)s for release"),
    "staff-graded": _("graded the work of %(subject)s as staff: %(after)s"),
    "staff-grade-withdrawn": _("took back the own staff grade of the work of %(subject)s"),
    "staff-ranked": _("ranked %(count)s works as staff"),
    "staff-ranking-withdrawn": _("took back the own staff ranking"),
    "grade-set": _("set the grade of %(subject)s by hand to %(after)s: %(reason)s"),
    "grade-unset": _("took back the grade of %(subject)s that was set by hand (%(before)s)"),
    # how long a course is kept
    "deletion-announced": _("told the instructors that the course will be deleted: %(after)s"),
    "course-deleted": _("deleted the course “%(title)s”, with %(people)s people and %(count)s works"),
    # learning platforms
    "lti-connected": _("connected the course to “%(title)s” of a learning platform"),
    "lti-disconnected": _("took the connection to “%(title)s” of a learning platform away"),
    "lti-roster": _(
        "took the roster over from the learning platform: %(added)s added, %(updated)s changed,"
        " %(dropped)s dropped"
    ),
    "lti-settled": _("settled a grade of %(subject)s that was changed on the learning platform: %(after)s"),
}


HOW_FAR: dict[str, Any] = {  # a review
    "waiting": gettext_lazy("not opened"),
    "opened": gettext_lazy("opened"),
    "written": gettext_lazy("begun"),
    "done": gettext_lazy("handed in"),
    "replaced": gettext_lazy("reported and replaced"),
    "released": gettext_lazy("given to others"),
    "taken-out": gettext_lazy("taken out"),
}
FLAGS: dict[str, Any] = {  # what the library finds about a reviewer's order
    "consistent": gettext_lazy("Consistent with the other reviewers"),
    "reversed": gettext_lazy("Ranks against the class"),
    "chance": gettext_lazy("No better than chance"),
    "unknown": gettext_lazy("Too few reviews to tell"),
    "ties": gettext_lazy("All works tied"),
}
TALK: dict[str, Any] = {  # why staff may want to talk to somebody
    "appeal": gettext_lazy("has appealed"),
    "reversed": gettext_lazy("ranks against the class: perhaps best and worst were mixed up"),
    "chance": gettext_lazy("ranks no better than chance"),
    "hidden": gettext_lazy("wrote something that was hidden"),
    "absent": gettext_lazy("has not handed in a ranking"),
}
WHY: dict[str, Any] = {  # codes of reasons in entries
    "blank": gettext_lazy("it is blank"),
    "unreadable": gettext_lazy("it cannot be opened"),
    "known": gettext_lazy("its reviewer knows whose it is"),
    "reports": gettext_lazy("three reviewers reported it"),
    "staff": gettext_lazy("staff decided so"),
    "few-works": gettext_lazy("there are too few works"),
    "many-anchors": gettext_lazy("there are fewer works than common ones are wanted"),
    "staff-without-reviews": gettext_lazy("the design needs reviews by staff"),
    "without-section": gettext_lazy("some students have no section"),
    "team-across-sections": gettext_lazy("some teams have students of several sections"),
    "rules-clash": gettext_lazy("the rules cannot all be kept"),
    "library": gettext_lazy("the settings do not fit the class"),
}


FIELDS = {
    "account": gettext_lazy("the account"),
    "name": gettext_lazy("the name"),
    "term": gettext_lazy("the term"),
    "time_zone": gettext_lazy("the time zone"),
    "language": gettext_lazy("the language of mail"),
    "keep_months": gettext_lazy("the months for which the course is kept"),
    "room": gettext_lazy("the room for its files (MB)"),
    "role": gettext_lazy("the role"),
    "section": gettext_lazy("the section"),
    "group": gettext_lazy("the group"),
    "student_id": gettext_lazy("the student number"),
    "email": gettext_lazy("the e-mail address"),
    "title": gettext_lazy("the title"),
    "instructions": gettext_lazy("the instructions"),
    "in_teams": gettext_lazy("work in teams"),
    "by_date": gettext_lazy("moving on by date"),
    "allocates_itself": gettext_lazy("allocation by itself"),
    "opens_at": gettext_lazy("the publication"),
    "due_at": gettext_lazy("the date until which works are due"),
    "late_until": gettext_lazy("the end of the late window"),
    "grace_minutes": gettext_lazy("the grace"),
    "reviews_due_at": gettext_lazy("the date until which reviews are due"),
    "release_at": gettext_lazy("the release of grades"),
    "remind_hours": gettext_lazy("the reminder before a due date"),
    "file_kinds": gettext_lazy("the kinds of files"),
    "most_bytes": gettext_lazy("the largest file"),
    "most_files": gettext_lazy("the number of files"),
    "reviews_per_student": gettext_lazy("the reviews per student"),
    "reviews_per_staff": gettext_lazy("the reviews per member of staff"),
    "design": gettext_lazy("the design of the allocation"),
    "anchors": gettext_lazy("the number of common works"),
    "seed": gettext_lazy("the seed of the allocation"),
    "sections": gettext_lazy("whether sections review each other"),
    "ties_allowed": gettext_lazy("whether works may share a place"),
    "review_weight": gettext_lazy("what reviewing counts"),
    "practice": gettext_lazy("the practice round"),
    "prompts": gettext_lazy("the questions to reviewers"),
    # grading
    "method": gettext_lazy("the method"),
    "scale_low": gettext_lazy("the lowest points"),
    "scale_high": gettext_lazy("the highest points"),
    "letters": gettext_lazy("the letters"),
    "completeness_weight": gettext_lazy("what completeness counts in the mark for reviewing"),
    "helpfulness_weight": gettext_lazy("what helpfulness counts in the mark for reviewing"),
    "rates_helpfulness": gettext_lazy("whether authors rate helpfulness"),
    "appeal_days": gettext_lazy("the days for appeals"),
    "appeals_each": gettext_lazy("the appeals per student"),
    "has_survey": gettext_lazy("whether there is a survey"),
}
_DATES = ("opens_at", "due_at", "late_until", "reviews_due_at", "release_at")


def event(verb: str, data: Mapping[str, Any], subject: str) -> str:
    """An entry of the record in words; data may lack what an older version did not write."""
    names = ("field", "before", "after", "role", "title", "count", "added", "updated", "dropped")
    more = ("people", "released", "reason", "number")
    words = {name: _word(verb, data, name) for name in (*names, *more)}
    return gettext(VERBS[verb]) % {**words, "subject": subject}


def _word(verb: str, data: Mapping[str, Any], name: str) -> str:
    """One value of an entry: codes, dates and empty texts as people say them."""
    value, field = data.get(name, ""), data.get("field")
    if name == "field":
        return str(FIELDS.get(str(value), value))
    if value in ("", None):
        return "–"
    if name == "reason":
        return str(WHY.get(str(value), value))
    if name == "role" or (field == "role" and value in Role.values):
        return str(Role(value).label)
    if verb == "phase-moved" and value in Phase.values:
        return str(Phase(value).label)
    if verb in ("date-changed", "extension-granted", "deletion-announced") and field in (*_DATES, None):
        return _date(str(value))
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return str(value)


def _date(text: str) -> str:
    """One date, or several divided by commas, on the reader's clock."""
    try:
        moments = [datetime.fromisoformat(part) for part in text.split(", ")]
    except ValueError:
        return text
    return ", ".join(date_format(timezone.localtime(one), "DATETIME_FORMAT") for one in moments)
