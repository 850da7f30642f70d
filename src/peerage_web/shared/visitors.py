"""Who is asking: one idea for every limit and every share.

Where people sign in it is the account, so that colleagues behind one address do not pay for each other; else
the address. Of IPv6 the first 64 bits count, which is what one customer is given. Only a hash of it is kept,
under a key that changes every day: nobody can tell the person from it.
"""

import hashlib
import hmac

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from peerage_web.shared.networks import network_of


def visitor_of(request: HttpRequest) -> str:
    """The same visitor has the same mark for a day; nobody can tell account or address from it."""
    key = f"{settings.SECRET_KEY}:{timezone.now():%Y-%m-%d}".encode()
    who = _account(request) or network_of(address_of(request))
    return hmac.new(key, who.encode(), hashlib.sha256).hexdigest()


def address_of(request: HttpRequest) -> str:
    """Where the request comes from, as far as we can trust that."""
    if settings.PROXY:
        # our proxy appends the address it saw; what stands before it the visitor may have made up
        forwarded: str = request.headers.get("X-Forwarded-For", "")
        if last := forwarded.rpartition(",")[2].strip():
            return last
    return str(request.META.get("REMOTE_ADDR", ""))


def _account(request: HttpRequest) -> str:
    """Who has signed in, where that is asked for; elsewhere nobody pays for an account's shares."""
    user = getattr(request, "user", None)
    if settings.GRADE_A_FILE != "sign-in" or user is None or not user.is_authenticated:
        return ""
    return f"account {user.pk}"
