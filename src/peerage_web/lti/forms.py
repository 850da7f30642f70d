"""What those who run the service write about a platform."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from peerage_web.lti.models import LtiRegistration, origin_of


class RegistrationForm(forms.ModelForm):  # type: ignore[type-arg]
    """One client of one platform."""

    deployments = forms.CharField(
        label=_("Deployments that are approved"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One deployment id per line. Others wait for your approval when they first launch."),
    )
    origins = forms.CharField(
        label=_("Other addresses of the platform"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "One per line, where people see the platform under another name than above, as in"
            " https://school.instructure.com. Only these may show Peerage in a frame."
        ),
    )

    class Meta:
        model = LtiRegistration
        fields = ["name", "issuer", "client_id", "auth_url", "token_url", "jwks_url", "token_audience"]
        labels = {
            "name": _("Name, for your lists"),
            "issuer": _("Issuer (platform id)"),
            "client_id": _("Client id"),
            "auth_url": _("Address of authentication requests"),
            "token_url": _("Address of access tokens"),
            "jwks_url": _("Address of the public keys (JWKS)"),
            "token_audience": _("Audience of access tokens"),
        }
        help_texts = {"token_audience": _("Leave it empty unless the platform names one (Brightspace does).")}

    def clean_origins(self) -> list[str]:
        """Origins, and nothing else."""
        lines = [line.strip() for line in self.cleaned_data["origins"].splitlines() if line.strip()]
        wrong = [line for line in lines if not origin_of(line)]
        if wrong:
            text = _("%(value)s is no address; write it as https://school.instructure.com")
            raise forms.ValidationError(text % {"value": wrong[0]})
        return [origin_of(line) for line in lines]

    def clean_deployments(self) -> list[str]:
        """Names as the platform has them."""
        lines = self.cleaned_data["deployments"].splitlines()
        return list(dict.fromkeys(line.strip()[:255] for line in lines if line.strip()))
