"""What in a data set without names could still tell who somebody is: counted, and said in plain words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

FEW = 5  # people with the same figures, below which somebody who knows the figures may know who it is
SMALL_CLASS = 20


@dataclass(frozen=True, slots=True)
class Findings:
    """Counts of what could be recognised."""

    people: int
    reviewers: int
    own_orders: int  # reviewers whose order nobody else has
    rare: int  # people with so many reviews given, received and team mates as fewer than FEW have
    rare_figures: tuple[tuple[int, int, int], ...]  # the rarest of them: given, received, makers
    teams: tuple[int, ...]  # sizes of teams of which there is one only
    off_roster: int  # graders who are not on the roster: staff
    anchored: int  # works with a staff grade

    def sentences(self, *, english: bool = False) -> list[str]:
        """All that applies, the weightiest first."""
        with translation.override("en" if english else translation.get_language()):
            return [text for text in self._all() if text]

    def _all(self) -> list[str]:
        return [
            _("Whoever took part may recognise the own order: %(own)d of %(all)d reviewers have one that"
              " nobody else has. By it they find the numbers of the works that they reviewed, and what others"
              " thought of these.") % {"own": self.own_orders, "all": self.reviewers},
            self._rare(),
            self._teams(),
            ngettext(
                "%(count)d grader is not on the roster, and so recognisable as staff.",
                "%(count)d graders are not on the roster, and so recognisable as staff.",
                self.off_roster,
            ) % {"count": self.off_roster} if self.off_roster else "",
            ngettext(
                "%(count)d work has a staff grade; staff who remember the grade know whose it is.",
                "%(count)d works have a staff grade; staff who remember the grades know whose they are.",
                self.anchored,
            ) % {"count": self.anchored} if self.anchored else "",
            _("The class is small (%(count)d people): who knows it may guess who is first or last.")
            % {"count": self.people} if self.people < SMALL_CLASS else "",
        ]  # fmt: skip

    def _rare(self) -> str:
        if not self.rare:
            return _(
                "Nobody stands out by how many reviews they gave and got: at least %(few)d people share each."
            ) % {"few": FEW}
        shown = "; ".join(
            _("%(given)d given, %(got)d received") % {"given": given, "got": got}
            for given, got, _makers in self.rare_figures[:3]
        )
        text = ngettext(
            "%(count)d person stands out by how many reviews they gave and got, which fewer than %(few)d"
            " people share (%(shown)s). Who knows these figures may know who it is.",
            "%(count)d people stand out by how many reviews they gave and got, which fewer than %(few)d"
            " people share (such as %(shown)s). Who knows these figures may know who they are.",
            self.rare,
        )
        return text % {"count": self.rare, "few": FEW, "shown": shown}

    def _teams(self) -> str:
        if not self.teams:
            return ""
        sizes = ", ".join(map(str, self.teams))
        return _("Only one team has this many members: %(sizes)s.") % {"sizes": sizes}


def findings_of(
    feedback: Sequence[Sequence[str]], roster: Sequence[Sequence[str]], anchors: Sequence[Sequence[str]]
) -> Findings:
    """Count. Rows are those of the files: grader, item, rank; student, item, …; item, score."""
    orders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    received: Counter[str] = Counter()
    for grader, item, rank in feedback:
        orders[grader].append((item, rank))
        received[item] += 1
    work_of = {row[0]: row[1] for row in roster}
    makers = Counter(item for item in work_of.values() if item)
    figures = {
        who: (len(orders.get(who, [])), received[item] if item else 0, makers[item] if item else 0)
        for who, item in work_of.items()
    }
    shared = Counter(figures.values())
    rare = [figure for figure, count in shared.items() if count < FEW]
    sizes = Counter(size for size in makers.values() if size > 1)
    same = Counter(tuple(sorted(order)) for order in orders.values())
    return Findings(
        people=len(work_of),
        reviewers=len(orders),
        own_orders=sum(count == 1 for count in same.values()),
        rare=sum(shared[figure] for figure in rare),
        rare_figures=tuple(sorted(rare, key=lambda figure: (shared[figure], figure))),
        teams=tuple(sorted(size for size, count in sizes.items() if count == 1)),
        off_roster=sum(who not in work_of for who in orders),
        anchored=len(anchors),
    )
