"""Release: the page of staff, a student's own grade, and comments that staff can hide."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.models import Shown
from peerage_web.classes.grading.queries import approved_run, last_run, plan_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases import queries as stepper
from peerage_web.classes.phases.services import release_grades, retract_grades
from peerage_web.classes.release.feedback import (
    SHOWN,
    SORTED,
    feedback_for,
    prepare,
    prepared,
    received,
    reviewers,
    submissions_with_feedback,
)
from peerage_web.classes.release.models import Release, Reply
from peerage_web.classes.release.queries import (
    Line,
    asks_for_ratings,
    current_grade,
    release_page,
    student_grade_view,
    was_taken_back,
)
from peerage_web.classes.release.replies import own_reply
from peerage_web.classes.release.services import (
    RATINGS,
    confirm_run,
    hide_comment,
    rate,
    report_comments,
    show,
    show_comment,
    still_to_rate,
)
from peerage_web.classes.reviewing.models import Comment, SelfReview
from peerage_web.classes.reviewing.self_reviews import own_self_review
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.views.errors import refusal_as_message

PER_PAGE = 50


@allowed(Action.SEE_RELEASE)
def release(request: HttpRequest, here: RequestScope) -> HttpResponse:
    found = release_page(here.assignment)
    only_changed = request.GET.get("show") == "changed" and found.release is not None
    listed = found.changed if only_changed else found.lines
    has_points, has_letters = (any(_has(line, name) for line in found.lines) for name in ("points", "letter"))
    return page(
        request,
        here,
        "release/release",
        found=found,
        lines=Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
        only_changed=only_changed,
        query="show=changed" if only_changed else "",
        next=stepper.next_step(here.assignment) if here.assignment.phase == Phase.CLOSED else None,
        history=Release.objects.filter(assignment=here.assignment).select_related("made_by", "run")[:20],
        rates_first=asks_for_ratings(here.assignment),
        shown=_shown(found.shown, has_points, has_letters),
        has_points=has_points,
        has_letters=has_letters,
    )


def _shown(shown: list[str], has_points: bool, has_letters: bool) -> list[str]:
    """What students see of a grade, as far as there is something to see."""
    there = {
        Shown.POINTS: has_points,
        Shown.INTERVAL: has_points,
        Shown.LETTER: has_letters,
        Shown.CHANCE: has_letters,
        Shown.STANDING: True,
    }
    return [str(what.label) for what in Shown if what.value in shown and there[what]]


def _has(line: Line, name: str) -> bool:
    """Whether the table needs this column for them."""
    grades = [grade for grade in (line.now, line.then) if grade is not None]
    return any(getattr(grade, name) not in (None, "") for grade in grades)


@allowed(Action.RELEASE, "POST")
def release_now(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Release what was shown; again, with a reason, where grades are out already."""
    run = request.POST.get("run", "")
    confirmed = "confirmed" in request.POST
    number = int(run) if run.isascii() and run.isdigit() and len(run) < 6 else 0
    if "on_date" in request.POST and confirmed:
        return _confirm(request, here, number)
    with refusal_as_message(request):
        release_grades(
            assignment=here.assignment,
            by=here.person,
            run=number,
            why=request.POST.get("why", "").replace("\0", "").strip()[:300],
            confirmed=confirmed,
        )
        messages.success(request, _("The grades are released. Students will be notified by e-mail."))
    return redirect("release", here.course.key, here.assignment.key)


def _confirm(request: HttpRequest, here: RequestScope, number: int) -> HttpResponse:
    """The grades are meant as they are, and their date releases them."""
    run = approved_run(here.assignment)
    if run is None or run.number != number:
        messages.error(request, _("Another run has been approved in the meantime. Check its grades first."))
    else:
        confirm_run(run=run, by=here.person)
        messages.success(request, _("Confirmed. The grades will be released on the set date."))
    return redirect("release", here.course.key, here.assignment.key)


@allowed(Action.RELEASE, "POST")
def retract(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        retract_grades(assignment=here.assignment, by=here.person)
        messages.success(request, _("Students no longer see their grades. Nothing was deleted."))
    return redirect("release", here.course.key, here.assignment.key)


@allowed(Action.SEE_RELEASE)
def as_student(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """The page of one student: what they see now or, before the release, what they will see."""
    member: Membership = here.objects["member"]
    if member.role != Role.STUDENT:
        raise Http404
    release, asks = release_page(here.assignment), asks_for_ratings(here.assignment)
    line = release.line_of(member)
    shown = line.now or line.then
    context: dict[str, Any] = {
        "as_student": member,
        "has_grades": bool(release.lines),
        "release": line.now.release if line.now is not None else None,
    }
    run = line.now.release.run if line.now is not None else release.run
    content = None
    if line.now is not None:
        content = prepared(line.now)
    elif line.then is not None and run is not None:
        (content,) = prepare([line.then], run)
    received = feedback_for(member.pk, content) if content is not None else []
    to_rate = sum(bool(feedback.shown) for feedback in received) if asks else 0
    if shown is None or content is None or (to_rate and request.GET.get("stage") == "rate"):
        return page(
            request,
            here,
            "release/rate",
            received=received,
            waiting=shown,
            ratings=RATINGS,
            counts=bool(plan_of(here.assignment).helpfulness_weight),
            **context,
        )
    assert run is not None  # what is shown comes from one
    return page(
        request,
        here,
        "release/grade",
        view=student_grade_view(shown, run, content),
        received=received,
        rates_first=to_rate,
        own_reply=own_reply(line.now, received) if line.now is not None else None,
        self_review=own_self_review(here.assignment, member),
        **context,
    )


# -- A student's own grade. First comments are rated, then it is shown ---------------------------------


_WORDS = frozenset(str(rating) for rating in RATINGS)


@allowed(Action.SEE_OWN_GRADE)
def grade(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What is still to be rated; or the grade, the feedback and how the reviewing went."""
    return grade_page(request, here)


def grade_page(request: HttpRequest, here: RequestScope, status: int = 200, **context: Any) -> HttpResponse:
    """The page of one's own grade; `context` says what could not be taken of a form on it."""
    waiting = current_grade(here.assignment, here.member)
    content = prepared(waiting) if waiting is not None else None
    received = feedback_for(here.member.pk, content) if content is not None else []
    shown = show(waiting, received) if waiting is not None else None
    if shown is not None and content is not None:
        return page(
            request,
            here,
            "release/grade",
            status,
            view=student_grade_view(shown, shown.release.run, content),
            received=received,
            release=shown.release,
            own_reply=own_reply(shown, received),
            self_review=own_self_review(here.assignment, here.member),
            **context,
        )
    return page(
        request,
        here,
        "release/rate",
        status,
        received=received,
        waiting=waiting,
        ratings=RATINGS,
        counts=bool(plan_of(here.assignment).helpfulness_weight),
    )


def own_grade(here: RequestScope) -> dict[str, Any] | None:
    """What the page of an assignment says of the reader's grade: never the grade before it was shown."""
    if not here.may(Action.SEE_OWN_GRADE):
        return {"taken_back": True} if was_taken_back(here.assignment, here.member) else None
    grade = current_grade(here.assignment, here.member)
    to_rate = len(still_to_rate(grade)) if grade is not None else 0
    return {"grade": grade, "to_rate": to_rate, "is_new": grade is not None and grade.seen_at is None}


@allowed(Action.REPORT_COMMENT, "POST")
def report(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Tell staff what a reviewer wrote."""
    handle, text = (request.POST.get(name, "").replace("\0", "") for name in ("review", "text"))
    with refusal_as_message(request):
        report_comments(assignment=here.assignment, member=here.member, handle=handle, text=text)
        messages.success(request, _("Thank you. Staff will look at the comments."))
    return redirect("grade", here.course.key, here.assignment.key)


@allowed(Action.RATE_HELPFULNESS, "POST")
def rate_comments(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Keep what was rated; the grade follows once nothing is left."""
    sent = {name: str(text) for name, text in request.POST.items() if name.startswith("rate-")}
    ratings = {name[5:]: int(text) for name, text in sent.items() if text in _WORDS}
    with refusal_as_message(request):
        is_complete = rate(assignment=here.assignment, member=here.member, ratings=ratings)
        if not is_complete and asks_for_ratings(here.assignment):
            messages.warning(request, _("Your ratings are saved. Some comments still need a rating."))
    return redirect("grade", here.course.key, here.assignment.key)


# -- Comments on submissions, for staff; hiding one and showing it again; reviewers in one list


SUBMISSIONS_PER_PAGE, PEOPLE_PER_PAGE = 10, 50  # with what four or five reviewers wrote of each


@allowed(Action.HIDE_COMMENT)
def feedback(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Submission by submission, with who wrote what and how helpful it was found."""
    show, search = request.GET.get("show", ""), plain(request.GET.get("search", ""))
    show = show if show in SHOWN else ""
    submissions = submissions_with_feedback(here.assignment, show, search)
    listed = Paginator(submissions, SUBMISSIONS_PER_PAGE).get_page(request.GET.get("page"))
    written = received(list(listed))
    replies = {
        reply.submission_id: reply
        for reply in Reply.objects.filter(submission__in=list(listed)).select_related(
            "hidden_by", "reported_by__person"
        )
    }
    asked = request.GET.copy()
    asked.pop("page", None)
    return page(
        request,
        here,
        "release/feedback",
        listed=listed,
        submissions=[
            (submission, written[submission.pk], replies.get(submission.pk)) for submission in listed
        ],
        self_reviews=SelfReview.objects.filter(submission__in=list(listed))
        .select_related("membership__person")
        .order_by("pk"),
        show=show,
        search=search,
        query=asked.urlencode(),
    )


@allowed(Action.HIDE_COMMENT, "POST")
def hide(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        hide_comment(
            comment=_comment(here),
            by=here.person,
            reason=request.POST.get("reason", "").replace("\0", "").strip()[:300],
        )
        messages.success(request, _("The comment is now hidden. The activity log shows who hid it and why."))
    return _back(request, here)


@allowed(Action.HIDE_COMMENT, "POST")
def show_again(request: HttpRequest, here: RequestScope) -> HttpResponse:
    show_comment(comment=_comment(here), by=here.person)
    messages.success(request, _("The comment is visible again."))
    return _back(request, here)


def _comment(here: RequestScope) -> Comment:
    comment: Comment = here.objects["comment"]
    if comment.review.assignment_id != here.assignment.pk:
        raise Http404
    return comment


def _back(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """To the page of the list that the form was on."""
    to = reverse("feedback", args=[here.course.key, here.assignment.key])
    asked = request.POST.get("back", "").replace("\0", "")
    return redirect(f"{to}?{asked}" if asked and len(asked) < 500 else to)


@allowed(Action.SEE_RELEASE)
def reviewers_list(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Reviewers, with how helpful they were beside how reliable they are."""
    sort = request.GET.get("sort", "")
    sort = sort if sort in SORTED else "name"
    rows = reviewers(here.assignment, sort)
    return page(
        request,
        here,
        "release/reviewers",
        rows=Paginator(rows, PEOPLE_PER_PAGE).get_page(request.GET.get("page")),
        sort=sort,
        query=f"sort={sort}" if sort != "name" else "",
        run=approved_run(here.assignment) or last_run(here.assignment),
    )
