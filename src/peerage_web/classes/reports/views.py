"""Submissions that cannot be reviewed: a reviewer reports one, staff settle it."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page
from peerage_web.classes.allocation import matrix as queries
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.permissions import Action
from peerage_web.classes.replies.queries import reported_replies
from peerage_web.classes.reports import services
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused


class ReportForm(forms.Form):
    """Why a submission cannot be reviewed."""

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
        answer = services.report_submission(review=review, by=here.person, **form.cleaned_data)
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
    """What was reported, and what is out."""
    return page(
        request,
        here,
        "reports/reports",
        submissions=queries.reported_submissions(here.assignment),
        replies=reported_replies(here.assignment),
    )


@allowed(Action.EXCLUDE_SUBMISSION, "POST")
def settle(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Put a submission back in, or keep it out."""
    submission: Submission = here.objects["submission"]
    decision = request.POST.get("decision", "")
    if decision == "in":
        services.include_submission(submission=submission, by=here.person)
        messages.success(request, _("The submission is included."))
    elif decision == "out":
        services.exclude_submission(submission=submission, by=here.person)
        messages.success(
            request, _("The submission is excluded. Its reviewers get another one, if one is left.")
        )
    else:
        messages.error(request, _("Choose whether to include or exclude the submission."))
    return redirect("allocation-reports", here.course.key, here.assignment.key)
