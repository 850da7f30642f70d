"""Small classes, and all numbers of a fit."""

import numpy as np

import peerage


def small_class(*, ties: bool = False, tasks: int = 1, weighted: bool = False, seed: int = 0):
    """160 items or so, too many for a factorised Hessian, with scores beside the orders."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(tasks, 160))
    rows = []
    for task in range(tasks):
        for grader in range(200):
            noise = rng.gumbel(size=6) / rng.gamma(8, 0.25)
            seen = rng.choice(160, 6, replace=False)
            order = np.argsort(-(quality[task, seen] + 0.5 * noise))
            for rank, place in enumerate(order):
                score = round(6 + quality[task, seen[place]] + 0.3 * noise[place], 1)
                given = max(1, rank) if ties and grader % 3 == 0 else rank + 1
                weight = 1 + (grader % 5) / 3 if weighted else 1
                rows.append((f"g{grader:03}", f"i{seen[place]:03}", f"t{task}", given, score, weight))
    grader, item, task, rank, score, weight = zip(*rows, strict=True)
    more = {"weight": weight} if weighted else {}
    return peerage.Feedback.from_columns(grader, item, task=task, rank=rank, score=score, **more)


def bits(fitted) -> bytes:
    """All numbers of a fit."""
    biases = b"" if fitted.biases_ is None else fitted.biases_.tobytes()
    value = np.float64(fitted.objective_).tobytes()
    return fitted.scores_.tobytes() + fitted.reliabilities_.tobytes() + biases + value
