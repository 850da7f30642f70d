"""Why one item stands where it stands."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerage.errors import DataError
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.views.access import done_or_404, open_to_visitors
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal


@require_safe
@open_to_visitors
def explain(request: HttpRequest, key: str) -> HttpResponse:
    """The explanation of `?item=…&task=…`: a page, or for the result page's script the part that matters."""
    job = done_or_404(request, key)
    item, task = request.GET.get("item", ""), request.GET.get("task")
    context = {"job": job, "item": item, "task": task}
    try:
        found = explain_job_item(job=job, item=item, task=task)
    except Refused as refused:
        return mark_refusal(_shown(request, {**context, "problem": str(refused)}), refused)
    except SandboxError as error:
        problem = describe_problem(error)["detail"]
        return _shown(request, {**context, "problem": problem}, HTTPStatus.UNPROCESSABLE_ENTITY)
    except DataError:  # the file itself was good enough to be graded
        raise Http404("no such item") from None
    return _shown(request, context | in_order(found))


def in_order(found: dict[str, Any]) -> dict[str, Any]:
    """The sentences on the whole, then each list's doing with its sentence."""
    on_the_whole = len(found["sentences"]) - len(found["lists"])
    changes = (_signed(one["score_change"]) for one in found["lists"])
    return {
        "method": found["method"],
        "lead": found["sentences"][:on_the_whole],
        "reviews": list(zip(changes, found["sentences"][on_the_whole:], strict=True)),
    }


def _signed(change: float) -> str:
    shown = f"{change:+.2f}".replace("-", "\N{MINUS SIGN}")
    return "0.00" if shown.endswith("0.00") else shown


def _shown(request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    part = request.headers.get("HX-Request") == "true"
    template = "files/_explanation.html" if part else "files/result_explanation.html"
    return render(request, template, context, status=status)
