"""The one table of who may do what in which phase. What is not in it, nobody may do.

A view names its action (`access.allowed`); services that act for somebody ask `may` again where the
answer could have changed meanwhile. Which objects there are at all for somebody is decided before, by
`visibility`: what a person may not see does not exist for them (404), what they see and may not
do is forbidden (403), and what they may do in another phase only is not possible now (409).
"""

from dataclasses import dataclass
from enum import StrEnum

from peerage_web.classes.enums import MEMBERS, REVIEWED, STAFF, Phase, Role


class Action(StrEnum):
    """Everything that can be done in the browser."""

    # one's own account and list of courses
    SEE_COURSES = "see the list of one's courses"
    CREATE_COURSE = "create a course"
    # a course
    SEE_COURSE = "see a course"
    EDIT_COURSE = "change a course"
    SEE_PEOPLE = "see who is in a course"
    EDIT_STUDENTS = "add, change and drop students"
    IMPORT_ROSTER = "import a roster"
    INVITE_STUDENTS = "send students their invitations"
    EDIT_STAFF = "invite staff, and give and take away their roles"
    SEE_ACTIVITY_LOG = "see the activity log of a course"
    CREATE_ASSIGNMENT = "create an assignment"
    SEE_ANNOUNCEMENTS = "see the announcements of a course"
    ANNOUNCE = "write, edit and withdraw announcements"
    # an assignment
    SEE_ASSIGNMENT = "see an assignment"
    EDIT_ASSIGNMENT = "change what an assignment asks for"
    EDIT_DESIGN = "change what the allocation is made from"
    EDIT_DATES = "change dates and extensions"
    EDIT_TEAMS = "change teams"
    MOVE_PHASE = "move an assignment on or back"
    VIEW_AS_STUDENT = "see an assignment as a student does"
    DUPLICATE_ASSIGNMENT = "duplicate an assignment"
    DELETE_ASSIGNMENT = "delete an assignment"
    # submissions
    SUBMIT = "submit files for an assignment"
    SUBMIT_FOR_STUDENT = "submit for a student"
    SEE_OWN_SUBMISSION = "see one's own submission as reviewers will"
    SEE_SUBMISSIONS = "see and download all submissions"
    EXCLUDE_SUBMISSION = "exclude a submission, or include it again"
    # allocation
    SEE_ALLOCATION = "see who reviews whom"
    ALLOCATE = "preview and commit an allocation"
    REPAIR_ALLOCATION = "repair an allocation"
    CHANGE_ALLOCATION = "change an allocation by a file"
    # reviewing
    SEE_REVIEWS = "see the submissions one is to review"
    RANK = "rank and comment on them"
    SUBMIT_RANKING = "submit one's ranking"
    REVIEW_OWN_SUBMISSION = "rank one's own submission among those one reviewed"
    REPORT_SUBMISSION = "report a submission"
    RANK_FOR_REVIEWER = "rank in a reviewer's place"
    # practice
    PRACTISE = "do the practice round"
    EDIT_PRACTICE = "change the practice round"
    # rubric
    EDIT_RUBRIC = "change the rubric"
    # progress
    SEE_PROGRESS = "see how far everybody is"
    REMIND = "remind people by e-mail"
    SEE_OWN_DATES = "see the calendar of one's own deadlines"
    RENEW_CALENDAR = "give one's calendar another address, or none"
    # grading
    SEE_GRADES = "see grading runs and what they say"
    EDIT_GRADING = "change how an assignment is graded"
    GRADE = "start and cancel grading runs"
    GRADE_AS_STAFF = "grade or rank submissions as staff"
    OVERRIDE = "set a grade by hand"
    APPROVE_RUN = "approve a grading run for release"
    # release
    SEE_RELEASE = "see what students will see"
    RELEASE = "release grades, and take them back"
    HIDE_COMMENT = "hide a comment or reply, and show it again"
    RATE_HELPFULNESS = "rate how helpful comments were"
    SEE_OWN_GRADE = "see one's own grade"
    REPORT_COMMENT = "report what a reviewer wrote"
    REPLY = "reply to one's reviewers"
    REPORT_REPLY = "report a reply of an author"
    # appeals
    APPEAL = "appeal against one's grade"
    SEE_APPEALS = "see appeals and their evidence"
    DECIDE_APPEAL = "accept or decline appeals, and open one for a student"
    # survey
    EDIT_SURVEY = "change the questions of the survey"
    ANSWER_SURVEY = "answer the survey"
    SEE_SURVEY = "see what was answered, without names"
    CODE_SURVEY = "put free answers into categories"
    # exports, tokens and webhooks
    EXPORT_GRADES = "export grades for other systems"
    EXPORT_DATA = "export an anonymised data set"
    EXPORT_COURSE = "export a whole course"
    IMPORT_COURSE = "import a course from an archive"
    EDIT_TOKENS_AND_WEBHOOKS = "change tokens and webhooks of a course"
    # learning platforms
    SEE_PLATFORM = "see a course's learning platform and what is sent to it"
    SETTLE_PLATFORM_GRADES = "decide about grades that were changed on the learning platform"
    # people's data
    EXPORT_PERSON = "export a person's data"
    ERASE_PERSON = "erase a person from a course"


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may, and when. No phases: the action is not about an assignment, or may be done in each."""

    roles: frozenset[Role]
    phases: frozenset[Phase] = frozenset(Phase)
    anybody: bool = False  # whoever is signed in, in a course or not
    changes: bool = False  # whether it writes


NOBODY: frozenset[Role] = frozenset()
ONLY_INSTRUCTORS = frozenset({Role.INSTRUCTOR})
ONLY_STUDENTS = frozenset({Role.STUDENT})
STAFF_AND_OBSERVERS = STAFF | {Role.OBSERVER}

_BEFORE_ALLOCATION = frozenset({Phase.SETUP, Phase.SUBMITTING, Phase.ALLOCATING})
_WITH_SUBMISSIONS = frozenset(Phase) - {Phase.SETUP}
# late submissions come in while others review already; whether the person's own time is over, services decide
_SUBMITTING = frozenset({Phase.SUBMITTING, Phase.ALLOCATING, Phase.REVIEWING})
_REVIEWING = frozenset({Phase.REVIEWING})
_REVIEWED = frozenset({Phase.REVIEWING, Phase.CLOSED})
_GRADING = REVIEWED
_FROM_REVIEWING_ON = _REVIEWING | _GRADING
_RELEASED = frozenset({Phase.RELEASED})


def _reads(roles: frozenset[Role], phases: frozenset[Phase] = frozenset(Phase)) -> Rule:
    return Rule(roles, phases)


def _writes(roles: frozenset[Role], phases: frozenset[Phase] = frozenset(Phase)) -> Rule:
    return Rule(roles, phases, changes=True)


PERMISSIONS: dict[Action, Rule] = {
    Action.SEE_COURSES: Rule(NOBODY, anybody=True),
    Action.CREATE_COURSE: Rule(NOBODY, anybody=True, changes=True),  # and `may_create_courses`
    Action.SEE_COURSE: _reads(MEMBERS),
    Action.EDIT_COURSE: _writes(ONLY_INSTRUCTORS),
    Action.SEE_PEOPLE: _reads(STAFF_AND_OBSERVERS),
    Action.EDIT_STUDENTS: _writes(STAFF),
    Action.IMPORT_ROSTER: _writes(STAFF),
    Action.INVITE_STUDENTS: _writes(STAFF),
    Action.EDIT_STAFF: _writes(ONLY_INSTRUCTORS),
    Action.SEE_ACTIVITY_LOG: _reads(STAFF),
    Action.CREATE_ASSIGNMENT: _writes(STAFF),
    Action.SEE_ANNOUNCEMENTS: _reads(MEMBERS),
    Action.ANNOUNCE: _writes(STAFF),
    Action.SEE_ASSIGNMENT: _reads(MEMBERS),
    Action.EDIT_ASSIGNMENT: _writes(STAFF),
    Action.EDIT_DESIGN: _writes(STAFF, _BEFORE_ALLOCATION),
    Action.EDIT_DATES: _writes(STAFF),
    Action.EDIT_TEAMS: _writes(STAFF, _BEFORE_ALLOCATION),
    Action.MOVE_PHASE: _writes(STAFF),
    Action.VIEW_AS_STUDENT: _reads(STAFF_AND_OBSERVERS),
    Action.DUPLICATE_ASSIGNMENT: _writes(STAFF),
    Action.DELETE_ASSIGNMENT: _writes(ONLY_INSTRUCTORS, frozenset({Phase.SETUP})),
    Action.SUBMIT: _writes(ONLY_STUDENTS, _SUBMITTING),
    Action.SUBMIT_FOR_STUDENT: _writes(STAFF, _SUBMITTING),
    Action.SEE_OWN_SUBMISSION: _reads(ONLY_STUDENTS, _WITH_SUBMISSIONS),
    Action.SEE_SUBMISSIONS: _reads(STAFF, _WITH_SUBMISSIONS),
    Action.EXCLUDE_SUBMISSION: _writes(STAFF, _WITH_SUBMISSIONS),
    Action.SEE_ALLOCATION: _reads(STAFF, _WITH_SUBMISSIONS),
    Action.ALLOCATE: _writes(STAFF, frozenset({Phase.ALLOCATING})),
    Action.REPAIR_ALLOCATION: _writes(STAFF, _REVIEWING),
    Action.CHANGE_ALLOCATION: _writes(STAFF, frozenset({Phase.ALLOCATING, Phase.REVIEWING})),
    Action.SEE_REVIEWS: _reads(ONLY_STUDENTS, _FROM_REVIEWING_ON),
    Action.RANK: _writes(ONLY_STUDENTS, _REVIEWING),
    Action.SUBMIT_RANKING: _writes(ONLY_STUDENTS, _REVIEWING),
    Action.REVIEW_OWN_SUBMISSION: _writes(ONLY_STUDENTS, _REVIEWING),
    Action.REPORT_SUBMISSION: _writes(ONLY_STUDENTS, _REVIEWING),
    Action.RANK_FOR_REVIEWER: _writes(STAFF, _REVIEWED),
    Action.PRACTISE: _writes(ONLY_STUDENTS, _WITH_SUBMISSIONS),
    Action.EDIT_PRACTICE: _writes(STAFF),
    Action.EDIT_RUBRIC: _writes(STAFF),  # services refuse once the review phase has begun
    Action.SEE_PROGRESS: _reads(STAFF_AND_OBSERVERS),
    Action.REMIND: _writes(STAFF),
    Action.SEE_OWN_DATES: Rule(NOBODY, anybody=True),  # also who has no sign-in and the secret address
    Action.RENEW_CALENDAR: Rule(NOBODY, anybody=True, changes=True),
    Action.SEE_GRADES: _reads(STAFF, _GRADING),
    Action.EDIT_GRADING: _writes(STAFF),
    Action.GRADE: _writes(STAFF, _GRADING),
    Action.GRADE_AS_STAFF: _writes(STAFF, _FROM_REVIEWING_ON),
    Action.OVERRIDE: _writes(ONLY_INSTRUCTORS, _GRADING),
    Action.APPROVE_RUN: _writes(ONLY_INSTRUCTORS, _GRADING),
    Action.SEE_RELEASE: _reads(STAFF, _GRADING),
    Action.RELEASE: _writes(ONLY_INSTRUCTORS, _GRADING),
    Action.HIDE_COMMENT: _writes(STAFF, _FROM_REVIEWING_ON),
    Action.RATE_HELPFULNESS: _writes(ONLY_STUDENTS, _RELEASED),
    Action.SEE_OWN_GRADE: _reads(ONLY_STUDENTS, _RELEASED),
    Action.REPORT_COMMENT: _writes(ONLY_STUDENTS, _RELEASED),
    Action.REPLY: _writes(ONLY_STUDENTS, _RELEASED),
    Action.REPORT_REPLY: _writes(ONLY_STUDENTS, _RELEASED),
    Action.APPEAL: _writes(ONLY_STUDENTS, _RELEASED),
    Action.SEE_APPEALS: _reads(STAFF, _GRADING),
    Action.DECIDE_APPEAL: _writes(STAFF, _RELEASED),
    Action.EDIT_SURVEY: _writes(STAFF),
    Action.ANSWER_SURVEY: _writes(ONLY_STUDENTS, _GRADING),
    Action.SEE_SURVEY: _reads(STAFF, _GRADING),
    Action.CODE_SURVEY: _writes(STAFF, _GRADING),
    Action.EXPORT_GRADES: _reads(STAFF, _GRADING),
    Action.EXPORT_DATA: _reads(ONLY_INSTRUCTORS, _GRADING),
    Action.EXPORT_COURSE: _reads(ONLY_INSTRUCTORS),
    Action.IMPORT_COURSE: Rule(NOBODY, anybody=True, changes=True),  # and `may_create_courses`
    Action.EDIT_TOKENS_AND_WEBHOOKS: _writes(ONLY_INSTRUCTORS),
    Action.SEE_PLATFORM: _reads(STAFF),
    Action.SETTLE_PLATFORM_GRADES: _writes(ONLY_INSTRUCTORS),
    Action.EXPORT_PERSON: _reads(ONLY_INSTRUCTORS),
    Action.ERASE_PERSON: _writes(ONLY_INSTRUCTORS),
}


# who takes these steps of an assignment; the others are MOVE_PHASE
_STEPS = {"release": Action.RELEASE, "retract": Action.RELEASE}


def action_of_step(code: str) -> Action:
    """The rule under which a step of `phases` is taken."""
    return _STEPS.get(code, Action.MOVE_PHASE)


def may(action: Action, role: Role | None, phase: Phase | None = None) -> bool:
    """Whether somebody with this role (None: not in the course) may do it, in this phase of an assignment."""
    rule = PERMISSIONS.get(action)
    if rule is None:
        return False
    if not rule.anybody and role not in rule.roles:
        return False
    return phase is None or phase in rule.phases


def when(action: Action) -> tuple[Phase, ...]:
    """The phases in which it may be done, in their order."""
    return tuple(phase for phase in Phase if phase in PERMISSIONS[action].phases)
