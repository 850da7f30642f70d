"""What those who run the service write about a platform."""

from django import forms
from django.utils.translation import gettext_lazy as _

from peerage_web.lti.models import LtiRegistration, origin_of


class JoinForm(forms.Form):
    """The account with an e-mail address, proved by its password."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    password = forms.CharField(
        label=_("Password"),
        max_length=1000,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    sure = forms.BooleanField(
        label=_(
            "Both accounts are mine. From now on, my learning platform signs me in to this e-mail account."
        )
    )


class RegistrationForm(forms.ModelForm):  # type: ignore[type-arg]
    deployments = forms.CharField(
        label=_("Approved deployments"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "One deployment ID per line. Other deployments need your approval after their first launch."
        ),
    )
    origins = forms.CharField(
        label=_("Other platform addresses"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_(
            "One per line. Enter the addresses at which people use the platform, if they differ "
            "from those above. Example: https://school.instructure.com. Only these addresses may "
            "show Peerage in a frame."
        ),
    )

    class Meta:
        model = LtiRegistration
        fields = ["name", "issuer", "client_id", "auth_url", "token_url", "jwks_url", "token_audience"]
        labels = {
            "name": _("Display name"),
            "issuer": _("Issuer (platform ID)"),
            "client_id": _("Client ID"),
            "auth_url": _("Authentication request URL"),
            "token_url": _("Access token URL"),
            "jwks_url": _("Public keyset URL (JWKS)"),
            "token_audience": _("Access token audience"),
        }
        help_texts = {
            "token_audience": _("Leave this empty unless the platform specifies one, as Brightspace does.")
        }

    def clean_origins(self) -> list[str]:
        """Origins, and nothing else."""
        lines = [line.strip() for line in self.cleaned_data["origins"].splitlines() if line.strip()]
        wrong = [line for line in lines if not origin_of(line)]
        if wrong:
            text = _("%(value)s is not a valid address. Write it like this: https://school.instructure.com")
            raise forms.ValidationError(text % {"value": wrong[0]})
        return [origin_of(line) for line in lines]

    def clean_deployments(self) -> list[str]:
        """Names as the platform has them."""
        lines = self.cleaned_data["deployments"].splitlines()
        return list(dict.fromkeys(line.strip()[:255] for line in lines if line.strip()))
