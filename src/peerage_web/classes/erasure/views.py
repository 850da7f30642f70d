"""A person's data: downloading it, and erasing the person from a course."""

import json
import tempfile
import zipfile

from django.conf import settings as settings
from django.contrib import messages
from django.core.serializers.json import DjangoJSONEncoder
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed
from peerage_web.classes.erasure.services import erase_member, export_member, files_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.sandbox.contract.jobs import safe_name
from peerage_web.shared.errors import Refused


@allowed(Action.EXPORT_PERSON)
def export(request: HttpRequest, here: RequestScope) -> FileResponse:
    """Everything about somebody: a ZIP with what is known as JSON, and their files as they uploaded them."""
    member = here.objects["member"]
    text = json.dumps(export_member(member=member), cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    whole = tempfile.TemporaryFile(dir=settings.INCOMING)  # noqa: SIM115  (the response closes it)
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.json", text)
        for file in files_of(member).select_related("version"):
            original = file.folder / "original"
            if original.is_file():
                archive.write(original, f"files/{file.version.number}-{file.pk}-{safe_name(file.name)}")
    whole.seek(0)
    name = f"person-{member.pk}.zip"
    return FileResponse(whole, as_attachment=True, filename=name, content_type="application/zip")


@allowed(Action.ERASE_PERSON, "POST")
def erase(request: HttpRequest, here: RequestScope) -> HttpResponse:
    member = here.objects["member"]
    if "sure" not in request.POST:
        messages.error(request, _("Tick the box to confirm. This cannot be undone."))
        return redirect("member", here.course.key, member.pk)
    try:
        erase_member(member=member, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("member", here.course.key, member.pk)
    messages.success(request, _("Erased. Submissions and reviews stay, without a name."))
    return redirect("people", here.course.key)
