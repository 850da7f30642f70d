"""Calls to a platform: bounded in time and size, never redirected, and in our name with a token per scope."""

import json
import re
import secrets
import threading
import time
from collections.abc import Mapping
from html import unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from django.conf import settings

from peerage_web.lti.keys import sign
from peerage_web.lti.models import LtiRegistration, origin_of
from peerage_web.shared import outgoing
from peerage_web.shared.outgoing import NotReachedError, Response, UnsafeAddressError

SECONDS = 15.0  # for an answer from first to last byte, however it drips
LARGEST = 8 << 20  # bytes of an answer
LONGEST = 4000  # characters of an address
EXCERPT = 300  # characters that are kept of what a platform says about a refusal
ASSERTION_LASTS = 120  # seconds
MARGIN = 60.0  # seconds before a token ends in which it is not used any more
_JWT = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_REASONS = ("error_description", "message", "reason", "detail", "title", "error", "errors")
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_LINK = re.compile(r"<([^<>]*)>\s*((?:;\s*[^,;<>]+(?:\"[^\"]*\")?\s*)*)")
_NEXT = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bnext\b[^\"]*\"|next)\s*(?:;|$)", re.IGNORECASE)


class PlatformError(Exception):
    """A call did not succeed; the text is for whoever runs the service."""

    def __init__(self, text: str, status: int | None = None, retry_after: int | None = None) -> None:
        super().__init__(text)
        self.status, self.retry_after = status, retry_after
        self.unsent = False  # it was about our right to ask; what was asked has not gone out

    @property
    def is_passing(self) -> bool:
        """Whether it may go better later: nobody answered, too much at once, or an error of theirs."""
        passing = self.status is None or self.status in (408, 425, 429) or self.status >= 500
        return passing or self.unsent


# -- one call ---------------------------------------------------------------------------------------


def call(
    method: str,
    address: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    private: bool = False,
) -> Response:
    """One call, answered with 2xx; PlatformError with the platform's own words for everything else.

    `private`: the host is one that an operator named, which may be on a network of one's own.
    """
    host = urlsplit(checked(address)).hostname
    try:
        parts = outgoing.checked_url(address, private=private, http=not settings.HTTPS, longest=LONGEST)
        response = outgoing.send(
            method,
            parts,
            headers=headers or {},
            body=body,
            private=private,
            seconds=SECONDS,
            most_bytes=LARGEST,
        )
    except UnsafeAddressError as error:
        raise PlatformError(f"{host} cannot be used: {error}") from None
    except NotReachedError as error:
        raise PlatformError(f"{host} did not respond: {error}") from None
    if 300 <= response.status < 400:
        raise PlatformError(f"{host} responded with a redirect, which Peerage does not follow", 300)
    if response.status >= 400:
        raise PlatformError(
            f"{host} responded with {response.status}: {stated_reason(response)}",
            response.status,
            _seconds(response.headers.get("retry-after", "")),
        )
    return response


def checked(address: str) -> str:
    """The address, if it can be called: https, or http where the service itself is not on TLS.

    Whether its host is where it may be is seen when it is called.
    """
    try:
        outgoing.checked_url(address, private=True, http=not settings.HTTPS, longest=LONGEST)
    except UnsafeAddressError as error:
        raise PlatformError(f"{address[:100]!r} is not a usable address: {error}") from None
    return address


def read_json(response: Response) -> Any:
    """Its body, which has to be JSON."""
    try:
        return json.loads(response.body)
    except ValueError:
        raise PlatformError(f"the response is not JSON: {_text(response)}", response.status) from None


def stated_reason(response: Response) -> str:
    """Why the platform refuses, in its own words: of the status line (Moodle), else of the body."""
    return _one_line(_status_words(response) or _body_words(response)) or "no reason given"


def _status_words(response: Response) -> str:
    """Only what the platform put there itself. It is sent as bytes, which are read as Latin 1 on the way."""
    words = response.reason.encode("latin-1", "replace").decode("utf-8", "replace").strip()
    usual = {status.phrase.lower() for status in HTTPStatus}
    return "" if words.lower() in usual else words


def _body_words(response: Response) -> str:
    try:
        said = json.loads(response.body)
    except ValueError:
        return _text(response)
    return (_find_words(said, 0) or _text(response)) if said else ""


def _find_words(said: Any, depth: int) -> str:
    """The first text under a name that platforms use; Canvas has a list of errors, or one in another."""
    if isinstance(said, list):
        return next((words for part in said[:10] if (words := _find_words(part, depth + 1))), "")
    if not isinstance(said, dict) or depth > 4:
        return ""
    for name in _REASONS:
        part = said.get(name)
        words = part.strip() if isinstance(part, str) else _find_words(part, depth + 1)
        if words:
            return words
    return ""


def _text(response: Response) -> str:
    """What a reader would see of it; of a page its title, which says most."""
    text = response.body[:20_000].decode("utf-8", "replace")
    if "html" in response.headers.get("content-type", "") or text.lstrip()[:1] == "<":
        title = _TITLE.search(text)
        text = unescape(title[1] if title else _TAG.sub(" ", text))
    return _one_line(text)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())[:EXCERPT]


def _seconds(text: str) -> int | None:
    return min(int(text), 24 * 3600) if text.isascii() and text.isdecimal() and len(text) < 9 else None


# -- calls to services, with access tokens of one scope each ------------------------------------------


def ask(
    registration: LtiRegistration,
    method: str,
    address: str,
    *,
    scope: str,
    accept: str,
    send: Any = None,
    kind: str = "application/json",
) -> Response:
    """One call; a token that the platform does not know any more is asked for again, once."""
    if registration.paused_at is not None:
        error = PlatformError("an administrator of this Peerage site has paused this platform")
        error.unsent = True
        raise error
    try:
        return _ask(registration, method, address, scope, accept, send, kind)
    except PlatformError as error:
        if error.status != 401:
            raise
        with _lock:
            _tokens.pop((registration.pk, scope), None)
        return _ask(registration, method, address, scope, accept, send, kind)


def _ask(
    registration: LtiRegistration, method: str, address: str, scope: str, accept: str, send: Any, kind: str
) -> Response:
    headers = {"Authorization": f"Bearer {access_token(registration, scope)}", "Accept": accept}
    body = None
    if send is not None:
        headers["Content-Type"], body = kind, json.dumps(send).encode()
    own = (urlsplit(address).hostname or "") in registration.hosts
    return call(method, address, headers=headers, body=body, private=own)


_tokens: dict[tuple[int, str], tuple[str, float]] = {}  # registration and scope to token and its end
_lock = threading.Lock()


def access_token(registration: LtiRegistration, scope: str) -> str:
    """One that still holds; the platform is asked for another where there is none."""
    name = (registration.pk, scope)
    with _lock:
        token, ends = _tokens.get(name, ("", 0.0))
    if token and ends > time.monotonic():
        return token
    token, seconds = _request_token(registration, scope)
    with _lock:
        _tokens[name] = (token, time.monotonic() + seconds - MARGIN)
    return token


def _request_token(registration: LtiRegistration, scope: str) -> tuple[str, float]:
    now = int(time.time())
    assertion = sign(
        {
            "iss": registration.client_id,
            "sub": registration.client_id,
            "aud": registration.token_audience or registration.token_url,
            "iat": now,
            "exp": now + ASSERTION_LASTS,
            "jti": secrets.token_urlsafe(16),
        }
    )
    sent = {
        "grant_type": "client_credentials",
        "client_assertion_type": _JWT,
        "client_assertion": assertion,
        "scope": scope,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    body = urlencode(sent).encode()
    try:
        answer = read_json(call("POST", registration.token_url, headers=headers, body=body, private=True))
    except PlatformError as error:
        error.unsent = True
        raise
    token = answer.get("access_token") if isinstance(answer, dict) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable() or len(token) > 8000:
        raise PlatformError("the platform's response contains no access token")
    seconds = answer.get("expires_in")
    return token, float(seconds) if isinstance(seconds, int | float) and seconds > 0 else 3600.0


# -- addresses of services ----------------------------------------------------------------------------


def with_query(address: str, **query: str) -> str:
    """The address with more behind it; what platforms put there stays in front, as it is spelt."""
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def under(address: str, part: str, **query: str) -> str:
    """An address below a column's; platforms put questions behind it, which stay at the end."""
    parts = urlsplit(address)
    path = f"{parts.path.rstrip('/')}/{part}" if part else parts.path
    asked = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *query.items()])
    return urlunsplit((parts.scheme, parts.netloc, path, asked if query else parts.query, ""))


def next_page(first: str, address: str, header: str) -> str:
    """The link to the next page, spelt as it came; one on another origin is refused, not followed."""
    for target, parameters in _LINK.findall(header):
        if _NEXT.search(parameters):
            following: str = urljoin(address, target)
            if origin_of(following) != origin_of(first):
                raise PlatformError("the next page of the list is on another host")
            return following
    return ""
