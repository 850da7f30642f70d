import allocation_oracle as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage.allocation import quality
from peerage.allocation.allocate import allocate
from peerage.allocation.quality import fiedler_pair, lists_by_items, measure_quality


@st.composite
def reviews(draw):
    n_items = draw(st.integers(3, 15))
    lists = draw(
        st.lists(st.sets(st.integers(0, n_items - 1), min_size=1, max_size=5), min_size=1, max_size=20)
    )
    graders = np.concatenate([np.full(len(items), grader) for grader, items in enumerate(lists)])
    return graders, np.concatenate([sorted(items) for items in lists]), n_items


@given(reviews())
def test_figures_agree_with_counting(case):
    graders, items, n_items = case

    measured = measure_quality(graders, items, n_items)

    together = np.triu(oracle.together(graders, items, n_items))
    assert measured.repeated_pairs == (together > 1).sum()
    assert measured.most_together == together.max()
    assert measured.covered_pairs == pytest.approx((together > 0).sum() / (n_items * (n_items - 1) / 2))
    assert measured.components == components(together)
    assert sum(load * number for load, number in measured.loads.items()) == len(items)


def components(together):
    reach = np.linalg.matrix_power((together + together.T > 0) + np.eye(len(together)), len(together)) > 0
    return len({tuple(row) for row in reach.tolist()})


@given(reviews())
def test_the_gap_agrees_with_the_laplacian_written_out(case):
    graders, items, n_items = case
    weights = oracle.together(graders, items, n_items, shared=True)
    degree = weights.sum(axis=1)
    measured = measure_quality(graders, items, n_items)
    if measured.components > 1:
        assert measured.spectral_gap == 0
        return

    laplacian = np.diag(degree) - weights
    expected = np.sort(np.linalg.eigvals(np.diag(1 / degree) @ laplacian).real)[1]
    assert measured.spectral_gap == pytest.approx(expected, abs=1e-8)


def test_the_iteration_for_large_classes_finds_the_same_gap(monkeypatch):
    allocation = allocate({"student": list(map(str, range(200)))}, 4)
    table = lists_by_items(allocation.graders, allocation.items, 200)
    exact, _ = fiedler_pair(table)

    monkeypatch.setattr(quality, "DENSE_ITEMS", 10)
    iterated, direction = fiedler_pair(table)

    assert iterated == pytest.approx(exact, rel=1e-2)
    assert direction.shape == (200,)
