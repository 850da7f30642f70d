"""Appeals: the page of a student, and the pages on which staff decide."""

import json
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from peerage_web.classes import visibility
from peerage_web.classes.access import allowed, page
from peerage_web.classes.appeals import queries as lists
from peerage_web.classes.appeals import services
from peerage_web.classes.appeals.models import Appeal
from peerage_web.classes.appeals.queries import own_appeals, window_of
from peerage_web.classes.appeals.services import Preview, preview_appeal, preview_of
from peerage_web.classes.appeals.services import open_for as open_appeal
from peerage_web.classes.grading.inputs import FEWEST_ANCHORS, LABELS
from peerage_web.classes.grading.models import RunGrade
from peerage_web.classes.grading.queries import name_of, plan_of
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.names import by_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases.readiness import students_of
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.texts import APPEAL_CLOSED
from peerage_web.files.views.result import state_of
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message, refusal_on


class AppealForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Why should your grade be reviewed?"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=gettext_lazy("Say what was overlooked or misjudged, and where it is in your submission."),
    )


class OpenForm(forms.Form):
    """One that staff open; the template draws the list of students, which may be long."""

    member = forms.IntegerField(label=gettext_lazy("Student"), min_value=1)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The student sees this."),
    )


class ProposalForm(forms.Form):
    """What staff would give the submission, and whether other grades may follow."""

    points = forms.FloatField(
        label=gettext_lazy("Points you would give the submission"),
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    regrade = forms.BooleanField(
        label=gettext_lazy("Grade the whole class again with these points"),
        required=False,
        help_text=gettext_lazy(
            "Other students’ grades may change, too. Without a tick, only this grade changes."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("For staff only. It is kept with the grade."),
    )


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label=gettext_lazy("Explanation of the decision"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy("The student sees this, but not who wrote it."),
    )


# -- A student's appeals: asking, seeing the answer, taking one back -----------------------------------


@allowed(Action.APPEAL, "GET", "POST", keeps_typed=True)
def appeal(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """All of one's own in this assignment, and a form while there is time."""
    form = AppealForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.ask(assignment=here.assignment, member=here.member, **form.cleaned_data)
            messages.success(
                request,
                _("Your appeal has been submitted. You will be notified by e-mail when there is a decision."),
            )
            return redirect("appeal", here.course.key, here.assignment.key)
    window = window_of(here.assignment, here.member)
    return page(
        request,
        here,
        "appeals/own",
        422 if form.errors else 200,
        form=form,
        window=window,
        closed=APPEAL_CLOSED.get(window.closed, ""),
        appeals=own_appeals(here.assignment, here.member),
    )


@allowed(Action.APPEAL, "POST")
def withdraw(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        services.withdraw(appeal=here.objects["appeal"], by=here.person)
        messages.success(request, _("You have withdrawn your appeal."))
    return redirect("appeal", here.course.key, here.assignment.key)


# -- Appeals as staff see them: the list, the evidence, what an answer would change, and the answer ----


PER_PAGE = 50
LISTED = 50  # who else would move


@allowed(Action.SEE_APPEALS)
def appeals(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _list(request, here, OpenForm())


def _list(request: HttpRequest, here: RequestScope, form: OpenForm) -> HttpResponse:
    listed = Paginator(lists.appeals_of(here.assignment), PER_PAGE).get_page(request.GET.get("page"))
    return page(
        request,
        here,
        "appeals/list",
        422 if form.errors else 200,
        listed=listed,
        form=form,
        students=by_name(students_of(here.assignment).select_related("person")),
        plan=plan_of(here.assignment),
    )


@allowed(Action.DECIDE_APPEAL, "POST")
def open_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = OpenForm(request.POST)
    if not form.is_valid():
        return _list(request, here, form)
    member = visibility.people_for(here.member).filter(pk=form.cleaned_data["member"]).first()
    if member is None:
        raise Http404
    try:
        appeal = open_appeal(
            assignment=here.assignment, member=member, by=here.person, reason=form.cleaned_data["reason"]
        )
    except Refused as error:
        form.add_error(None, str(error))
        return _list(request, here, form)
    messages.success(request, _("The appeal is open. The student will be notified by e-mail."))
    return _to(here, appeal)


@allowed(Action.SEE_APPEALS)
def staff_appeal(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here)


def _page(request: HttpRequest, here: RequestScope, **forms: Any) -> HttpResponse:
    appeal: Appeal = here.objects["appeal"]
    if appeal.preview is not None:
        draw_run(run=appeal.preview)
    is_open = appeal.state == Appeal.State.OPEN
    preview = preview_of(appeal) if is_open else None
    released = ReleasedGrade.objects.filter(
        release=appeal.release_id, membership=appeal.membership_id
    ).first()
    context = {
        "appeal": appeal,
        "is_open": is_open,
        "submission_name": name_of(appeal.submission),
        "released": released,
        "graded": RunGrade.objects.filter(run=appeal.release.run_id, submission=appeal.submission_id).first(),
        "reviewers": lists.reviewers_of(appeal),
        "evidence": _evidence(here, appeal),
        "preview": preview,
        "others": preview.movement.others[:LISTED]
        if preview is not None and preview.movement is not None
        else [],
        "mark": services.mark_of(appeal),
        "fewest": FEWEST_ANCHORS,
        "events": lists.trail_of(appeal),
        "proposal_form": ProposalForm(initial=request.POST.dict() or _proposed(appeal)),
        "answer_form": AnswerForm(initial={"answer": request.POST.get("answer", appeal.proposed_answer)}),
        "plan": plan_of(here.assignment),
        **_progress(appeal, preview),
        **forms,
    }
    return page(
        request,
        here,
        "appeals/appeal",
        422 if any(form.errors for form in forms.values()) else 200,
        **context,
    )


def _progress(appeal: Appeal, preview: Preview | None) -> dict[str, Any]:
    """How far the run is that a preview waits for."""
    if preview is None or preview.state != "waiting" or appeal.preview is None:
        return {}
    return state_of(appeal.preview.job)


def _proposed(appeal: Appeal) -> dict[str, Any]:
    points = "" if appeal.proposed_points is None else f"{appeal.proposed_points:.10g}"
    return {"points": points, "regrade": appeal.regrades, "reason": appeal.proposed_reason}


def _evidence(here: RequestScope, appeal: Appeal) -> str:
    """Where the released run explains this submission; empty where its files are gone."""
    run = appeal.release.run
    try:
        labels = json.loads((run.job.folder / LABELS).read_text(encoding="utf-8"))["submissions"]
    except (OSError, ValueError, KeyError):
        return ""
    label = next((label for label, submission in labels.items() if submission == appeal.submission_id), None)
    if label is None:
        return ""
    path = reverse("grading-explain", args=[here.course.key, here.assignment.key, run.key])
    return f"{path}?{urlencode({'item': label})}"


@allowed(Action.DECIDE_APPEAL, "POST")
def preview(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """See what would change: this grade, or the whole class graded again."""
    form = ProposalForm(request.POST)
    if form.is_valid():
        with refusal_on(form):
            preview_appeal(
                appeal=here.objects["appeal"],
                by=here.person,
                answer=request.POST.get("answer", "")[:5000],
                **form.cleaned_data,
            )
            return _to(here, here.objects["appeal"])
    return _page(request, here, proposal_form=form)


@allowed(Action.RELEASE, "POST")
def accept(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = AnswerForm(request.POST)
    if form.is_valid():
        with refusal_on(form):
            changed = services.accept(
                appeal=here.objects["appeal"],
                by=here.person,
                answer=form.cleaned_data["answer"],
                seen=request.POST.get("seen", ""),
            )
            text = ngettext(
                "Appeal accepted. The grades of %(count)d student have changed and are released.",
                "Appeal accepted. The grades of %(count)d students have changed and are released.",
                changed,
            )
            messages.success(request, text % {"count": changed})
            return _to(here, here.objects["appeal"])
    return _page(request, here, answer_form=form)


@allowed(Action.DECIDE_APPEAL, "POST")
def decline(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = AnswerForm(request.POST)
    if form.is_valid():
        with refusal_on(form):
            services.decline(
                appeal=here.objects["appeal"], by=here.person, answer=form.cleaned_data["answer"]
            )
            messages.success(request, _("Appeal declined. The student will be notified by e-mail."))
            return _to(here, here.objects["appeal"])
    return _page(request, here, answer_form=form)


def _to(here: RequestScope, appeal: Appeal) -> HttpResponse:
    return redirect("appeals-one", here.course.key, here.assignment.key, appeal.key)
