"""Methods by code."""

import pytest

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
    assert code_of(method("malbc", kemenize=True)) == "MALBC+K"


def test_a_class_that_only_has_the_name_of_a_method_has_no_code_of_it():
    class PlackettLuce(peerage.PlackettLuce):
        pass

    assert code_of(PlackettLuce(reliability=True)) == "PLACKETTLUCE+G"
    assert code_of(peerage.PlackettLuce(reliability=True)) == "PL+G"


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
