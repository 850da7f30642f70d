"""Peerage as platforms want it described: addresses, scopes, messages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from peerage_web.lti import words

NAME = "Peerage"
ABOUT = "Peer grading by rankings: students hand in, review each other, and get grades with their certainty."


def addresses() -> dict[str, str]:
    """What an administrator types into a form, by the names of the standard."""
    base = settings.BASE_URL
    return {
        "launch": f"{base}/lti/launch",
        "login": f"{base}/lti/login",
        "keys": f"{base}/lti/keys",
        "canvas": f"{base}/lti/canvas.json",
    }


def canvas() -> dict[str, Any]:
    """Canvas' own format."""
    own = addresses()
    host = urlsplit(settings.BASE_URL).hostname
    linking = {
        "text": NAME,
        "placement": "assignment_selection",
        "message_type": words.DEEP_LINKING,
        "target_link_uri": own["launch"],
    }
    return {
        "title": NAME,
        "description": ABOUT,
        "oidc_initiation_url": own["login"],
        "target_link_uri": own["launch"],
        "public_jwk_url": own["keys"],
        "scopes": list(words.SCOPES),
        "custom_fields": words.CUSTOM_FIELDS,
        "extensions": [
            {
                "platform": "canvas.instructure.com",
                "domain": host,
                "privacy_level": "public",
                "settings": {
                    "text": NAME,
                    "placements": [
                        linking,
                        {**linking, "placement": "link_selection"},
                        {
                            "text": NAME,
                            "placement": "course_navigation",
                            "message_type": words.LAUNCH,
                            "target_link_uri": own["launch"],
                            "default": "disabled",
                        },
                    ],
                },
            }
        ],
    }


def registration() -> dict[str, Any]:
    """What dynamic registration sends to a platform."""
    own = addresses()
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": own["login"],
        "redirect_uris": [own["launch"]],
        "client_name": NAME,
        "jwks_uri": own["keys"],
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(words.SCOPES),
        "https://purl.imsglobal.org/spec/lti-tool-configuration": {
            "domain": urlsplit(settings.BASE_URL).netloc,
            "description": ABOUT,
            "target_link_uri": own["launch"],
            "custom_parameters": words.CUSTOM_FIELDS,
            "claims": ["iss", "sub", "name", "given_name", "family_name", "email"],
            "messages": [
                {"type": words.LAUNCH, "target_link_uri": own["launch"], "label": NAME},
                {"type": words.DEEP_LINKING, "target_link_uri": own["launch"], "label": NAME},
            ],
        },
    }
