"""Result tables in short: means with their errors, paired differences, and Markdown over many data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from experiments.paper.accuracy import ACCURACY
from experiments.paper.experiment import Experiment

SIGNIFICANT = 2.0  # standard errors
KEYS = {"data", "replicate", "method"}


def settings(frame: pl.DataFrame, metrics: tuple[str, ...]) -> list[str]:
    """The columns that tell rows of one replicate and method apart."""
    return [name for name in frame.columns if name not in KEYS and name not in metrics]


def resampled() -> pl.Expr:
    """Whether a data set's replicates are resamples of one class, whose spread is the error itself."""
    # Names of classes that are new in every replicate start with "new-" or say how they were cut.
    return ~(pl.col("data").str.starts_with("new-") | pl.col("data").str.contains(":"))


def means(frame: pl.DataFrame, metric: str, experiment: Experiment) -> pl.DataFrame:
    """Mean, standard deviation and standard error of a metric per data set, setting and method.

    Over new classes the error of the mean is sd / sqrt(replicates). Where one class was resampled, more
    resamples tell nothing new about it, and the error is their sd; the figure is then that of the class as
    it is, where there is one.
    """
    by = ["data", *settings(frame, experiment.metrics), "method"]
    present = frame.filter(pl.col(metric).is_not_null())
    spread = pl.col(metric).std().fill_null(0.0)
    over = pl.col("sd") / pl.col("replicates").cast(pl.Float64).sqrt()
    is_error = resampled() if experiment.resamples else pl.lit(False)
    is_whole = resampled() if experiment.starts_whole else pl.lit(False)
    whole = pl.col(metric).filter(pl.col("replicate") == 0).first()
    return (
        present.group_by(by, maintain_order=True)
        .agg(mean=pl.col(metric).mean(), whole=whole, sd=spread, replicates=pl.len())
        .with_columns(
            mean=pl.when(is_whole).then("whole").otherwise("mean"),
            se=pl.when(is_error).then("sd").otherwise(over),
        )
        .drop("whole")
        .filter(pl.col("mean").is_not_null())  # a method may manage some resamples and not the class itself
    )


def paired(frame: pl.DataFrame, metric: str, against: str) -> pl.DataFrame:
    """Every method minus `against` in the same replicate: data, method, difference, se, z.

    On a whole data set the difference is that of replicate 0, the data as they are, and its error the
    spread over resamples; over new classes it is the mean difference and the error of that mean.
    """
    base = frame.filter(pl.col("method") == against).select("data", "replicate", base=metric)
    both = frame.join(base, on=["data", "replicate"]).filter(
        pl.col(metric).is_not_null() & pl.col("base").is_not_null()
    )
    gap = both.with_columns(gap=pl.col(metric) - pl.col("base"))
    sampled = (pl.col("replicate") > 0) | ~resampled()
    spread = pl.col("gap").filter(sampled).std().fill_null(0.0)
    gaps = gap.group_by("data", "method", maintain_order=True).agg(
        asis=pl.col("gap").filter(pl.col("replicate") == 0).first(),
        mean=pl.col("gap").mean(),
        spread=spread,
        over=spread / pl.len().cast(pl.Float64).sqrt(),
    )
    whole = resampled()
    return gaps.select(
        "data",
        "method",
        difference=pl.when(whole).then("asis").otherwise("mean"),
        se=pl.when(whole).then("spread").otherwise("over"),
    ).with_columns(z=pl.when(pl.col("se") > 0).then(pl.col("difference") / pl.col("se")).otherwise(0.0))


def wide(frame: pl.DataFrame, metric: str, experiment: Experiment) -> pl.DataFrame:
    """One row per method, one column per data set and setting, `mean ± se` as text."""
    table = means(frame, metric, experiment)
    extra = settings(frame, experiment.metrics)
    heading = pl.concat_str(
        [pl.col("data"), *[pl.col(name).cast(pl.String) for name in extra]], separator=", "
    )
    digits = 4 if metric == "seconds" else 1 if table["mean"].abs().max() > 2 else 3  # type: ignore[operator]
    cell = pl.format("{} ± {}", pl.col("mean").round(digits), pl.col("se").round(digits))
    return table.with_columns(heading.alias("heading"), cell.alias("cell")).pivot(
        "heading", index="method", values="cell"
    )


# -- methods over many data sets in one table -----------------------------------------------------------


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
    return means(frame, "tau_error", ACCURACY).filter(complete).rename({"mean": "estimate"})


def sets_by_methods(frame: pl.DataFrame, methods: Sequence[str]) -> str:
    """A Markdown table, `tau error ± standard error`; the best of every set is bold."""
    chosen = _estimates(frame).filter(pl.col("method").is_in(list(methods)))
    lines = [_line(["set", *methods]), _line(["---", *["---:"] * len(methods)])]
    for (name,), rows in chosen.group_by("data", maintain_order=True):
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
