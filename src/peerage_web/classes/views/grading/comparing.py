"""Two runs side by side."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from peerage_web.classes.models import GradingRun
from peerage_web.classes.queries.grading.comparing import compare_runs
from peerage_web.classes.queries.grading.runs import others_than
from peerage_web.classes.queries.grading.tables import names_of_works
from peerage_web.classes.rules import Action
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page


@allowed(Action.SEE_GRADES)
def compare(request: HttpRequest, here: Here) -> HttpResponse:
    """`?with=`: the number of an earlier run; who moved since, how far, and why."""
    run: GradingRun = here.objects["run"]
    others = others_than(run)
    if run.drawn_at is None or not others:
        return redirect("grading-run", here.course.key, here.assignment.key, run.key)
    wanted = request.GET.get("with", "")
    before = next((one for one in others if str(one.number) == wanted), others[0])
    return page(
        request,
        here,
        "grading/compare",
        run=run,
        before=before,
        others=others,
        compared=compare_runs(before, run),
        names=names_of_works(here.assignment),
    )
