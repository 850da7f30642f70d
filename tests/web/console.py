"""A look into the database of a running service, from a process of its own (see service.py).

Asked by lines of JSON on standard input until it ends, and answers each with a line; to start Django anew
for every question would take a second or two.

hold FILE               a job in the queue whose runs wait; its id
wait ID SECONDS STATE…  waits for one of the states; the job
people ADDRESS…         people who are signed in; the cookies of their sessions
play submit|rank PATH   what the students of an assignment do in its phase
ranking COUNT SUBMISSIONS TIES PRACTICE   classes to rank in (see ranking_room.py); addresses
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests, which are not installed
from tests.web.held import hold
from tests.web.ranking_room import make_rankings, session_of


def put_held(file: str) -> str:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from peerage_web.files.services.drafts import create_job
    from peerage_web.files.services.jobs import start_job
    from peerage_web.sandbox.contract.jobs import JobOptions

    path = Path(file)
    job = create_job(upload=SimpleUploadedFile(path.name, path.read_bytes()), visitor="somebody")
    hold(job.folder / "input" / job.file_name)
    start_job(job=job, options=JobOptions())
    return str(job.pk)


def wait(identity: str, seconds: str, *states: str) -> dict[str, Any]:
    from peerage_web.files.models import Job

    deadline = time.monotonic() + float(seconds)
    job = Job.objects.get(pk=identity)
    while job.state not in states:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the job is still {job.state} ({job.step}), not {' or '.join(states)}")
        time.sleep(0.05)
        job.refresh_from_db()
    results = sorted(path.name for path in job.folder.glob("attempt-*"))
    return {
        "state": job.state,
        "step": job.step,
        "attempt": job.attempt,
        "worker": job.worker,
        "results": results,
        "problem": job.problem,
        "key": job.key,
    }


def put_people(*addresses: str) -> dict[str, str]:
    from peerage_web.accounts.services.users import get_or_create_person

    people = {address: get_or_create_person(email=address) for address in addresses}
    for person in people.values():
        person.may_create_courses = person.may_create_courses or not person.memberships.exists()
        person.save()
    return {address: session_of(person) for address, person in people.items()}


def play(what: str, path: str) -> None:
    """Every student of the assignment at this address submits something, or ranks all they have to."""
    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.enums import Role
    from peerage_web.demo import reviews, submissions

    assignment = Assignment.objects.get(key=path.rstrip("/").rpartition("/")[2])
    students = list(assignment.course.memberships.filter(role=Role.STUDENT))
    if what == "submit":
        submissions.submit(assignment, list(enumerate(students)))
    else:
        reviews.rank_and_comment(assignment, students, no_show=students[-1], finished=True)


COMMANDS: dict[str, Callable[..., Any]] = {
    "hold": put_held,
    "people": put_people,
    "play": play,
    "ranking": make_rankings,
    "wait": wait,
}


def answer(words: list[str]) -> dict[str, Any]:
    """What the service's test gets: what was asked for, or what went wrong."""
    from django.db import connections

    try:
        return {"found": COMMANDS[words[0]](*words[1:])}
    except Exception:
        return {"problem": traceback.format_exc()}
    finally:
        connections.close_all()  # a test may replace the database, or end what is connected to it


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "peerage_web.settings"
    django.setup()
    lines, sys.stdout = sys.stdout, sys.stderr  # whatever prints is no answer
    for line in sys.stdin:
        lines.write(json.dumps(answer(json.loads(line))) + "\n")
        lines.flush()
