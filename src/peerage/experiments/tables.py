"""Methods over many data sets in one table: tau errors, paired differences, mean ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from peerage.experiments.jobs import experiment
from peerage.experiments.summary import means, paired

SIGNIFICANT = 2.0  # standard errors


def overall(frame: pl.DataFrame, against: str = "BT+G", only: Sequence[str] | None = None) -> pl.DataFrame:
    """One row per method that has all results on all sets: mean tau error over sets, rank, and difference.

    The error of the mean difference to `against` adds up the sets' own errors as independent.
    """
    chosen = frame if only is None else frame.filter(pl.col("data").is_in(list(only)))
    table = _estimates(chosen)
    sets = table["data"].n_unique()
    ranked = table.with_columns(rank=pl.col("estimate").rank().over("data"))
    gaps = paired(chosen, "tau_error", against)
    error = pl.col("se").pow(2).sum().sqrt() / sets
    difference = gaps.group_by("method").agg(difference=pl.col("difference").mean(), se=error, n=pl.len())
    return (
        ranked.group_by("method")
        .agg(tau_error=pl.col("estimate").mean(), mean_rank=pl.col("rank").mean(), sets=pl.len())
        .filter(pl.col("sets") == sets)
        .join(difference.drop("n"), on="method")
        .sort("tau_error", "method")
    )


def _estimates(frame: pl.DataFrame) -> pl.DataFrame:
    """Figures of the methods that managed every replicate of a set: the others would be compared on less."""
    complete = pl.col("replicates") == pl.col("replicates").max().over("data")
    return means(frame, "tau_error", experiment("accuracy")).filter(complete).rename({"mean": "estimate"})


def sets_by_methods(frame: pl.DataFrame, methods: Sequence[str]) -> str:
    """A Markdown table, `tau error ± standard error`; the best of every set is bold."""
    found = _estimates(frame).filter(pl.col("method").is_in(list(methods)))
    lines = [_line(["set", *methods]), _line(["---", *["---:"] * len(methods)])]
    for (name,), rows in found.group_by("data", maintain_order=True):
        best = float(rows["estimate"].min())  # type: ignore[arg-type]
        by_method = {row["method"]: row for row in rows.iter_rows(named=True)}
        cells = [_cell(by_method.get(method), best) for method in methods]
        lines.append(_line([f"`{name}`", *cells]))
    return "\n".join(lines)


def differences(frame: pl.DataFrame, method: str, against: Sequence[str]) -> str:
    """A Markdown table of `method` minus each of `against` on every set; * marks what is beyond 2 errors."""
    by = {other: _gaps(frame, method, other) for other in against}
    head = [_line(["set", *(f"against {other}" for other in against)]), _line(["---", *["---:"] * len(by)])]
    rows = [
        _line([f"`{name}`", *(by[other].get(name, "–") for other in against)])
        for name in frame["data"].unique(maintain_order=True).to_list()
    ]
    return "\n".join([*head, *rows])


def _gaps(frame: pl.DataFrame, method: str, other: str) -> dict[str, str]:
    rows = paired(frame, "tau_error", other).filter(pl.col("method") == method)
    return {row["data"]: _signed(row["difference"], row["se"]) for row in rows.iter_rows(named=True)}


def _signed(difference: float, se: float) -> str:
    star = "*" if abs(difference) > SIGNIFICANT * se and not math.isclose(difference, 0.0) else ""
    return f"{difference:+.1f} ± {se:.1f}{star}"


def _cell(row: dict[str, float] | None, best: float) -> str:
    if row is None:
        return "–"
    text = f"{row['estimate']:.1f} ± {row['se']:.1f}"
    return f"**{text}**" if math.isclose(row["estimate"], best, abs_tol=0.05) else text


def overall_table(frame: pl.DataFrame, against: str = "BT+G", only: Sequence[str] | None = None) -> str:
    """`overall` as Markdown."""
    rows = overall(frame, against, only)
    lines = [
        _line(["method", "mean tau error", f"minus {against}", "mean rank"]),
        _line(["---", *["---:"] * 3]),
    ]
    lines += [
        _line(
            [
                row["method"],
                f"{row['tau_error']:.2f}",
                f"{row['difference']:+.2f} ± {row['se']:.2f}",
                f"{row['mean_rank']:.1f}",
            ]
        )
        for row in rows.iter_rows(named=True)
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
