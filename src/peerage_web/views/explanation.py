"""Why one item stands where it stands."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerage.errors import DataError, PeerageError
from peerage_web.problems import problem_of
from peerage_web.sandbox import SandboxError
from peerage_web.services.errors import Refused
from peerage_web.views.access import open_to_visitors
from peerage_web.views.errors import mark_refusal
from peerage_web.views.stored import done_or_404


@require_safe
@open_to_visitors
def explain(request: HttpRequest, key: str) -> HttpResponse:
    """The explanation of `?item=…&task=…`: a page, or for the result page's script the part that matters."""
    from peerage_web.services.explaining import explain_item

    job = done_or_404(request, key)
    item, task = request.GET.get("item", ""), request.GET.get("task")
    context: dict[str, Any] = {"job": job, "item": item, "task": task}
    try:
        context["found"] = _in_order(explain_item(job=job, item=item, task=task))
    except Refused as refused:
        return mark_refusal(_shown(request, {**context, "refused": str(refused)}), refused)
    except DataError as error:
        raise Http404 from error  # no such item or task
    except (PeerageError, SandboxError) as error:
        problem = {**context, "refused": problem_of(error)["detail"]}
        return _shown(request, problem, HTTPStatus.UNPROCESSABLE_ENTITY)
    return _shown(request, context)


def _in_order(found: dict[str, Any]) -> dict[str, Any]:
    """The sentences on the whole, then each list with its sentence."""
    on_the_whole = len(found["sentences"]) - len(found["lists"])
    lists = zip(found["lists"], found["sentences"][on_the_whole:], strict=True)
    return {**found, "lead": found["sentences"][:on_the_whole], "reviews": list(lists)}


def _shown(request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    whole = request.headers.get("HX-Request") != "true"
    template = "peerage_web/result_explanation.html" if whole else "peerage_web/_explanation.html"
    return render(request, template, context, status=status)
