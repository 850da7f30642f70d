"""The service under attack and on a bad day.

python -m benchmarks.hostile attacks    one visitor grades the example while another attacks
python -m benchmarks.hostile kills      kill -9 of every kind of process at random moments of a job
python -m benchmarks.hostile machines   two instances on one PostgreSQL, 200 visitors, and bad days
"""

from __future__ import annotations

import argparse
import sys


def main() -> int:
    """The exit code: 0 where everything held."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["attacks", "kills", "machines"], nargs="?", default="attacks")
    parser.add_argument("--rounds", type=int, default=5, help="examples per attack")
    parser.add_argument("--only", default="", help="attacks whose name holds this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--moments", type=int, default=100, help="kills")
    parser.add_argument("--postgres", action="store_true", help="kills over PostgreSQL instead of SQLite")
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    if wanted.what == "attacks":
        from benchmarks.hostile.campaign import campaign

        return campaign(wanted.rounds, wanted.only, wanted.workers)
    if wanted.what == "kills":
        from benchmarks.hostile.kills import kills

        return kills(wanted.moments, postgres=wanted.postgres, seed=wanted.seed)
    from benchmarks.hostile.machines import machines

    return machines(wanted.visitors, wanted.seconds)


if __name__ == "__main__":
    sys.exit(main())
