"""Staff judge in a reviewer's place, and their own lists: the same page, under another rule."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes import sentences
from peerage_web.classes.models import Membership, Review
from peerage_web.classes.queries.shown import addresses_of_staff, current_submission, shown_of_submission
from peerage_web.classes.rules import Action
from peerage_web.classes.services import handing_in_rankings as handing_in
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.views.reviews import desk_of, ranking_page, save_for_script, save_form, work_context
from peerage_web.shared.errors import Refused


@allowed(Action.JUDGE_FOR)
def judge(request: HttpRequest, here: Here) -> HttpResponse:
    """A reviewer's list, order and comments, as they have them."""
    return ranking_page(request, here, _reviewer(here))


@allowed(Action.JUDGE_FOR, "POST", keeps_typed=True)
def save(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep what was sent."""
    if request.content_type == "application/json":
        return save_for_script(request, here, _reviewer(here))
    saved = save_form(request, here, _reviewer(here))
    if isinstance(saved, HttpResponse):
        return saved
    messages.success(request, _("Saved. It is not handed in yet."))
    return redirect(desk_of(here, _reviewer(here)).page)


@allowed(Action.JUDGE_FOR, "POST", keeps_typed=True)
def hand_in(request: HttpRequest, here: Here) -> HttpResponse:
    """Hand the ranking in; it counts as the reviewer's, and the record says who did it."""
    reviewer = _reviewer(here)
    saved = save_form(request, here, reviewer)
    if isinstance(saved, HttpResponse):
        return saved
    try:
        handing_in.hand_in_ranking(
            assignment=here.assignment,
            reviewer=reviewer,
            by=here.person,
            action=Action.JUDGE_FOR,
            names_are_fine="names_are_fine" in request.POST,
        )
    except handing_in.Incomplete as error:
        words = [sentences.missing(one.code, one.labels) for one in error.missing]
        return ranking_page(request, here, reviewer, 422, problems=words, problem=str(error))
    except handing_in.NamesFound as error:
        return ranking_page(request, here, reviewer, 422, problem=str(error), names=error.names)
    except Refused as error:
        return ranking_page(request, here, reviewer, 422, problem=str(error))
    text = _("Handed in for %(name)s.") % {"name": reviewer.shown_name}
    messages.success(request, text)
    return redirect("allocation-matrix", here.course.key, here.assignment.key)


@allowed(Action.JUDGE_FOR)
def work(request: HttpRequest, here: Here) -> HttpResponse:
    """One work of the list, as its reviewer sees it, under the addresses of staff."""
    one: Review = here.objects["review"]
    if one.reviewer_id != _reviewer(here).pk:
        raise Http404
    submission = current_submission(one.work)
    seen = shown_of_submission(submission, addresses_of_staff(submission)) if submission is not None else []
    context = {**work_context(one), "shown": seen, "back": desk_of(here, one.reviewer).page}
    template = "_review" if "part" in request.GET else "review"
    return page(request, here, template, **context)


def _reviewer(here: Here) -> Membership:
    member: Membership = here.objects["member"]
    return member
