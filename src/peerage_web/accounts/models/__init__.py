"""People, how they prove who they are, what they hold, and the mail they get."""

from peerage_web.accounts.models.links import OneTimeLink
from peerage_web.accounts.models.mail import Mail
from peerage_web.accounts.models.people import Identity, Person
from peerage_web.accounts.models.sessions import SignIn
from peerage_web.accounts.models.tokens import ApiToken

__all__ = ["ApiToken", "Identity", "Mail", "OneTimeLink", "Person", "SignIn"]
