"""Replies: an author writes one, a reviewer reports one, staff hide one."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed
from peerage_web.classes.permissions import Action
from peerage_web.classes.release import replies
from peerage_web.classes.release.models import Reply
from peerage_web.classes.release.views import grade_page
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.names import NamesFound
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message


@allowed(Action.REPLY, "POST", keeps_typed=True)
def reply(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Send it; where that is not possible, the page has the text again."""
    text = _typed(request, "reply").replace("\r\n", "\n")
    try:
        replies.write_reply(
            assignment=here.assignment,
            member=here.member,
            text=text,
            names_are_fine="names_are_fine" in request.POST,
        )
    except NamesFound as error:
        return grade_page(
            request, here, 422, typed_reply=text, reply_problem=str(error), reply_names=error.names
        )
    except Refused as error:
        return grade_page(request, here, 422, typed_reply=text, reply_problem=str(error))
    messages.success(request, _("Your reply is sent. Your reviewers see it without your name."))
    return redirect("grade", here.course.key, here.assignment.key)


@allowed(Action.REPORT_REPLY, "POST")
def report(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        replies.report_reply(review=here.objects["review"], text=_typed(request, "text"), by=here.person)
        messages.success(request, _("Thank you. Staff will look at the reply."))
    return redirect("reviews", here.course.key, here.assignment.key)


@allowed(Action.HIDE_COMMENT, "POST")
def hide(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        replies.hide_reply(reply=_reply(here), by=here.person, reason=_typed(request, "reason"))
        messages.success(request, _("The reply is now hidden. The activity log shows who hid it and why."))
    return _back(request, here)


@allowed(Action.HIDE_COMMENT, "POST")
def show(request: HttpRequest, here: RequestScope) -> HttpResponse:
    replies.show_reply(reply=_reply(here), by=here.person)
    messages.success(request, _("Reviewers can read the reply."))
    return _back(request, here)


def _reply(here: RequestScope) -> Reply:
    for reply in Reply.objects.filter(submission=here.objects["submission"]):
        return reply
    raise Http404


def _typed(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").replace("\0", "")


def _back(request: HttpRequest, here: RequestScope) -> HttpResponse:
    page = "allocation-reports" if request.POST.get("back") == "reports" else "feedback"
    return redirect(page, here.course.key, here.assignment.key)
