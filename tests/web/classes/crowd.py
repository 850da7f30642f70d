"""A course that grows: for tests that compare pages of a few rows with pages of many."""

from datetime import timedelta

from django.utils import timezone
from tests.web.classes.cast import (
    Cast,
    allocate,
    appeal_of,
    assignment,
    course,
    extend,
    grading_run,
    join,
    submit,
    submit_ranking,
    team_up,
)

from peerage_web.accounts.models import Person, SignIn
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role, Task
from peerage_web.classes.grading.models import Override, RunGrade, RunReviewer, StaffGrade, StaffRanking
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.release.models import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.survey.models import (
    Survey,
    SurveyAnswer,
    SurveyCode,
    SurveyQuestion,
    SurveyResultsViewer,
)


class Crowd:
    """Everything that pages list, as often as wanted; the cast's first student has most of it."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.size = cast, 0
        self.where, self.me, self.by = cast.assignment, cast.students[0], cast.people["instructor"]
        self.prompt = FeedbackPrompt.objects.create(assignment=self.where, position=1, text="Why?")
        self.run = grading_run(self.where, self.by, approved_at=timezone.now())
        self.survey = Survey.objects.create(assignment=self.where, closed_at=timezone.now())
        SurveyResultsViewer.objects.create(survey=self.survey, by=self.by)
        self.questions = [
            SurveyQuestion.objects.create(assignment=self.where, position=place, kind="helpful", code=code)
            for place, code in enumerate(("received", "given"))
        ]

    def grow(self, size: int) -> None:
        for number in range(self.size, size):
            self._add(number)
        self.size = size

    def _add(self, number: int) -> None:
        person = Person.objects.create_user(f"crowd{number}@example.org", name=f"Crowd {number}")
        known = {"section": f"S{number}", "student_id": f"c{number}"}
        member = join(self.cast.course, person, Role.STUDENT, **known)
        submission = submit(self.where, member)
        self._reviews(number, member, submission)
        extend(self.where, member, due_at=self.where.due_at + timedelta(days=1))
        PracticeExample.objects.create(assignment=self.where, position=number, place=1, title=f"E{number}")
        team_up(self.where, [member], f"Team {number}")
        self._grading(member, submission)
        self._afterwards(member, submission)
        self._record(number, member)
        self._release(member, submission)
        self._elsewhere(number)

    def _reviews(self, number: int, member: Membership, submission) -> None:
        """The first student reviews everybody, everybody reviews the first student."""
        mine = submit(self.where, self.me) if number == 0 else self.me.submissions.get(assignment=self.where)
        (theirs,) = allocate(self.where, member, [mine])
        (review,) = allocate(self.where, self.cast.students[1], [submission])
        Review.objects.filter(pk=review.pk).update(reviewer=self.me, label=f"R{number}", position=number)
        Comment.objects.create(review=review, prompt=self.prompt, text="because")
        Report.objects.create(review=theirs, reason="known", text="known")
        Ranking.objects.create(assignment=self.where, reviewer=member, tiers=[["A"]], version=1)
        yesterday = timezone.now() - timedelta(days=1)  # so that the newest reviews are still to do
        submit_ranking(self.where, member, [[theirs.pk]], submitted_at=yesterday)
        submit_ranking(self.where, self.me, [[review.pk]], submitted_at=yesterday)

    def _grading(self, member: Membership, submission) -> None:
        """A row of everybody in the first run, what staff say of every submission, and one more run."""
        numbers = {"rank": 1, "rank_low": 1, "rank_high": 1, "points_low": 60, "points_high": 80}
        for run in (self.run, grading_run(self.where, self.by)):
            RunGrade.objects.create(run=run, submission=submission, points=70, attention=1, **numbers)
        figures = {"asked": 1, "given": 1, "completeness": 100, "flag": "chance"}
        RunReviewer.objects.create(run=self.run, membership=member, **figures)
        StaffGrade.objects.create(submission=submission, points=70, by=self.by)
        StaffRanking.objects.create(assignment=self.where, by=self.by, tiers=[[submission.pk]])
        Override.objects.create(submission=submission, points=71, reason="so", by=self.by)

    def _release(self, member: Membership, submission) -> None:
        """A line for everybody in the release, and words that were rated and hidden."""
        release, made = Release.objects.get_or_create(assignment=self.where, number=1, run=self.run)
        grades = [(member, submission), (self.me, self.me.submissions.get(assignment=self.where))][: 1 + made]
        points = {"points": 50.0, "points_low": 40.0, "points_high": 60.0}
        for one, whose in grades:
            ReleasedGrade.objects.create(release=release, membership=one, submission=whose, **points)

        review = member.reviews.get(assignment=self.where)
        comment = Comment.objects.create(review=review, prompt=self.prompt, text="because")
        said = {"review": review.pk, "prompt": self.prompt.pk, "text": "because"}
        SubmittedRanking.objects.filter(ranking__reviewer=member).update(comments=[said])
        Helpfulness.objects.create(review=review, by=self.me, rating=1)
        if member.pk % 2:
            HiddenComment.objects.create(comment=comment, reason="because", by=self.by)

    def _afterwards(self, member: Membership, submission) -> None:
        """What somebody answered to the survey, how staff sorted it, and an appeal."""
        for question in self.questions:
            answer = SurveyAnswer.objects.create(question=question, respondent=f"r{member.pk}", text="Yes.")
            SurveyCode.objects.create(answer=answer, by=self.by, category="1")
        appeal_of(self.where, member, submission)

    def _record(self, number: int, member: Membership) -> None:
        record("invited", by=self.by, course=self.cast.course, subject=member)
        now, date = timezone.now(), {"before": "", "after": "", "field": "due_at"}
        record("date-changed", by=self.by, assignment=self.where, subject=member, **date)
        reminder = {"task": Task.SUBMISSION, "due_at": self.where.due_at, "made_by": self.by}
        Reminder.objects.create(membership=member, assignment=self.where, settled_at=now, **reminder)
        for person in (self.me.person, self.by):
            SignIn.objects.create(person=person, session_key=f"{person.pk}-{number}", seen_at=now)

    def _elsewhere(self, number: int) -> None:
        """Another course of the same people, and another assignment of this one."""
        other = course(self.by, f"Course {number}")
        join(other, self.me.person, Role.STUDENT)
        for where in (other, self.cast.course):
            assignment(where, phase="submitting")
