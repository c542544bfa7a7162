"""Errors planted in Meerkat's algorithm: the oracle's means tell them."""

from dataclasses import replace

import pytest
import zeroth_order_oracle as oracle
from meerkat_cases import CASES, F, closed, differing, known, listed, setup_of
from zeroth_order_oracle import ROUND

from fedbounds.algorithms import sparse_zeroth_order as algorithm
from fedbounds.verify.measure.sources import Entries
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.setups.found import known_of, view_of


def one_sided(problem, p, models, direction, noise):
    xp = problem.xp

    def value(at):
        return problem.value(at) + xp.sum(at * noise, axis=-1)

    g = (value(models + direction * p["epsilon"]) - value(models)) / p["epsilon"]
    return g, g[:, :, None] * direction


def one_sided_forgetting(problem, p, models, direction, noise):
    """Divides by epsilon, not by 2 epsilon."""
    g, estimated = RIGHT["estimate"](problem, p, models, direction, noise)
    return 2 * g, 2 * estimated


def without_noise(problem, p, models, direction, noise):
    return RIGHT["estimate"](problem, p, models, direction, noise * 0)


def unmasked(random, problem, p, steps):
    return random.normal(problem.clients if p["own"] else 1, steps, problem.dimension)


def fresh(random, problem, p, steps):
    return RIGHT["directions"](random, problem, {**p, "own": 1}, steps)


def shared(random, problem, p, steps):
    return RIGHT["directions"](random, problem, {**p, "own": 0}, steps)


# mean 0, variance 1, fourth moment 2: the mean square of an estimate is then (1 + u) c
FLATTER = ((0, F(1, 4)), (1, F(1, 3)), (-1, F(1, 3)), (2, F(1, 24)), (-2, F(1, 24)))


def flatter(random, problem, p, steps):
    class Other:
        @staticmethod
        def normal(*shape):
            return random._answer(Entries(f"flatter{shape}", tuple(map(int, shape)), FLATTER))

    return RIGHT["directions"](Other, problem, p, steps)


RIGHT = {
    "estimate": algorithm.estimate,
    "directions": algorithm.directions,
    "averaged": algorithm.averaged,
}
BOTH = "two clients, two steps"
PLANTED = {  # what is planted, and quantities that are not the oracle's then
    "one-sided": ("estimate", one_sided, BOTH, {"est_m", "Dw_2"}),
    "half the division": ("estimate", one_sided_forgetting, BOTH, {"X_est", "est_m", "X_f"}),
    "no noise": ("estimate", without_noise, "two clients, own directions, noise", {"est_m", "Dw_2"}),
    "not masked": ("directions", unmasked, "two clients, own directions, noise", {"X_f", "est_m"}),
    "fresh": ("directions", fresh, BOTH, {"Dw_2"}),
    "shared": ("directions", shared, "three clients, own directions", {"Dw_2"}),
    "1 + u": ("directions", flatter, BOTH, {"est_m", "Dw_2"}),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_an_error_planted_in_rounds_is_caught(name, monkeypatch):
    part, wrong, case, names = PLANTED[name]
    monkeypatch.setattr(algorithm, part, wrong)
    planted = replace(algorithm.ROUNDS, name=name)
    assert names <= differing(CASES[case], "rounds", 1, planted)


@pytest.mark.parametrize("name", [x for x in PLANTED if x not in ("fresh", "shared")])
def test_an_error_planted_in_local_steps_is_caught(name, monkeypatch):
    part, wrong, case, _ = PLANTED[name]
    monkeypatch.setattr(algorithm, part, wrong)
    planted = replace(algorithm.LOCAL_STEPS, name=name)
    assert "est_2" in differing(CASES[case], "local steps", 1, planted)


def kept_alone(problem, p, x, drawn, see, carry, kept):
    """The mean of the clients that are not stopped, as if the others were not there."""
    return _weighted(problem, p, x, drawn, see, carry, kept, kept)


def by_steps(problem, p, x, drawn, see, carry, kept):
    """Clients count by their local steps."""
    return _weighted(problem, p, x, drawn, see, carry, kept, kept * (p["K"] - 1) + 1)


def _weighted(problem, p, x, drawn, see, carry, kept, weights):
    shown = {}
    RIGHT["averaged"](problem, p, x, drawn, lambda **more: shown.update(more), carry, kept)
    after = problem.xp.sum(shown["reached"] * weights[:, :, None], axis=1) / sum(weights[0])
    see(**shown | {"w_next": after})
    return after


@pytest.mark.parametrize("wrong", [kept_alone, by_steps])
def test_stopped_clients_with_another_weight_are_caught(wrong, monkeypatch):
    case = CASES[BOTH]
    wanted = oracle.Listed(case).stopped((0, 1))
    setup = setup_of(case, "few local steps, some clients stopped", 1, stopped=(0, 1))
    view = view_of(setup)
    right = known_of(setup, view)
    assert {x for x in wanted if right.series(x)[0] != wanted[x]} == set()
    monkeypatch.setattr(algorithm, "averaged", wrong)
    planted = replace(view, algorithm=replace(algorithm.STOPPED_WHOLE, name=wrong.__name__))
    found = known_of(setup, planted)
    assert {x for x in wanted if found.series(x)[0] != wanted[x]} >= {"X_f", "Dw_2"}


def test_one_plus_u_is_what_the_flatter_law_has(monkeypatch):
    case = CASES["one client, one step"]
    wanted = closed(case, "local steps", 1)
    right = known(case, "local steps", 1).series("est_2")[0, 0]
    assert right == (2 + 2) * wanted["mg_k2"][0][0]
    monkeypatch.setattr(algorithm, "directions", flatter)
    wrong = known(case, "local steps", 1, replace(algorithm.LOCAL_STEPS, name="flatter"))
    assert wrong.series("est_2")[0, 0] == (1 + 2) * wanted["mg_k2"][0][0]


@pytest.mark.parametrize("name", [BOTH, "three clients, three steps, noise"])
def test_what_directions_clients_share_changes_how_far_the_model_moves_alone(name):
    same, apart = CASES[name], replace(CASES[name], own=1)
    one, other = (known(x, "rounds", 1) for x in (same, apart))
    changed = {x for x in ROUND if listed(one.series(x)) != listed(other.series(x))}
    assert changed == {"Dw_2"}


def test_the_change_is_that_of_isserlis_formula():
    """E <est_1, est_2> is (2 + u) <m o g_1, m o g_2> with one direction, and that with u = -1."""
    same = replace(CASES[BOTH], K=1)
    one, other = (known(replace(same, own=x), "rounds", 1).series("Dw_2")[0] for x in (0, 1))
    g = [oracle.masked(same.mask, oracle.gradient(x, list(same.start))) for x in same.clients]
    assert one - other == same.eta**2 * (1 + sum(same.mask)) * oracle.dot(*g) / 2
    assert one != other


class Uncarried:
    """What a step shows; what it carries is what it was."""

    def __init__(self, see):
        self.see = see

    def __call__(self, **shown):
        self.see(**shown)

    @staticmethod
    def carry(y):
        return y


def again(random, problem, p):
    """The direction of the first local step in every one."""
    drawn = algorithm.draw(random, problem, p)
    first = drawn["z"][:, :, :1, :]
    return {**drawn, "z": problem.xp.concat([first] * p["K"], axis=2)}


def uncarried(problem, p, state, drawn, see):
    return algorithm.step(problem, p, state, drawn, Uncarried(see))


def test_a_direction_used_twice_is_caught():
    case = CASES[BOTH]
    plain = replace(algorithm.ROUNDS, step=uncarried)
    assert differing(case, "rounds", 1, plain) == set()
    twice = differing(case, "rounds", 1, replace(plain, draw=again))
    # a model before its second step has used its direction once only
    assert twice == {"f", "G_f", "M_f", "V_m", "X_f", "X_own", "X_est", "est_m", "Dw_2"}
    with pytest.raises(Refused, match="before see.carry and after it"):
        known(case, "rounds", 2, replace(algorithm.ROUNDS, draw=again)).series("Dw_2")
    # one round alone is integrated as a whole: nothing is carried, and the numbers are right
    once = known(case, "rounds", 1, replace(algorithm.ROUNDS, draw=again)).series("Dw_2")
    assert once == known(case, "rounds", 1, replace(plain, draw=again)).series("Dw_2")
    assert once != known(case, "rounds", 1).series("Dw_2")
