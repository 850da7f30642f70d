"""What belongs into a backup: which rows, and which folders of files they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps as present
from django.db.models import Model, QuerySet

from peerage_web.classes.models import PracticeExample, SubmissionFile
from peerage_web.files.models import Job

APP = "peerage_web"
# counts of requests, browsers that are signed in, rosters between preview and commit: gone within the day
PASSING = frozenset({"requestcount", "signin", "rosterimport"})


def models_of(apps: Any = present) -> list[type[Model]]:
    """The models whose rows are kept, by name."""
    ours = [one for one in apps.get_models(include_auto_created=True) if one._meta.app_label == APP]
    return sorted((one for one in ours if name_of(one) not in PASSING), key=name_of)


def name_of(model: type[Model]) -> str:
    """What the backup calls it."""
    return str(model._meta.model_name)


def kept_rows(model: type[Model], alias: str) -> QuerySet[Any]:
    """Its rows; of jobs those of classes, for visitors were told when theirs are deleted."""
    rows = model._base_manager.using(alias).order_by("pk")
    return rows.filter(expires_at=None) if name_of(model) == "job" else rows


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in the data folder that a row names, and what has to be in it."""

    path: str
    needed: tuple[str, ...] = ()
    sha256: str = ""  # of `original`, where it is known


def folders(alias: str) -> Iterator[Folder]:
    """All that kept rows name."""
    yield from _of_works(alias)
    examples = PracticeExample.objects.using(alias).exclude(stored="")
    for stored in examples.values_list("stored", flat=True):
        yield Folder(f"works/{stored}", ("shown",))
    jobs = Job.objects.using(alias).filter(expires_at=None)
    for number, state, attempt in jobs.values_list("pk", "state", "attempt"):
        done = state == Job.State.DONE
        yield Folder(f"jobs/{number}", ("input", f"attempt-{attempt}") if done else ("input",))


def _of_works(alias: str) -> Iterator[Folder]:
    files = SubmissionFile.objects.using(alias).order_by("pk")
    for stored, name, state, sha256 in files.values_list("stored", "name", "state", "sha256"):
        shown = ("shown",) if state == SubmissionFile.State.READY else ()
        if name:
            yield Folder(f"works/{stored}", ("original", *shown), sha256)
        else:  # of somebody who was erased: the copy has taken the place of what they uploaded
            yield Folder(f"works/{stored}", shown)
