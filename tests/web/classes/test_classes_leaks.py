"""The blind: nothing of an author or a reviewer is in anything that the other can fetch.

Two students review each other's submission. Each has marks planted wherever the class knows something of
them, and in every corner of their files. Then they fetch everything there is for them, in the phases in
which there is something to see of the other: while they submit, while they review, and when grades are out.
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.classes import planted
from tests.web.classes.addresses import addresses
from tests.web.classes.cast import (
    Cast,
    allocate,
    appeal_of,
    criterion,
    grading_run,
    join,
    move,
    objects_of,
    put_copy,
)
from tests.web.classes.crawling import Crawl, mail_from_staff
from tests.web.classes.searching import Marks

from peerage_web.accounts.models import Person
from peerage_web.classes import permissions
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Extension, Team
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.models import RunGrade
from peerage_web.classes.permissions import PERMISSIONS
from peerage_web.classes.practice.models import PracticeExample
from peerage_web.classes.release.models import CommentReport, Release, ReleasedGrade, Reply
from peerage_web.classes.reviewing.models import Comment, Ranking, SelfReview, SubmittedRanking
from peerage_web.classes.submissions import copies
from peerage_web.classes.submissions import services as submission_services
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.classes.submissions.queries import authors_with
from peerage_web.classes.survey.models import SurveyAnswer
from peerage_web.classes.survey.services import begin

REPLY = "Thank you for the hint."
PHASES = (Phase.SUBMITTING, Phase.REVIEWING, Phase.RELEASED)


class Student:
    """Somebody with a mark in everything that is known of them."""

    def __init__(self, cast: Cast, word: str) -> None:
        self.marks = Marks(word)
        email = f"{self.marks('email')}@example.org"
        self.person = Person.objects.create_user(email, name=self.marks("account-name"))
        known = {field: self.marks(field) for field in ("student_id", "section", "group")}
        name = f"{self.marks('first-name')} {self.marks('last-name')}"
        self.member = join(cast.course, self.person, Role.STUDENT, name=name, **known)

    def submit(self, assignment) -> Submission:
        """All kinds of files, with marks in every corner, through the sandbox."""
        authors = authors_with(assignment, self.member)
        files = {
            "pdf": planted.pdf(self.marks),
            "jpg": planted.jpeg(self.marks),
            "png": planted.png(self.marks),
            "docx": planted.docx(self.marks),
            "md": b"# Tides\n\nThe *moon*.\n",
        }
        for ending, data in files.items():
            upload = SimpleUploadedFile(f"{self.marks('file-name-' + ending)}.{ending}", data)
            submission_services.add_files(authors=authors, by=self.person, uploads=[upload])
        while copies.make_next():
            pass
        return submission_services.submit(authors=authors, by=self.person, number=1).submission


class Pair:
    """Two students who review each other."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.where = cast, cast.assignment
        type(self.where).objects.filter(pk=self.where.pk).update(
            most_files=5, in_teams=True, practice="offered", self_review=True
        )
        move(self.where, Phase.SUBMITTING)
        self.students = [Student(cast, "aqa"), Student(cast, "rqr")]
        self.values = [self._objects(one) for one in self.students]
        self.submissions = [one.submit(self.where) for one in self.students]
        for values, submission in zip(self.values, self.submissions, strict=True):
            values["submission"] = submission.pk
        for one, other, values in zip(self.students, reversed(self.submissions), self.values, strict=True):
            (review,) = allocate(self.where, one.member, [other])
            values["review"] = review.key
            self._submit_ranking(one, review)
        self._release()
        self._afterwards()

    def _objects(self, one: Student) -> dict[str, object]:
        found = objects_of(self.where, one.member, self.cast.people["instructor"])
        Appeal.objects.filter(membership=one.member).delete()
        Submission.objects.filter(author=one.member).delete()  # a real one comes
        Team.objects.filter(pk=found["team"]).update(name=one.marks("team"))
        Extension.objects.filter(membership=one.member).update(reason=one.marks("extension"))
        stored, calendar_key = f"practice-{one.member.pk}", f"calendar-of-{one.member.pk}"
        PracticeExample.objects.filter(key=found["example"]).update(stored=stored, kind="image", pages=1)
        put_copy(SubmissionFile(stored=stored))
        Person.objects.filter(pk=one.person.pk).update(calendar_key=calendar_key)
        own = {"course": self.cast.course.key, "assignment": self.where.key, "calendar_key": calendar_key}
        return {**own, **found}

    def _submit_ranking(self, one: Student, review) -> None:
        """An order and a comment; that it was submitted, `objects_of` has seen to."""
        ranking = Ranking.objects.filter(assignment=self.where, reviewer=one.member)
        ranking.update(tiers=[[review.label]], version=1)
        Comment.objects.create(review=review, text="Clear.")
        level = criterion(self.where).levels.first()
        levels = [{"review": review.pk, "criterion": level.criterion_id, "level": level.pk}]
        comments = [{"review": review.pk, "prompt": None, "text": "Clear."}]
        submitted = SubmittedRanking.objects.filter(ranking__in=ranking)
        submitted.update(tiers=[[review.pk]], version=1, comments=comments, levels=levels)

    def _release(self) -> None:
        """Both have a grade, and something to rate before they see it."""
        options = {"scale": "0:100", "anchors_as_evidence": True}
        run = grading_run(self.where, self.cast.people["instructor"], number=50, options=options)
        release = Release.objects.create(assignment=self.where, number=1, run=run)
        points = {"points": 50.0, "total": 50.0, "reviewing": 40.0}
        for one, submission in zip(self.students, self.submissions, strict=True):
            owner = {"membership": one.member, "submission": submission}
            ReleasedGrade.objects.create(release=release, **owner, **points)

    def _afterwards(self) -> None:
        """Both say what they thought, and appeal."""
        begin(self.where)
        question = self.where.survey_questions.get(code="received")
        for one, submission, values in zip(self.students, self.submissions, self.values, strict=True):
            own = {"submission": submission, "membership": one.member}
            text = one.marks("survey-answer")
            SurveyAnswer.objects.create(question=question, membership=one.member, text=text)
            SelfReview.objects.create(**own, rank=1, ranks=2, comment=one.marks("self-review"))
            # read by the other, so it has no mark: what surrounds it must not say whose it is
            report = {"reported_by": one.member, "reported_at": timezone.now()}
            Reply.objects.create(**own, text=REPLY, **report, report=one.marks("report-of-reply"))
            received = Review.objects.filter(submission=submission).first()
            CommentReport.objects.create(review=received, by=one.member, text=one.marks("report-of-comment"))
            self._announce(one)
            appeal = appeal_of(self.where, one.member, submission)
            values["appeal"] = appeal.key
            Appeal.objects.filter(pk=appeal.pk).update(
                reason=one.marks("appeal-reason"),
                answer=one.marks("appeal-answer"),
                proposed_reason=one.marks("appeal-judgement"),
            )

    def _announce(self, one: Student) -> None:
        """One that was withdrawn, and one for those who have not submitted, which both have."""
        given = {"course": self.cast.course, "title": "Note", "made_by": self.cast.people["instructor"]}
        text = one.marks("withdrawn-announcement")
        Announcement.objects.create(**given, text=text, withdrawn_at=timezone.now())
        text = one.marks("announcement-to-missing")
        Announcement.objects.create(**given, text=text, assignment=self.where, audience="missing")

    def report(self) -> None:
        """Each has reported the other's submission, as staff read it."""
        for one in self.students:
            review = Review.objects.get(reviewer=one.member, submission__in=self.submissions)
            Report.objects.create(review=review, reason="plagiarism", text=one.marks("report"))

    def crawls(self) -> list[Crawl]:
        """Each looks for the marks of the other."""
        first, second = self.students
        return [Crawl(first.person, second.marks), Crawl(second.person, first.marks)]

    def values_for(self, number: int) -> list[dict[str, object]]:
        """One's own objects, and those of the other, but for what opens to everybody who knows it."""
        own, other = self.values[number], dict(self.values[1 - number])
        del other["calendar_key"]
        return [own, other]


@pytest.fixture
def pair(cast) -> Pair:
    return Pair(cast)


def test_nothing_of_the_other_is_fetched(pair):
    """As reviewer and author alike: what the two are is the same, so one of them is enough for each phase."""
    reached: set[str] = set()
    leaks = []
    for number, phase in zip((0, 1, 0), PHASES, strict=True):
        move(pair.where, phase)
        if phase == Phase.RELEASED:
            pair.report()
        crawl = pair.crawls()[number]
        crawl.everything(pair.values_for(number))
        crawl.mail()
        crawls = pair.crawls()
        mail_from_staff(pair.cast.people["instructor"], crawls, pair.values_for(0)[0])
        leaks += [f"{phase}: {one}" for each in (crawl, *crawls) for one in each.leaks]
        reached |= crawl.reached

    assert sorted(set(leaks)) == []
    assert all(len(one.marks.planted) > 60 for one in pair.students)
    open_to_students = {
        one.name
        for one in addresses()
        if "GET" in one.view.rule.methods
        and (PERMISSIONS[one.view.rule.action].anybody or permissions.may(one.view.rule.action, Role.STUDENT))
        and one.name not in ("course-new", "course-import")
    }
    assert open_to_students - reached == set(), "these were never fetched, so nobody knows what is in them"


def test_students_see_their_own_marks_and_not_what_staff_noted(pair):
    """Or the search above would prove nothing: each finds the own name, not the other's."""
    one = pair.students[0]
    move(pair.where, Phase.RELEASED)
    crawl = Crawl(one.person, one.marks)

    crawl.everything(pair.values_for(0)[:1], post=False)

    places = {found.rpartition(": ")[2] for found in crawl.leaks}
    own = {
        "file-name-pdf", "team", "first-name", "survey-answer", "appeal-reason", "appeal-answer",
        "self-review",
    }  # fmt: skip
    assert own <= places
    hidden = {"appeal-judgement", "report-of-reply", "withdrawn-announcement", "announcement-to-missing"}
    assert not hidden & places


def test_students_find_nothing_of_a_grade_that_their_instructor_does_not_show(pair):
    """Neither on a page nor in a mail, wherever they look."""
    one, figures = pair.students[0], {"points": 61.7, "points_low": 52.3, "points_high": 71.9, "total": 57.1}
    marks = Marks("")
    marks.planted = {"letter": "zqletter", **{name: str(value) for name, value in figures.items()}}
    theirs = ReleasedGrade.objects.filter(membership=one.member, release__ended_at=None)
    theirs.update(**figures, letter="zqletter", seen_at=timezone.now())
    RunGrade.objects.create(
        run=theirs.get().release.run, submission=pair.submissions[0], rank=1, rank_low=1, rank_high=2,
        points=61.7, reviews=1, attention=1,
    )  # fmt: skip
    move(pair.where, Phase.RELEASED)

    def found(shown: list[str]) -> set[str]:
        Release.objects.filter(assignment=pair.where, ended_at=None).update(shown=shown)
        crawl = Crawl(one.person, marks)
        crawl.everything(pair.values_for(0)[:1], post=False)
        crawl.mail()
        return {leak.rpartition(": ")[2] for leak in crawl.leaks}

    assert found([]) == set()
    assert found(["points", "letter", "interval"]) == set(marks.planted)


def test_search_finds_every_mark_that_is_planted():
    """Or it would find no leak either."""

    def calendar(mark):
        return f"SUMMARY:{mark('summary')[:4]}\r\n {mark('summary')[4:]}\r\n".encode()

    for make in (planted.pdf, planted.jpeg, planted.png, planted.docx, calendar):
        marks = Marks()

        data = make(marks)

        assert sorted(set(marks.planted) - set(marks.found_in(data))) == [], make.__name__
