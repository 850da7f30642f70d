"""Result tables in short: means with their errors, and paired differences between methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from peerage.experiments.base import Experiment

KEYS = {"data", "replicate", "method"}


def settings(frame: pl.DataFrame, metrics: tuple[str, ...]) -> list[str]:
    """The columns that tell rows of one replicate and method apart."""
    return [name for name in frame.columns if name not in KEYS and name not in metrics]


def resampled() -> pl.Expr:
    """Whether a data set's replicates are resamples of one class, whose spread is the error itself."""
    # Names of classes that are new in every replicate start with "new-" or say how they were cut.
    return ~(pl.col("data").str.starts_with("new-") | pl.col("data").str.contains(":"))


def means(frame: pl.DataFrame, metric: str, what: Experiment) -> pl.DataFrame:
    """Mean, standard deviation and standard error of a metric per data set, setting and method.

    Over new classes the error of the mean is sd / sqrt(replicates). Where one class was resampled, more
    resamples tell nothing new about it, and the error is their sd; the figure is then that of the class as
    it is, where there is one.
    """
    by = ["data", *settings(frame, what.metrics), "method"]
    known = frame.filter(pl.col(metric).is_not_null())
    spread = pl.col(metric).std().fill_null(0.0)
    over = pl.col("sd") / pl.col("replicates").cast(pl.Float64).sqrt()
    is_error = resampled() if what.resamples else pl.lit(False)
    is_whole = resampled() if what.starts_whole else pl.lit(False)
    whole = pl.col(metric).filter(pl.col("replicate") == 0).first()
    return (
        known.group_by(by, maintain_order=True)
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
    found = gap.group_by("data", "method", maintain_order=True).agg(
        asis=pl.col("gap").filter(pl.col("replicate") == 0).first(),
        mean=pl.col("gap").mean(),
        spread=spread,
        over=spread / pl.len().cast(pl.Float64).sqrt(),
    )
    whole = resampled()
    return found.select(
        "data",
        "method",
        difference=pl.when(whole).then("asis").otherwise("mean"),
        se=pl.when(whole).then("spread").otherwise("over"),
    ).with_columns(z=pl.when(pl.col("se") > 0).then(pl.col("difference") / pl.col("se")).otherwise(0.0))


def wide(frame: pl.DataFrame, metric: str, what: Experiment) -> pl.DataFrame:
    """One row per method, one column per data set and setting, `mean ± se` as text."""
    table = means(frame, metric, what)
    extra = settings(frame, what.metrics)
    heading = pl.concat_str(
        [pl.col("data"), *[pl.col(name).cast(pl.String) for name in extra]], separator=", "
    )
    digits = 4 if metric == "seconds" else 1 if table["mean"].abs().max() > 2 else 3  # type: ignore[operator]
    cell = pl.format("{} ± {}", pl.col("mean").round(digits), pl.col("se").round(digits))
    return table.with_columns(heading.alias("heading"), cell.alias("cell")).pivot(
        "heading", index="method", values="cell"
    )
