"""While one address attacks, another visitor grades the example and is never refused.

A real service and real connections. Where an attack is work, it is held at a pipe, so it goes on for as long
as the test needs, on any machine. How long the visitor takes is measured by `python -m benchmarks.hostile`.
"""

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path

import pytest
from benchmarks.hostile.attacks import ADDRESS, plan, under
from benchmarks.hostile.visitor import RefusedError, Visitor
from tests.web.at_work import SMALL
from tests.web.held import hold, let_go
from tests.web.service import Service, until

pytestmark = pytest.mark.full
BOUND = 300.0  # seconds after which a test gives up
MEGABYTE = 1 << 20
NUMBERS = count(1)


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """A service whose patience with slow clients has no end here."""
    made = Service(
        tmp_path_factory.mktemp("hostile") / "own",
        PEERAGE_CLIENT_SECONDS="3600",
        PEERAGE_MAX_DIRECT_SECONDS="3600",
        PEERAGE_MAX_SECONDS="3600",
        PEERAGE_VISITOR_MEGABYTES="40",
    )
    made.start()
    yield made
    made.stop()


@pytest.fixture
def visitor(attacked):
    """Another for every test: who has asked for much of late steps back."""
    return Visitor(attacked.port, f"127.0.1.{next(NUMBERS)}")


@pytest.fixture
def greedy(attacked):
    """An attacker, each at an address of their own; what they leave behind is deleted."""
    who = Visitor(attacked.port, f"127.77.7.{next(NUMBERS)}")
    yield who
    for page in who.left:
        who.post(f"{page}delete")


def folder_of(service: Service, make) -> tuple[str, Path]:
    """What `make` makes: the page of a job, and its folder."""
    jobs = Path(service.environment["PEERAGE_DATA"]) / "jobs"
    before = set(jobs.iterdir())
    page = make()
    [folder] = set(jobs.iterdir()) - before
    return page, folder


def held_job(service: Service, who: Visitor) -> tuple[str, Path]:
    """A draft whose runs wait when they open its file."""
    page, folder = folder_of(service, lambda: who.upload(SMALL))
    who.left.append(page)
    hold(folder / "input" / "feedback.csv")
    return page, folder / "input" / "feedback.csv"


def test_jobs_that_do_not_end(attacked, visitor, greedy):
    held = [held_job(attacked, greedy) for _ in range(3)]
    for page, _ in held:
        assert greedy.post(f"{page}grade").status == 302

    for _ in range(2):
        visitor.grade_example()

    states = [greedy.get(f"{page}progress").status for page, _ in held]
    assert states == [200] * 3
    assert all("hx-refresh" not in greedy.get(f"{page}progress").headers for page, _ in held)


def test_explanations_and_looks_that_do_not_end(attacked, visitor, greedy):
    done, folder = folder_of(attacked, lambda: greedy.upload(SMALL))
    greedy.left.append(done)
    greedy.grade(done)
    greedy.wait(done)
    file = folder / "input" / "feedback.csv"
    hold(file)
    draft, other = held_job(attacked, greedy)

    with ThreadPoolExecutor(16) as threads:
        asked = [threads.submit(greedy.get, f"{done}explain?item=x{number}") for number in range(8)]
        asked += [threads.submit(greedy.get, draft) for _ in range(8)]
        try:
            until(lambda: sum(one.done() for one in asked) >= 16 - 5)  # one at work, four wait
            visitor.grade_example()
            refused = [one.result().status for one in asked if one.done()]
        finally:
            let_go(file)
            let_go(other)
            _end_children(attacked)

    assert len(refused) >= 11
    assert set(refused) <= {200, 429, 503}


def _end_children(service: Service) -> None:
    """Work that waits at a pipe whose file is back: killed once, it is tried again and finds the file."""
    for server in service.processes()["sandbox"]:
        with suppress(FileNotFoundError, ProcessLookupError):  # has ended meanwhile by itself
            for child in Path(f"/proc/{server}/task/{server}/children").read_text().split():
                os.kill(int(child), 9)


def test_disk_of_one_visitor(attacked, visitor, greedy):
    large = b"grader,item,rank\n" + b"x" * (15 * MEGABYTE)

    greedy.left += [greedy.upload(large) for _ in range(2)]
    with pytest.raises(RefusedError, match=r"429: .* the limit for one visitor"):
        greedy.upload(large)

    visitor.grade_example()


def test_slow_connections(attacked, visitor):
    """Three times as many as the web worker has threads."""
    with ExitStack() as opened:
        for _ in range(96):
            line = socket.create_connection(("127.0.0.1", attacked.port), BOUND, (ADDRESS, 0))
            opened.enter_context(line)
            line.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")

        visitor.grade_example()


def test_plans_of_the_largest_class(attacked, visitor):
    """The last of these tests: a plan under way goes on, and holds its share of a small service."""
    with under(plan, attacked.port, 6) as rounds:
        visitor.grade_example()

    assert set(rounds) <= {"rounds"}
