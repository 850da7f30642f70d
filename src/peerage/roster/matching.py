"""A roster beside a class: which of the class's items its rows are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from peerage.feedback import Feedback


def item_table(feedback: Feedback) -> pl.DataFrame:
    """The items of a class: task, item, number."""
    return pl.DataFrame(
        {
            "task": feedback.task_labels.gather(feedback.item_tasks),
            "item": feedback.item_labels,
            "number": np.arange(feedback.n_items),
        }
    )


def join_items(rows: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """What a roster says of items (`task`, `item` and more) with what is known of them (the same and more).

    Items belong to tasks, and a label may be that of several: task and item are joined, never the item alone.
    A row without a task is about the items of its label in every task. Rows about no item fall out.
    """
    anywhere = pl.col("task").is_null()
    everywhere = rows.filter(anywhere).drop("task").join(items, on="item", maintain_order="left_right")
    named = rows.filter(~anywhere).join(items, on=["task", "item"], maintain_order="left_right")
    return pl.concat([everywhere.select(named.columns), named])
