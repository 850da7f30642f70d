"""No-shows and submissions that cannot be reviewed: who reports what, what would go to whom, and back."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from peerage_web.classes.access import allowed, page
from peerage_web.classes.allocation import matrix
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.allocation.views import RepairForm
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.permissions import Action
from peerage_web.classes.reassignment import lists, services
from peerage_web.classes.reassignment.lists import names_of
from peerage_web.classes.reassignment.reports import exclude_submission, include_submission, report_submission
from peerage_web.classes.reassignment.services import ReassignmentPlan, RepairRequest
from peerage_web.classes.release.models import CommentReport
from peerage_web.classes.release.replies import reported_replies
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal, refusal_as_message

PER_PAGE = 100  # people, each with a tick: a form has room for 200
SHOWN = 200  # lines of a preview


@allowed(Action.REPAIR_ALLOCATION)
def repair(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _repair(request, here, request.GET if "preview" in request.GET else None)


@allowed(Action.REPAIR_ALLOCATION, "POST")
def commit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = RepairForm(request.POST)
    if not form.is_valid():
        return _repair(request, here, request.POST)
    try:
        changes = services.commit_repair(
            assignment=here.assignment,
            wish=_wish(here, request.POST, form),
            by=here.person,
            expected=request.POST.get("fingerprint", ""),
        )
    except Refused as error:
        return _repair(request, here, request.POST, error)
    text = ngettext(
        "%(count)d review was reassigned.", "%(count)d reviews were reassigned.", len(changes.add)
    )
    messages.success(request, text % {"count": len(changes.add)})
    return redirect("allocation", here.course.key, here.assignment.key)


@allowed(Action.REPAIR_ALLOCATION, "POST")
def return_reviews(request: HttpRequest, here: RequestScope) -> HttpResponse:
    member: Membership = here.objects["member"]
    with refusal_as_message(request):
        count = services.return_reviews(assignment=here.assignment, member=member, by=here.person)
        text = ngettext(
            "%(count)d review was returned to %(name)s.",
            "%(count)d reviews were returned to %(name)s.",
            count,
        )
        messages.success(request, text % {"name": member.shown_name, "count": count})
    return redirect("allocation-repair", here.course.key, here.assignment.key)


def _repair(
    request: HttpRequest, here: RequestScope, data: Any, refused: Refused | None = None
) -> HttpResponse:
    assignment = here.assignment
    form = RepairForm(data)
    people = lists.unfinished(assignment)
    context: dict[str, Any] = {
        "form": form,
        "again": RepairForm(data, auto_id=False),  # hidden, below the preview
        "people": Paginator(people, PER_PAGE).get_page(request.GET.get("page")),
        "not_begun": sum(person.is_absent for person in people),
        "released": lists.released(assignment),
        "ticked": _ticked(data) if data is not None else set(),
        "everybody": data is not None and data.get("who") == "not-begun",
    }
    error = refused
    if data is not None and form.is_valid():
        try:
            wish = _wish(here, data, form)
            changes = services.preview_repair(assignment=assignment, wish=wish, by=here.person)
        except Refused as now:
            error = error or now
        else:
            context |= _shown(assignment, changes, wish)
    answer = page(request, here, "reassignment/reassign", **context, refused=str(error or ""))
    if error is not None:
        return mark_refusal(answer, error)
    answer.status_code = 422 if form.errors and data is not None else 200
    return answer


def _ticked(data: Any) -> set[int]:
    return {
        int(value)
        for value in data.getlist("leaving")
        if value.isascii() and value.isdecimal() and len(value) < 19
    }


def _wish(here: RequestScope, data: Any, form: RepairForm) -> RepairRequest:
    """Only people who have not finished can be meant."""
    answers = form.cleaned_data
    people = lists.unfinished(here.assignment)
    ticked = _ticked(data)
    everybody = data.get("who") == "not-begun"
    leaving = {
        person.member for person in people if person.member in ticked or (everybody and person.is_absent)
    }
    return RepairRequest(
        leaving=frozenset(leaving),
        staff_each=answers["staff_each"],
        volunteers=_volunteers(here, answers["volunteers"]),
        volunteers_each=answers["volunteers_each"],
        most_extra=answers["most_extra"],
        ask_finished=answers["ask_finished"],
    )


def _volunteers(here: RequestScope, text: str) -> frozenset[int]:
    """Students by address or number; Refused where one is not there."""
    words = {word.strip().lower() for word in text.splitlines() if word.strip()}
    if not words:
        return frozenset()
    students = Membership.objects.filter(course=here.course, role=Role.STUDENT)
    known = {}
    for pk, email, number in students.values_list("pk", "person__email", "student_id"):
        known[email.lower()] = pk
        known[number.lower()] = pk
    unknown = sorted(word for word in words if word not in known)
    if unknown:
        raise Refused(
            _("These are not students in this course: %(words)s") % {"words": ", ".join(unknown[:10])}
        )
    return frozenset(known[word] for word in words)


def _shown(assignment: Any, changes: ReassignmentPlan, wish: RepairRequest) -> dict[str, Any]:
    listed = changes.add[:SHOWN]
    names = names_of([*(who for who, _submission in listed), *wish.leaving])
    submissions = matrix.submission_names(assignment, {submission for _who, submission in listed})
    return {
        "changes": changes,
        "lines": [(names.get(who, ""), submissions.get(submission, "")) for who, submission in listed],
        "leaving": sorted(wish.leaving),
        "leaving_names": sorted(names.get(member, "") for member in wish.leaving),
        "short": changes.coverage < changes.wanted,
        "most": max(changes.extra.values(), default=0),
        "more": max(len(changes.add) - SHOWN, 0),
    }


# -- submissions that cannot be reviewed ---------------------------------------------------------------


class ReportForm(forms.Form):
    reason = forms.ChoiceField(
        label=gettext_lazy("What is wrong?"),
        choices=Report.Reason.choices,
    )
    text = forms.CharField(
        label=gettext_lazy("More details"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("For staff only."),
    )


@allowed(Action.REPORT_SUBMISSION, "POST")
def report(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Blank, cannot be opened, or known: another submission comes at once."""
    review: Review = here.objects["review"]
    form = ReportForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say what is wrong with the submission."))
        return _back(here)
    try:
        answer = report_submission(review=review, by=here.person, **form.cleaned_data)
    except Refused as error:
        messages.error(request, str(error))
        return _back(here)
    if answer.replacement is not None:
        text = _(
            "Thank you. Submission %(old)s is no longer assigned to you. You now have "
            "submission %(new)s instead."
        )
        messages.success(request, text % {"old": review.label, "new": answer.replacement.label})
    else:
        text = _(
            "Thank you. Submission %(old)s is no longer assigned to you. There is no other "
            "one left, so you have one fewer to review."
        )
        messages.success(request, text % {"old": review.label})
    return _back(here)


def _back(here: RequestScope) -> HttpResponse:
    return redirect("reviews", here.course.key, here.assignment.key)


@allowed(Action.SEE_ALLOCATION)
def reports(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return page(
        request,
        here,
        "reports/reports",
        submissions=matrix.reported_submissions(here.assignment),
        comments=CommentReport.objects.filter(review__assignment=here.assignment, settled_at=None).count(),
        replies=reported_replies(here.assignment),
    )


@allowed(Action.EXCLUDE_SUBMISSION, "POST")
def settle(request: HttpRequest, here: RequestScope) -> HttpResponse:
    submission: Submission = here.objects["submission"]
    decision = request.POST.get("decision", "")
    if decision == "in":
        include_submission(submission=submission, by=here.person)
        messages.success(request, _("The submission is included."))
    elif decision == "out":
        exclude_submission(submission=submission, by=here.person)
        messages.success(
            request, _("The submission is excluded. Its reviewers get another one, if one is left.")
        )
    else:
        messages.error(request, _("Choose whether to include or exclude the submission."))
    return redirect("allocation-reports", here.course.key, here.assignment.key)
