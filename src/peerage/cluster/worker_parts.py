"""Parts that workers hold: what they are made from can be read again, so that a lost worker loses nothing.

Every part is the result of a task, kept by a worker, and every question to it is a task that goes to where
the part is. Answers of neighbours are added up by workers, those of one place at that place, so that at most
one answer per worker comes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from peerage._parts import PartialSum, add, add_into, halves, nodes, total_of
from peerage.cluster.client import WorkersChangedError

if TYPE_CHECKING:
    from distributed import Future

    from peerage._parts import Node, Work
    from peerage.cluster.client import PatientClient

LARGE = 10_000  # bytes of an argument from which it is sent once and not with every task


class WorkerParts:
    """Implements `Parts`: recipes, futures, and where each is meant to be."""

    latency_bound = True

    def __init__(
        self,
        client: PatientClient,
        recipes: Sequence[Callable[[str], Future]],
        made_of: WorkerParts | None = None,
    ) -> None:
        self.client, self.recipes, self.made_of = client, list(recipes), made_of
        self.threads: dict[str, int] = {}  # by worker
        self.answers: list[Node] = []  # the nodes of the tree whose sums come back
        self.branches: set[Node] = set()  # those below them that one task sums: their parts are at one place
        self.homes = [""] * len(recipes)
        self.futures: list[Future | None] = [None] * len(recipes)

    @classmethod
    def read(
        cls, client: PatientClient, read: Callable[..., Any], recipes: Sequence[tuple[Any, ...]]
    ) -> WorkerParts:
        """Parts that are read by workers, each from its recipe."""

        def recipe(arguments: tuple[Any, ...]) -> Callable[[str], Future]:
            return lambda home: client.submit(read, *arguments, **_there(home))

        return cls(client, [recipe(arguments) for arguments in recipes])

    def __len__(self) -> int:
        return len(self.recipes)

    def map(self, make: Callable[..., Any], *arguments: Any) -> WorkerParts:
        """What is made of every part, kept where the part is; then the parts themselves are let go."""
        known = [self.client.held(value) if _is_large(value) else value for value in arguments]

        def recipe(number: int) -> Callable[[str], Future]:
            def submitted(home: str) -> Future:
                part = self._part_at(number, home)
                return self.client.submit(make, part, *known, **_there(home))

            return submitted

        return WorkerParts(self.client, [recipe(number) for number in range(len(self))], made_of=self)

    def _part_at(self, number: int, home: str) -> Future:
        """A part that is there already, or made anew."""
        there = self.futures[number]
        return there if there is not None and self.homes[number] == home else self.recipes[number](home)

    def _let_go(self) -> None:
        """Workers keep what others are still made of, and no longer; who asks again has it made anew."""
        self.threads, self.homes, self.futures = {}, [""] * len(self), [None] * len(self)

    # -- where they are -------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Give every part a home, and new ones where workers have gone or come."""
        threads = self.client.threads()
        if threads == self.threads:
            return
        workers = sorted(threads)
        most = -(-len(self) // len(workers))
        count: Counter[str] = Counter()
        moving = []
        for number, home in enumerate(self.homes):
            if home in workers and count[home] < most:
                count[home] += 1
            else:
                moving.append(number)
        for number in moving:
            home = next(worker for worker in workers if count[worker] < most)
            count[home] += 1
            self.homes[number] = home
            self.futures[number] = self.recipes[number](home)
        self.threads = threads
        self.answers = nodes(len(self), 1 << (len(workers).bit_length() - 1))  # 2 of 2 and 3, 4 of 4 to 7
        self.branches = set(self._branches(nodes(len(self), sum(threads.values()))))
        if self.made_of is not None:
            self.made_of._let_go()

    def _branches(self, level: list[Node]) -> Iterator[Node]:
        """At most as large as those given, which are enough to give every thread something to do."""
        for node in level:
            if len(set(self.homes[node[0] : node[1]])) == 1:
                yield node
            else:
                yield from self._branches(list(halves(node)))

    # -- asking ---------------------------------------------------------------------------------------

    def sum(self, work: Work, *arguments: Any, by_part: Sequence[Any] | None = None) -> PartialSum:
        """Neighbours are added up by the workers, until there are no more answers than workers."""
        while True:
            try:
                return self._sum(work, arguments, by_part)
            except WorkersChangedError:  # what parts have done is not undone by being asked again
                continue

    def _sum(self, work: Work, arguments: tuple[Any, ...], by_part: Sequence[Any] | None) -> PartialSum:
        self._settle()
        known = [self._held(value) for value in arguments]

        def asked(node: Node) -> Future:
            low, high = node
            there = _there(self.homes[low])
            if node in self.branches:
                own = None if by_part is None else list(by_part[low:high])
                return self.client.submit(branch, node, work, self.futures[low:high], known, own, **there)
            return self.client.submit(add, *(asked(half) for half in halves(node)), **there)

        answers = self.client.results([asked(node) for node in self.answers], self.threads)
        self._count(answers, by_part)
        return total_of(dict(zip(self.answers, answers, strict=True)), (0, len(self)))

    def _held(self, value: Any) -> Any:
        """A large argument as a future: it goes out once, not with every task."""
        if not _is_large(value):
            return value
        self.client.traffic.down += _size(value) * len(self.threads)
        return self.client.held(value)

    def _count(self, answers: list[PartialSum], by_part: Sequence[Any] | None) -> None:
        traffic = self.client.traffic
        traffic.rounds += 1
        traffic.down += sum(_size(own) for own in by_part or ())
        for (low, high), answer in zip(self.answers, answers, strict=True):
            sums, kept = _size(answer.sums), _size(answer.by_part)
            traffic.up += sums + kept
            traffic.up_unsummed += (high - low) * sums + kept


def branch(node: Node, work: Work, parts: list[Any], known: list[Any], own: list[Any] | None) -> PartialSum:
    """The sum over the parts of a node, where they are; what went in stays as it is."""
    low, high = node
    if high - low == 1:
        return work(parts[0], *known, *([] if own is None else own))
    (_, middle), _ = halves(node)
    cut = middle - low
    left = branch((low, middle), work, parts[:cut], known, own and own[:cut])
    right = branch((middle, high), work, parts[cut:], known, own and own[cut:])
    return add_into(left, right) if cut > 1 else add(left, right)  # a part may keep what it has answered


def _there(home: str) -> dict[str, Any]:
    """To be done where the part is, or anywhere if that is gone."""
    return {"workers": [home], "allow_other_workers": True, "pure": False}


def _size(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list | tuple):
        return sum(_size(element) for element in value)
    parent = getattr(value, "parent", None)  # a forest
    if parent is not None:
        return int(parent.nbytes)
    fields = getattr(type(value), "__dataclass_fields__", {})
    return sum(_size(getattr(value, name)) for name in fields) or 8


def _is_large(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.nbytes > LARGE)
    slots = getattr(type(value), "__dataclass_fields__", {})
    return any(_is_large(getattr(value, name)) for name in slots)
