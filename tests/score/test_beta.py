"""The Beta quantile of the product against that of scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from orka.score.beta import cdf, interval, quantile

PARAMETER = st.floats(0.01, 2000)


@pytest.mark.parametrize("seed", range(10))
def test_quantiles_are_those_of_scipy(seed: int) -> None:
    draw = stats.uniform(0, 1).rvs(size=(100, 3), random_state=seed)
    for p, first, second in draw:
        a, b = 10 ** (first * 5 - 2), 10 ** (second * 5 - 2)
        assert quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), abs=5.1e-5)
        assert cdf(p, a, b) == pytest.approx(stats.beta.cdf(p, a, b), abs=1e-9)


@given(PARAMETER, PARAMETER)
def test_an_interval_is_one_and_holds_the_median(a: float, b: float) -> None:
    low, high = interval(a, b)
    assert 0 <= low <= quantile(0.5, a, b) <= high <= 1


@given(PARAMETER, PARAMETER, st.floats(0.01, 0.99))
def test_the_two_ends_mirror_each_other(a: float, b: float, x: float) -> None:
    assert cdf(x, a, b) == pytest.approx(1 - cdf(1 - x, b, a), abs=1e-9)


def test_a_parameter_of_none_puts_all_at_its_end() -> None:
    assert interval(0, 10) == (0.0, 0.0) and interval(10, 0) == (1.0, 1.0)


@pytest.mark.parametrize("given", [(0.5, -1, 1), (0.5, 0, 0), (1.5, 1, 1), (0.5, float("nan"), 1)])
def test_what_is_no_distribution_has_no_quantile(given: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(*given)
