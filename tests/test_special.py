import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from peerage._special import beta_cdf, normal_cdf

sizes = st.floats(1e-3, 1e4)


def test_normal_cdf_agrees_with_scipy_far_into_both_tails():
    x = np.linspace(-37.0, 37.0, 1001)

    np.testing.assert_allclose(normal_cdf(x), special.ndtr(x), rtol=1e-12)


def test_normal_cdf_keeps_the_shape():
    assert normal_cdf(np.zeros((2, 3))).tolist() == [[0.5] * 3] * 2
    assert normal_cdf(np.asarray(0.0)).shape == ()


@given(st.floats(0.0, 1.0), sizes, sizes)
def test_beta_cdf_agrees_with_scipy(x, a, b):
    (chance,) = beta_cdf(np.array([x]), np.array([a]), np.array([b]))

    assert chance == pytest.approx(special.betainc(a, b, x), abs=1e-10)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.501])
def test_beta_cdf_agrees_with_scipy_where_it_has_to_count_far(share):
    (chance,) = beta_cdf(np.array([share]), np.array([5e5]), np.array([5e5]))

    assert chance == pytest.approx(special.betainc(5e5, 5e5, share), abs=1e-7)


def test_beta_cdf_at_the_ends():
    assert beta_cdf(np.array([0.0, 1.0]), np.full(2, 1e-12), np.full(2, 3.0)).tolist() == [0.0, 1.0]
