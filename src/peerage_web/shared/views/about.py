"""What is kept, for how long, and what the limits are."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """The page on privacy and limits."""
    return render(request, "shared/privacy.html")


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """What to give, what to look at, what the grades mean."""
    return render(request, "shared/help.html")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """No page here is for search engines."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain; charset=utf-8")
