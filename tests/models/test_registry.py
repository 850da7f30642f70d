"""Methods by code."""

from __future__ import annotations

import pytest
from model_cases import some_class

import peerage
from peerage import MethodError, method
from peerage.models.registry import METHODS, code_of, codes, entry

PAPER = ["MAL", "MALBC", "MAL+K", "MALBC+K", "MALS", "BT", "THUR", "PL", "NCS", "SCAVG"]


def test_the_codes_are_the_papers_and_one_of_ours_with_and_without_reliability():
    plain = [*PAPER, "COMBINED"]

    assert sorted(codes()) == sorted([*plain, *(f"{code}+G" for code in plain if code != "SCAVG")])


@pytest.mark.parametrize("code", codes())
def test_a_code_makes_its_estimator_in_any_case_with_the_documented_priors(code):
    estimator, params = method(f" {code.lower()} "), method(code).get_params()
    changed = {"reliability_rate": 3.0, "tol": 1e-3, "max_iter": 7}
    documented = {"score_variance": 9.0, "reliability_shape": 10.0, "reliability_rate": 10.0}

    assert repr(estimator) == repr(method(code))
    assert estimator.reliability == code.endswith("+G")
    assert {name: params[name] for name in documented if name in params}.items() <= documented.items()
    assert entry(code.lower()) is METHODS.get(code, METHODS.get(code.removesuffix("+G")))
    estimator.set_params(**{name: value for name, value in changed.items() if name in params})
    assert code_of(estimator) == code


def test_parameters_that_make_another_method_change_the_code():
    assert code_of(method("mal+g", borda=True)) == "MALBC+G"
    assert code_of(method("malbc", borda=False, kemenize=True)) == "MAL+K"


def test_a_class_that_only_has_the_name_of_a_method_has_no_code_of_it():
    class PlackettLuce(peerage.PlackettLuce):
        pass

    assert code_of(PlackettLuce(reliability=True)) == "PLACKETTLUCE+G"
    assert code_of(peerage.PlackettLuce(reliability=True)) == "PL+G"


def test_an_entry_says_which_feedback_its_method_is_for():
    assert entry("PL+G").takes == ("orders", "pairs", "scores")
    assert entry("NCS").takes == entry("SCAVG").takes == ("scores",)
    assert entry("COMBINED+G").takes == ("orders+scores",)


def test_variants_of_mallows_differ_by_their_options():
    variants = {
        code: method(code).get_params() for code in codes() if METHODS.get(code, METHODS["PL"]).params
    }

    assert {code: (params["borda"], params["kemenize"]) for code, params in variants.items()} == {
        "MALBC": (True, False),
        "MAL+K": (False, True),
        "MALBC+K": (True, True),
    }


def test_every_method_has_one_line_about_it():
    summaries = [entry.summary for entry in METHODS.values()]

    wrong = [s for s in summaries if not s.endswith(".") or "\n" in s or not 20 <= len(s) <= 90]
    assert wrong == []


@pytest.mark.parametrize(
    ("wrong", "hint"), [("BLT", "did you mean 'BT'"), ("scavg+g", "did you mean 'SCAVG'"), ("", "Known: PL")]
)
def test_unknown_codes_get_a_hint_and_the_list(wrong, hint):
    with pytest.raises(MethodError, match=f"there is no method '{wrong}'".replace("+", r"\+")) as caught:
        method(wrong)

    assert hint in str(caught.value)
    assert ", ".join(codes()) in str(caught.value)


def test_reliability_is_asked_for_by_the_code():
    with pytest.raises(MethodError, match=r"PL has none, PL\+G has them"):
        method("pl", reliability=True)
    with pytest.raises(MethodError, match=r"SCAVG has none$"):
        method("scavg", reliability=True)


def test_fit_is_the_short_way():
    feedback = some_class()

    short = peerage.fit(feedback, "bt+g", score_variance=4.0)

    long = peerage.BradleyTerry(reliability=True, score_variance=4.0).fit(feedback)
    assert repr(short) == repr(long)
    assert short.scores_.tobytes() == long.scores_.tobytes()
