"""A fit in a file: arrays and JSON in one ``.npz``, which holds no code and is loaded without running any."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
import polars as pl

from peerage._version import __version__
from peerage.errors import DataError, MethodError
from peerage.feedback.container import Feedback
from peerage.models.registry import METHODS

if TYPE_CHECKING:
    from peerage.models.base import Estimator

FORMAT = 1
LABELS = ("item_labels", "grader_labels", "task_labels", "list_labels")
PLAIN = ("ordered_by", "notes", "integer_items", "anonymous")  # of feedback, beside arrays and labels
UNSAVED = {"elapsed_"}  # another at every run


def save_fit(fitted: Estimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator with its feedback to a ``.npz`` of NumPy; the same fit, the same bytes.

    How the feedback was read, and criteria beside the whole, are not part of it.

    >>> import tempfile
    >>> from peerage import fit, load_fit, save_fit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_fit(fit([("x", "y"), ("y", "z")], "bt"), f"{folder}/fit.npz")
    ...     load_fit(f"{folder}/fit.npz").predict_order()
    ['x', 'y', 'z']
    """
    fitted._check_fitted()
    name = type(fitted).__name__
    if type(fitted) is not _classes().get(name):
        raise MethodError(f"{name} is no method of Peerage: only those can be loaded again")
    feedback = fitted.feedback_
    arrays: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for key, value in vars(fitted).items():
        if key.endswith("_") and key not in UNSAVED:
            if isinstance(value, np.ndarray):
                arrays[f"fit.{key}"] = value
            else:
                numbers[key] = value
    for entry in fields(Feedback):
        value = getattr(feedback, entry.name)
        if isinstance(value, np.ndarray):
            arrays[f"feedback.{entry.name}"] = value
        elif isinstance(value, pl.Series):
            arrays[f"feedback.{entry.name}"] = _bytes(value.to_list())
    about = {
        "format": FORMAT,
        "peerage": __version__,
        "estimator": name,
        "params": fitted.get_params(),
        "numbers": numbers,
        "feedback": {key: getattr(feedback, key) for key in PLAIN},
    }
    with open(path, "wb") as file:  # np.savez would add its ending to a name without it
        np.savez(file, about=_bytes(about), **arrays)


def load_fit(path: str | os.PathLike[str]) -> Estimator:
    """Read a fitted estimator that :func:`peerage.save_fit` wrote."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as found:
            arrays = {key: found[key] for key in found.files}
        about = _parsed(arrays.pop("about"))
        if about["format"] != FORMAT:
            raise DataError(f"it is of format {about['format']}, and this Peerage reads {FORMAT}")
        return _rebuilt(about, arrays)
    except DataError as error:
        raise DataError(str(error), source=str(path)) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise DataError("this is not a fit that Peerage saved", source=str(path)) from error
    except (KeyError, TypeError, ValueError, EOFError, BadZipFile) as error:
        raise DataError("this is not a fit that Peerage saved", source=str(path)) from error


def _rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Estimator:
    kind = _classes().get(about["estimator"])
    if kind is None:
        raise DataError(f"there is no method {about['estimator']!r}")
    fitted = kind(**about["params"])
    found: dict[str, Any] = {**about["feedback"], "notes": tuple(about["feedback"]["notes"])}
    for key, value in arrays.items():
        owner, _, name = key.partition(".")
        if owner == "fit":
            setattr(fitted, name, value)
        else:
            found[name] = pl.Series(_parsed(value), dtype=pl.String) if name in LABELS else value
    for name, value in about["numbers"].items():
        setattr(fitted, name, value)
    fitted.elapsed_ = float("nan")
    fitted.feedback_ = Feedback(**found)
    return fitted


def _classes() -> dict[str, type[Estimator]]:
    return {method.estimator: method.kind for method in METHODS.values()}


def _bytes(value: Any) -> np.ndarray[Any, Any]:
    return np.frombuffer(json.dumps(value, ensure_ascii=False).encode(), dtype=np.uint8)


def _parsed(array: np.ndarray[Any, Any]) -> Any:
    return json.loads(array.tobytes().decode())
