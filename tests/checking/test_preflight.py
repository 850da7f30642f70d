import json

from hypothesis import given

from peerage import Feedback, check
from peerage.checking.preflight import STEPS
from strategies import feedbacks

SMALL = Feedback.from_orders([("ada", ["x", {"y", "z"}]), ("bob", ["z", "x"]), ("cyd", ["y"])])


def test_counts_of_small_classes():
    counts = check(SMALL).counts
    scores = check(Feedback.from_columns(["ada"] * 2, ["x", "y"], score=[6, 8])).counts.scores

    assert (counts.tasks, counts.items, counts.graders, counts.lists, counts.reviews) == (1, 3, 3, 3, 6)
    assert (counts.list_lengths.least, counts.list_lengths.most, counts.list_lengths.mean) == (1, 3, 2)
    assert (counts.pairs, counts.tied_share) == (4, 0.25)
    assert (counts.kind, counts.scores) == ("orders", None)
    assert (scores.least, scores.mean, scores.sd, scores.most) == (6, 7, 1, 8)
    assert check(Feedback.from_orders([("ada", ["x"])])).counts.tied_share is None


@given(feedbacks())
def test_every_feedback_can_be_checked_and_written_as_json(feedback):
    steps = []

    preflight = check(feedback, on_step=steps.append)

    written = json.loads(json.dumps(preflight.to_dict(), allow_nan=False))
    assert written["warnings"] == len(preflight.warnings)
    assert len(steps) == STEPS
    assert all(f["count"] == len(f["cases"]) > 0 for f in written["findings"])


def test_warnings_come_first_and_every_finding_explains_itself():
    findings = check(SMALL).findings
    few = check(SMALL).finding("few-reviews")

    assert [len(few.examples(most)) for most in (0, 1, 2)] == [0, 1, 2]
    assert [f.severity for f in findings] == sorted((f.severity for f in findings), reverse=True)
    assert all(text.endswith((".", ".)")) for f in findings for text in (f.found, f.means, f.advice))


def test_how_the_file_was_read_is_kept():
    preflight, other = check(b"grader,item,rank\nada,x,1\nada,y,2\nada,z,3\n"), check(SMALL)

    assert preflight.sentences[0] == "Lines 2 to 4: ada ranks x first, then y, then z."
    assert preflight.reading.direction == "ranks"
    assert preflight.to_dict()["reading"] == preflight.reading.to_dict()
    assert preflight.to_dict()["sentences"] == list(preflight.sentences)
    assert (other.reading, other.sentences, other.to_dict()["reading"]) == (None, (), None)
