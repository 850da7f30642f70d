"""The battery: a file is read as it was meant, or its reader asks; what it says of lines is true.

Each test goes through all files and lists every slip. `python -m tests.reading.battery` shows the table.
"""

import json
import shlex

import pytest
from tests.cli.commands import offered, run
from tests.reading.battery.case import Case, Lines
from tests.reading.battery.catalogue import families, try_case
from tests.reading.battery.sentences import sentence_slips
from tests.reading.battery.truth import Truth, tiers_of

import peerage
from peerage.reading.formats import EXPORTS

READ_AT_ONCE = 0.95  # of files with usual headers


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("battery")
    cases = [case for family in families().values() for case in family]
    return [(case, try_case(case, folder / f"{number:03d}")) for number, case in enumerate(cases)]


def report(slips):
    return f"{len(slips)} slips\n" + "\n".join(slips)


SCORES = {"P3": 9.0, "P1": 7.0, "P4": 7.0, "P2": 4.0}
LINE = "Lines 2 to 5: s01 ranks P3 first (9), then P1 and P4 (tied, 7), then P2 (4)."
NAMES = "Items (4): P1, P2, P3, … Graders (1): s01. Ignored: Email, the row 'Average'."
FALSE = {
    "2 to 5": "2 to 4",
    "s01 ranks": "s02 ranks",
    "P3 first": "P2 first",
    "P1 and P4 (tied, 7)": "P1 (7), then P4 (7)",
    ", then P2 (4)": "",
    "ranks": "likes",
    "(9)": "(8)",
    "Items (4)": "Items (5)",
    "Email, ": "Email, P4, ",
    "Ignored: Email, ": "Ignored: ",
}


def test_false_sentences_are_found_out():
    items = list(SCORES)
    truth = Truth({"s01": [tiers_of(SCORES)]}, items, ["s01"], {"s01": SCORES}, ignored=("Email", "Average"))
    where = Lines(frozenset({2, 3, 4, 5}), frozenset({2, 3, 4, 5}))
    case = Case("made up", "reviews.csv", b"", truth, lines={("s01", 0): where})
    feedback = peerage.Feedback.from_columns(["s01"] * 4, items, score=list(SCORES.values()))

    for old, new in FALSE.items():
        assert sentence_slips([LINE.replace(old, new), NAMES.replace(old, new)], feedback, case) != [], new
    assert sentence_slips([LINE, NAMES], feedback, case) == []


def test_nothing_is_graded_wrongly_without_a_question(outcomes):
    slips = [f"{case.name}: {outcome.wrong}" for case, outcome in outcomes if outcome.wrong]

    assert slips == [], report(slips)


def test_usual_files_are_read_at_once(outcomes):
    usual = [(case, outcome) for case, outcome in outcomes if case.usual]
    asked = [case.name for case, outcome in usual if outcome.feedback is None or outcome.wrong]
    share = 1 - len(asked) / len(usual)

    assert share >= READ_AT_ONCE, report(asked)


def test_of_all_others_one_reading_is_the_truth(outcomes):
    slips = []
    for case, outcome in outcomes:
        if outcome.feedback is not None:
            continue
        if case.truth is None:
            slips += [f"{case.name}: readings offered"] if case.own and outcome.readings else []
        elif not outcome.readings:
            slips += [] if case.refusable else [f"{case.name}: refused: {outcome.error:.200}"]
        else:
            right = len(outcome.true)
            enough = right == 1 or (right > 1 and case.truth.aliases)  # several columns name the graders
            slips += [] if enough else [f"{case.name}: {right} of {len(outcome.readings)} readings are true"]

    assert slips == [], report(slips)


def test_a_reading_reads_the_file_again_without_a_question(outcomes):
    slips = []
    for case, outcome in outcomes:
        offered = [(reading.reading, reading.feedback) for reading in outcome.true[:1]]
        if outcome.feedback is not None:
            offered.append((outcome.feedback.reading, outcome.feedback))
        for reading, feedback in offered:
            kept = type(reading).from_toml(reading.to_toml())
            slips += [] if kept == reading else [f"{case.name}: TOML keeps {kept} of {reading}"]
            again = peerage.read(outcome.path, reading=kept)
            slips += [] if again.equals(feedback) else [f"{case.name}: read again, it is not the same"]

    assert slips == [], report(slips)


SYSTEMS = {
    "Google": "Google Forms",
    "Microsoft": "Microsoft Forms",
    "Qualtrics": "Qualtrics",
    "LimeSurvey": "LimeSurvey",
    "Canvas": "Canvas",
    "Moodle": "Moodle Workshop",
    "CMT": "HotCRP or Microsoft CMT",
    "HotCRP": "HotCRP or Microsoft CMT",
}
NOTES = {
    "Google grid and Any comments?": "column ignored: 'Any comments?'",
    "Qualtrics matrix": "2 more header rows of Qualtrics left out",
    "Qualtrics sliders": "1 row left out: previews of the survey, no answers",
    "Canvas peer reviews": "1 row left out: reviews that were not written yet",
    "Moodle Workshop": "1 assessment without a grade left out",
    "pairs without judges": "no grader column: each of the 30 comparisons counts as a grader of its own",
    "lines": "no grader names: each of 11 lines counts as a grader of its own",
    "matrix under titles": "2 lines above the header left out: 'Peer review, week 1', '1 March 2026'",
}


def test_exports_of_systems_are_known_and_what_is_missing_or_left_out_is_said(outcomes):
    notes = {case.name: outcome.feedback.notes for case, outcome in outcomes if outcome.feedback is not None}
    beginnings = {name: name.split()[0].rstrip(",") for name in notes}
    systems = {
        name: f"read as an export of {SYSTEMS[word]}" for name, word in beginnings.items() if word in SYSTEMS
    }
    expected = [*systems.items(), *NOTES.items()]
    slips = [f"{name}: {notes.get(name)}" for name, note in expected if note not in notes.get(name, ())]

    assert slips == [], report(slips)
    assert set(systems.values()) == {f"read as an export of {source.words}" for source in EXPORTS.values()}


def test_commands_that_are_offered_work_when_pasted(outcomes):
    """Once for every set of options that occurs."""
    slips, pasted = [], set()
    for case, outcome in outcomes:
        path = str(outcome.path)
        commands = [shlex.split(offer.reading.command("check", path)) for offer in outcome.readings]
        flags = {frozenset(word for word in words if word.startswith("--")) for words in commands}
        if flags <= pasted:
            continue
        pasted |= flags
        lines = offered(run("check", outcome.path, "--json"))
        told = [run(*line) for line in lines]
        reports = [json.loads(one.stdout if one.exit_code == 0 else "{}") for one in told]
        meant = [(offer.reading, list(offer.sentences)) for offer in outcome.readings]
        got = [(peerage.Reading.from_dict(one.get("reading", {})), one.get("sentences")) for one in reports]
        slips += [] if got == meant else [f"{case.name}: {lines} say {got}"]

    assert slips == [], report(slips)
    assert len(pasted) > 20


def test_sentences_are_true(outcomes):
    slips = []
    for case, outcome in outcomes:
        for reading in outcome.readings:
            by = case if any(reading is other for other in outcome.true) else None
            said = sentence_slips(reading.sentences, reading.feedback, by)
            slips += [f"{case.name}: {slip}" for slip in said]
        if outcome.feedback is not None and not outcome.wrong:
            said = sentence_slips(outcome.feedback.sentences, outcome.feedback, case)
            slips += [f"{case.name}: {slip}" for slip in said]

    assert slips == [], report(slips)
