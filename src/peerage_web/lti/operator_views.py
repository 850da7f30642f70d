"""Pages of those who run the service: platforms, their deployments, our keys, and the outbox."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.views import person_of
from peerage_web.lti import keys, outbox
from peerage_web.lti import registration as registrations
from peerage_web.lti.access import for_operators
from peerage_web.lti.forms import RegistrationForm
from peerage_web.lti.models import LtiDeployment, LtiRegistration
from peerage_web.shared.views.errors import refusal_on

LISTED = 100  # scores that did not arrive


@for_operators("GET")
def platforms(request: HttpRequest) -> HttpResponse:
    context = {
        "registrations": outbox.registrations_with_counts(),
        "waiting_deployments": LtiDeployment.objects.filter(approved_at=None).select_related("registration"),
        "troubled": outbox.troubled_scores()[:LISTED],
        "keys": keys.shown_keys(),
        "addresses": registrations.addresses(),
        "now": timezone.now(),
    }
    return render(request, "lti/platforms.html", context)


@for_operators("GET", "POST")
def new_platform(request: HttpRequest) -> HttpResponse:
    return _edit(request, LtiRegistration())


@for_operators("GET", "POST")
def platform(request: HttpRequest, registration: str) -> HttpResponse:
    return _edit(request, _registration(registration))


def _edit(request: HttpRequest, registration: LtiRegistration) -> HttpResponse:
    approved = registration.deployments.exclude(approved_at=None) if registration.pk else []
    initial = {
        "origins": "\n".join(registration.more_origins),
        "deployments": "\n".join(deployment.deployment_id for deployment in approved),
    }
    form = RegistrationForm(request.POST or None, instance=registration, initial=initial)
    if request.method == "POST" and form.is_valid():
        registration.more_origins = form.cleaned_data["origins"]
        with refusal_on(form):
            registrations.save_registration(
                registration=registration, by=person_of(request), deployments=form.cleaned_data["deployments"]
            )
            messages.success(request, _("Saved."))
            return redirect("lti-platforms")
    context = {"form": form, "one": registration, "addresses": registrations.addresses()}
    return render(request, "lti/platform.html", context, status=422 if form.errors else 200)


@for_operators("POST")
def pause(request: HttpRequest, registration: str) -> HttpResponse:
    """Nothing in, nothing out; and on again. Scores that wait are kept."""
    paused = _registration(registration)
    paused.paused_at = None if paused.paused_at is not None else timezone.now()
    paused.save(update_fields=["paused_at"])
    return redirect("lti-platforms")


@for_operators("POST")
def approve(request: HttpRequest, deployment: int) -> HttpResponse:
    approved = LtiDeployment.objects.select_related("registration").filter(pk=deployment).first()
    if approved is None:
        raise Http404
    registrations.approve_deployment(registration=approved.registration, name=approved.deployment_id)
    messages.success(request, _("Launches from this deployment are now accepted."))
    return redirect("lti-platforms")


@for_operators("POST")
def invite(request: HttpRequest) -> HttpResponse:
    """A link for dynamic registration; shown once."""
    secret = registrations.make_invitation(by=person_of(request))
    link = settings.BASE_URL + reverse("lti-register", args=[secret])
    return render(request, "lti/invitation.html", {"link": link, "days": registrations.INVITATION_LASTS.days})


@for_operators("POST")
def replace_keys(request: HttpRequest) -> HttpResponse:
    """Our keys may have become known to others."""
    keys.replace_keys()
    messages.success(request, _("A new key is now in use. Platforms fetch it automatically."))
    return redirect("lti-platforms")


@for_operators("POST")
def resend(request: HttpRequest, score: int) -> HttpResponse:
    if not outbox.try_again(score=score):
        raise Http404
    messages.success(request, _("Peerage will try again."))
    return redirect("lti-platforms")


def _registration(key: str) -> LtiRegistration:
    registration = LtiRegistration.objects.filter(key=key.replace("\0", "")).first()
    if registration is None:
        raise Http404
    return registration
