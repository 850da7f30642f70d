"""The list of announcements for everybody; writing, correcting and withdrawing them for staff."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from peerage_web.accounts.services.mail import has_mail_server
from peerage_web.classes import visibility
from peerage_web.classes.access import allowed, page
from peerage_web.classes.announcements import services
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.announcements.services import announcements_shown
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal, refusal_on

PER_PAGE = 20


class TextForm(forms.Form):
    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=gettext_lazy("Plain text. Do not name students: everybody reads this."),
    )


class AnnouncementForm(TextForm):
    to = forms.ChoiceField(label=gettext_lazy("To"))

    def __init__(self, *args: Any, assignments: list[Assignment], **named: Any) -> None:
        super().__init__(*args, **named)
        self.assignments = {assignment.key: assignment for assignment in assignments}
        to: Any = self.fields["to"]
        to.choices = [("", _("All students")), *(_group(assignment) for assignment in assignments)]
        to.required = False

    @property
    def answers(self) -> dict[str, Any]:
        key, _colon, audience = self.cleaned_data["to"].rpartition(":")
        text = {"title": self.cleaned_data["title"], "text": self.cleaned_data["text"]}
        if not key:
            return text
        return {**text, "assignment": self.assignments[key], "audience": audience}


def _group(assignment: Assignment) -> tuple[str, list[tuple[str, Any]]]:
    audiences = Announcement.Audience.choices
    return assignment.title, [(f"{assignment.key}:{value}", label) for value, label in audiences]


@allowed(Action.SEE_ANNOUNCEMENTS)
def announcements(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here, _form(here) if here.may(Action.ANNOUNCE) else None)


@allowed(Action.ANNOUNCE, "POST", keeps_typed=True)
def announce(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = _form(here, request.POST)
    if not form.is_valid():
        return _page(request, here, form, 422)
    try:
        made = services.announce(course=here.course, by=here.person, **form.answers)
    except Refused as error:
        form.add_error(None, str(error))
        return mark_refusal(_page(request, here, form, 422), error)
    if has_mail_server():
        text = ngettext(
            "The announcement is published. %(count)d e-mail is on its way.",
            "The announcement is published. %(count)d e-mails are on their way.",
            made.recipients,
        )
        messages.success(request, text % {"count": made.recipients})
    else:
        messages.success(
            request,
            _("The announcement is on the course page. This site has no mail server, so no e-mail was sent."),
        )
    return redirect("announcements", here.course.key)


@allowed(Action.ANNOUNCE, "GET", "POST", keeps_typed=True)
def edit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    announcement: Announcement = here.objects["announcement"]
    form = TextForm(request.POST or None, initial={"title": announcement.title, "text": announcement.text})
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.edit_announcement(announcement=announcement, by=here.person, **form.cleaned_data)
            messages.success(request, _("Saved. No e-mail is sent again."))
            return redirect("announcements", here.course.key)
    status = 422 if form.errors else 200
    return page(request, here, "announcements/edit", status, form=form)


@allowed(Action.ANNOUNCE, "POST")
def withdraw(request: HttpRequest, here: RequestScope) -> HttpResponse:
    services.withdraw_announcement(announcement=here.objects["announcement"], by=here.person)
    messages.success(
        request, _("Students no longer see the announcement. E-mails that were sent cannot be taken back.")
    )
    return redirect("announcements", here.course.key)


def _form(here: RequestScope, sent: Any = None) -> AnnouncementForm:
    published = visibility.assignments_for(here.member).exclude(phase="setup")
    return AnnouncementForm(sent, assignments=list(published))


def _page(
    request: HttpRequest, here: RequestScope, form: AnnouncementForm | None, status: int = 200
) -> HttpResponse:
    listed = (
        visibility.announcements_for(here.member) if form is not None else announcements_shown(here.member)
    )
    return page(
        request,
        here,
        "announcements/announcements",
        status,
        form=form,
        listed=Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
    )
