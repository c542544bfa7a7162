"""Ways to run beside each other: by hand, the best of tries, and estimates between two numbers."""

from fractions import Fraction

import pytest

from fedbounds.theory.language.contests import Contest
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.threads import one_thread
from fedbounds.verify.setups import contests as module
from fedbounds.verify.setups.contests import contest

H, ROUNDS = Fraction(2), 4


def setup(eta, rounds=ROUNDS, *, sampled=False):
    """x^2, from 3, along one direction."""
    data = (("hessians", (((2,),),)), ("slopes", ((0,),)), ("noise", 0))
    given = {"mask": (1,), "eta": str(eta), "epsilon": "1/10", "own": 0, "K": 1}
    run = Run(Objective("quadratics", data), (3,), tuple(given.items()), rounds)
    if sampled:
        return Setup("meerkat", "what factor pairs reach", run, (("f_depth", 0),))
    return Setup("meerkat", "what is reached", run)


def by_hand(eta, rounds=ROUNDS, start=3):
    """x+ = x (1 - 2 eta z^2): E x^2 grows by 1 - 4 eta + 12 eta^2 a round."""
    return start**2 * float((1 - 2 * H * eta + 3 * H**2 * eta**2) ** rounds)


ETAS = tuple(map(Fraction, ("1/32", "1/8", "1/2")))


def shown(ways, values=(1,), profile=Profile.DEFAULT, **more):
    found = contest(Contest("lines", "rounds", values, ways, "f", "E f", **more), profile)
    assert found["fit"] is None
    return found


def test_the_best_try_has_the_least_number():
    ways = {"one": (tuple((setup(eta),) for eta in ETAS),) * 2}
    found = shown(ways, ("1/2", 3))
    assert found["values"] == [0.5, 3]
    assert found["series"]["one"] == pytest.approx([min(map(by_hand, ETAS))] * 2)


def test_a_try_of_several_set_ups_is_their_mean():
    ways = {"mean": (((setup(ETAS[0]), setup(ETAS[2])), (setup(ETAS[2]),)),) * 2}
    told = shown(ways, (1, 2))["series"]["mean"]
    assert told == pytest.approx([(by_hand(ETAS[0]) + by_hand(ETAS[2])) / 2] * 2)


def test_values_that_are_rounds_are_looked_at_in_one_run_and_the_best_may_change():
    ways = {"alone": (tuple((setup(eta),) for eta in ETAS),)}
    told = shown(ways, (0, 1, ROUNDS))
    wanted = [min(by_hand(eta, at) for eta in ETAS) for at in (0, 1, ROUNDS)]
    assert told["series"]["alone"] == pytest.approx(wanted)
    quick = shown(ways, (0, 1, ROUNDS), Profile.QUICK)
    assert quick["values"] == [0, ROUNDS]
    assert quick["series"]["alone"] == told["series"]["alone"][::2]


def test_what_is_not_measured_is_never_the_best_and_is_counted():
    far, near = (setup(eta, 300) for eta in (10**3, ETAS[1]))
    ways = {"both": (((far,), (near,)),) * 2, "far": (((far,),),) * 2}
    found = shown(ways, (1, 2))
    assert found["series"]["both"] == pytest.approx([by_hand(ETAS[1], 300)] * 2, abs=1e-12)
    assert found["series"]["far"] == [None, None]
    assert "tries not measured: 4" in found["name"]
    assert "too large for floats" in found["name"]


def test_a_quantity_that_is_not_there_is_told():
    found = contest(Contest("lines", "x", (1, 2), {"a": (((setup(1),),),) * 2}, "nothing", "E f"),
                    Profile.DEFAULT)  # fmt: skip
    assert found["series"]["a"] == [None, None]
    assert "nothing is not measured" in found["name"]


def test_an_estimate_is_called_one_and_stands_between_its_ends():
    ways = {"sampled": (((setup(ETAS[0], sampled=True),),),)}
    with one_thread():
        found = shown(ways, (ROUNDS,), replicas=1024)
        again = shown(ways, (ROUNDS,), replicas=1024)
    assert found == again
    series = found["series"]
    assert list(series) == [
        "sampled, estimate", "sampled, estimate, from", "sampled, estimate, to",
    ]  # fmt: skip
    middle, low, high = (own[0] for own in series.values())
    assert low < by_hand(ETAS[0]) < high
    assert middle == pytest.approx((low + high) / 2)


def test_where_the_range_is_certain_ends_are_far_though_replicas_agree():
    """All replicas are 9 in round 0: three standard errors are 0, and say nothing of rare events."""
    ways = {"sampled": (((setup(ETAS[0], sampled=True),),),)}
    for spread, apart in ((0, 0), (10, 0.4)):
        found = shown(ways, (0,), replicas=1024, spread=spread)["series"]
        middle, low, high = (own[0] for own in found.values())
        assert middle == 9
        assert high - low == pytest.approx(apart, abs=0.2 * apart)


@pytest.mark.parametrize(
    ("name", "wrong", "test"),
    [
        ("min", max, test_the_best_try_has_the_least_number),
        ("_mean", lambda own: [max(own)[0]], test_a_try_of_several_set_ups_is_their_mean),
    ],
    ids=["the worst try", "the worst set-up of a try"],
)
def test_planted_errors_are_caught(name, wrong, test, monkeypatch):
    monkeypatch.setattr(module, name, wrong, raising=False)
    with pytest.raises(AssertionError):
        test()
