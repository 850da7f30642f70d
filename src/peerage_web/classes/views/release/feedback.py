"""What was written about works, for staff; hiding a comment and showing it again; reviewers in one list."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.classes.models import Comment
from peerage_web.classes.queries.grading.runs import approved_run, last_run
from peerage_web.classes.queries.release.feedback import received
from peerage_web.classes.queries.release.staff_lists import (
    SHOWN,
    SORTED,
    reviewers,
    works_with_feedback,
)
from peerage_web.classes.rules import Action
from peerage_web.classes.services.release.hiding import hide_comment, show_comment
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page, plain
from peerage_web.shared.errors import Refused

WORKS_PER_PAGE, PEOPLE_PER_PAGE = 20, 50


@allowed(Action.HIDE_COMMENT)
def feedback(request: HttpRequest, here: Here) -> HttpResponse:
    """Work by work, with who wrote what and how helpful it was found."""
    show, search = request.GET.get("show", ""), plain(request.GET.get("search", ""))
    show = show if show in SHOWN else ""
    works = works_with_feedback(here.assignment, show, search)
    listed = Paginator(works, WORKS_PER_PAGE).get_page(request.GET.get("page"))
    written = received(list(listed))
    asked = request.GET.copy()
    asked.pop("page", None)
    return page(
        request,
        here,
        "release/feedback",
        listed=listed,
        works=[(work, written[work.pk]) for work in listed],
        show=show,
        search=search,
        query=asked.urlencode(),
    )


@allowed(Action.HIDE_COMMENT, "POST")
def hide(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep a comment from its author."""
    try:
        hide_comment(
            comment=_comment(here),
            by=here.person,
            reason=request.POST.get("reason", "").replace("\0", "").strip()[:300],
        )
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The comment is hidden. The record has it."))
    return _back(request, here)


@allowed(Action.HIDE_COMMENT, "POST")
def show_again(request: HttpRequest, here: Here) -> HttpResponse:
    """Let its author read it."""
    show_comment(comment=_comment(here), by=here.person)
    messages.success(request, _("The comment is shown again."))
    return _back(request, here)


def _comment(here: Here) -> Comment:
    comment: Comment = here.objects["comment"]
    if comment.review.assignment_id != here.assignment.pk:
        raise Http404
    return comment


def _back(request: HttpRequest, here: Here) -> HttpResponse:
    """To the page of the list that the form was on."""
    to = reverse("feedback", args=[here.course.key, here.assignment.key])
    asked = request.POST.get("back", "").replace("\0", "")
    return redirect(f"{to}?{asked}" if asked and len(asked) < 500 else to)


@allowed(Action.SEE_RELEASE)
def reviewers_list(request: HttpRequest, here: Here) -> HttpResponse:
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
