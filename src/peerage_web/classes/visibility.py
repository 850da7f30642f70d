"""What there is for somebody: every object is reached through these; the rest does not exist for them."""

from django.db.models import Q, QuerySet

from peerage_web.accounts.models import ApiToken, Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Assignment, Extension, Team
from peerage_web.classes.courses.models import Membership, RosterImport
from peerage_web.classes.enums import STAFF, Phase, Role
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.reviewing.models import Comment, SubmittedRanking
from peerage_web.classes.rubrics.models import RubricCriterion
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.survey.models import SurveyQuestion
from peerage_web.classes.webhooks.models import Webhook


def memberships_of(person: Person) -> QuerySet[Membership]:
    """A person's places in courses; whoever dropped one has none, and only staff see a hidden one."""
    if not person.is_active:
        return Membership.objects.none()
    return (
        Membership.objects.filter(Q(course__hidden_at=None) | Q(role__in=STAFF), person=person)
        .exclude(role=Role.DROPPED)
        .select_related("course", "person")
        .order_by("-course__created_at", "-course_id")
    )


def assignments_for(member: Membership) -> QuerySet[Assignment]:
    """Those of the member's course; students see what was published."""
    assignments = Assignment.objects.filter(course=member.course_id).select_related("course")
    if member.role == Role.STUDENT:
        assignments = assignments.exclude(phase=Phase.SETUP)
    return assignments


def people_for(member: Membership) -> QuerySet[Membership]:
    """Staff and observers see everybody; a student sees only themselves."""
    people = Membership.objects.filter(course=member.course_id).select_related("person")
    return people if _oversees(member) else people.filter(pk=member.pk)


def teams_for(member: Membership) -> QuerySet[Team]:
    """Staff and observers see all teams of the course; a student the own ones."""
    teams = Team.objects.filter(assignment__in=assignments_for(member))
    return teams if _oversees(member) else teams.filter(members__membership=member)


def extensions_for(member: Membership) -> QuerySet[Extension]:
    """Staff see all extensions of the course; a student the own ones."""
    extensions = Extension.objects.filter(assignment__in=assignments_for(member))
    return extensions if _oversees(member) else extensions.filter(membership=member)


def submissions_for(member: Membership) -> QuerySet[Submission]:
    """Staff see all submissions of the course; a student the own one or the team's, never another's this way.

    What a student is to review is reached by `reviews_for`, under another address.
    """
    submissions = Submission.objects.filter(assignment__in=assignments_for(member))
    if member.role in STAFF:
        return submissions
    if member.role == Role.STUDENT:
        return submissions.filter(Q(author=member) | Q(team__members__membership=member)).distinct()
    return submissions.none()


def reviews_for(member: Membership) -> QuerySet[Review]:
    """Staff see all reviews of the course; a student those they are to give."""
    reviews = Review.objects.filter(assignment__in=assignments_for(member))
    if member.role in STAFF:
        return reviews
    return reviews.filter(reviewer=member) if member.role == Role.STUDENT else reviews.none()


def comments_for(member: Membership) -> QuerySet[Comment]:
    """Staff see all comments of the course; a student those they wrote. Authors read what is released."""
    comments = Comment.objects.filter(review__assignment__in=assignments_for(member))
    comments = comments.select_related("review__assignment__course", "review__reviewer__person")
    if member.role in STAFF:
        return comments
    return comments.filter(review__reviewer=member) if member.role == Role.STUDENT else comments.none()


def submitted_rankings_for(member: Membership) -> QuerySet[SubmittedRanking]:
    """Staff see all rankings that were submitted; a student the own ones."""
    rankings = SubmittedRanking.objects.filter(ranking__assignment__in=assignments_for(member))
    if member.role in STAFF:
        return rankings
    theirs = rankings.filter(ranking__reviewer=member)
    return theirs if member.role == Role.STUDENT else rankings.none()


def examples_for(member: Membership) -> QuerySet[PracticeExample]:
    """Of the practice rounds of assignments that the member sees."""
    return PracticeExample.objects.filter(assignment__in=assignments_for(member))


def questions_for(member: Membership) -> QuerySet[SurveyQuestion]:
    """Of the surveys of assignments that the member sees."""
    return SurveyQuestion.objects.filter(assignment__in=assignments_for(member))


def criteria_for(member: Membership) -> QuerySet[RubricCriterion]:
    """Of the rubrics of assignments that the member sees."""
    return RubricCriterion.objects.filter(assignment__in=assignments_for(member))


def runs_for(member: Membership) -> QuerySet[GradingRun]:
    """Staff see all grading runs; they are nobody's own."""
    runs = GradingRun.objects.filter(assignment__in=assignments_for(member))
    runs = runs.select_related("job", "assignment__course", "made_by", "approved_by")
    return runs if member.role in STAFF else runs.none()


def appeals_for(member: Membership) -> QuerySet[Appeal]:
    """Staff see all appeals of the course; a student the own ones."""
    appeals = Appeal.objects.filter(assignment__in=assignments_for(member))
    if member.role in STAFF:
        return appeals
    return appeals.filter(membership=member) if member.role == Role.STUDENT else appeals.none()


def roster_imports_for(member: Membership) -> QuerySet[RosterImport]:
    """What the member uploaded and did not commit yet; files of others are not theirs to see."""
    imports = RosterImport.objects.filter(course=member.course_id, uploaded_by=member.person_id)
    return imports.select_related("course") if member.role in STAFF else imports.none()


def events_for(member: Membership) -> QuerySet[Event]:
    events = Event.objects.filter(course=member.course_id)
    events = events.select_related("actor", "assignment", "subject__person")
    return events if member.role in STAFF else events.none()


def announcements_for(member: Membership) -> QuerySet[Announcement]:
    """All of the course, for staff; what others read is `announcements.services.announcements_shown`."""
    announcements = Announcement.objects.filter(course=member.course_id)
    announcements = announcements.select_related("course", "assignment", "made_by")
    return announcements if member.role in STAFF else announcements.none()


def tokens_for(member: Membership) -> QuerySet[ApiToken]:
    tokens = ApiToken.objects.filter(course=member.course_id).select_related("course", "made_by")
    return tokens if member.role in STAFF else tokens.none()


def webhooks_for(member: Membership) -> QuerySet[Webhook]:
    webhooks = Webhook.objects.filter(course=member.course_id).select_related("course")
    return webhooks if member.role in STAFF else webhooks.none()


def _oversees(member: Membership) -> bool:
    return member.role in STAFF or member.role == Role.OBSERVER
