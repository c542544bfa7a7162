"""Minibatches in users' theories, against every sample by hand."""

from fractions import Fraction
from itertools import product

import pytest
from own_files import asked_and_traced, cases, judged, loaded, own_file, parameters_of, traced

from fedbounds.errors import FedboundsError
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.measure.answers import by_enumeration, by_moments
from fedbounds.verify.own.load import load

# two clients with two samples each, in one dimension
FEATURES, TARGETS, START, ETA = ((1, 2), (3, 1)), ((1, -1), (2, 0)), Fraction(2), Fraction(1, 16)
IMPORT = "from fedbounds.own import regression"
STEP = """
    y = problem.spread(state["x"])
    for k in range(2):
        y = y - p["eta"] * problem.sampled_gradient(y, drawn["batch"][:, :, k, :])
    return {"x": problem.xp.sum(y, axis=1) / problem.clients}
"""
PIECES = {
    "before": IMPORT,
    "problems": "[regression([[[1], [2]], [[3], [1]]], [[1, -1], [2, 0]], [2])]",
    "draw": 'return {"batch": random.samples(problem, 2, p["b"])}',
    "step": STEP,
    "parameters": '{"b": (1, 2), "eta": ("1/16",)}',
    "more": "rounds=(1,), horizon=2",
    "body": """
        me.claim("same", "G_u(0) == 9/4")
        me.claim("wrong", "G_u(t+1) <= G_u(t)/1000")
    """,
}


def batches(size):
    """Every ordered batch of a client's samples."""
    return list(product((0, 1), repeat=size))


def slope(i, x, batch):
    return sum(FEATURES[i][j] * (FEATURES[i][j] * x - TARGETS[i][j]) for j in batch) / len(batch)


def squares(size, rounds):
    """E of the squared mean gradient, round by round."""
    states, found = [START], []
    every = batches(size)
    for t in range(rounds + 1):
        means = [(slope(0, x, (0, 1)) + slope(1, x, (0, 1))) / 2 for x in states]
        found.append(sum(g * g for g in means) / len(means))
        if t < rounds:
            states = [
                sum(local(i, x, pair) for i, pair in enumerate(pairs)) / 2
                for x in states
                for pairs in product(product(every, repeat=2), repeat=2)
            ]
    return found


def local(i, x, pair):
    for batch in pair:
        x = x - ETA * slope(i, x, batch)
    return x


def measured(theory, method, size):
    run = next(
        case.setup
        for case in cases(theory, Profile.DEFAULT, 0)
        if case.setup.run.rounds == 1 and parameters_of(case)["b"] == size
    )
    return method(*asked_and_traced(run, {})).series["G_u"]


@pytest.mark.parametrize("method", [by_enumeration, by_moments])
@pytest.mark.parametrize("size", [1, 2])
def test_minibatches_are_those_by_hand(tmp_path, method, size):
    found = measured(loaded(tmp_path, **PIECES), method, size)
    assert [Fraction(str(x)) for x in found] == squares(size, 1)


def test_the_comparison_sees_the_size_of_a_batch(tmp_path):
    found = measured(loaded(tmp_path, **PIECES), by_moments, 2)
    assert [Fraction(str(x)) for x in found] != squares(1, 1)


def test_claims_on_minibatches_are_judged(tmp_path):
    found = judged(tmp_path, **{**PIECES, "body": PIECES["body"].replace("9/4", value())})
    assert {name: row["standing"] for name, row in found.items()} == {
        "same": "tested", "wrong": "refuted"
    }  # fmt: skip


def value():
    return str(squares(1, 0)[0])


def test_the_gap_is_above_the_infimum_itself(tmp_path):
    """Least squares by hand."""
    theory = loaded(tmp_path, **PIECES)
    run = next(iter(cases(theory, Profile.DEFAULT, 0))).setup
    subject, _ = traced(run)
    curve = sum(a * a for own in FEATURES for a in own)
    best = sum(
        a * y
        for own, ys in zip(FEATURES, TARGETS, strict=True)
        for a, y in zip(own, ys, strict=True)
    )
    x = Fraction(best, curve)
    assert Fraction(str(subject.problem.minimiser[0])) == x
    losses = [
        (a * x - y) ** 2 / 2
        for own, ys in zip(FEATURES, TARGETS, strict=True)
        for a, y in zip(own, ys, strict=True)
    ]
    assert Fraction(str(subject.problem.objective.infimum())) == sum(losses) / 4


WRONG = {
    "a problem without samples": (
        {"problems": "quadratics(clients=(1,), dimensions=(1,))"},
        "expected one whose clients have samples",
    ),
    "weights of all steps": (
        {"step": 'problem.sampled_gradient(state["x"], drawn["batch"])\nreturn dict(state)'},
        "weights of samples is",
    ),
    "targets of another shape": (
        {"problems": "[regression([[[1], [2]]], [[1]], [2])]"}, "shape of the targets"
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", WRONG)
def test_what_is_no_minibatch_is_told(tmp_path, how):
    pieces, told = WRONG[how]
    path = own_file(tmp_path, **{**PIECES, **pieces})
    with pytest.raises(FedboundsError) as caught:
        load(path)
    assert told in str(caught.value)
