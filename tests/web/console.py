"""A look into the database of a running service, from a process of its own (see service.py).

console.py hold FILE               a job in the queue whose runs wait; prints its id
console.py wait ID SECONDS STATE…  waits for one of the states; prints the job
console.py class                   a class (see class_room.py); prints its addresses
console.py answers                 a survey and appeals (see answers_room.py); prints the addresses
console.py people ADDRESS…          people who are signed in; prints the cookies of their sessions
console.py reviewed                a class to be graded (see reviewed_class.py); prints its path and a session
console.py released                a class whose run is approved (see released_class.py); prints addresses
console.py ranking COUNT WORKS TIES PRACTICE   classes to rank in (see ranking_room.py); prints addresses
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests, which are not installed
from tests.web.held import hold


def put_held(file: str) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from peerage_web.files.services.drafts import create_job
    from peerage_web.files.services.jobs import start_job
    from peerage_web.sandbox.contract import Options

    path = Path(file)
    job = create_job(upload=SimpleUploadedFile(path.name, path.read_bytes()), visitor="somebody")
    hold(job.folder / "input" / job.file_name)
    start_job(job=job, options=Options())
    sys.stdout.write(str(job.pk))


def wait(identity: str, seconds: str, *states: str) -> None:
    from peerage_web.files.models import Job

    deadline = time.monotonic() + float(seconds)
    job = Job.objects.get(pk=identity)
    while job.state not in states:
        if time.monotonic() > deadline:
            sys.exit(f"the job is still {job.state} ({job.step}), not {' or '.join(states)}")
        time.sleep(0.05)
        job.refresh_from_db()
    results = sorted(path.name for path in job.folder.glob("attempt-*"))
    found = {
        "state": job.state,
        "step": job.step,
        "attempt": job.attempt,
        "worker": job.worker,
        "results": results,
        "problem": job.problem,
        "key": job.key,
    }
    sys.stdout.write(json.dumps(found))


def put_class() -> None:
    from tests.web.class_room import make_class

    sys.stdout.write(json.dumps(make_class()))


def put_answers() -> None:
    from tests.web.answers_room import make_answers

    sys.stdout.write(json.dumps(make_answers()))


def put_ranking(*options: str) -> None:
    from tests.web.ranking_room import make_rankings

    sys.stdout.write(json.dumps(make_rankings(*options)))


def put_reviewed() -> None:
    from tests.web.reviewed_class import make_reviewed

    sys.stdout.write(json.dumps(make_reviewed()))


def put_people(*addresses: str) -> None:
    from tests.web.ranking_room import session_of

    from peerage_web.accounts.services.users import person_at

    people = {address: person_at(email=address) for address in addresses}
    for person in people.values():
        person.may_create_courses = person.may_create_courses or not person.memberships.exists()
        person.save()
    sys.stdout.write(json.dumps({address: session_of(person) for address, person in people.items()}))


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "peerage_web.settings"
    django.setup()
    from tests.web.released_class import put_released

    commands = {
        "answers": put_answers,
        "class": put_class,
        "released": put_released,
        "hold": put_held,
        "people": put_people,
        "ranking": put_ranking,
        "reviewed": put_reviewed,
        "wait": wait,
    }
    commands[sys.argv[1]](*sys.argv[2:])
