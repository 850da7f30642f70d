"""Signing in and out, links that work once, and one's own account."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerage_web.accounts import forms
from peerage_web.accounts.forms import AccountForm, PasswordChangeForm, SignInForm
from peerage_web.accounts.models import OneTimeLink, Person, SignIn
from peerage_web.accounts.services import sign_in
from peerage_web.accounts.services.links import (
    find_link,
    request_new_address,
    request_password_reset,
    use_link,
)
from peerage_web.accounts.services.mail import find_unsubscriber, turn_reminders
from peerage_web.accounts.services.sign_in import (
    KNOWN_DAYS,
    TooManyGuesses,
    begin_session,
    count_guess,
    count_old_password,
    delete_sign_in,
    forget_guess,
    make_browser_mark,
)
from peerage_web.accounts.services.users import set_password
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of

View = Callable[..., HttpResponseBase]


def where_people_sign_in(view: View) -> View:
    """On an instance without accounts there is nothing at such an address."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if settings.GRADE_A_FILE != "sign-in" and not settings.CLASSES:
            raise Http404
        return view(request, *args, **named)

    return guarded


def person_of(request: HttpRequest) -> Person:
    """Who has signed in; for views that nobody else reaches."""
    if not isinstance(request.user, Person):
        raise Http404
    return request.user


MARK = "known"  # the cookie of a browser in which somebody has signed in before


@method_decorator(where_people_sign_in, name="dispatch")
class SignInView(LoginView):
    template_name = "accounts/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True
    http_method_names = ["get", "head", "post"]  # Django's own also takes PUT for POST

    def get_default_redirect_url(self) -> str:
        """To one's courses, where there are any; else to the first page."""
        return super().get_default_redirect_url() if settings.CLASSES else "/"

    def post(self, request: HttpRequest, *args: str, **named: Any) -> HttpResponse:
        name = request.POST.get("username", "")
        mark = request.COOKIES.get(MARK, "")
        try:
            self.counted = count_guess(name=name, visitor=visitor_of(request), mark=mark)
        except TooManyGuesses as error:
            form = SignInForm(request, initial={"username": name[:254]})
            page = self.render_to_response(self.get_context_data(form=form, refused=str(error)))
            return mark_refusal(page, error)
        return super().post(request, *args, **named)

    def form_valid(self, form: AuthenticationForm) -> HttpResponseRedirect:
        forget_guess(counted=self.counted)
        begin_session(request=self.request, person=form.get_user())
        response = HttpResponseRedirect(self.get_success_url())
        response.set_cookie(
            MARK,
            make_browser_mark(form.get_user().get_username()),
            max_age=KNOWN_DAYS * 24 * 3600,
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
            path="/sign-in",
        )
        return response


@method_decorator(where_people_sign_in, name="dispatch")
class SignOutView(LogoutView):
    def post(self, request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        """The session is off the list, and copies that pages keep on the device are gone, too."""
        delete_sign_in(key=request.session.session_key)
        response = super().post(request, *args, **named)
        response.headers["Clear-Site-Data"] = '"storage"'  # browsers heed it over TLS; see also leaving.js
        return response


Kind = OneTimeLink.Kind
LINK_FORMS: dict[str, type[Any]] = {
    Kind.FIRST: forms.FirstAccountForm,
    Kind.INVITATION: forms.InvitationForm,
    Kind.RESET: forms.PasswordForm,
    Kind.SIGN_IN: forms.SignInLinkForm,
    Kind.EMAIL: forms.SignInLinkForm,
}


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def one_time_link(request: HttpRequest, text: str) -> HttpResponse:
    """Show what it is for; do it when the form is sent. Programs that open links in mail use none up."""
    link = find_link(text=text)
    if link is None:
        return render(request, "accounts/link_gone.html", status=410)
    if link.kind == Kind.EMAIL and link.person != request.user:
        return redirect_to_login(request.get_full_path())
    name = link.person.name if link.person is not None else ""
    sent = request.POST if request.method == "POST" else None  # a button alone sends nothing else
    form = LINK_FORMS[link.kind](sent, initial={"name": name})
    address = link.email or (link.person.email if link.person else "")
    context = {"form": form, "kind": link.kind, "email": address}
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/link.html", context, status=422 if form.errors else 200)
    try:
        person = use_link(text=text, **form.cleaned_data)
    except Refused as error:
        form.add_error("password" if "password" in form.fields else None, str(error))
        return mark_refusal(render(request, "accounts/link.html", context), error)
    if link.kind == Kind.EMAIL:
        messages.success(request, _("Your e-mail address is changed. Sign in with it from now on."))
        return redirect("account")
    begin_session(request=request, person=person)
    return redirect("courses")


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest) -> HttpResponse:
    """Ask for a link that sets another password. The answer does not tell whether there is an account."""
    form = forms.ResetForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/reset.html", {"form": form}, status=422 if form.errors else 200)
    try:
        request_password_reset(email=form.cleaned_data["email"], visitor=visitor_of(request))
    except Refused as error:
        form.add_error(None, str(error))
        return mark_refusal(render(request, "accounts/reset.html", {"form": form}), error)
    text = _("If there is an account with this address, a link is on its way.")
    return render(request, "accounts/reset.html", {"done": text})


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """A new password for the one who is signed in; other browsers are signed out."""
    try:
        counted = count_old_password(person=person_of(request)) if request.method == "POST" else []
    except TooManyGuesses as error:
        context = {"form": PasswordChangeForm(request.user), "refused": str(error)}
        return mark_refusal(render(request, "accounts/password.html", context), error)
    form = PasswordChangeForm(request.user, request.POST or None)
    if "old" not in form.errors:
        forget_guess(counted=counted)
    if form.is_valid():
        try:
            set_password(person=person_of(request), password=form.cleaned_data["new"])
        except Refused as error:
            form.add_error("new", str(error))
        else:
            begin_session(request=request, person=person_of(request))  # this browser stays
            return redirect("password-changed")
    status = 422 if form.errors else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    """Ask for another address; it is changed once the link that goes there is opened."""
    person = person_of(request)
    if person.is_from_elsewhere:
        return redirect("account")
    form = forms.AddressForm(person, request.POST or None)
    try:
        counted = count_old_password(person=person) if request.method == "POST" else []
        if form.is_valid():
            request_new_address(person=person, email=form.cleaned_data["email"])
            text = _("Open the link in the e-mail that we have sent to the new address, within two hours.")
            messages.success(request, text)
    except (TooManyGuesses, Refused) as error:
        context = {"form": forms.AddressForm(person), "refused": str(error)}
        return mark_refusal(render(request, "accounts/address.html", context), error)
    if "old" not in form.errors:
        forget_guess(counted=counted)
    if form.is_valid():
        return redirect("account")
    return render(request, "accounts/address.html", {"form": form}, status=422 if form.errors else 200)


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD"])
def password_changed(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/password_changed.html")


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def account(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    fields = ("name", "language", "wants_reminders")
    form = AccountForm(request.POST or None, initial={name: getattr(person, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        for name in fields:
            setattr(person, name, form.cleaned_data[name])
        person.save(update_fields=fields)
        messages.success(request, _("Saved."))
        return redirect("account")
    context = {
        "form": form,
        "sign_ins": SignIn.objects.filter(person=person),
        "here": request.session.session_key,
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


@where_people_sign_in
@require_POST
@login_required
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    if not sign_in.end_session(person=person_of(request), number=number):
        raise Http404
    messages.success(request, _("That browser has been signed out."))
    return redirect("account")


@where_people_sign_in
@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    sign_in.end_other_sessions(person=person_of(request), but=request.session.session_key)
    messages.success(request, _("All other browsers have been signed out."))
    return redirect("account")


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def reminders_off(request: HttpRequest, text: str) -> HttpResponse:
    """Show a button; sending it turns them off, or on again. Programs that open links turn nothing off."""
    person = find_unsubscriber(text=text)
    if person is None:
        return render(request, "accounts/link_gone.html", status=410)
    if request.method == "POST":
        turn_reminders(person=person, on=request.POST.get("wanted") == "yes")
    return render(request, "accounts/reminders_off.html", {"wanted": person.wants_reminders})
