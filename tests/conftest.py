"""What all tests share: the real data sets, and Hypothesis without a clock."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from peerage._options import _PYTHON, use_option_style

# The same examples in every run: whether a change passes says something about the change. A failure is told
# as it was met, for making it smaller can take minutes. HYPOTHESIS_PROFILE=explore looks for faults that
# nobody has met yet, and for the smallest example of each.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
AT_ONCE = (Phase.explicit, Phase.generate, Phase.target)
settings.register_profile("peerage", max_examples=50, derandomize=True, phases=AT_ONCE, **COMMON)
settings.register_profile("explore", max_examples=500, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "peerage"))


if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # where a script runs the tests in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(autouse=True)
def python_names() -> None:
    """Messages name arguments; what serves another front end says so for the whole of its process."""
    use_option_style(_PYTHON)


@pytest.fixture(autouse=True)
def interrupts_arrive() -> Iterator[None]:
    """What a test leaves blocked, the processes that later tests start would never hear of."""
    yield
    if hasattr(signal, "pthread_sigmask"):
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of real data sets; tests that need it are skipped aloud where there is none."""
    default = Path(__file__).parents[2] / "shared" / "datasets"
    folder = Path(os.environ.get("PEERAGE_DATASETS", default))
    if not folder.is_dir():
        pytest.skip(f"no data sets in {folder}; set PEERAGE_DATASETS to try the readers on real data")
    return folder
