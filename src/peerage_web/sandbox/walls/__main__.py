"""Put up the walls around this process, and say which of them stand: for `trial`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from peerage_web.sandbox.walls.build import build, readable

json.dump([asdict(wall) for wall in build(Path(sys.argv[1]), readable(), os.getppid())], sys.stdout)
