"""Fit a method by its code, or the one that suits the feedback: here, from a checkpoint, or on a cluster."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._numba import machine
from peerage._version import __version__
from peerage.errors import ClusterError, MethodError
from peerage.feedback.container import Feedback
from peerage.feedback.partition import split_feedback
from peerage.models import thresholds
from peerage.models.base import Estimator
from peerage.models.checkpoint import FileCheckpoint, NoCheckpoint
from peerage.models.default import choose, choose_parts, reconsider
from peerage.models.feedback_parts import FeedbackParts, feedback_edges, no_labels
from peerage.models.lists import count_pairs
from peerage.models.registry import method
from peerage.reading.packed import open_packed, packed_at
from peerage.reading.reader import as_feedback
from peerage.reading.reading import Reading

if TYPE_CHECKING:
    from peerage.cluster.cluster import Cluster
    from peerage.models.checkpoint import Checkpoint
    from peerage.reading.packed import Packed

BYTES_A_REVIEW, BYTES_A_PAIR, BYTES_A_GRADER = 60, 8, 150  # of a part on its worker
VECTORS = 12  # of all items, by worker and part


def fit(
    feedback: Feedback | Any,
    method_code: str | None = None,
    *,
    cluster: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **params: Any,
) -> Estimator:
    """Fit a method by its code; without one, the method that suits the feedback.

    `feedback` may also be lists, best first, or a file, a table or a packed folder that :func:`peerage.read`
    can read without being told more.

    `cluster` says where the work is done, if not in this process: ``"local:2"`` starts two processes on this
    machine, ``"tcp://head:8786"`` is the address of a Dask scheduler, and a ``dask.distributed.Client``
    does as well. The bytes of the result are the same.

    `checkpoint` is a file in which a fit of large feedback notes after every step how far it is. Where it
    exists, the fit goes on from there. It stays when the fit has ended.

    >>> from peerage import Feedback, fit
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"]), ("cyd", ["x", "y"])])
    >>> fit(feedback, "pl+g").grades()["item"].to_list()
    ['x', 'y']
    """
    _refuse_reading_options(params)
    if cluster is not None or checkpoint is not None:
        return _fit_distributed(feedback, method_code, cluster, checkpoint, params)
    known = as_feedback(feedback)
    return _fit_default(known, params) if method_code is None else method(method_code, **params).fit(known)


def _refuse_reading_options(params: dict[str, Any]) -> None:
    for name in ("reading", *(field.name for field in fields(Reading))):
        if name in params:
            raise TypeError(
                f"{name!r} is no parameter of a method; it says how to read a file: fit(read(file, {name}=…))"
            )


def _fit_default(feedback: Feedback, params: dict[str, Any]) -> Estimator:
    """The method that suits; what is asked of it is not changed."""
    choice = choose(feedback)
    fitted = choice.estimator(**params).fit(feedback)
    return fitted if params else reconsider(choice, fitted)[1]


def fit_estimator(feedback: Feedback, estimator: Estimator, cluster: Any = None) -> Estimator:
    """Fit an estimator, here or on a cluster."""
    if cluster is None:
        return estimator.fit(feedback)

    return _fit_distributed(feedback, estimator, cluster, None, {})


# -- on a cluster, or from a checkpoint -----------------------------------------------------------------


def _fit_distributed(
    given: Any,
    code: str | Estimator | None,
    cluster: Any,
    checkpoint: str | os.PathLike[str] | None,
    params: dict[str, Any],
) -> Estimator:
    """Fit on a cluster, or with a checkpoint, or both; the same bytes as here and at once."""
    packed = packed_at(given)
    digest = None if packed is None else _manifest_digest(packed)
    if packed is not None and (cluster is None or len(packed.parts) <= 1):
        return _fit_here(packed.feedback(), code, checkpoint, digest, params)
    known = None if packed is not None else as_feedback(given)
    if known is not None and (cluster is None or len(feedback_edges(known)) <= 2):
        return _fit_here(known, code, checkpoint, digest, params)
    if code is not None:
        _refuse(_named(code, params))  # before any worker is waited for
    with _source(known, packed, cluster) as (source, digest):
        estimator = choose_parts(source).estimator(**params) if code is None else _named(code, params)
        _refuse(estimator)
        notes = _checkpoint(checkpoint, estimator, digest)
        whole = (lambda: packed.feedback()) if packed is not None else (lambda: known)
        return estimator.fit_parts(source, notes, whole)  # type: ignore[arg-type]


def _named(code: str | Estimator, params: dict[str, Any]) -> Estimator:
    return code if isinstance(code, Estimator) else method(code, **params)


def _refuse(estimator: Estimator) -> None:
    obstacle = estimator.obstacle_in_parts()
    if obstacle is not None:
        raise MethodError(obstacle)


def _fit_here(
    feedback: Feedback,
    code: str | Estimator | None,
    checkpoint: str | os.PathLike[str] | None,
    digest: str | None,
    params: dict[str, Any],
) -> Estimator:
    """In this process: what is one part takes no time, and is not worth a checkpoint."""
    estimator = choose(feedback).estimator(**params) if code is None else _named(code, params)
    if checkpoint is None or estimator.obstacle_in_parts() or len(feedback_edges(feedback)) <= 2:
        return _fit_default(feedback, params) if code is None else estimator.fit(feedback)
    notes = _checkpoint(checkpoint, estimator, digest or _digest(feedback))
    return estimator.fit_parts(FeedbackParts.of(feedback), notes, lambda: feedback)


def _checkpoint(checkpoint: Any, estimator: Estimator, digest: str) -> Checkpoint:
    if checkpoint is None:
        return NoCheckpoint()
    job = {"method": type(estimator).__name__, "params": estimator.get_params(), "feedback": digest}
    return FileCheckpoint(checkpoint, job | {"peerage": __version__, "machine": machine()})


# -- parts on workers -------------------------------------------------------------------------------------


@contextmanager
def _source(
    feedback: Feedback | None, packed: Packed | None, cluster: Any
) -> Iterator[tuple[FeedbackParts, str]]:
    from peerage.cluster.cluster import open_cluster

    with open_cluster(cluster) as workers:
        if packed is not None:
            yield _packed_source(packed, workers), _manifest_digest(packed)
        else:
            assert feedback is not None
            yield _sent_source(feedback, workers), _digest(feedback)


def _packed_source(packed: Packed, workers: Cluster) -> FeedbackParts:
    digest, known = _manifest_digest(packed), packed.manifest
    recipes = [(str(packed.folder.resolve()), number, digest) for number in range(len(packed.parts))]
    firsts = [part.first_grader for part in packed.parts]
    edges = np.array([*firsts, packed.graders], dtype=np.int64)
    needed = _memory(packed.reviews, packed.reviews * 6, packed.graders, packed.items)
    parts = workers.parts(read_part, recipes, needed)
    item_tasks = np.zeros(packed.items, dtype=np.int32)
    if packed.tasks > 1:
        item_tasks = packed.table("items")["task"].to_numpy().astype(np.int32)
    return FeedbackParts.count(parts, edges, (item_tasks, packed.tasks), known.scores, known.ordered_by)


def _sent_source(feedback: Feedback, workers: Cluster) -> FeedbackParts:
    if feedback.n_entries > thresholds.MOST_SENT:
        msg = (
            f"{feedback.n_entries:,} reviews are too many to be sent to workers from memory: pack them with"
            " peerage.pack(files, folder), and fit the folder, whose parts the workers read themselves"
        )
        raise MethodError(msg)
    edges, n_pairs = feedback_edges(feedback), count_pairs(feedback.list_starts)
    needed = _memory(feedback.n_entries, n_pairs, feedback.n_graders, feedback.n_items)
    recipes = [(_bare(part),) for part in split_feedback(feedback, edges)]
    parts = workers.parts(given_part, recipes, needed)
    tasks = (feedback.item_tasks, feedback.n_tasks)
    return FeedbackParts.count(parts, edges, tasks, feedback.scores is not None, feedback.ordered_by)


def _bare(part: Feedback) -> Feedback:
    """Without labels, which a fit does not need."""
    return replace(
        part,
        item_labels=no_labels(part.n_items),
        grader_labels=no_labels(part.n_graders),
        list_labels=None,
        direction=None,
    )


def given_part(part: Feedback) -> Feedback:
    """The part as it was sent; a function, so that it can be sent."""
    return part


def read_part(folder: str, number: int, digest: str) -> Feedback:
    """One part of a packed folder, read where this runs."""
    if not os.path.isdir(folder):
        msg = (
            f"a worker does not see the packed folder {folder}: it must be at the same path on every machine"
            " of the cluster, on a disk that they share"
        )
        raise ClusterError(msg)
    packed = open_packed(folder)
    if _manifest_digest(packed) != digest:
        msg = f"a worker sees another packed folder at {folder} than this process: the disk must be shared"
        raise ClusterError(msg)
    return packed.read(number, labels=False)


def _manifest_digest(packed: Packed) -> str:
    return hashlib.sha256(packed.manifest.to_bytes()).hexdigest()


def _digest(feedback: Feedback) -> str:
    """Of all that a fit reads."""
    found = hashlib.sha256()
    for name in (
        "items",
        "bucket_starts",
        "list_starts",
        "list_graders",
        "list_tasks",
        "item_tasks",
        "scores",
        "weights",
    ):
        array = getattr(feedback, name)
        found.update(name.encode() if array is None else np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _memory(reviews: int, pairs: int, graders: int, items: int) -> int:
    """About what all parts take on their workers, in bytes."""
    return BYTES_A_REVIEW * reviews + BYTES_A_PAIR * pairs + BYTES_A_GRADER * graders + 8 * VECTORS * items
