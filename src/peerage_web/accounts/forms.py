"""What somebody who is signed in can change."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser


class NewPassword(forms.Form):
    """The old password, and the new one twice."""

    old = forms.CharField(
        label="Your password now",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    new = forms.CharField(
        label="The new one",
        strip=False,
        help_text="Ten characters or more; a few words are easy to keep in mind.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label="The new one again",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: AbstractBaseUser | AnonymousUser, data: Any = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_old(self) -> str:
        """Whoever finds a browser open cannot take the account over."""
        if not self.user.check_password(self.cleaned_data["old"]):
            raise forms.ValidationError("This is not your password.")
        return str(self.cleaned_data["old"])

    def clean_again(self) -> str:
        """Two different ones are a slip."""
        if self.cleaned_data["again"] != self.cleaned_data.get("new"):
            raise forms.ValidationError("These two are not the same.")
        return str(self.cleaned_data["again"])
