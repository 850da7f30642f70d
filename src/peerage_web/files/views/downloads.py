"""The files of a result, to take away."""

from __future__ import annotations

from pathlib import Path

from django.http import FileResponse, Http404, HttpRequest
from django.views.decorators.http import require_safe

from peerage_web.files.views.access import done_or_404, open_or_404, open_to_visitors
from peerage_web.sandbox.contract.jobs import RESULT_CONTENT_TYPES, read_result_parts


@require_safe
@open_to_visitors
def download(request: HttpRequest, key: str, name: str) -> FileResponse:
    """One file, named after the file it was made from."""
    job = done_or_404(request, key)
    if name not in RESULT_CONTENT_TYPES:
        raise Http404
    return FileResponse(
        open_or_404(job.results / name),
        as_attachment=True,
        filename=f"{Path(job.file_name).stem}-{name}",
        content_type=RESULT_CONTENT_TYPES[name],
    )


@require_safe
@open_to_visitors
def report(request: HttpRequest, key: str) -> FileResponse:
    """The report in the browser, in a sandbox.

    Whatever is in it, it can reach neither this site and its cookies nor the network; its own style and
    script are let through by their hashes.
    """
    job = done_or_404(request, key)
    file = open_or_404(job.results / "report.html")
    policy = read_result_parts(job.results)["policy"]
    return FileResponse(
        file,
        content_type=RESULT_CONTENT_TYPES["report.html"],
        headers={"Content-Security-Policy": f"sandbox allow-scripts; {policy}; frame-ancestors 'none'"},
    )
