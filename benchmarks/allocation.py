"""Time, memory and quality of one large allocation: 100,000 students, 10 reviews each, groups of four.

    python benchmarks/allocation.py [STUDENTS [PER_GRADER]]

Prints seconds (compilation included, where the kernels are not cached yet), peak memory, loads and
connectivity; exits with an error where a promise is broken. On a busy machine the processor time counts.
"""

import resource
import sys
import time

from peerage.allocation.allocate import allocate

SECONDS, GIBIBYTES = 20, 2


def roster(students: int) -> dict[str, list[str]]:
    return {
        "student": [f"s{number:06d}" for number in range(students)],
        "group": [f"g{number // 4:06d}" for number in range(students)],
    }


def main(students: int = 100_000, per_grader: int = 10) -> None:
    broken = False
    for submissions in ("student", "group"):
        start, worked = time.perf_counter(), time.process_time()
        allocation = allocate(roster(students), per_grader, submissions=submissions)
        seconds, work = time.perf_counter() - start, time.process_time() - worked
        quality = allocation.quality
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"submissions by {submissions}: {seconds:.1f} s ({work:.1f} s of processor time),"
            f" peak memory so far {memory:.2f} GiB"
        )
        print(
            f"  {quality.n_reviews} reviews of {quality.n_items} items, loads {quality.loads},"
            f" components {quality.components}, repeated pairs {quality.repeated_pairs},"
            f" spectral gap {quality.spectral_gap:.3f}"
        )
        kept = (
            min(seconds, work) < SECONDS and memory < GIBIBYTES and quality.connected and quality.balance <= 1
        )
        broken |= not kept
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
