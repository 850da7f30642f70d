"""The documentation, as `make docs` has built it: what *Help* leads to."""

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from django.views.static import serve

from peerage_web.shared.middleware import POLICY

# Its pages are ours alone, load nothing from elsewhere and have no script inside, so scripts are bound as
# everywhere. Styles may be inline: what draws the theme's icons writes one. Nothing else is under /help/.
MANUAL_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'; font-src 'self'")


@require_safe
def manual(request: HttpRequest, page: str = "index.html") -> HttpResponseBase:
    if not settings.MANUAL:
        raise Http404
    try:
        response = serve(request, page, document_root=str(settings.MANUAL))
    except SuspiciousFileOperation:  # an address with `..` in it: nothing is there, and no error of ours
        raise Http404 from None
    response.headers["Content-Security-Policy"] = MANUAL_POLICY
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response
