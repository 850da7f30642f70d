"""A learning platform that is strict about what it gets and hostile where it is told to be.

Its cryptography is PyJWT, another implementation than the service's own. It runs on a real socket. `scripts`
makes it misbehave: a list per service, of which every call takes the next.
"""

import json
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import HMACAlgorithm, RSAAlgorithm

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/"
DL = "https://purl.imsglobal.org/spec/lti-dl/claim/"
MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ALL_SCOPES = [
    f"{AGS}scope/lineitem",
    f"{AGS}scope/score",
    f"{AGS}scope/result.readonly",
    f"{NRPS}scope/contextmembership.readonly",
]
ICON = '<link rel="icon" href="data:,">'  # or browsers ask for one
_PAIRS: dict[str, rsa.RSAPrivateKey] = {}


def pair(name: str) -> rsa.RSAPrivateKey:
    """A key; making one takes a while, so tests share them."""
    if name not in _PAIRS:
        _PAIRS[name] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return _PAIRS[name]


@dataclass
class Score:
    """One that was accepted."""

    item: str
    user: str
    given: float | None
    maximum: float | None
    timestamp: datetime
    body: dict[str, Any]


@dataclass
class Platform:
    """`members` by user id; `items` by address; `scores` in the order in which they were accepted."""

    issuer: str = "https://lms.example"
    tool_keys: Callable[[], dict[str, Any]] = dict
    kids: list[str] = field(default_factory=lambda: ["first"])
    clients: list[str] = field(default_factory=lambda: ["client-a"])
    scopes: list[str] = field(default_factory=lambda: list(ALL_SCOPES))
    members: dict[str, dict[str, Any]] = field(default_factory=dict)
    per_page: int = 2
    next_origin: str = ""  # of the pages after the first; its own where it is empty
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)
    results: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    scripts: dict[str, list[Any]] = field(default_factory=dict)
    log: list[tuple[str, str, int]] = field(default_factory=list)  # method, path, status
    tokens: dict[str, tuple[str, str]] = field(default_factory=dict)  # token to client and scope
    jtis: set[str] = field(default_factory=set)
    course_page: str = ""  # of its own, for browsers
    posted: list[dict[str, str]] = field(default_factory=list)  # deep links that came back
    users: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = field(default_factory=dict)
    host: str = "127.0.0.1"
    overridden: set[tuple[str, str]] = field(default_factory=set)  # column and user: locked by a teacher
    too_old: set[bytes] = field(default_factory=set)  # scores that were answered 409: never taken as they are
    used_hints: set[str] = field(default_factory=set)  # of logins that were answered

    def start(self) -> "Platform":
        handler = type("Handler", (_Handler,), {"platform": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=[0.05], daemon=True).start()
        return self

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def base(self) -> str:
        return f"http://{self.host}:{self.server.server_port}"

    # -- tokens ----------------------------------------------------------------------------------------

    def sign(self, claims: dict[str, Any], *, key: str = "", alg: str = "RS256", **header: Any) -> str:
        kid = key or self.kids[-1]
        if alg == "HS256":
            public = pair(kid).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            signer = jwt.PyJWS(algorithms=[])
            signer.register_algorithm("HS256", _PublicSecret(HMACAlgorithm.SHA256))
            return signer.encode(json.dumps(claims).encode(), public, alg, {"kid": kid})
        secret = None if alg == "none" else pair(kid)
        return jwt.encode(claims, secret, algorithm=alg, headers={"kid": kid, **header})

    def launch_claims(
        self, nonce: str, /, target: str, sub: str = "u1", roles: tuple[str, ...] = ("Learner",), **more: Any
    ) -> dict[str, Any]:
        now = int(time.time())
        known = self.members.get(sub, {})
        members = {"context_memberships_url": f"{self.base}/members", "service_versions": ["2.0"]}
        scopes = [one for one in self.scopes if AGS in one]
        claims = {
            "iss": self.issuer,
            "aud": self.clients[0],
            "sub": sub,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            f"{CLAIM}message_type": "LtiResourceLinkRequest",
            f"{CLAIM}version": "1.3.0",
            f"{CLAIM}deployment_id": "d1",
            f"{CLAIM}target_link_uri": target,
            f"{CLAIM}resource_link": {"id": "link-1", "title": "Poster session"},
            f"{CLAIM}context": {"id": "ctx-1", "title": "Physics"},
            f"{CLAIM}roles": [one if ":" in one else MEMBERSHIP + one for one in roles],
            f"{NRPS}claim/namesroleservice": members,
            f"{AGS}claim/endpoint": {"scope": scopes, "lineitems": f"{self.base}/items?of=ctx-1"},
            **{name: known[name] for name in ("name", "email") if name in known},
        }
        return {name: value for name, value in {**claims, **more}.items() if value is not ...}

    def item(self, resource_id: str, tag: str, *, of: str = "ctx-1", **more: Any) -> str:
        """Make a column, as if a deep link had."""
        address = f"{self.base}/items/{len(self.items) + 1}?of={of}"
        self.items[address] = {"id": address, "resourceId": resource_id, "tag": tag, **more}
        return address

    def listed(self) -> dict[str, dict[str, Any]]:
        """Who is on the roster."""
        return self.members

    def refusal(self, words: str) -> tuple[str | None, Any]:
        """What the status line and the body say about a refusal."""
        return None, {"error": words}

    def takes_hint(self, hint: str) -> bool:
        """Whether a login may begin with this hint."""
        return True

    def client_for(self, token: str) -> str:
        """Under which name a tool registers; empty where the token is none."""
        return f"dynamic-{len(self.clients)}" if token == "registration-token" else ""


class Moodle(Platform):
    """The manner of Moodle 5.0, where it differs."""

    def restore(self, old: str, new: str) -> None:
        """Copy a course: its columns come along, under the ids that they had."""
        for column in [one for address, one in self.items.items() if address.endswith(f"of={old}")]:
            self.item(column["resourceId"], column["tag"], of=new)

    def refusal(self, words: str) -> tuple[str | None, Any]:
        """The reason is in the status line, as the bytes of UTF-8; the body has nothing."""
        return words.encode().decode("latin-1"), []

    def takes_hint(self, hint: str) -> bool:
        """A hint is used up by the first login that comes with it."""
        is_new = hint not in self.used_hints
        self.used_hints.add(hint)
        return is_new

    def client_for(self, token: str) -> str:
        """*Update* on a tool's card registers it again as the client that it is."""
        return self.clients[-1] if token == "update-token" else super().client_for(token)

    def listed(self) -> dict[str, dict[str, Any]]:
        """Suspended people are left off the list, not marked on it."""
        return {name: one for name, one in self.members.items() if one.get("status") != "Inactive"}


class _PublicSecret(HMACAlgorithm):
    """With a public key as the secret, which PyJWT itself refuses."""

    def prepare_key(self, key: bytes) -> bytes:
        return key


class _Handler(BaseHTTPRequestHandler):
    platform: Platform
    protocol_version = "HTTP/1.1"
    quiet = False

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.query = dict(parse_qsl(parts.query))
        first = parts.path.strip("/").split("/")
        service = first[2] if first[0] == "items" and len(first) > 2 else first[0].replace("-", "_")
        self.found = getattr(self, f"_{service}", None)
        waiting = self.platform.scripts.get(service)
        script = waiting.pop(0) if waiting else None
        if isinstance(script, int):
            if script == 409:
                self.platform.too_old.add(self.body)
            self._send(script, {"error": f"told to say {script}"}, {"Retry-After": "1"})
        elif script is not None:
            self._misbehave(script)
        elif self.found is None:
            self._send(404, {"error": "nothing here"})
        else:
            self.found()

    do_POST = do_PUT = do_GET  # noqa: N815 - names that http.server looks for

    def _misbehave(self, script: str | threading.Event) -> None:
        if isinstance(script, threading.Event):
            script.wait(60)
            self._close()
        elif script == "redirect":
            self._send(302, {}, {"Location": "http://127.0.0.1:1/elsewhere"})
        elif script == "endless":
            self._pour(b" " * 65536, 0.0)
        elif script == "slow":
            self._pour(b" ", 0.05)
        elif script == "hang up":
            self._close()
        elif script == "take it and hang up":
            self.quiet = True
            self.found()
            self._close()

    def _close(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _pour(self, piece: bytes, pause: float) -> None:
        """An answer that never ends."""
        self.close_connection = True
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while True:
                self.wfile.write(piece)
                time.sleep(pause)
        except OSError:
            pass

    def _refuse(self, status: int, words: str) -> None:
        reason, body = self.platform.refusal(words)
        self._send(status, body, reason=reason)

    def _send(
        self, status: int, found: Any, headers: dict[str, str] | None = None, reason: str | None = None
    ) -> None:
        self.platform.log.append((self.command, self.path, status))
        if self.quiet:
            return
        html = isinstance(found, str)
        data = found.encode() if html else json.dumps(found).encode()
        self.send_response(status, reason)
        self.send_header("Content-Type", "text/html; charset=utf-8" if html else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    # -- services --------------------------------------------------------------------------------------

    def _jwks(self) -> None:
        keys = []
        for kid in self.platform.kids:
            public = json.loads(RSAAlgorithm.to_jwk(pair(kid).public_key()))
            keys.append({**public, "kid": kid, "alg": "RS256", "use": "sig"})
        self._send(200, {"keys": keys})

    def _token(self) -> None:
        """As strict as the standard lets it be."""
        given = {name: one[0] for name, one in parse_qs(self.body.decode()).items()}
        assertion = given["client_assertion"]
        kid = jwt.get_unverified_header(assertion)["kid"]
        (known,) = [one for one in self.platform.tool_keys()["keys"] if one["kid"] == kid] or [None]
        if known is None:
            return self._send(401, {"error": "invalid_client", "error_description": "unknown key"})
        claims = jwt.decode(
            assertion,
            jwt.PyJWK(known).key,
            algorithms=["RS256"],
            audience=f"{self.platform.base}/token",
            options={"require": ["iss", "sub", "aud", "iat", "exp", "jti"]},
        )
        wrong = (
            claims["iss"] != claims["sub"]
            or claims["iss"] not in self.platform.clients
            or claims["jti"] in self.platform.jtis
            or given["grant_type"] != "client_credentials"
            or given["client_assertion_type"] != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            or len(given["scope"].split()) != 1  # the least there is
            or given["scope"] not in self.platform.scopes
        )
        if wrong:
            return self._send(400, {"error": "invalid_request"})
        self.platform.jtis.add(claims["jti"])
        token = f"{claims['iss']}-{secrets.token_hex(8)}"
        self.platform.tokens[token] = (claims["iss"], given["scope"])
        return self._send(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    def _allowed(self, scope: str) -> bool:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        known = self.platform.tokens.get(token)
        if known is None:
            self._send(401, {"error": "who is this"})
        elif known[1] != scope:
            self._send(403, {"error": "another scope"})
        return known is not None and known[1] == scope

    def _members(self) -> None:
        if not self._allowed(f"{NRPS}scope/contextmembership.readonly"):
            return None
        first = int(self.query.get("page", 0)) * self.platform.per_page
        everybody = [{"user_id": name, **one} for name, one in self.platform.listed().items()]
        part = everybody[first : first + self.platform.per_page]
        headers = {}
        if first + self.platform.per_page < len(everybody):
            origin = self.platform.next_origin or self.platform.base
            # upper and lower case matter in an address, and the first link is none of the next page
            headers["Link"] = (
                f'<{origin}/other>; rel="differences", '
                f'<{origin}/members?page={first // self.platform.per_page + 1}&Case=Kept>; rel="next"'
            )
        if "page" in self.query and self.query.get("Case") != "Kept":
            return self._send(400, {"error": "this is not the link that was given"})
        return self._send(200, {"id": self.path, "context": {"id": "another-name"}, "members": part}, headers)

    def _items(self) -> None:
        if not self._allowed(f"{AGS}scope/lineitem"):
            return None
        column = self.platform.items.get(self._item_address())
        if column is not None:  # read, or written whole
            column.update(json.loads(self.body or "{}"))
            return self._send(200, column)
        if self.command == "GET":
            asked = {"resource_id": "resourceId", "tag": "tag", "resource_link_id": "resourceLinkId"}
            wanted = {asked[name]: value for name, value in self.query.items() if name in asked}
            found = [
                one
                for address, one in self.platform.items.items()
                if address.endswith(f"?of={self.query['of']}")
                and all(one.get(name) == value for name, value in wanted.items())
            ]
            return self._send(200, found)
        made = json.loads(self.body)
        if made["scoreMaximum"] != int(made["scoreMaximum"]):
            return self._send(400, {"error": "fractional scoreMaximum"})
        more = {name: made[name] for name in ("label", "scoreMaximum")}
        address = self.platform.item(made["resourceId"], made["tag"], of=self.query["of"], **more)
        return self._send(201, {**made, "id": address})

    def _item_address(self) -> str:
        path = urlsplit(self.path).path.removesuffix("/scores").removesuffix("/results")
        return f"{self.platform.base}{path}?of={self.query.get('of')}"

    def _scores(self) -> None:
        if not self._allowed(f"{AGS}scope/score"):
            return None
        address = self._item_address()
        if address not in self.platform.items:
            return self._refuse(404, "no such column")
        body = json.loads(self.body)
        member = self.platform.members.get(body["userId"], {})
        if "Learner" not in member.get("roles", []):
            return self._refuse(400, "this user cannot have a grade (né)")
        stamp = datetime.fromisoformat(body["timestamp"])
        assert "." in body["timestamp"], "sub-second timestamps"
        earlier = [one for one in self.platform.scores if (one.item, one.user) == (address, body["userId"])]
        is_soon = earlier and (stamp - earlier[-1].timestamp).total_seconds() < 1
        if is_soon or self.body in self.platform.too_old:
            return self._refuse(409, "there is a score with this or a newer timestamp")
        if body["gradingProgress"] == "FullyGraded" and "scoreGiven" not in body:
            return self._refuse(400, "graded, and no grade")
        given, maximum = body.get("scoreGiven"), body.get("scoreMaximum")
        key = (address, body["userId"])
        self.platform.scores.append(Score(address, body["userId"], given, maximum, stamp, body))
        if key in self.platform.overridden:
            pass  # accepted, and what the teacher wrote stays
        elif given is None:
            self.platform.results.pop(key, None)
        else:
            self.platform.results[key] = {"resultScore": given, "resultMaximum": maximum}
        return self._send(200, {})

    def _results(self) -> None:
        if not self._allowed(f"{AGS}scope/result.readonly"):
            return None
        address = self._item_address()
        found = [
            {"userId": user, **one}
            for (item, user), one in self.platform.results.items()
            if item == address and self.query.get("user_id", user) == user
        ]
        return self._send(200, found)

    # -- pages for browsers ----------------------------------------------------------------------------

    def _auth(self) -> None:
        """Answers a login with a form that sends itself, as platforms do."""
        if not self.platform.takes_hint(self.query["login_hint"]):
            return self._send(404, "<!doctype html><title>Error</title><h1>Not found</h1>")
        claims = self.platform.users[self.query["login_hint"]](self.query)
        token = self.platform.sign(claims)
        return self._send(
            200,
            f"""<!doctype html>{ICON}<title>launch</title>
            <form method="post" action="{self.query["redirect_uri"]}">
            <input type="hidden" name="state" value="{self.query["state"]}">
            <input type="hidden" name="id_token" value="{token}"></form>
            <script>document.forms[0].submit()</script>""",
        )

    def _course(self) -> None:
        self._send(200, self.platform.course_page)

    def _deep_links(self) -> None:
        given = {name: one[0] for name, one in parse_qs(self.body.decode()).items()}
        self.platform.posted.append(given)
        self._send(200, f"<!doctype html>{ICON}<title>linked</title><h1>Linked</h1>")

    def _configuration(self) -> None:
        base = self.platform.base
        configuration = {
            "issuer": self.platform.issuer,
            "authorization_endpoint": f"{base}/auth",
            "token_endpoint": f"{base}/token",
            "jwks_uri": f"{base}/jwks",
            "registration_endpoint": f"{base}/register",
        }
        self._send(200, configuration)

    def _register(self) -> None:
        client = self.platform.client_for(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if not client:
            return self._send(401, {"error": "no token"})
        asked = json.loads(self.body)
        self.platform.clients.append(client)
        name = "https://purl.imsglobal.org/spec/lti-tool-configuration"
        answer = {**asked, "client_id": client, name: {**asked[name], "deployment_id": "d-dynamic"}}
        return self._send(200, answer)
