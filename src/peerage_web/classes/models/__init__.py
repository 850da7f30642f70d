"""What classes keep. Facts that a database can guard are constraints."""

from peerage_web.classes.models.allocation import AllocationRun, Report, Review
from peerage_web.classes.models.appeals import Appeal
from peerage_web.classes.models.assignments import Assignment, Extension, FeedbackPrompt, Team, TeamMember
from peerage_web.classes.models.courses import Course, Membership, RosterImport
from peerage_web.classes.models.events import Event
from peerage_web.classes.models.grading import (
    GradingPlan,
    GradingRun,
    Override,
    RunGrade,
    RunReviewer,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.models.practice import PracticeAnswer, PracticeExample
from peerage_web.classes.models.rankings import Comment, HandedInRanking, Ranking
from peerage_web.classes.models.releases import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.models.reminders import Reminder
from peerage_web.classes.models.survey import Survey, SurveyAnswer, SurveyCode, SurveyLook, SurveyQuestion
from peerage_web.classes.models.webhooks import Delivery, Webhook
from peerage_web.classes.models.works import Submission, SubmissionFile, Work

__all__ = [
    "AllocationRun",
    "Appeal",
    "Assignment",
    "Comment",
    "Course",
    "Delivery",
    "Event",
    "Extension",
    "FeedbackPrompt",
    "GradingPlan",
    "GradingRun",
    "HandedInRanking",
    "Helpfulness",
    "HiddenComment",
    "Membership",
    "Override",
    "PracticeAnswer",
    "PracticeExample",
    "Ranking",
    "Release",
    "ReleasedGrade",
    "Reminder",
    "Report",
    "Review",
    "RosterImport",
    "RunGrade",
    "RunReviewer",
    "StaffGrade",
    "StaffRanking",
    "Submission",
    "SubmissionFile",
    "Survey",
    "SurveyAnswer",
    "SurveyCode",
    "SurveyLook",
    "SurveyQuestion",
    "Team",
    "TeamMember",
    "Webhook",
    "Work",
]
