"""A person's data: downloading it, and erasing the person from a course."""

from __future__ import annotations

import json

from django.contrib import messages
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.rules import Action
from peerage_web.classes.services.erasure import erase_member, export_member
from peerage_web.classes.views.access import Here, allowed
from peerage_web.shared.errors import Refused


@allowed(Action.EXPORT_PERSON)
def export(request: HttpRequest, here: Here) -> HttpResponse:
    """Everything about somebody, as JSON."""
    found = export_member(member=here.objects["member"])
    text = json.dumps(found, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)
    name = f"person-{here.objects['member'].pk}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json; charset=utf-8", headers=headers)


@allowed(Action.ERASE_PERSON, "POST")
def erase(request: HttpRequest, here: Here) -> HttpResponse:
    """Erase somebody from the course; the tick says that it is meant."""
    member = here.objects["member"]
    if "sure" not in request.POST:
        messages.error(request, _("Tick that you are sure: it cannot be undone."))
        return redirect("member", here.course.key, member.pk)
    try:
        erase_member(member=member, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("member", here.course.key, member.pk)
    messages.success(request, _("Erased. Works and judgements stay, without a name."))
    return redirect("people", here.course.key)
