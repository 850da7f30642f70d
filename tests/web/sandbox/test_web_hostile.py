"""Hostile files: an answer in words, bounded memory, and everybody else is served."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client
from tests.web.at_work import SMALL, draft
from tests.web.sandbox.hostile_files import FILES

from peerage_web.files.services.drafts import preview_job
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db(transaction=True)
MEGABYTE = 1 << 20
CODES = {"one grader ranks everything": {"too-large"}, "an endless list": {"memory"}}
LONG = 3600  # seconds: what a file comes to may not depend on how fast the machine is
OWN = 64 * MEGABYTE  # what the web worker itself may hold on to; the largest file has 15


@pytest.fixture(autouse=True)
def warm():
    parent.warm_up()


# one of every kind; to go through all of them takes minutes
USUAL = {"zip bomb that lies", "entities", "a million columns", "random bytes as Parquet"}


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.full) for name in FILES]
)
def test_hostile_file_is_refused_in_words_and_within_bounds(name, limits, caplog):
    limits(memory=1024 * MEGABYTE, direct_seconds=LONG)
    caplog.set_level(logging.INFO, "peerage_web.sandbox")
    file_name, data = FILES[name]()
    job = draft(data, file_name)
    before = parent.resident_bytes("self")

    problem = preview_job(job=job, options=JobOptions())["problem"]

    work = caplog.records[-1].fields
    assert problem["code"] in CODES.get(name, {"data"})
    assert 0 < len(problem["detail"]) < 4000
    assert work["megabytes"] <= 1024 + 256  # measured twenty times a second
    assert parent.resident_bytes("self") - before < OWN


@pytest.mark.both
def test_many_uploads_at_once(limits):
    limits(sandbox_slots=2)

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(_visit, range(12)))

    assert answers == [(302, 200)] * 12


def _visit(number: int) -> tuple[int, int]:
    """Upload a file and look at its page; every other one is garbage."""
    client = Client(REMOTE_ADDR=f"192.0.2.{number}")
    data = SMALL if number % 2 else bytes(MEGABYTE)
    try:
        sent = client.post("/", {"file": SimpleUploadedFile(f"{number}.csv", data)})
        return sent.status_code, client.get(sent.url).status_code
    finally:
        connections.close_all()
