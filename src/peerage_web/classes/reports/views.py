"""Works that cannot be reviewed: a reviewer reports one, staff settle it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page
from peerage_web.classes.allocation import matrix as queries
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.allocation.views import ReportForm
from peerage_web.classes.permissions import Action
from peerage_web.classes.reports import services
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Work
from peerage_web.shared.errors import Refused


@allowed(Action.REPORT_WORK, "POST")
def report(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Blank, cannot be opened, or known: another work comes at once."""
    review: Review = here.objects["review"]
    form = ReportForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say what is wrong with the submission."))
        return _back(here)
    try:
        answer = services.report_work(review=review, by=here.person, **form.cleaned_data)
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
    return page(request, here, "reports/reports", works=queries.reported_works(here.assignment))


@allowed(Action.TAKE_OUT_WORK, "POST")
def settle(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Put a work back in, or keep it out."""
    work: Work = here.objects["work"]
    decision = request.POST.get("decision", "")
    if decision == "in":
        services.put_back(work=work, by=here.person)
        messages.success(request, _("The submission is included."))
    elif decision == "out":
        services.keep_out(work=work, by=here.person)
        messages.success(
            request, _("The submission is excluded. Its reviewers get another one, if one is left.")
        )
    else:
        messages.error(request, _("Choose whether to include or exclude the submission."))
    return redirect("allocation-reports", here.course.key, here.assignment.key)
