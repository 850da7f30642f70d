"""What accuracy to expect of a number of reviews, beside the field in which it is chosen."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from peerage_web.classes.rules import Action
from peerage_web.classes.services.planning import expected_error
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page


@allowed(Action.CREATE_ASSIGNMENT)
def expected(request: HttpRequest, here: Here) -> HttpResponse:
    """A fragment of the form."""
    given = request.GET.get("reviews_per_student", "")
    reviews = int(given) if given.isascii() and given.isdigit() and len(given) < 4 else 0
    found = expected_error(
        course=here.course, by=here.person, reviews=reviews, in_teams="in_teams" in request.GET
    )
    return page(request, here, "_expected", found=found)
