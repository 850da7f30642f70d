"""Privacy, limits, robots, and pages that cannot be shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.core.exceptions import SuspiciousOperation
from django.test import RequestFactory
from tests.report.page_rules import contrast, themes
from tests.web.page_facts import broken_rules, texts

import peerage.report
from peerage_web.shared.views import errors
from peerage_web.templatetags.peerage_words import hours, lasting, megabytes

CSS = Path(peerage.report.__file__).parent / "assets" / "colours.css"


def test_privacy_page_states_the_limits_of_this_instance(client, settings):
    settings.LIMITS = replace(settings.LIMITS, file_bytes=7 << 20, kept_hours=72, job_seconds=90)

    response = client.get("/privacy")

    assert broken_rules(response) == []
    cells = texts(response, "td")
    assert (cells[0], cells[4], cells[-1]) == ("7 MB", "90 seconds", "3 days")


@pytest.mark.parametrize(("contact", "shown"), [("", 0), ("grades@example.org", 1)])
def test_privacy_page_names_a_contact_where_there_is_one(client, settings, contact, shown):
    settings.CONTACT = contact

    assert texts(client.get("/privacy"), "p").count("Questions: grades@example.org") == shown


def test_robots_are_kept_out(client):
    response = client.get("/robots.txt")

    assert response.content == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("address", ["/privacy", "/robots.txt"])
def test_wrong_verb(client, address):
    assert client.post(address).status_code == 405


def test_unknown_address_is_explained(client):
    response = client.get("/nothing/here")

    assert response.status_code == 404
    assert broken_rules(response) == []
    assert texts(response, "h1") == ["There is nothing at this address"]


@pytest.mark.parametrize(
    ("view", "status"),
    [
        (lambda request: errors.bad_request(request, SuspiciousOperation()), 400),
        (errors.forbidden, 403),
        (errors.broken, 500),
    ],
)
def test_error_pages_keep_the_rules(view, status):
    request = RequestFactory().get("/")

    response = view(request)

    assert response.status_code == status
    assert broken_rules(response) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        ("ink", "paper"),
        ("ink", "sheet"),
        ("ink", "accent-soft"),
        ("muted", "paper"),
        ("muted", "sheet"),
        ("muted", "bad-paper"),
        ("muted", "band-a"),
        ("accent", "paper"),
        ("accent", "sheet"),
        ("accent", "accent-soft"),
        ("accent-deep", "sheet"),
        ("on-accent", "accent"),
        ("on-accent", "accent-deep"),
        ("warn-ink", "warn-paper"),
        ("bad-ink", "bad-paper"),
        ("bad-ink", "sheet"),
        ("note-ink", "note-paper"),
    ],
)
def test_text_can_be_read(theme, ink, paper):
    colours = themes(CSS.read_text())[theme]

    assert contrast(colours[ink], colours[paper]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_edges_of_fields_can_be_seen(theme):
    colours = themes(CSS.read_text())[theme]

    assert min(contrast(colours["edge"], colours[paper]) for paper in ("paper", "sheet")) >= 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (megabytes(1), "1 byte"),
        (megabytes(24_000), "24 kB"),
        (megabytes(20 << 20), "20 MB"),
        (megabytes(3 << 19), "1.5 MB"),
        (lasting(1), "1 second"),
        (lasting(90), "90 seconds"),
        (lasting(300), "5 minutes"),
        (hours(1), "1 hour"),
        (hours(24), "24 hours"),
        (hours(48), "2 days"),
    ],
)
def test_numbers_in_words(words, expected):
    assert words == expected
