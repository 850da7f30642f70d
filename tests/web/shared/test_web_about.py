"""Privacy, limits, robots, and pages that cannot be shown."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.exceptions import SuspiciousOperation
from django.utils import translation
from django.utils.formats import date_format
from tests.report.page_rules import contrast, themes
from tests.web.page_facts import broken_rules, texts

import peerage.report
from peerage_web.shared.views import errors
from peerage_web.templatetags.peerage_words import file_size, hours, lasting

CSS = Path(peerage.report.__file__).parent / "assets" / "colours.css"


def test_privacy_page_states_the_limits_of_this_instance(client, limits):
    limits(file_bytes=7 << 20, kept_hours=72, job_seconds=90)

    response = client.get("/privacy")

    assert broken_rules(response) == []
    cells = texts(response, "td")
    assert (cells[0], cells[4], cells[-1]) == ("7 MB", "90 seconds", "3 days")


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("grade_a_file", ["public", "off"])
def test_help_and_privacy_speak_of_what_there_is_here(client, settings, classes, grade_a_file):
    settings.CLASSES, settings.GRADE_A_FILE = classes, grade_a_file
    pages = [client.get(address) for address in ("/help", "/privacy")]
    headings = [texts(page, "h2") for page in pages]

    assert [rule for page in pages for rule in broken_rules(page)] == []
    with_files = grade_a_file != "off" or not classes
    assert ("For students" in headings[0], "In courses" in headings[1]) == (classes,) * 2
    assert ("Grading a file" in headings[0], "When you grade a file" in headings[1]) == (with_files,) * 2


def test_robots_are_kept_out(client):
    assert client.get("/robots.txt").content == b"User-agent: *\nDisallow: /\n"


def test_error_pages_keep_the_rules(client, rf):
    request, unknown = rf.get("/"), client.get("/nothing/here")
    pages = {
        400: errors.bad_request(request, SuspiciousOperation()),
        403: errors.forbidden(request),
        404: unknown,
        500: errors.broken(request),
    }

    assert [page.status_code for page in pages.values()] == list(pages)
    assert [rule for page in pages.values() for rule in broken_rules(page)] == []
    assert texts(unknown, "h1") == ["There is nothing at this address"]


# besides those that reports use (tests/report/test_report_rules.py)
READ = [
    ("muted", "bad-paper"), ("accent", "accent-soft"), ("accent-deep", "sheet"), ("on-accent", "accent"),
    ("on-accent", "accent-deep"), ("bad-ink", "bad-paper"), ("bad-ink", "sheet"),
]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_and_edges_of_fields_can_be_seen(theme):
    colours = themes(CSS.read_text())[theme]

    pairs = [(*pair, 4.5) for pair in READ] + [("edge", "paper", 3), ("edge", "sheet", 3)]
    weak = [(ink, paper) for ink, paper, least in pairs if contrast(colours[ink], colours[paper]) < least]
    assert weak == []


def test_numbers_in_words():
    sizes = [file_size(size) for size in (1, 24_000, 20 << 20, 3 << 19, 10_000 << 20, 2 << 30)]

    assert sizes == ["1 byte", "24 kB", "20 MB", "1.5 MB", "10 GB", "2 GB"]
    with translation.override("de"):
        assert file_size(3 << 19).replace("\N{NO-BREAK SPACE}", " ") == "1,5 MB"
    assert [lasting(seconds) for seconds in (1, 90, 300)] == ["1 second", "90 seconds", "5 minutes"]
    assert [hours(number) for number in (1, 24, 48)] == ["1 hour", "24 hours", "2 days"]
    moment = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
    assert date_format(moment, "DATETIME_FORMAT") == "Nov. 30, 2026, 11:59 PM"  # no p.m. before a full stop


def test_pages_run_and_load_nothing_but_ours(client):
    policy = client.get("/privacy").headers["Content-Security-Policy"]

    rules = dict(part.split(" ", 1) for part in policy.split("; "))
    assert {rules[name] for name in ("default-src", "base-uri", "frame-ancestors")} == {"'none'"}
    assert {rules[name] for name in ("script-src", "style-src", "connect-src", "form-action")} == {"'self'"}
    assert rules["img-src"] == "'self' data:"
