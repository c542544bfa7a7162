"""What networks of two layers say of themselves, and what they refuse."""

import bridge
import numpy as np
import pytest
from flint import fmpq

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import everyone, to_float
from fedbounds.problems.relu_network import ReluNetwork

ONES = bridge.exact(np.ones((1, 1, 1), dtype=int))
MIXED = bridge.exact([1, -1])


def test_what_it_says_of_itself():
    own = ReluNetwork(ONES, ONES[0], MIXED)
    assert (own.clients, own.samples, own.inputs, own.width, own.shared_dimension) == (
        1,
        1,
        1,
        2,
        2,
    )
    assert own.personal_dimension == 0
    assert own.exact
    assert own.constants(None) == {}
    assert not to_float(own).exact
    assert not to_float(own).irrational
    for fact in (Fact.SMOOTH, Fact.CONVEX, Fact.STRONGLY_CONVEX, Fact.QUADRATIC,
                 Fact.BOUNDED_GRADIENTS, Fact.GLOBAL_GRADIENT_EVERYWHERE):  # fmt: skip
        assert own.satisfies(fact).holds is False
        assert ReluNetwork(ONES * 0, ONES[0], MIXED).satisfies(fact).holds is None
    assert own.satisfies(Fact.BOUNDED_BELOW).holds
    assert own.satisfies(Fact.NOISELESS).holds
    assert own.satisfies(Fact.PL).holds is None


def test_what_fails_is_seen_to_fail():
    """x = 1: the slope jumps, and a middle is above the mean of its ends."""
    own, one = ReluNetwork(ONES, ONES[0] * 0, bridge.exact([1, -1, 1, 1])), everyone(1, 1)

    def at(*w):
        return bridge.exact([[*w, 0, 0]])

    near, far = (own.gradient(at(0 - step, 9), one)[0, 0] for step in (0, fmpq(1, 10**9)))
    assert near - far == -fmpq(9, 4)
    ends = [own.value(at(w, 9), one)[0] for w in (-1, 1)]
    assert own.value(at(0, 9), one)[0] > sum(ends) / 2


def test_one_neuron_with_targets_0_is_convex_and_smooth_so_nothing_is_denied():
    alone = ReluNetwork(ONES, ONES[0] * 0, bridge.exact([1]))
    for fact in (Fact.SMOOTH, Fact.CONVEX, Fact.STRONGLY_CONVEX, Fact.QUADRATIC):
        assert alone.satisfies(fact).holds is None
    same = ReluNetwork(ONES, ONES[0] * 0, bridge.exact([1, 1]))
    assert same.satisfies(Fact.CONVEX).holds is None
    assert same.satisfies(Fact.SMOOTH).holds is False


OWN = ReluNetwork(ONES, ONES[0], MIXED)
TWO = bridge.exact([[1, 1]])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ReluNetwork(ONES[0], ONES[0], MIXED), r"features is \(1, 1\); expected \(n, n_c"),
        (lambda: ReluNetwork(ONES[:, :0], ONES[0, :, :0], MIXED), "shape of the features"),
        (lambda: ReluNetwork(ONES, TWO, MIXED), r"targets is \(1, 2\); expected \(1, 1\)"),
        (lambda: ReluNetwork(ONES, ONES[0], MIXED[:0]), r"signs is \(0,\); expected \(m,\), m >= 1"),
        (lambda: ReluNetwork(ONES, ONES[0], ONES[0]), "shape of the signs"),
        (lambda: ReluNetwork(ONES, ONES[0], MIXED * 2), "signs a_r other than 1 and -1 is 2; expected 0"),
        (lambda: ReluNetwork(ONES, ONES[0], np.array([np.nan])), "signs a_r other than 1 and -1 is 1"),
        (lambda: OWN.value(ONES[0], everyone(1, 1)), r"models is \(1, 1\); expected \(1, 2\)"),
        (lambda: OWN.tangent(TWO, ONES[0], everyone(1, 1)), "shape of the directions"),
        (lambda: OWN.cotangent(TWO, TWO, everyone(1, 1)), "shape of what is pulled back"),
        (lambda: OWN.value(TWO, everyone(1, 1)), "m = 2 neurons is rationals; expected balls"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_line(call, told):
    with pytest.raises(FedboundsError, match=told) as error:
        call()
    assert "\n" not in str(error.value)
