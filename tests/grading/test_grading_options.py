import inspect
import json

import numpy as np
import pytest

from peerage import DataError, Feedback, GradingOptions, MethodError, PlackettLuce, grade, grade_with
from peerage.grading.letters import parse_letters
from peerage.grading.output.results_json import record
from peerage.grading.points import parse_curve, parse_scale

FEEDBACK = Feedback.from_lists([list("xyz"), list("xzy"), list("yxz"), list("xyz")], graders="abcd")
FULL = GradingOptions(
    method="pl",
    params={"score_variance": 2.0},
    scale="0:10",
    curve="6:2",
    letters="A>=5,B",
    interval=0.8,
    bootstrap=5,
    compare=("bt",),
    staff_budget=1,
    seed=3,
)


def test_options_survive_json():
    assert GradingOptions.from_dict(json.loads(json.dumps(FULL.to_dict()))) == FULL
    GradingOptions(seed=np.int64(3), interval=np.float64(0.5)).check()  # NumPy's numbers are numbers


def test_scales_and_letters_may_be_ready_made():
    made = GradingOptions(
        scale=parse_scale("0:10"), curve=parse_curve("6:2"), letters=parse_letters("A:20%,B:80%")
    )

    as_text = GradingOptions(scale="0:10", curve="6:2", letters="A:20%,B:80%").to_dict()
    assert made.to_dict() == as_text
    assert GradingOptions(scale=(0, 10), curve=(6, 2), letters="A:20%,B:80%").to_dict() == as_text


def test_an_estimator_cannot_be_written_down():
    with pytest.raises(MethodError, match="ready-made PlackettLuce"):
        GradingOptions(method=PlackettLuce()).to_dict()


def test_a_misspelt_option_does_not_pass_for_the_default():
    with pytest.raises(MethodError, match=r"there is no option 'scales'; did you mean 'scale'\?"):
        GradingOptions.from_dict({"scales": "0:10"})
    with pytest.raises(TypeError, match="scales"):
        grade(FEEDBACK, scales="0:10")


def test_by_keyword_or_as_one_object_is_the_same():
    by_keyword = grade(
        FEEDBACK, **{name: getattr(FULL, name) for name in GradingOptions.table()}, source={"file": "f"}
    )

    assert record(grade_with(FEEDBACK, FULL, source={"file": "f"})) == record(by_keyword)


def test_editors_see_every_option_of_grade():
    parameters = inspect.signature(grade).parameters

    assert set(GradingOptions.table()) < set(parameters)
    assert parameters["interval"].default == 0.9


def test_what_is_recorded_follows_the_table():
    recorded = grade_with(FEEDBACK, FULL).provenance

    elsewhere = {"method", "params", "prior", "seed", "compare"}
    assert set(recorded["options"]) == set(GradingOptions.table()) - elsewhere
    assert recorded["options"]["letters"] == "A>=5,B"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"interval": 90}, MethodError, "interval must be between 0.01 and 0.999, such as 0.9, not 90"),
        ({"interval": "0.9"}, MethodError, "interval must be a number, not '0.9'"),
        ({"interval": float("nan")}, MethodError, "interval must be between"),
        ({"prior": "guess"}, MethodError, "prior must be one of 'auto', 'given', 'learn', not 'guess'"),
        ({"seed": -1}, MethodError, "seed must be 0 or more, not -1"),
        ({"staff_budget": 1.5}, MethodError, "staff_budget must be a whole number, not 1.5"),
        ({"scale": "10"}, DataError, "scale '10' is not LOW:HIGH, as in 0:100"),
        ({"peer_scale": "10"}, DataError, "peer_scale '10' is not LOW:HIGH"),
        ({"letters": "A,B"}, DataError, "cannot be read"),
        ({"letters": "A>=85,B", "scale": "0:10"}, DataError, "A>=85 lies outside the scale 0:10"),
        ({"letters": "A>=5,B>=0,C", "scale": "0:10"}, DataError, "B>=0 lies outside the scale 0:10"),
        ({"letters": "uk", "scale": "0:10"}, DataError, "I>=70 lies outside the scale 0:10"),
        ({"letters": "uk"}, DataError, "are of points from 0 to 100"),
        ({"curve": "75"}, DataError, "curve '75' is not MEAN:SD"),
        ({"curve": "a:10"}, DataError, "curve 'a:10' is not MEAN:SD"),
        ({"curve": (75, float("inf"))}, DataError, "is not MEAN:SD"),
        ({"curve": "75:0"}, DataError, "the standard deviation of the curve '75:0' must be above 0"),
        ({"curve": "75:-1", "scale": "0:100"}, DataError, "must be above 0"),
        ({"curve": "75:10"}, DataError, "the curve 75:10 needs the scale that it is on: add scale='0:100'"),
        ({"curve": "75:10", "scale": "0:10"}, DataError, "the mean 75 of the curve 75:10 lies outside"),
        ({"curve": "10:1", "scale": "0:10"}, DataError, "the mean 10 of the curve 10:1 lies outside"),
        ({"curve": "5:1", "scale": "0:10", "peer_scale": "1:5"}, DataError, "has no use for peer_scale"),
        ({"complete": True, "scale": "0:10"}, DataError, "complete=True gives no points and no letters"),
        ({"complete": True, "letters": "A:20%,B:80%"}, DataError, "leave out letters"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, message):
    with pytest.raises(error) as caught:
        GradingOptions(**options).check()
    assert message in str(caught.value)

    with pytest.raises(error):
        grade(FEEDBACK, **options)
