"""The page of those who run the instance. For everybody else there is no such page."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerage_web.accounts.models import Person
from peerage_web.accounts.views import person_of, where_people_sign_in
from peerage_web.operators import queries, services
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message
from peerage_web.shared.views.pages import readiness_checks


class DiskSpaceForm(forms.Form):
    megabytes = forms.IntegerField(
        label=gettext_lazy("Storage limit (MB)"),
        required=False,
        min_value=1,
        max_value=10**8,
        help_text=gettext_lazy("Leave empty to use the default limit for courses."),
    )


class CourseCreatorForm(forms.Form):
    email = forms.EmailField(label=gettext_lazy("E-mail address"), max_length=254)


PER_PAGE = 50
View = Callable[..., HttpResponseBase]


def operators_only(view: View) -> View:
    """Who is not signed in is led there; for who does not run the instance, the page does not exist."""

    @wraps(view)
    @where_people_sign_in
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login("/operator/")
        if not person_of(request).is_operator:
            raise Http404
        return view(request, *args, **named)

    return guarded


@require_safe
@operators_only
def operator(request: HttpRequest) -> HttpResponse:
    context = {
        "checks": readiness_checks(),
        "queue": queries.queue_summary(),
        "storage": queries.storage_summary(),
        "mail": queries.mail_summary(),
        "backup": queries.last_backup(),
        "deleted": queries.deleted_courses(),
    }
    return render(request, "operators/operator.html", context)


@require_POST
@operators_only
def test_mail(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    with refusal_as_message(request):
        services.send_test_mail(to=person)
        text = _("The mail server accepted an e-mail to %(email)s. Check that it arrives.")
        if queries.mail_summary().folder:
            text = _("There is no mail server, so the e-mail to %(email)s was written as a file.")
        messages.success(request, text % {"email": person.email})
    return redirect("operator")


@require_safe
@operators_only
def courses(request: HttpRequest) -> HttpResponse:
    page = Paginator(queries.courses(), PER_PAGE).get_page(request.GET.get("page"))
    rows = queries.rows_of(list(page.object_list))
    return render(request, "operators/courses.html", {"page": page, "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def course_disk_space(request: HttpRequest, number: int) -> HttpResponse:
    course = get_object_or_404(queries.courses(), pk=number)
    megabytes = course.most_bytes // services.MEGABYTE if course.most_bytes is not None else None
    form = DiskSpaceForm(request.POST or None, initial={"megabytes": megabytes})
    if request.method == "POST" and form.is_valid():
        services.set_disk_space(
            course=course, megabytes=form.cleaned_data["megabytes"], by=person_of(request)
        )
        messages.success(request, _("Saved."))
        return redirect("operator-courses")
    context = {"form": form, "row": queries.rows_of([course])[0]}
    return render(request, "operators/course_room.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@operators_only
def course_creators(request: HttpRequest) -> HttpResponse:
    form = CourseCreatorForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            person = services.allow_creating_courses(email=form.cleaned_data["email"])
        except Refused as error:
            form.add_error("email", str(error))
        else:
            text = _("%(email)s can now create courses.") % {"email": person.email}
            messages.success(request, text)
            return redirect("operator-course-creators")
    context = {"form": form, "people": queries.course_creators()}
    return render(request, "operators/course_creators.html", context, status=422 if form.errors else 200)


@require_POST
@operators_only
def stop_course_creator(request: HttpRequest, number: int) -> HttpResponse:
    with refusal_as_message(request):
        services.stop_creating_courses(person=get_object_or_404(Person, pk=number))
        messages.success(request, _("Saved."))
    return redirect("operator-course-creators")
