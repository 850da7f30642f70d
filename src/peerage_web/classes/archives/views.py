"""A whole course as an archive: out of this instance, and into it."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page
from peerage_web.classes.archives.importing import import_course
from peerage_web.classes.archives.writing import course_archive
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.sandbox.contract.jobs import safe_name
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal


@allowed(Action.EXPORT_COURSE)
def archive(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    name = safe_name(f"{here.course.name}.zip", (), "course.zip").encode("ascii", "replace").decode()
    return StreamingHttpResponse(
        course_archive(course=here.course, by=here.person),
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name.replace("?", "_")}"'},
    )


@allowed(Action.IMPORT_COURSE, "GET", "POST")
def import_(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if not here.person.may_create_courses:
        raise PermissionDenied
    most = settings.LIMITS.archive_bytes >> 20
    upload = request.FILES.get("file")
    if request.method != "POST":
        return page(request, here, "archives/import", most=most)
    if upload is None:
        return page(request, here, "archives/import", 422, most=most, refused=_("Choose a file first."))
    try:
        course = import_course(upload=upload, by=here.person)
    except Refused as error:
        answer = page(request, here, "archives/import", 422, most=most, refused=str(error))
        return mark_refusal(answer, error)
    messages.success(
        request,
        _(
            "Imported. The course is hidden: only staff see it until you show it to students. "
            "Nobody was invited, and dates do not advance anything automatically yet."
        ),
    )
    return redirect(course)
