"""A person's data in a course: all of it as one document, and erasing it. Judgements stay, without a name."""

import csv
import io
import json
import secrets
import shutil
from pathlib import Path
from typing import Any, cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ApiToken, Identity, Mail, OneTimeLink, Person
from peerage_web.accounts.services.sign_in import end_other_sessions
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import AllocationRun, Report, Review
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.assignments.models import Extension, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.inputs import LABELS, sha256_of
from peerage_web.classes.grading.models import (
    GradingRun,
    Override,
    RunGrade,
    RunReviewer,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.grading.results import draw_if_possible
from peerage_web.classes.practice.models import PracticeAnswer
from peerage_web.classes.progress.models import Reminder
from peerage_web.classes.release.feedback import feedback_for, prepared
from peerage_web.classes.release.models import (
    CommentReport,
    Helpfulness,
    HiddenComment,
    PreparedFeedback,
    Release,
    ReleasedGrade,
    Reply,
)
from peerage_web.classes.reviewing.models import Comment, Ranking, SelfReview, SubmittedRanking
from peerage_web.classes.rubrics.models import ChosenLevel
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.names import AuthorIdentity
from peerage_web.classes.submissions.storage import forget_authors
from peerage_web.classes.survey.models import SurveyAnswer, SurveyCode, SurveyResultsViewer
from peerage_web.classes.webhooks.models import Webhook
from peerage_web.files.models import Job
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.disk import size_of


def export_member(*, member: Membership) -> dict[str, Any]:
    """Everything that this course holds about somebody, and what they wrote in it; times in UTC."""
    person, mine, given = member.person, {"membership": member}, {"review__reviewer": member}
    return {
        "person": {
            "email": person.shown_address,
            "name": person.name,
            "language": person.language,
            "wants_reminders": person.wants_reminders,
            "has_calendar_address": person.calendar_key is not None,
        },
        "course": member.course.name,
        "membership": _rows(
            Membership.objects.filter(pk=member.pk), "role name student_id section group created_at"
        )[0],
        "teams": _rows(TeamMember.objects.filter(**mine), "assignment__title team__name"),
        "extensions": _rows(
            Extension.objects.filter(**mine), "assignment__title due_at reviews_due_at reason"
        ),
        "submissions": _rows(
            SubmissionVersion.objects.filter(submission__in=_submissions(member)),
            "submission__assignment__title number receipt sha256 uploaded_at submitted_at is_late"
            " names_found",
        ),
        "files": _rows(files_of(member), _FILE),
        "drafts_of_rankings": _rows(
            Ranking.objects.filter(reviewer=member), "assignment__title tiers version started_at saved_at"
        ),
        "rankings": _rows(
            SubmittedRanking.objects.filter(ranking__reviewer=member),
            "ranking__assignment__title number receipt tiers comments levels submitted_at is_late",
        ),
        "comments": _rows(Comment.objects.filter(**given), "review__label prompt__text text saved_at"),
        "rubric_levels": _rows(
            ChosenLevel.objects.filter(**given), "review__label criterion__name level__name saved_at"
        ),
        "reports": _rows(Report.objects.filter(**given), "review__label reason text made_at outcome"),
        "practice": _rows(
            PracticeAnswer.objects.filter(**mine), "assignment__title tiers saved_at finished_at"
        ),
        "appeals": _rows(
            Appeal.objects.filter(**mine), "assignment__title reason opened_at state answer ended_at"
        ),
        "self_reviews": _rows(
            SelfReview.objects.filter(**mine), "submission__assignment__title rank ranks comment saved_at"
        ),
        "announcements": _rows(
            Announcement.objects.filter(course=member.course_id, made_by=person), "title text made_at"
        ),
        "replies": _rows(Reply.objects.filter(**mine), "submission__assignment__title text written_at"),
        # instructors make this file, and must not learn what somebody answered, nor whether
        "surveys": "Answers to surveys are not in this file: only students themselves see theirs, on the "
        "page of the survey, and once it is closed nothing tells whose an answer was.",
        "survey_codes": _rows(
            SurveyCode.objects.filter(by=person, answer__question__assignment__course=member.course_id),
            "answer__question__assignment__title answer__question__code category at",
        ),
        "reminders": _rows(Reminder.objects.filter(**mine), "assignment__title task due_at made_at"),
        "grades": _rows(ReleasedGrade.objects.filter(**mine), _GRADE),
        "feedback": _feedback(member),
        "reported_comments": _rows(
            CommentReport.objects.filter(by=member), "review__assignment__title text made_at"
        ),
        "ratings": _rows(Helpfulness.objects.filter(by=member), "review__assignment__title rating at"),
        **rows_about(member),
        "learning_platforms": _rows(
            cast(Any, member).lti_places,
            "context__deployment__registration__name subject platform_role updated_at",
        ),
        "mail": _rows(
            Mail.objects.filter(person=person, about=_about(member)), "kind subject created_at sent_at"
        ),
        "activity": _rows(Event.objects.filter(course=member.course, actor=person), "verb data at"),
        "activity_about": _rows(Event.objects.filter(subject=member), "verb data at"),
    }


_FILE = "version__submission__assignment__title version__number position name kind bytes sha256"


_GRADE = (
    "release__assignment__title release__number points points_low points_high letter by_hand late_penalty"
    " reviewing reviewing_parts total seen_at notified_at"
)


def _feedback(member: Membership) -> list[dict[str, Any]]:
    """What they can read about their submissions: of releases that hold, without what is hidden."""
    grades = ReleasedGrade.objects.filter(membership=member, release__ended_at=None).order_by("pk")
    return [
        {"assignment": grade.release.assignment.title, "prompt": asked, "text": said}
        for grade in grades.select_related("submission", "release__assignment", "release__run", "prepared")
        for review in feedback_for(member.pk, prepared(grade))
        for asked, said in [
            *((remark.prompt, remark.text) for remark in review.shown),
            *((result.criterion, result.level) for result in review.levels),
        ]
    ]


def files_of(member: Membership) -> QuerySet[SubmissionFile]:
    """The files of submissions that are somebody's own or their team's."""
    return SubmissionFile.objects.filter(version__submission__in=_submissions(member))


def _submissions(member: Membership) -> QuerySet[Submission]:
    return Submission.objects.filter(Q(author=member) | Q(team__members__membership=member)).distinct()


def _rows(rows: Any, fields: str) -> list[dict[str, Any]]:
    return list(rows.order_by("pk").values(*fields.split()))


def _about(member: Membership) -> str:
    return f"course {member.course_id}"


def erase_member(*, member: Membership, by: Person) -> None:
    """Take name, address and numbers of somebody out of a course; their place in it becomes nobody's.

    Submissions as reviewers see them, rankings and comments stay, for others' grades rest on them; files as
    they were uploaded, which may say whose they are, give way to those copies. Where the text of a copy of
    their own says so, too, it is blacked out, and the page of a PDF is blank; so it is in comments. Whoever
    is in no other course is erased as a person, too. It cannot be undone.
    """
    person = member.person
    if person == by:
        raise Refused(_("You cannot erase your own data. Ask another instructor to do it."))
    if member.role == Role.INSTRUCTOR:
        raise Refused(_("This person is an instructor. Change their role first."))
    uploaded = list(SubmissionFile.objects.filter(version__submission__author=member))
    if any(file.state == SubmissionFile.State.WAITING for file in uploaded):
        raise Refused(_("One of their files is still being prepared for reviewers. Try again in a minute."))
    refuse_while_grading(member)
    author = AuthorIdentity(member.name or person.name, person.email, member.student_id)
    with transaction.atomic():
        nobody = Person.objects.create(
            email=f"erased-{secrets.token_hex(8)}@invalid",
            password="!",
            is_active=False,
            erased_at=timezone.now(),
        )
        _black_out_comments(member, author)
        _empty_place(member, nobody)
        _empty_traces(member, person, nobody)
        record("member-erased", by=by, course=member.course, subject=member)
        if not Membership.objects.filter(person=person).exists() and not person.is_operator:
            erase_person(person)
        transaction.on_commit(lambda: forget_authors(uploaded, author))


def _empty_place(member: Membership, nobody: Person) -> None:
    member.person = nobody
    member.name = member.student_id = member.section = member.group = ""
    member.role, member.dropped_at = Role.DROPPED, member.dropped_at or timezone.now()
    member.save()


def _empty_traces(member: Membership, person: Person, nobody: Person) -> None:
    """What else of the course has their name in it. The activity log loses what its entries quote."""
    ours = {"course": member.course_id}
    erase_from_grading(member=member, person=person, nobody=nobody)
    entries = Event._base_manager.filter(**ours)  # the activity log's own manager changes nothing
    entries.filter(subject=member).update(data={})
    entries.filter(actor=person).update(actor=nobody)
    versions = SubmissionVersion.objects.filter(
        submission__assignment__course=member.course_id, uploaded_by=person
    )
    SubmissionFile.objects.filter(version__in=versions).update(name="")
    SubmissionFile.objects.filter(version__submission__author=member).update(name="")
    versions.update(uploaded_by=nobody)
    submitted = SubmittedRanking.objects.filter(ranking__assignment__course=member.course_id)
    submitted.filter(submitted_by=person).update(submitted_by=nobody)
    SubmissionVersion.objects.filter(submission__author=member).update(names_found=[])
    Extension.objects.filter(membership=member).update(reason="")
    cast(Any, member).lti_places.all().delete()  # what a learning platform calls them, and scores for it
    # that somebody knew whose submission it is, is kept; who it was, which they may have written, is not
    about_them = Q(review__reviewer=member) | Q(review__submission__author=member)
    Report.objects.filter(about_them).update(text="")
    CommentReport.objects.filter(about_them | Q(by=member)).update(text="")
    PracticeAnswer.objects.filter(membership=member).delete()
    _empty_surveys(member, person, nobody)
    _empty_appeals(member, person, nobody)
    _empty_replies(member, person, nobody)
    SelfReview.objects.filter(membership=member).delete()
    Reminder.objects.filter(membership=member).delete()
    Reminder.objects.filter(membership__course=member.course_id, made_by=person).update(made_by=nobody)
    AllocationRun.objects.filter(assignment__course=member.course_id, made_by=person).update(made_by=nobody)
    settled = Report.objects.filter(review__assignment__course=member.course_id, settled_by=person)
    settled.update(settled_by=nobody)
    Mail.objects.filter(person=person, about=_about(member)).delete()
    # that a comment was hidden is kept; why, which may name them, is not
    hidden = HiddenComment.objects.filter(comment__review__assignment__course=member.course_id)
    hidden.filter(Q(comment__review__reviewer=member) | Q(comment__review__submission__author=member)).update(
        reason=""
    )
    hidden.filter(by=person).update(by=nobody)
    Release.objects.filter(assignment__course=member.course_id, made_by=person).update(made_by=nobody)
    ApiToken.objects.filter(course=member.course_id, made_by=person).delete()
    Webhook.objects.filter(course=member.course_id, made_by=person).update(made_by=nobody)
    Announcement.objects.filter(course=member.course_id, made_by=person).update(made_by=nobody)


def _black_out_comments(member: Membership, author: AuthorIdentity) -> None:
    """Where comments and replies name them; a first name alone counts in those on their own submission."""
    ours = Review.objects.filter(assignment__course=member.course_id)
    theirs = set(ours.filter(submission__in=_submissions(member)).values_list("pk", flat=True))
    comments = Comment.objects.filter(review__in=ours).exclude(text="")
    for comment in comments.iterator():
        text = author.black_out(comment.text, parts_of_name=comment.review_id in theirs)
        if text != comment.text:
            Comment.objects.filter(pk=comment.pk).update(text=text)
    for submitted in SubmittedRanking.objects.filter(ranking__assignment__course=member.course_id).iterator():
        said = [
            {**one, "text": author.black_out(one["text"], parts_of_name=one["review"] in theirs)}
            for one in submitted.comments
        ]
        if said != submitted.comments:
            SubmittedRanking.objects.filter(pk=submitted.pk).update(comments=said)
            grades = PreparedFeedback.objects.filter(
                grade__release__assignment__rankings__submitted=submitted
            )
            grades.delete()  # and is put together again when it is asked for
    for reply in Reply.objects.filter(submission__assignment__course=member.course_id).exclude(text=""):
        text = author.black_out(reply.text, parts_of_name=False)
        if text != reply.text:
            Reply.objects.filter(pk=reply.pk).update(text=text)


def _empty_appeals(member: Membership, person: Person, nobody: Person) -> None:
    """That there was one, and what became of it, stays; what was written may say who it was."""
    Appeal.objects.filter(membership=member).update(
        reason="", answer="", proposed_reason="", proposed_answer=""
    )
    ours = Appeal.objects.filter(assignment__course=member.course_id)
    for role in ("opened_by", "answered_by", "proposed_by"):
        ours.filter(**{role: person}).update(**{role: nobody})


def _empty_replies(member: Membership, person: Person, nobody: Person) -> None:
    """No grade rests on a reply: its text goes, and so does what they wrote about another's."""
    Reply.objects.filter(membership=member).update(text="", report="", hidden_reason="")
    Reply.objects.filter(reported_by=member).update(report="")
    ours = Reply.objects.filter(submission__assignment__course=member.course_id)
    ours.filter(hidden_by=person).update(hidden_by=nobody)


def _empty_surveys(member: Membership, person: Person, nobody: Person) -> None:
    """Answers that are still theirs go: nobody has read them. In a closed survey nothing is theirs."""
    SurveyAnswer.objects.filter(membership=member).delete()
    course = member.course_id
    SurveyCode.objects.filter(by=person, answer__question__assignment__course=course).update(by=nobody)
    SurveyResultsViewer.objects.filter(by=person, survey__assignment__course=course).update(by=nobody)


def erase_person(person: Person) -> None:
    """Take name and address out of an account, which nobody can use any more; its row stays."""
    end_other_sessions(person=person, but=None)
    Identity.objects.filter(person=person).delete()
    OneTimeLink.objects.filter(person=person).delete()
    Mail.objects.filter(person=person).delete()
    person.email = f"erased-{secrets.token_hex(8)}@invalid"
    person.name = person.language = person.mail_to = ""
    person.calendar_key = None
    person.is_active = person.may_create_courses = False
    person.erased_at = timezone.now()
    person.set_unusable_password()
    person.save()


# -- What erasing a person leaves of grading -----------------------------------------------------------
#
# Grades of others rest on what an erased person ranked, so runs and their rows stay. In the inputs, another
# label takes the place of the student number or address. What the library wrote from them goes: written
# anew it would differ in the last digits of its intervals, and say something else than the rows that are
# shown.


NAMED = ("grader", "item", "student")  # columns of the inputs that hold labels
EMPTIED = ("section", "email")  # columns of the roster about a person


def rows_about(member: Membership) -> dict[str, list[dict[str, Any]]]:
    """What runs say about somebody's submissions and reviewing, and what staff set by hand."""
    submissions = Q(submission__author=member) | Q(submission__team__members__membership=member)
    return {
        "run_grades": _grading_rows(
            RunGrade.objects.filter(submissions),
            "run__assignment__title run__number rank rank_low rank_high percentile points points_low"
            " points_high letter reviews staff",
        ),
        "run_reviewing": _grading_rows(
            RunReviewer.objects.filter(membership=member),
            "run__assignment__title run__number asked given reliability agreement flag_text quality"
            " completeness",
        ),
        "grades_by_hand": _grading_rows(
            Override.objects.filter(submissions & (Q(membership=None) | Q(membership=member))),
            "submission__assignment__title points letter reason at withdrawn_at",
        ),
        "staff_grades_of_submissions": _grading_rows(
            StaffGrade.objects.filter(submissions),
            "submission__assignment__title points reason at withdrawn_at",
        ),
    }


def _grading_rows(rows: Any, fields: str) -> list[dict[str, Any]]:
    return list(rows.distinct().order_by("pk").values(*fields.split()))


def refuse_while_grading(member: Membership) -> None:
    """A run that waits or is under way would still write their number into its files."""
    active = GradingRun.objects.filter(assignment__course=member.course_id, job__state__in=Job.ACTIVE)
    if active.exists():
        raise Refused(_("A grading run is in progress in this course. Try again when it has finished."))


def erase_from_grading(*, member: Membership, person: Person, nobody: Person) -> None:
    """Take names and reasons out of rows and files; call it in the transaction that erases the member.

    Files go first: an erasure that dies on the way has lost no row, and done again it does the rest.
    """
    about = Q(submission__author=member) | Q(submission__team__members__membership=member)
    for model in (Override, StaffGrade):
        theirs: Any = model._default_manager
        theirs.filter(pk__in=theirs.filter(about).values("pk")).update(reason="")
        theirs.filter(submission__assignment__course=member.course_id, by=person).update(by=nobody)
    rankings = StaffRanking.objects.filter(assignment__course=member.course_id, by=person)
    rankings.update(by=nobody)
    runs = GradingRun.objects.filter(assignment__course=member.course_id)
    for role in ("made_by", "approved_by"):
        runs.filter(**{role: person}).update(**{role: nobody})
    for run in runs.select_related("job", "assignment__course"):
        draw_if_possible(run=run)  # what is not drawn yet could not be drawn any more
        _rename(run, member, person, nobody.email)


def _rename(run: GradingRun, member: Membership, person: Person, label: str) -> None:
    """Another label in the inputs of a run; later runs call them the same."""
    path = run.job.folder / LABELS
    if not path.is_file():
        return
    labels = json.loads(path.read_text(encoding="utf-8"))
    before = next((name for name, pk in labels["roster"].items() if pk == member.pk), None)
    staff = f"{person.email} (staff)"
    renamed = {staff: f"{label} (staff)"} if staff in _graders(run) else {}
    if before is not None:
        renamed[before] = label
    if not renamed:
        return
    shutil.rmtree(run.job.results, ignore_errors=True)
    for file in sorted((run.job.folder / "input").iterdir()):
        _rewrite(file, renamed)
    for kind in ("submissions", "people", "roster"):
        labels[kind] = {renamed.get(name, name): pk for name, pk in labels[kind].items()}
    path.write_text(json.dumps(labels, ensure_ascii=False), encoding="utf-8")
    _remember(run)


def _graders(run: GradingRun) -> set[str]:
    text = (run.job.folder / "input" / "feedback.csv").read_text(encoding="utf-8")
    return {row["grader"] for row in csv.DictReader(io.StringIO(text))}


def _rewrite(path: Path, renamed: dict[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    if not rows:
        return
    for row in rows:
        if row.get("student") in renamed:
            row |= {name: "" for name in EMPTIED if name in row}
        row |= {name: renamed.get(row[name], row[name]) for name in NAMED if name in row}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def _remember(run: GradingRun) -> None:
    files = {path.name: path.read_bytes() for path in (run.job.folder / "input").iterdir()}
    GradingRun.objects.filter(pk=run.pk).update(inputs_sha256=sha256_of(files))
    Job.objects.filter(pk=run.job.pk).update(disk_bytes=size_of(run.job.folder))
