"""The page on which an author reviews the own submission."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.self_reviews.queries import SelfReviewSheet, self_review_sheet
from peerage_web.classes.self_reviews.services import save_self_review
from peerage_web.shared.errors import Refused


class SelfReviewForm(forms.Form):
    """A rank among the others, and why."""

    rank = forms.TypedChoiceField(
        label=gettext_lazy("Where does your own submission belong?"), coerce=int, widget=forms.RadioSelect
    )
    comment = forms.CharField(
        label=gettext_lazy("What is good about your submission, and what would make it better?"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def __init__(self, *args: Any, sheet: SelfReviewSheet, **named: Any) -> None:
        super().__init__(*args, **named)
        rank: Any = self.fields["rank"]
        rank.choices = list(enumerate(_choices(sheet.tiers), start=1))


def _choices(tiers: list[list[str]]) -> list[str]:
    """One between any two neighbours of the ranking, and one at each end."""
    names = [" = ".join(tier) for tier in tiers]
    if not names:
        return [_("Rank 1")]
    between = [
        _("Rank %(rank)d, between %(above)s and %(below)s") % {"rank": rank, "above": above, "below": below}
        for rank, (above, below) in enumerate(pairwise(names), start=2)
    ]
    first = _("Rank 1, better than %(below)s") % {"below": names[0]}
    last = _("Rank %(rank)d, not as good as %(above)s") % {"rank": len(names) + 1, "above": names[-1]}
    return [first, *between, last]


@allowed(Action.REVIEW_OWN_SUBMISSION, "GET", "POST", keeps_typed=True)
def self_review(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Rank one's own submission among those one reviewed."""
    sheet = self_review_sheet(here.assignment, here.member)
    if sheet is None:
        return page(request, here, "self_reviews/self_review", 409 if request.method == "POST" else 200)
    kept = sheet.kept
    initial = {"rank": kept.rank, "comment": kept.comment} if kept is not None else {}
    form = SelfReviewForm(request.POST or None, initial=initial, sheet=sheet)
    if request.method == "POST" and form.is_valid():
        try:
            save_self_review(assignment=here.assignment, member=here.member, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Your self-review is saved. It does not count for your grade."))
            return redirect("assignment", here.course.key, here.assignment.key)
    status = 422 if form.errors else 200
    return page(request, here, "self_reviews/self_review", status, form=form)
