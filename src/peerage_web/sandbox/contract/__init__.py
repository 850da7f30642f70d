"""The contract between the service and its child processes: plain data that both sides know."""

from peerage_web.sandbox.contract.files import Bounds, Files, TooLargeError, safe_name
from peerage_web.sandbox.contract.options import Options
from peerage_web.sandbox.contract.problems import LOST, OWN_MACHINE, problem_of

__all__ = [
    "LOST",
    "OWN_MACHINE",
    "Bounds",
    "Files",
    "Options",
    "TooLargeError",
    "problem_of",
    "safe_name",
]
