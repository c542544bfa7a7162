"""Planted errors in the steps of Appendix A and section 3.2.1, each of which is refused."""

from dataclasses import replace

import pytest
import sympy as sp
from fedavg_book import certify, expression, proves, statement

from fedbounds.theory.checker.data import Premise
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.language.symbols import B, G_u, G_v, b2, k, m, n, t, variance_v
from fedbounds.theory.personalization.symbols import (
    D_2,
    E,
    Eu_ik,
    T_3u,
    g_ui,
)
from fedbounds.theory.proof.text import text


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("lem-3.1", T_3u(t)),
        ("lem-3.2:u", E(t)),
        ("lem-3.2:u", G_u(t)),
        ("lem-3.3:u", E(t)),
        ("lem-3.4", b2),
        ("lem-3.4/sharper", E(t)),
        ("eq-3.3:v", Eu_ik(t, k)),
        ("lem-3.5-ik", g_ui(t)),
        ("lem-3.5", B(t)),
        ("lem-3.5/sharper", G_v(t)),
        ("eq-A.5-any", E(t - 1)),
        ("lem-3.6-E/sharper", variance_v),
        ("lem-3.6/sharper", G_v(t - 1)),
        ("lem-A.2/corrected", D_2(t)),
    ],
    ids=str,
)
def test_a_smaller_constant_is_refused(name, symbol):
    right = sp.expand(expression(name))
    lowered = -1 if name == "lem-3.2:u" and symbol == G_u(t) else 1
    assert right.coeff(symbol) != 0
    assert proves(name, right=text(right))
    assert not proves(name, right=text(right - lowered * right.coeff(symbol) * symbol / 10))


def test_a_turned_inequality_is_refused():
    for name in ("eq-A.3:participants", "lem-A.3", "lem-3.6:a", "eq-3.3:u", "lem-3.5-geo:4(K-1)"):
        assert not proves(name, relation=">=")


def test_an_inequality_is_no_identity():
    for name in ("eq-A.3:split", "lem-3.2:u", "eq-A.4:mean"):
        assert not proves(name, relation="==")


@pytest.mark.parametrize(
    ("name", "premise"),
    [
        ("lem-A.3: client", "lem-A.3: cross term, line 3"),
        ("lem-3.4", "dissimilarity"),
        ("lem-3.2:u", "smooth"),
        ("eq-A.4:client", "martingale"),
        ("eq-A.3:noise", "variance"),
        ("lem-3.5-ik: line 1", "hypothesis"),
        ("lem-A.1", "martingale"),
        ("lem-3.6:b", "lem-3.6-E:bound"),
    ],
)
def test_a_dropped_premise_is_refused(name, premise):
    assert proves(name)
    assert not proves(name, without=premise)


def test_a_dropped_condition_or_assumption_is_refused():
    assert not proves("lem-3.5", conditions=())
    assert not proves("lem-3.6-E:bound", conditions=statement("lem-3.6-E:bound").conditions[:2])
    assert not proves("lem-3.4", assumptions=("smooth",))
    assert not proves("alg-inc:u", conditions=())


def test_a_forgotten_cross_term_is_refused():
    right = statement("lem-A.2-pair").right
    assert not proves("lem-A.2-pair", right="O_2(t)/(m*n)")
    assert not proves("lem-A.2-pair", right=right.replace("N_2(t)", "(N_2(t) + O_2(t))"))
    assert not proves("lem-A.3: by blocks", right="ip(wu, du) + ip(av, dv) + L*sq(du)/2")


@pytest.mark.parametrize(
    "name",
    [
        "eq-A.2: client",
        "eq-A.3: noise of a participant",
        "eq-A.3:participants",
        "lem-A.2-exact",
        "lem-3.2:v",
    ],
)
def test_m_and_n_exchanged_is_refused(name):
    right = expression(name).subs({m: n, n: m}, simultaneous=True)
    assert proves(name)
    assert not proves(name, right=text(right))


def test_noise_that_depends_on_the_participants_is_refused():
    def dependent(scope):
        atoms = {name: (*seen, "S") if name == "Yu" else seen for name, seen in scope.atoms}
        return replace(scope, atoms=tuple(atoms.items()))

    for name in ("eq-A.3:split", "eq-A.3:noise", "lem-A.1"):
        assert proves(name)
        assert not proves(name, scope=dependent)


def test_gradients_are_not_independent_of_the_noise():
    """The factor 2 in (A.3) falls only where the virtual iterates do not see the samples."""

    def blind(scope):
        atoms = {name: tuple(s for s in seen if s != "xi") if name == "hu" else seen
                 for name, seen in scope.atoms}  # fmt: skip
        return replace(scope, atoms=tuple(atoms.items()))

    single = "P_u(t) + gamma**2*Y_2(t)/m**2"
    assert not proves("eq-A.3:split", right=single)
    assert proves("eq-A.3:split", right=single, scope=blind)


def test_only_martingale_differences_add_up():
    assert not proves("lem-A.1", scope=lambda scope: replace(scope, differences=()))
    assert not proves("eq-A.3: differences, first step",
                      scope=lambda scope: replace(scope, centred=()))  # fmt: skip


def test_an_induction_needs_its_base():
    certify("lem-3.5-ik: line 1")
    with pytest.raises(Refused):
        certify("lem-3.5-ik: line 1", lambda step: replace(step, base=()))


def test_a_hypothesis_means_nothing_outside_an_induction():
    uses = (Premise("hypothesis", "hypothesis", ("1",)),)
    with pytest.raises(Refused, match="hypothesis outside an induction"):
        certify("lem-3.5-ik: line 1", lambda step: replace(step, rule="combine", uses=uses))


def test_the_bound_on_a_sum_of_powers_needs_k_below_the_number_of_steps():
    with pytest.raises(Refused):
        certify("lem-3.5-geo: to k", theory=lambda own: replace(own, always=own.always[:1]))
