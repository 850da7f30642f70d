"""Copies of files for reviewers, made in the sandbox: at once where somebody waits, else by a task worker."""

import json
import logging
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.sandbox import parent
from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    DiskFullError,
    KilledError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
)
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.contract.rendering import (
    COPY_FOLDER,
    COPY_INDEX,
    InvalidCopyError,
    ReviewCopy,
    check_review_copy,
    is_plain_file,
)
from peerage_web.sandbox.work.rendering.render import render_file
from peerage_web.shared.errors import Busy
from peerage_web.shared.services.disk import has_disk_space, size_of
from peerage_web.shared.services.sandbox_slots import ask_sandbox

log = logging.getLogger(__name__)
State = SubmissionFile.State
SOON = 6.0  # seconds for which whoever uploads waits; what takes longer, a task worker makes
SMALL = 8 << 20  # bytes of a file that is tried at once
QUICK = 20.0  # seconds before other work
COPY_SECONDS = 60.0  # that a task worker gives one file
ATTEMPTS = 3
SLACK = 60  # seconds beyond the longest run after which a claim counts no more
Run = Callable[..., Any]


class CannotMakeError(Exception):
    """There is no copy; the text is what `SubmissionFile.problem` keeps."""


# -- of any file -----------------------------------------------------------------------------------


def make_copy(*, folder: Path, kind: str, run: Run) -> ReviewCopy:
    """Make `shown` of `original` in a folder; CannotMakeError says why not, once and for all.

    The child gets a copy of the file: one that takes it over cannot change what was submitted. Errors that
    lie outside of the file are raised as they are (KilledError, DiskFullError, Busy).
    """
    making = folder / "making"
    shutil.rmtree(making, ignore_errors=True)
    try:
        (making / "input").mkdir(parents=True, mode=0o700)
        shutil.copyfile(folder / "original", making / "input" / "submission")
        copy = _asked(run, making, kind)
        _publish(copy, making / COPY_FOLDER, folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return copy


def _asked(run: Run, making: Path, kind: str) -> ReviewCopy:
    try:
        said = run(render_file, JobFiles(str(making), "submission"), kind)
    except OutOfTimeError:
        raise
    except (OutOfMemoryError, OutOfSpaceError):
        raise CannotMakeError(stored_problem("memory")) from None
    except CrashedError:
        raise CannotMakeError(stored_problem("crash")) from None
    except BrokenError as error:
        log.exception("a copy could not be made", extra={"fields": {"where": str(error)}})
        raise CannotMakeError(stored_problem("broken")) from None
    if "problem" in said:
        log.info("a file cannot be shown", extra={"fields": {"where": said.get("where", ""), "kind": kind}})
        problem: dict[str, Any] = said["problem"]
        figures = {name: value for name, value in problem.items() if isinstance(value, int)}
        raise CannotMakeError(stored_problem(str(problem.get("code")), **figures))
    try:
        return check_review_copy(said)
    except InvalidCopyError as error:
        log.warning("a child said what cannot be", extra={"fields": {"where": str(error)}})
        raise CannotMakeError(stored_problem("crash")) from None


def _publish(copy: ReviewCopy, source: Path, folder: Path) -> None:
    """Take over what was named and is a file; all at once, so that nobody sees half of it."""
    draft = folder / f"{COPY_FOLDER}.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    for name in dict.fromkeys([copy.download, *(picture.name for picture in copy.pictures)]):
        if not is_plain_file(source / name):
            raise CannotMakeError(stored_problem("crash"))
        (source / name).rename(draft / name)
    (draft / COPY_INDEX).write_text(copy.to_json(), encoding="utf-8")
    shutil.rmtree(folder / COPY_FOLDER, ignore_errors=True)
    draft.rename(folder / COPY_FOLDER)


# -- of a submitted file -------------------------------------------------------------------------


def make_soon(*, files: Iterable[SubmissionFile], visitor: str) -> None:
    """Try it while somebody waits; as soon as one takes long or many wait, the rest is a task worker's."""
    for file in files:
        if file.bytes > SMALL:
            continue
        with suppress(Busy):
            _make(file, partial(ask_sandbox, visitor=visitor, cost=1.0, seconds=SOON), last=False)
        file.refresh_from_db(fields=["state"])
        if file.state == State.WAITING:
            return


def make_next(*, small_only: bool = False) -> bool:
    """Make the next copy that waits; False where none waits for this worker.

    As with files to be graded, people take turns, nobody has the last worker, and all workers but the first
    do small work only: what proves to be none in SOON seconds is left to the first.
    """
    waiting = SubmissionFile.objects.filter(_free(), state=State.WAITING)
    if small_only:
        waiting = waiting.filter(bytes__lte=SMALL, problem="")
    file = _next_in_turn(waiting) if has_disk_space() else None
    if file is None:
        return False
    seconds = SOON if small_only else copy_seconds()
    run = partial(parent.run, seconds=seconds, memory=settings.LIMITS.memory, quick=QUICK)
    _make(file, run, last=not small_only)
    return True


_turns: dict[int, int] = {}  # of this process: person to the number of their last turn


def _next_in_turn(waiting: QuerySet[SubmissionFile]) -> SubmissionFile | None:
    """The first of whoever had their turn longest ago, of those who do not have their share at work."""
    mine = waiting.order_by("attempts", "pk").values_list("version__uploaded_by", "pk")
    firsts: dict[int, int] = {}
    for person, number in mine:
        firsts.setdefault(person, number)
    if not firsts:  # asked often
        return None
    at_work = Counter(
        SubmissionFile.objects.filter(~_free(), state=State.WAITING).values_list(
            "version__uploaded_by", flat=True
        )
    )
    most = max(1, settings.TASK_WORKERS - 1)
    free = [person for person in firsts if at_work[person] < most]
    if not free:
        return None
    person = min(free, key=lambda author: (_turns.get(author, 0), firsts[author]))
    _turns[person] = 1 + max(_turns.values(), default=0)
    return SubmissionFile.objects.filter(pk=firsts[person]).first()


def copy_seconds() -> float:
    """That one copy may take; a file that takes longer is hostile, or no submission."""
    return min(COPY_SECONDS, float(settings.LIMITS.job_seconds))


def _free() -> Q:
    """Nobody makes it, or who did has been gone for too long."""
    gone = timedelta(seconds=parent.PATIENCE * copy_seconds() + SLACK)
    return Q(making_since=None) | Q(making_since__lt=Now() - gone)


def _make(file: SubmissionFile, run: Run, *, last: bool) -> None:
    """Make it, unless somebody else does. `last`: nobody will give it more time."""
    mine = SubmissionFile.objects.filter(_free(), pk=file.pk, state=State.WAITING)
    if not mine.update(making_since=Now(), attempts=F("attempts") + 1):
        return
    changes: dict[str, Any] = {"attempts": F("attempts") - 1}  # whatever happens, it is not to blame yet
    try:
        changes = _outcome(file, run, last=last)
    finally:
        _finish(file, changes)


def _outcome(file: SubmissionFile, run: Run, *, last: bool) -> dict[str, Any]:
    try:
        copy = make_copy(folder=file.folder, kind=file.kind, run=run)
    except CannotMakeError as error:
        return {"state": State.FAILED, "problem": str(error)}
    except OutOfTimeError:
        # one that waits on is known to be slow by its problem
        slow = {"problem": stored_problem("time")}
        return {"state": State.FAILED, **slow} if last else {"attempts": 0, **slow}
    except (KilledError, DiskFullError, OSError):
        return _interrupted(file)
    except (Busy, DatabaseError, InterfaceError):  # nothing of the file's
        raise
    except Exception:  # a fault of ours: this file's copy fails, and the task worker goes on
        log.exception("a copy could not be made")
        return {"state": State.FAILED, "problem": stored_problem("broken")}
    return {
        "state": State.READY,
        "pages": len(copy.pictures),
        "problem": "",
        "disk_bytes": size_of(file.folder),
    }


def _interrupted(file: SubmissionFile) -> dict[str, Any]:
    """Nothing is known to be wrong with the file: it waits for another try, a few times."""
    if not file.original.is_file():
        return {"state": State.FAILED, "problem": stored_problem("gone")}
    file.refresh_from_db(fields=["attempts"])
    if file.attempts < ATTEMPTS:
        return {}
    return {"state": State.FAILED, "problem": stored_problem("interrupted")}


def _finish(file: SubmissionFile, changes: dict[str, Any]) -> None:
    if not SubmissionFile.objects.filter(pk=file.pk).update(making_since=None, **changes):
        shutil.rmtree(file.folder, ignore_errors=True)  # its draft was thrown away meanwhile


# -- Why there is no copy of a file for reviewers, and what to do: codes in words, in the reader's language


PROBLEMS: dict[str, Any] = {
    "empty": _("The file is empty. Choose another one."),
    "unreadable": _(
        "The file is damaged and cannot be opened. Open it on your computer, save or export it "
        "again, and upload the new file."
    ),
    "locked": _("The PDF is password-protected. Export it without a password and upload it again."),
    "locked-word": _(
        "The Word file is protected by a password. Save it without one, or as a PDF, and upload it again."
    ),
    "unpacked": ngettext_lazy(
        "The Word file unpacks to more than %(count)d MB. Make its images smaller, or upload a PDF.",
        "The Word file unpacks to more than %(count)d MB. Make its images smaller, or upload a PDF.",
        "count",
    ),
    "many-images": ngettext_lazy(
        "The Word file has more than %(count)d image. Save it as a PDF and upload that.",
        "The Word file has more than %(count)d images. Save it as a PDF and upload that.",
        "count",
    ),
    "no-pages": _("The PDF has no pages. Export it again and upload the new file."),
    "many-pages": ngettext_lazy(
        "The PDF is longer than the limit of %(count)d page. Upload a shorter one.",
        "The PDF is longer than the limit of %(count)d pages. Upload a shorter one.",
        "count",
    ),
    "many-pixels": ngettext_lazy(
        "The image has more than %(count)d million pixels. Make it smaller and upload it again.",
        "The image has more than %(count)d million pixels. Make it smaller and upload it again.",
        "count",
    ),
    "long-text": ngettext_lazy(
        "The text is longer than %(count)d character. Shorten it, or upload it as a PDF.",
        "The text is longer than %(count)d characters. Shorten it, or upload it as a PDF.",
        "count",
    ),
    "encoding": _("The text is not encoded in UTF-8. Save it as UTF-8 and upload it again."),
    "time": _(
        "The file takes too long to process. Export it again with simpler figures or as a "
        "smaller file, and upload that."
    ),
    "memory": _("The file needs too much memory to process. Make its images smaller and upload it again."),
    "crash": _("The file could not be processed. Print it to a new PDF on your computer and upload that."),
    "interrupted": _(
        "Processing was interrupted several times, but nothing seems to be wrong with the file. Try again."
    ),
    "broken": _(
        "Something went wrong on our side. Try again. If it happens again, tell the "
        "administrator of this site."
    ),
    "gone": _("The copy for reviewers is missing. Try again, or tell your instructor."),
}
AGAIN = frozenset({"time", "memory", "interrupted", "broken", "gone"})  # what another try may help


def stored_problem(code: str, **figures: int) -> str:
    """As `SubmissionFile.problem` keeps it."""
    return json.dumps({"code": code if code in PROBLEMS else "broken", **figures})


def problem_in_words(stored: str) -> str:
    """What the author reads; empty where there is no problem."""
    problem = _read(stored)
    if not problem:
        return ""
    try:
        return str(PROBLEMS[problem["code"]] % problem)
    except (KeyError, TypeError, ValueError):
        return str(PROBLEMS["broken"])


def may_be_tried_again(stored: str) -> bool:
    """Whether the same file may come through at another time."""
    return _read(stored).get("code") in AGAIN


def _read(stored: str) -> Mapping[str, Any]:
    try:
        problem = json.loads(stored or "{}")
    except ValueError:
        return {"code": "broken"}
    return problem if isinstance(problem, dict) else {"code": "broken"}
