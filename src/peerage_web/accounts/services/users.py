"""People who may sign in, where the instance asks for that."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import (
    CommonPasswordValidator,
    MinimumLengthValidator,
    NumericPasswordValidator,
    UserAttributeSimilarityValidator,
    validate_password,
)
from django.core.exceptions import ValidationError

from peerage_web.shared.errors import Refused

SHORTEST = 10  # characters of a password
RULES: list[Any] = [
    MinimumLengthValidator(SHORTEST),
    CommonPasswordValidator(),
    NumericPasswordValidator(),
    UserAttributeSimilarityValidator(["username"]),
]


def add_user(*, name: str, password: str) -> User:
    """Somebody new who may sign in."""
    user = User(username=name.strip())
    try:
        User.username_validator(user.username)
    except ValidationError:
        raise Refused(f"{name!r} cannot be a name: use letters, digits and @ . + - _") from None
    if len(user.username) > 150:
        raise Refused("A name has 150 characters at most.")
    if User.objects.filter(username__iexact=user.username).exists():
        raise Refused(f"There is a user {name!r} already. To change the password: peerage user password")
    _set_password(user, password)
    return user


def change_password(*, name: str, password: str) -> None:
    """A new password; whoever is signed in under this name is signed out."""
    _set_password(find_user(name=name), password)


def find_user(*, name: str) -> User:
    """Who has this name."""
    user = User.objects.filter(username=name.strip()).first()
    if user is None:
        raise Refused(f"There is no user {name!r}. See: peerage user list")
    return user


def _set_password(user: User, password: str) -> None:
    try:
        validate_password(password, user, RULES)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from None
    user.set_password(password)
    user.save()
