"""Learning platforms that are registered here, and where on them Peerage was deployed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models

from peerage_web.classes.models.keys import short_key

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]+")


class LtiRegistration(models.Model):
    """One client of one platform. Hosted platforms share an issuer, so only both together are a name."""

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    name = models.CharField(max_length=100)
    issuer = models.CharField(max_length=255)
    client_id = models.CharField(max_length=255)
    auth_url = models.CharField(max_length=500)  # where a launch is asked for
    token_url = models.CharField(max_length=500)
    token_audience = models.CharField(max_length=500, blank=True)  # empty: the address of tokens
    jwks_url = models.CharField(max_length=500)
    # origins where people see the platform, beside those of the addresses above
    more_origins = models.JSONField(default=list, blank=True)
    jwks = models.JSONField(default=dict)  # the platform's public keys, as they were fetched last
    jwks_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    paused_at = models.DateTimeField(null=True, blank=True)  # nothing comes in, and nothing goes out
    # calls wait until then: the platform was away, or asked for patience
    calls_after = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)  # of the last call that failed

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["issuer", "client_id"], name="one_registration_per_client"),
        ]

    def __str__(self) -> str:
        return f"registration {self.pk}"

    @property
    def identity_issuer(self) -> str:
        """Under which its people are known (`Identity`): two clients of one issuer never mix."""
        return f"lti {self.key}"

    @property
    def origins(self) -> list[str]:
        """Origins that may show our LTI pages in a frame, and that forms of those pages may go to."""
        found = [origin_of(one) for one in (self.issuer, self.auth_url, *self.more_origins)]
        return sorted({one for one in found if one})

    @property
    def hosts(self) -> set[str]:
        """Hosts that an operator or a registration link named; they may be on a private network."""
        named = (self.issuer, self.auth_url, self.token_url, self.jwks_url)
        return {urlsplit(one).hostname or "" for one in named} - {""}


def origin_of(address: str) -> str:
    """Scheme, host and port; empty where it is no address of the web."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return ""  # it stands in headers, so nothing else may be in it
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}"


class LtiDeployment(models.Model):
    """A place on a platform where Peerage was added; one that nobody here approved opens nothing."""

    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="deployments")
    deployment_id = models.CharField(max_length=255)
    first_seen_at = models.DateTimeField(auto_now_add=True)
    approved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "deployment_id"], name="deployments_differ"),
        ]

    def __str__(self) -> str:
        return f"deployment {self.pk}"


class LtiInvitation(models.Model):
    """A link by which a platform's administrator registers it, once; only its hash is kept."""

    hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)
    registration = models.ForeignKey(
        LtiRegistration, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    def __str__(self) -> str:
        return f"invitation {self.pk}"
