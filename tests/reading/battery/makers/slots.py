"""One row per grader, with as many slots as reviews: an item and what the grader gave it, again and again."""
# ruff: noqa: E501 - a case per line, up to 130 characters
# fmt: off

from collections.abc import Iterator
from typing import Any

from tests.reading.battery import marks as m
from tests.reading.battery.case import Case, Table, csv_case
from tests.reading.battery.marks import Mark
from tests.reading.battery.truth import NOBODY, People, Scale, full_name, small_class, team

N_SLOTS = 4


def slot_case(
    name: str, heads: str, mark: Mark, *, corner: str = "Name", usual: bool = False, blank: int = 0, comments: str = "",
    people: People = NOBODY, delimiter: str = ",", scale: Scale | None = None,
) -> Case:
    """`heads` are those of a slot; `{}` in them is its number. Some graders leave their last slots empty."""
    truth = small_class(name, reviews=N_SLOTS - blank, scale=scale, **people)
    slot = [*heads.split("|"), *([comments] if comments else [])]
    table = Table([corner, *(head.format(number) for number in range(1, N_SLOTS + 1) for head in slot)])
    for who in truth.graders:
        cells = [[item, mark(truth, who, item), *["well done, mostly"] * bool(comments)] for item in truth.saw(who)]
        cells += [[""] * len(slot)] * blank
        table.add([who, *(cell for group in cells for cell in group)], (who, 0))
    truth = m.meant(truth, mark)
    silent = tuple(comments.format(number) for number in range(1, N_SLOTS + 1)) if comments else ()
    return csv_case(name, truth.but(silent=silent), table, usual=usual, delimiter=delimiter)


def cases() -> Iterator[Case]:
    usual: dict[str, Any] = {"usual": True}
    yield slot_case("slots of scores", "Project {}|Score {}", m.score, scale=m.HUNDRED, **usual)
    yield slot_case("slots of ranks", "Project {}|Rank {}", m.rank, corner="Reviewer", **usual)
    yield slot_case("slots of points in German", "Projekt {}|Punkte {}", m.score, corner="Bewerter", scale=m.HUNDRED,
                    delimiter=";", **usual)
    yield slot_case("slots of notes in French", "Projet {}|Note {}", m.score, corner="Évaluateur", scale=m.TWENTY, **usual)
    yield slot_case("slots of puntos", "Proyecto {}|Puntos {}", m.score, corner="Evaluador", scale=m.TEN, **usual)
    yield slot_case("slots of German grades", "Arbeit {}|Note {}", m.Ladder(m.COMMA_THIRDS), corner="Bewerter", scale=m.TEN,
                    delimiter=";")
    yield slot_case("slots with blanks", "Team {}|Points {}", m.score, scale=m.HUNDRED, blank=1, people={"item": team},
                    **usual)
    yield slot_case("slots with comments", "Paper {}|Score {}", m.score, scale=m.TEN, comments="Comment {}", **usual)
    yield slot_case("slots by name in front", "Reviewed project ({})|Rating ({})", m.score, scale=m.FIVE,
                    people={"grader": full_name})
    yield slot_case("slots with the same header", "Project|Score", m.score, scale=m.HUNDRED)
    yield slot_case("slots of 1 best ratings", "Project {}|Rating {} (1 = best)", m.Ladder(m.LOW_BEST), scale=m.STEPS)
    yield slot_case("slots of ranks, 4 best", "Project {}|Rank {} (4 = best)", m.last_is_best)
    yield slot_case("slots open, 1 best", "Project {}|Answer {}", m.rank)
    yield slot_case("slots open, 4 best", "Project {}|Answer {}", m.last_is_best)
