"""Each form of FedAvg-P and Scaffold-P against a slow oracle: states, memories, local iterates."""

import numpy as np
import pytest
from each import each
from flint import fmpq
from special_case_oracles import quadratic, subject_of
from traced_rounds import run
from walked_rounds import walk

from fedbounds.algorithms import personal_averaging, personal_scaffold
from fedbounds.algorithms.traced import Algorithm
from fedbounds.problems import Noise, NoiseLaw

FORMS = {
    "FedAvg-P": (personal_averaging.ROUNDS, personal_averaging.OBSERVED),
    "Scaffold-P": (
        *(personal_scaffold.ROUNDS, personal_scaffold.OBSERVED, personal_scaffold.AVERAGING),
    ),
}
SIZES = ((3, 2, 2, (2, 1)), (3, 3, 1, (1, 2)), (2, 1, 3, (1, 1)), (1, 1, 2, (1, 1)),
         (3, 1, 2, (2, 0)), (3, 2, 2, (0, 2)))  # fmt: skip


def _cases():
    every = [(kind, form) for kind, own in FORMS.items() for form in own]
    return [(kind, form, *size) for kind, form in every for size in SIZES]


@each("kind, form, n, m, K, blocks", _cases, told=lambda x: f"{x[1].name}, {x[2:]}")
def test_every_form_is_the_oracles_in_rationals(kind, form, n, m, K, blocks):
    assert walk(kind, form, n=n, m=m, K=K, blocks=blocks) == set()


@pytest.mark.parametrize("kind", FORMS)
def test_observing_and_remembering_change_no_step(kind):
    first, *others = (
        run(subject_of(kind, quadratic(3, 2, 1), 3, 2, 2, algorithm=form), seed=5)
        for form in FORMS[kind]
    )
    for other in others:
        for plain, seen in zip(first.states, other.states, strict=True):
            assert plain.keys() <= seen.keys()
            for name, array in plain.items():
                assert (array == seen[name]).all(), name


def test_before_the_first_round_the_last_participation_was_at_the_start():
    silent = quadratic(3, 2, 1, noise=Noise(NoiseLaw.GAUSSIAN, 0, 0))
    for problem in (quadratic(3, 2, 1), silent):
        one = subject_of("Scaffold-P", problem, 3, 2, 2, algorithm=personal_scaffold.OBSERVED)
        state = run(one).states[0]
        for k in range(2):
            assert (state["al"][:, :, k] == state["u"][:, None]).all()
            assert (state["be"][:, :, k] == state["v"]).all()
        assert state["Wh"].any() == (problem is not silent)
        exact = one.problem.gradients(one.problem.spread(state["u"]), state["v"])[0]
        assert (state["ci"] == exact + state["Wh"].sum(axis=2) / fmpq(2)).all()


def test_absent_clients_keep_their_memory_and_participants_renew_it():
    one = subject_of("Scaffold-P", quadratic(3, 2, 1), 3, 2, 2, algorithm=FORMS["Scaffold-P"][1])
    found = run(one)
    for before, later, drawn in zip(found.states, found.states[1:], found.draws, strict=False):
        present = drawn["present"] == 1
        for name in ("al", "be", "Wh", "ci"):
            own = (before[name] == later[name]).reshape(*present.shape, -1).all(axis=2)
            assert own[~present].all(), name
        # step 0 of a participant is where the round began
        joint = np.broadcast_to(before["u"][:, None], (*present.shape, 2))
        assert (later["al"][:, :, 0][present] == joint[present]).all()
        assert (later["be"][:, :, 0][present] == before["v"][present]).all()


# ---- planted errors


def changed(form, *, step=None, init=None):
    return Algorithm(init or form.init, form.draw, step or form.step, form.name)


def renewed(names, form):
    """Absent clients renew some of what they remember."""

    def step(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        every = form.step(problem, p, state, everyone, lambda **_: None)
        own = form.step(problem, p, state, drawn, see)
        return {**own, **{name: every[name] for name in names}}

    return changed(form, step=step)


def kept(names, form):
    """Nobody renews some of what it remembers."""

    def step(problem, p, state, drawn, see):
        own = form.step(problem, p, state, drawn, see)
        return {**own, **{name: state[name] for name in names}}

    return changed(form, step=step)


def first_step_alone(form):
    """Of its iterates a participant remembers the first, K times."""

    def step(problem, p, state, drawn, see):
        own = form.step(problem, p, state, drawn, see)
        return {**own, "al": np.repeat(own["al"][:, :, :1], own["al"].shape[2], axis=2)}

    return changed(form, step=step)


def forgotten(form):
    """The noise of the initial gradients."""

    def init(problem, start, random, p):
        state = form.init(problem, start, random, p)
        return {**state, "Wh": state["Wh"] * 0}

    return changed(form, init=init)


OBSERVED, AVERAGING = FORMS["Scaffold-P"][1:]
PLANTED = {
    "absent c_i renewed": (renewed(("ci", "c"), OBSERVED), {"ci", "c"}),
    "c with all": (renewed(("c",), OBSERVED), {"c"}),
    "absent memory renewed": (renewed(("al", "be", "Wh"), OBSERVED), {"al", "be", "Wh"}),
    "absent means renewed": (renewed(("al", "be"), AVERAGING), {"al", "be"}),
    "memory never renewed": (kept(("al", "be", "Wh"), OBSERVED), {"al", "be", "Wh"}),
    "means never renewed": (kept(("al", "be"), AVERAGING), {"al", "be"}),
    "c_i never renewed": (kept(("ci",), OBSERVED), {"ci"}),
    "first step remembered only": (first_step_alone(OBSERVED), {"al"}),
    "initial noise forgotten": (forgotten(OBSERVED), {"Wh"}),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_memory_that_is_wrong_is_seen(what):
    wrong, names = PLANTED[what]
    seen = {name for _, name in walk("Scaffold-P", wrong)}
    assert names <= seen
