"""What classes keep. Facts that a database can guard are constraints."""

from peerage_web.classes.models.allocation import AllocationRun, Report, Review
from peerage_web.classes.models.assignments import Assignment, Extension, FeedbackPrompt, Team, TeamMember
from peerage_web.classes.models.courses import Course, Membership, RosterImport
from peerage_web.classes.models.events import Event
from peerage_web.classes.models.practice import PracticeAnswer, PracticeExample
from peerage_web.classes.models.rankings import Comment, HandedInRanking, Ranking
from peerage_web.classes.models.reminders import Reminder
from peerage_web.classes.models.works import Submission, SubmissionFile, Work

__all__ = [
    "AllocationRun",
    "Assignment",
    "Comment",
    "Course",
    "Event",
    "Extension",
    "FeedbackPrompt",
    "HandedInRanking",
    "Membership",
    "PracticeAnswer",
    "PracticeExample",
    "Ranking",
    "Reminder",
    "Report",
    "Review",
    "RosterImport",
    "Submission",
    "SubmissionFile",
    "Team",
    "TeamMember",
    "Work",
]
