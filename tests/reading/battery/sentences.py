"""Whether the sentences about a file are true: by the feedback they stand with, and by the maker's truth."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.reading.battery.case import Case
from tests.reading.battery.truth import Tiers, Truth

LINE = re.compile(
    r"Lines? (?P<lines>[\d, andto]+): (?P<who>.+?) (?P<verb>ranks|prefers|calls) (?P<rest>.+)\.", re.S
)
NAMES = re.compile(
    r"Items \((\d+)\): (?P<items>.+) Graders \((\d+)\): (?P<graders>.+?)(?: Ignored: (?P<ignored>.+?)\.)?"
    r"(?: Every number counts, 0 as well\.)?(?: Of a review that is there twice, [a-z ]+ counts\.)?",
    re.S,
)
NUMBER = r"-?\d+(?:\.\d+)?"
KINDS = re.compile(r"\b(?:the|columns?|rows?|lines?|sheets?|and)\b|[\s,.…'’‘\"“”]")


@dataclass(frozen=True)
class Statement:
    """What a sentence says of a list; `last` where it leaves out what stands between."""

    lines: frozenset[int]
    who: str
    tiers: Tiers
    numbers: list[float | None]
    last: list[str]


def line_numbers(text: str) -> frozenset[int]:
    """'2', '2 to 4', '2, 5 and 9'."""
    numbers: set[int] = set()
    for part in re.split(r", | and ", text):
        low, _, high = part.partition(" to ")
        numbers |= set(range(int(low), int(high or low) + 1))
    return frozenset(numbers)


def parse(sentence: str, labels: Iterable[str]) -> Statement | None:
    """Nothing where the sentence has no form that is known."""
    match = LINE.fullmatch(sentence)
    if match is None:
        return None
    item = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    read = _order if match["verb"] == "ranks" else _pair
    order = read(match["verb"], match["rest"], f"(?:{item})")
    try:
        return order and Statement(line_numbers(match["lines"]), match["who"], *order)
    except ValueError:
        return None


def _pair(verb: str, rest: str, item: str) -> tuple[Tiers, list[float | None], list[str]] | None:
    form = rf"({item}) to ({item})" if verb == "prefers" else rf"({item}) and ({item}) equal"
    match = re.fullmatch(form, rest)
    if match is None:
        return None
    tiers = [[match[1]], [match[2]]] if verb == "prefers" else [[match[1], match[2]]]
    return tiers, [None] * len(tiers), []


def _order(verb: str, rest: str, item: str) -> tuple[Tiers, list[float | None], list[str]] | None:
    group, number = rf"(?P<group>{item}(?:, {item})*(?: and {item})?)", rf"(?P<number>{NUMBER})"
    suffix = rf"(?: \((?:(?P<tied>tied)(?:, (?P<both>{NUMBER}))?|{number})\))?"
    forms = [
        rf"{group} first{suffix}",
        rf", then {group}{suffix}",
        rf"(?:,| and)? … and {group} last{suffix}",
    ]
    patterns = [re.compile(form) for form in forms]
    tiers: Tiers = []
    numbers: list[float | None] = []
    at, last = 0, list[str]()
    while at < len(rest) and not last:
        match = patterns[1].match(rest, at) if tiers else patterns[0].match(rest)
        ends = None if match or not tiers else patterns[2].match(rest, at)
        part = match or ends
        if part is None:
            return None
        labels = re.findall(item, part["group"])
        if (len(labels) > 1) != bool(part["tied"]):
            return None
        if ends:
            last = labels
        else:
            value = part["both"] or part["number"]
            tiers.append(labels)
            numbers.append(float(value) if value else None)
        at = part.end()
    return (tiers, numbers, last) if at == len(rest) else None


def agrees(said: Statement, tiers: Tiers, truth: Truth) -> bool:
    """Whether a list is the one of the statement, as far as that goes."""
    shown = [sorted(map(truth.label, tier)) for tier in said.tiers]
    true = [sorted(map(truth.label, tier)) for tier in tiers]
    if not said.last:
        return shown == true
    cut = shown[:-1] == true[: len(shown) - 1] and set(shown[-1]) <= set(true[len(shown) - 1])
    long = sum(map(len, true)) > 6 and sum(map(len, shown)) >= 3
    return cut and long and set(map(truth.label, said.last)) <= set(true[-1])


def _numbers_slip(said: Statement, truth: Truth) -> str:
    """Scores are those of the list; other numbers at least run one way."""
    shown = [number for number in said.numbers if number is not None]
    who = truth.aliases.get(said.who, said.who)
    if truth.scores is None or who not in truth.scores:
        up = sorted(set(shown))
        return "" if shown in (up, up[::-1]) else f"numbers run both ways: {shown}"
    for tier, number in zip(said.tiers, said.numbers, strict=True):
        for item in tier:
            if number is not None and abs(truth.scores[who][truth.label(item)] - number) > 0.01:
                return f"the score of {item} is {truth.scores[who][truth.label(item)]:g}"
    return ""


def sentence_slips(sentences: Iterable[str], feedback: Any, case: Case | None) -> list[str]:
    """What is wrong; without a case only by the feedback, as for readings that are not the true one."""
    labels = feedback.item_labels.to_list()
    graders = feedback.grader_labels.to_list()
    truth = case.truth.for_labels(labels) if case and case.truth else Truth({}, labels, graders)
    slips, about_lines, about_names = [], 0, 0
    for sentence in sentences:
        if names := NAMES.fullmatch(sentence):
            about_names += 1
            slip = _names_slip(names, labels, graders, truth if case else None)
        elif said := parse(sentence, labels):
            about_lines += 1
            lists = [(grader, tiers) for grader, tiers in feedback.orders() if agrees(said, tiers, truth)]
            heard = any(said.who == grader or truth.anonymous for grader, _ in lists)
            slip = "" if heard else "not what was read"
            slip = slip or (_line_slip(said, case, truth) if case else "")
        else:
            slip = "of no known form"
        slips += [f"{sentence!r}: {slip}"] if slip else []
    if about_lines < 1 or about_names != 1:
        slips.append(f"{about_lines} sentences about lines and {about_names} about names")
    return slips


def _line_slip(said: Statement, case: Case, truth: Truth) -> str:
    who = truth.aliases.get(said.who, said.who)
    for (grader, number), where in case.lines.items():
        there = (truth.anonymous or grader == who) and where.sure <= said.lines <= where.possible
        if there and agrees(said, truth.orders[grader][number], truth):
            return _numbers_slip(said, truth)
    return "not what the file says there"


def _names_slip(names: re.Match[str], labels: list[str], graders: list[str], truth: Truth | None) -> str:
    if (int(names[1]), int(names[3])) != (len(labels), len(graders)):
        return f"there are {len(labels)} items and {len(graders)} graders"
    rest = _residue(names["items"], labels) + _residue(names["graders"], graders)
    if rest:
        return f"no such label: {rest}"
    said = re.sub(r"(?:, )?the value '[^']*'", "", names["ignored"] or "").lstrip(", ")  # of no review
    if truth is None:
        return ""
    missing = [name for name in truth.ignored if name not in said]
    rest = _residue(said, [*truth.ignored, *truth.silent])
    return f"not named as ignored: {missing}" if missing else f"must not be ignored: {rest}" if rest else ""


def _residue(text: str, names: Iterable[str]) -> str:
    """What is left without the names and the words between them."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text)
    return KINDS.sub("", text)
