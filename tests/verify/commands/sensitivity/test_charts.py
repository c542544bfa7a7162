"""What a condition says of one parameter."""

import pytest

from fedbounds.theory.checker.data import Assignment
from fedbounds.verify.commands.sensitivity.charts import bound, bounds


@pytest.mark.parametrize(
    ("condition", "name", "said"),
    [
        (("gamma", "<=", "1/(32*K*L)"), "gamma", "1/(32*K*L)"),
        (("K*L*eta", "<=", "1/4"), "eta", "1/(4*K*L)"),
        (("2*eta*L", "<=", "psi_min*rho_min"), "eta", "psi_min*rho_min/(2*L)"),
    ],
)
def test_the_bound_of_a_factor(condition, name, said):
    assert bounds(condition, Assignment(name, "below", said))
    assert not bounds(condition, Assignment(name, "below", f"2*({said})"))
    assert bounds((name, condition[1], bound(condition, name)), Assignment(name, "below", said))


@pytest.mark.parametrize("left", ["gamma**2", "gamma + L", "L", "K*gamma + L*gamma**2"])
def test_nothing_is_said_of_what_is_not_a_factor(left):
    assert not bounds((left, "<=", "1"), Assignment("gamma", "below", "1"))


def test_a_condition_with_a_logarithm_bounds_nothing_in_a_chart():
    condition = ("width", ">=", "C_w*depth*log(rank/chance)")
    assert not bounds(condition, Assignment("width", "above", "C_w*depth"))
