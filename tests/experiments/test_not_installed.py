"""Experiments are run from a checkout: what users install has none of them."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_experiment_is_in_the_wheel():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

    packed = {
        path.relative_to(ROOT / package) for package in packages for path in (ROOT / package).rglob("*")
    }

    assert packages == ["src/peerage", "src/peerage_web"]
    assert [path for path in packed if path.suffix == ".py" and "experiment" in str(path)] == []
