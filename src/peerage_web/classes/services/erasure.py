"""A person's data in a course: all of it as one document, and erasing it. Judgements stay, without a name."""

from __future__ import annotations

import secrets
from typing import Any, cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import ApiToken, Identity, Mail, OneTimeLink, Person
from peerage_web.accounts.services.sign_in import end_other_sessions
from peerage_web.classes.models import (
    AllocationRun,
    Appeal,
    Comment,
    Event,
    Extension,
    HandedInRanking,
    Helpfulness,
    HiddenComment,
    Membership,
    PracticeAnswer,
    Ranking,
    Release,
    ReleasedGrade,
    Reminder,
    Report,
    Submission,
    SubmissionFile,
    SurveyAnswer,
    SurveyCode,
    SurveyLook,
    TeamMember,
    Webhook,
    Work,
)
from peerage_web.classes.queries.release.feedback import received_by
from peerage_web.classes.services.grading.erasing import erase_from_grading, refuse_while_grading, rows_about
from peerage_web.classes.services.record import record
from peerage_web.classes.services.storing import forget_makers
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused


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
            Submission.objects.filter(work__in=_works(member)),
            "work__assignment__title number receipt sha256 uploaded_at handed_in_at is_late names_found",
        ),
        "files": _rows(files_of(member), _FILE),
        "drafts_of_rankings": _rows(
            Ranking.objects.filter(reviewer=member), "assignment__title bins version started_at saved_at"
        ),
        "rankings": _rows(
            HandedInRanking.objects.filter(ranking__reviewer=member),
            "ranking__assignment__title number receipt bins comments handed_in_at is_late",
        ),
        "comments": _rows(Comment.objects.filter(**given), "review__label prompt__text text saved_at"),
        "reports": _rows(Report.objects.filter(**given), "review__label reason text made_at outcome"),
        "practice": _rows(
            PracticeAnswer.objects.filter(**mine), "assignment__title bins saved_at finished_at"
        ),
        "appeals": _rows(
            Appeal.objects.filter(**mine), "assignment__title reason opened_at state answer ended_at"
        ),
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
        "ratings": _rows(Helpfulness.objects.filter(by=member), "review__assignment__title rating at"),
        **rows_about(member),
        "learning_platforms": _rows(
            cast(Any, member).lti_places, "context__deployment__registration__name subject told told_at"
        ),
        "mail": _rows(
            Mail.objects.filter(person=person, about=_about(member)), "kind subject created_at sent_at"
        ),
        "record": _rows(Event.objects.filter(course=member.course, actor=person), "verb data at"),
        "record_about": _rows(Event.objects.filter(subject=member), "verb data at"),
    }


_FILE = "submission__work__assignment__title submission__number position name kind bytes sha256"


_GRADE = (
    "release__assignment__title release__number points points_low points_high letter by_hand reviewing"
    " reviewing_parts total seen_at told_at"
)


def _feedback(member: Membership) -> list[dict[str, Any]]:
    """What they can read about their works: of releases that are not taken back, without what is hidden."""
    grades = ReleasedGrade.objects.filter(membership=member, release__ended_at=None).order_by("pk")
    return [
        {"assignment": grade.release.assignment.title, "prompt": remark.prompt, "text": remark.text}
        for grade in grades.select_related("work", "release__assignment")
        for one in received_by(grade.work, member)
        for remark in one.shown
    ]


def files_of(member: Membership) -> QuerySet[SubmissionFile]:
    """The files of works that are somebody's own or their team's."""
    return SubmissionFile.objects.filter(submission__work__in=_works(member))


def _works(member: Membership) -> QuerySet[Work]:
    return Work.objects.filter(Q(author=member) | Q(team__members__membership=member)).distinct()


def _rows(found: Any, fields: str) -> list[dict[str, Any]]:
    return list(found.order_by("pk").values(*fields.split()))


def _about(member: Membership) -> str:
    return f"course {member.course_id}"


def erase_member(*, member: Membership, by: Person) -> None:
    """Take name, address and numbers of somebody out of a course; their place in it becomes nobody's.

    Works as reviewers see them, rankings and comments stay, for others' grades rest on them; files as they
    were uploaded, which may say whose they are, give way to those copies. Whoever is in no other course is
    erased as a person, too. It cannot be undone.
    """
    person = member.person
    if person == by:
        raise Refused(_("You cannot erase yourself. Let another instructor do it."))
    if member.role == Role.INSTRUCTOR:
        raise Refused(_("Take the role of instructor away first."))
    uploaded = list(SubmissionFile.objects.filter(submission__work__author=member))
    if any(one.state == SubmissionFile.State.WAITING for one in uploaded):
        raise Refused(_("A file of theirs is still being prepared for reviewers. Try again in a minute."))
    refuse_while_grading(member)
    with transaction.atomic():
        nobody = Person.objects.create(
            email=f"erased-{secrets.token_hex(8)}@invalid",
            password="!",
            is_active=False,
            erased_at=timezone.now(),
        )
        _empty_place(member, nobody)
        _empty_traces(member, person, nobody)
        record("member-erased", by=by, course=member.course, subject=member)
        if not Membership.objects.filter(person=person).exists() and not person.is_operator:
            erase_person(person)
        transaction.on_commit(lambda: forget_makers(uploaded))


def _empty_place(member: Membership, nobody: Person) -> None:
    member.person = nobody
    member.name = member.student_id = member.section = member.group = ""
    member.role, member.dropped_at = Role.DROPPED, member.dropped_at or timezone.now()
    member.save()


def _empty_traces(member: Membership, person: Person, nobody: Person) -> None:
    """What else of the course has their name in it. The record loses what its entries quote."""
    ours = {"course": member.course_id}
    erase_from_grading(member=member, person=person, nobody=nobody)
    entries = Event._base_manager.filter(**ours)  # the record's own manager changes nothing
    entries.filter(subject=member).update(data={})
    entries.filter(actor=person).update(actor=nobody)
    submissions = Submission.objects.filter(work__assignment__course=member.course_id, uploaded_by=person)
    SubmissionFile.objects.filter(submission__in=submissions).update(name="")
    SubmissionFile.objects.filter(submission__work__author=member).update(name="")
    submissions.update(uploaded_by=nobody)
    handed_in = HandedInRanking.objects.filter(ranking__assignment__course=member.course_id)
    handed_in.filter(handed_in_by=person).update(handed_in_by=nobody)
    Submission.objects.filter(work__author=member).update(names_found=[])
    Extension.objects.filter(membership=member).update(reason="")
    cast(Any, member).lti_places.all().delete()  # what a learning platform calls them, and scores for it
    # that somebody knew whose work it is, is kept; who it was, which they may have written, is not
    about_them = Q(review__reviewer=member) | Q(review__work__author=member)
    Report.objects.filter(about_them).update(text="")
    PracticeAnswer.objects.filter(membership=member).delete()
    _empty_surveys(member, person, nobody)
    _empty_appeals(member, person, nobody)
    Reminder.objects.filter(membership=member).delete()
    Reminder.objects.filter(membership__course=member.course_id, made_by=person).update(made_by=nobody)
    AllocationRun.objects.filter(assignment__course=member.course_id, made_by=person).update(made_by=nobody)
    settled = Report.objects.filter(review__assignment__course=member.course_id, settled_by=person)
    settled.update(settled_by=nobody)
    Mail.objects.filter(person=person, about=_about(member)).delete()
    # that a comment was hidden is kept; why, which may name them, is not
    hidden = HiddenComment.objects.filter(comment__review__assignment__course=member.course_id)
    hidden.filter(Q(comment__review__reviewer=member) | Q(comment__review__work__author=member)).update(
        reason=""
    )
    hidden.filter(by=person).update(by=nobody)
    Release.objects.filter(assignment__course=member.course_id, made_by=person).update(made_by=nobody)
    ApiToken.objects.filter(course=member.course_id, made_by=person).delete()
    Webhook.objects.filter(course=member.course_id, made_by=person).update(made_by=nobody)


def _empty_appeals(member: Membership, person: Person, nobody: Person) -> None:
    """That there was one, and what became of it, stays; what was written may say who it was."""
    Appeal.objects.filter(membership=member).update(reason="", answer="", proposed_reason="")
    ours = Appeal.objects.filter(assignment__course=member.course_id)
    for role in ("opened_by", "answered_by", "proposed_by"):
        ours.filter(**{role: person}).update(**{role: nobody})


def _empty_surveys(member: Membership, person: Person, nobody: Person) -> None:
    """Answers that are still theirs go: nobody has read them. In a closed survey nothing is theirs."""
    SurveyAnswer.objects.filter(membership=member).delete()
    course = member.course_id
    SurveyCode.objects.filter(by=person, answer__question__assignment__course=course).update(by=nobody)
    SurveyLook.objects.filter(by=person, survey__assignment__course=course).update(by=nobody)


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
