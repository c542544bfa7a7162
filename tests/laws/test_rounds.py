"""Laws of a whole round, on FedAvg and on mistakes."""

import pytest
from foreign_code import (
    asks_client_zero_too,
    favours_the_first,
    fedavg,
    gradients_at_the_start,
    one_step_more,
    one_step_short,
    summed_not_averaged,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from fedbounds import laws
from fedbounds.errors import FedboundsError

EXACT = pytest.mark.parametrize("exact", [False, True])


@EXACT
@given(n=st.integers(1, 4), dimension=st.integers(1, 3), data=st.data())
@settings(max_examples=8, deadline=None)
def test_fedavg_obeys(exact, n, dimension, data):
    m = data.draw(st.integers(1, n))
    laws.reduces_to_sgd(fedavg, n=n, dimension=dimension, exact=exact)
    laws.takes_all_local_steps(fedavg, n=n, dimension=dimension, exact=exact)
    laws.round_ignores_names(fedavg, n=min(n, 3), m=min(m, 3), dimension=dimension, exact=exact)
    laws.round_ignores_absent(fedavg, n=n, m=m, dimension=dimension, exact=exact)


@EXACT
@pytest.mark.parametrize(
    ("law", "wrong"),
    [
        (laws.reduces_to_sgd, one_step_short),
        (laws.reduces_to_sgd, summed_not_averaged),
        (laws.takes_all_local_steps, one_step_short),
        (laws.takes_all_local_steps, one_step_more),
        (laws.takes_all_local_steps, gradients_at_the_start),
        (laws.round_ignores_names, favours_the_first),
        (laws.round_ignores_absent, asks_client_zero_too),
    ],
)
def test_a_mistake_is_caught(exact, law, wrong):
    with pytest.raises(laws.LawBroken) as caught:
        law(wrong, exact=exact)
    assert len(str(caught.value).splitlines()) == 2
    assert {"x", "hessians", "slopes"} <= set(caught.value.where)


def test_each_law_sees_its_own_mistake_only():
    laws.reduces_to_sgd(gradients_at_the_start)  # one step has no second point
    laws.round_ignores_names(one_step_short)
    laws.round_ignores_absent(summed_not_averaged)


def test_a_point_of_another_shape_is_a_broken_law():
    def stacked(x, participants, local_steps, step_size, gradient):
        return x - step_size * gradient(participants[0], x[None, :])

    with pytest.raises(
        laws.LawBroken, match=r"gradient\(0, y\) was asked with y of shape \(1, 2\)"
    ):
        laws.reduces_to_sgd(stacked)


def test_bad_input_is_refused():
    with pytest.raises(FedboundsError, match="clients n is 9; expected at most 5"):
        laws.round_ignores_names(fedavg, n=9)
    with pytest.raises(FedboundsError, match="clients n is 0; expected at least 1"):
        laws.reduces_to_sgd(fedavg, n=0)
