"""A fit saved and loaded is the same fit; nothing in the file can run."""

import numpy as np
import pytest
from model_cases import CODES, make, some_class

from peerage import (
    BradleyTerry,
    DataError,
    Feedback,
    MethodError,
    NotFittedError,
    fit,
    load_fit,
    posterior,
    save_fit,
)


@pytest.mark.parametrize("code", CODES)
def test_every_method_comes_back_as_it_was(code, tmp_path):
    fitted = make(code).fit(some_class(tasks=2))

    save_fit(fitted, tmp_path / "fit.npz")
    loaded = load_fit(tmp_path / "fit.npz")

    assert repr(loaded) == repr(fitted)
    assert loaded.feedback_.equals(fitted.feedback_)
    assert loaded.grades().equals(fitted.grades())
    assert loaded.graders().equals(fitted.graders())
    for name, value in vars(fitted).items():
        if name.endswith("_") and name != "elapsed_":
            np.testing.assert_array_equal(getattr(loaded, name), value, err_msg=name)


def test_what_was_estimated_beside_the_scores_comes_too(tmp_path):
    pairs = Feedback.from_lists([(10, 2), (2, 7), [{7, 10}]], shown=[(2, 10), (2, 7), (7, 10)])
    fitted = BradleyTerry(ties="davidson", order_effect=True).fit(pairs)

    save_fit(fitted, tmp_path / "fit.npz")
    loaded = load_fit(tmp_path / "fit.npz")

    assert loaded.log_likelihood_ == fitted.log_likelihood_
    assert loaded.predict_order() == fitted.predict_order()
    assert posterior(loaded).score_se.tolist() == posterior(fitted).score_se.tolist()


def test_the_same_fit_is_the_same_bytes_whatever_the_ending(tmp_path):
    for name in ("one.npz", "two.fit"):
        save_fit(fit([("x", "y"), ("y", "é")], "bt"), tmp_path / name)

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.fit").read_bytes()
    assert load_fit(tmp_path / "two.fit").predict_order() == ["x", "y", "é"]


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "fit.npz"
    objects = np.array([{"a": 1}], dtype=object)
    np.savez(path, about=objects, allow_pickle=True)  # a pickle: not even looked into
    with pytest.raises(DataError, match="this is not a fit that Peerage saved"):
        load_fit(path)
    for content in (b"", b"PK\x03\x04 broken", b"grader,item\n"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="this is not a fit that Peerage saved"):
            load_fit(path)
    np.savez(path, about=np.frombuffer(b'{"format": 99}', dtype=np.uint8))
    with pytest.raises(DataError, match="it is of format 99"):
        load_fit(path)
    with pytest.raises(FileNotFoundError):
        load_fit(tmp_path / "nothing.npz")


def test_a_class_of_somebody_else_is_never_made(tmp_path):
    path = tmp_path / "fit.npz"
    about = b'{"format": 1, "estimator": "Popen", "params": {}, "numbers": {}, "feedback": {"notes": []}}'
    np.savez(path, about=np.frombuffer(about, dtype=np.uint8))

    with pytest.raises(DataError, match="there is no method 'Popen'"):
        load_fit(path)


def test_what_cannot_be_loaded_is_not_saved(tmp_path):
    class Mine(BradleyTerry):
        pass

    with pytest.raises(MethodError, match="Mine is no method of Peerage"):
        save_fit(Mine().fit([("x", "y")]), tmp_path / "fit.npz")
    with pytest.raises(NotFittedError):
        save_fit(BradleyTerry(), tmp_path / "fit.npz")
    assert not (tmp_path / "fit.npz").exists()
