"""Which assignment a link opens: inside the platform's frame, where no cookie is needed."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course
from peerage_web.classes.courses.services import zones
from peerage_web.classes.visibility import assignments_for
from peerage_web.lti import contexts, deep_linking
from peerage_web.lti.access import for_platforms, speak
from peerage_web.lti.models import LtiPicking, origin_of
from peerage_web.lti.people import PlatformUser
from peerage_web.lti.platform_views import in_frame, is_from_our_page, lead_on
from peerage_web.shared.errors import Refused


@for_platforms("a key of an hour, made for staff by a launch", "GET", "POST")
def pick(request: HttpRequest, picking: str) -> HttpResponse:
    """Connect the course, if need be; then choose an assignment, or make one."""
    asked = deep_linking.find_picking(key=picking)
    if asked is None:
        raise Http404
    speak(asked.language)
    if request.method != "POST":
        return _page(request, asked)
    try:
        if not is_from_our_page(request):
            raise Refused(_("This form did not come from our page. Start again from your course."))
        if asked.context.course is None and "join" in request.POST:
            return _open(request, asked, reverse("lti-join"))
        if asked.context.course is None:
            _connect(request, asked)
            return _carry_on(request, asked)
        return _choose(request, asked)
    except Refused as error:
        return _page(request, asked, str(error))


def _page(request: HttpRequest, asked: LtiPicking, refused: str = "") -> HttpResponse:
    context: dict[str, Any] = {"asked": asked, "refused": refused}
    if asked.context.course is None:
        context["courses"] = contexts.courses_to_connect(asked.person)
        named = request.POST.get("time_zone") or request.GET.get("zone", "")
        context |= {"zones": zones(), "zone": named[:60], "guess": not named}
    else:
        try:
            context["assignments"] = assignments_for(deep_linking.member_of(asked))
        except Refused as error:
            context |= {"refused": str(error), "closed": True}
    page = render(request, "lti/picking.html", context, status=422 if context["refused"] else 200)
    return in_frame(page, asked.context.deployment.registration)


def _connect(request: HttpRequest, asked: LtiPicking) -> None:
    user = PlatformUser(asked.subject, name=asked.person.name)
    named = request.POST.get("course", "")[:32]
    if not named:
        name = request.POST.get("name", "").replace("\0", "") or asked.context.title
        contexts.connect_new(
            context=asked.context,
            by=asked.person,
            user=user,
            name=name,
            language=asked.language,
            time_zone=request.POST.get("time_zone", "UTC").strip()[:60],
        )
        return
    chosen = [course for course in contexts.courses_to_connect(asked.person) if course.key == named]
    if not chosen:
        raise Refused(_("Choose one of your courses."))
    contexts.connect(context=asked.context, course=chosen[0], by=asked.person, user=user)


def _carry_on(request: HttpRequest, asked: LtiPicking) -> HttpResponse:
    """Connected: a link that says what it stands for opens that, and others are asked about."""
    assignment = deep_linking.carried_along(picking=asked)
    if assignment is None:
        return redirect("lti-pick", asked.key)
    deep_linking.answer(picking=asked, assignment=assignment)
    return _open(request, asked, assignment.get_absolute_url())


def _choose(request: HttpRequest, asked: LtiPicking) -> HttpResponse:
    course = asked.context.course
    assert course is not None
    if "whole" in request.POST and not asked.return_url:  # the course, and no assignment yet
        deep_linking.member_of(asked)
        return _open(request, asked, reverse("course", args=[course.key]))
    assignment = _assignment(request, asked, course)
    token = deep_linking.answer(picking=asked, assignment=assignment)
    if not token:
        return _open(request, asked, assignment.get_absolute_url())
    page = render(request, "lti/answering.html", {"asked": asked, "token": token, "assignment": assignment})
    registration = asked.context.deployment.registration
    return in_frame(page, registration, forms=[origin_of(asked.return_url)])


def _assignment(request: HttpRequest, asked: LtiPicking, course: Course) -> Assignment:
    named = request.POST.get("assignment", "")[:32].replace("\0", "")
    if named and named != "new":
        assignment = assignments_for(deep_linking.member_of(asked)).filter(key=named).first()
        if assignment is None:
            raise Refused(_("Choose one of the assignments in this course."))
        return assignment
    title = request.POST.get("title", "").replace("\0", "").strip() or asked.link_title
    if not title:
        raise Refused(_("Choose an assignment or enter a title for a new one."))
    return deep_linking.new_assignment(picking=asked, title=title)


def _open(request: HttpRequest, asked: LtiPicking, path: str) -> HttpResponse:
    registration = asked.context.deployment.registration
    return lead_on(request, person=asked.person, registration=registration, path=path, framed=asked.framed)
