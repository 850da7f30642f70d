"""What people write on the pages of their account."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy as _

from peerage_web.accounts.models import Person


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": _("The e-mail address and password do not match. Check both."),
        "inactive": _("This account is closed."),
    }

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        username = self.fields["username"]
        username.label = _("E-mail address")
        username.widget = forms.EmailInput(
            attrs={"autocomplete": "username", "autofocus": True, "maxlength": 254}
        )
        self.fields["password"].label = _("Password")


class PasswordForm(forms.Form):
    """A new password, typed once: it can be shown, and set again by mail."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 10 characters. Four simple words work well."),
    )


class InvitationForm(PasswordForm):
    name = forms.CharField(
        label=_("Your name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    field_order = ["name", "password"]


class FirstAccountForm(InvitationForm):
    """The account of whoever runs the instance."""

    email = forms.EmailField(
        label=_("E-mail address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    field_order = ["name", "email", "password"]


class SignInLinkForm(forms.Form):
    """Nothing but the button."""


class PasswordChangeForm(forms.Form):
    old = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label=_("New password"),
        strip=False,
        help_text=_("At least 10 characters. Four simple words work well."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Repeat the new password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: Person | AnonymousUser, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_old(self) -> str:
        """Whoever finds a browser open cannot take the account over."""
        if not self.user.check_password(self.cleaned_data["old"]):
            raise forms.ValidationError(_("This is not your current password."))
        return str(self.cleaned_data["old"])

    def clean_again(self) -> str:
        if self.cleaned_data["again"] != self.cleaned_data.get("new"):
            raise forms.ValidationError(_("The two passwords do not match."))
        return str(self.cleaned_data["again"])


class AddressForm(forms.Form):
    """Another address, and the password: whoever finds a browser open cannot take the account over."""

    email = forms.EmailField(
        label=_("New e-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    old = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: Person | AnonymousUser, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_old(self) -> str:
        if not self.user.check_password(self.cleaned_data["old"]):
            raise forms.ValidationError(_("This is not your current password."))
        return str(self.cleaned_data["old"])


class ResetForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class AccountForm(forms.Form):
    name = forms.CharField(
        label=_("Your name"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("Use the browser’s language")), *settings.LANGUAGES],
    )
    wants_reminders = forms.BooleanField(
        label=_("Send me e-mail reminders of what is due in my courses"),
        required=False,
        help_text=_("Staff also get a summary of new appeals and reports, at most once a day."),
    )
