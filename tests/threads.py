"""Fresh processes with a given number of threads of the linear algebra."""

from __future__ import annotations

import os
import subprocess
import sys

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def with_threads(number, program, folder):
    """What a program prints, run in a folder whose modules it may import."""
    environment = os.environ | dict.fromkeys(NAMES, str(number))
    return subprocess.check_output([sys.executable, "-c", program], cwd=folder, env=environment, text=True)
