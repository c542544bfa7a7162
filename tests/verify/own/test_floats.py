"""Floats of a user's file are the rational numbers that they are: exact, never rounded again."""

from fractions import Fraction

import numpy as np
from flint import fmpq
from own_files import cases, loaded, parameters_of

from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.vocabulary import Method

BEFORE = """
import numpy as np
from fractions import Fraction
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, SampledRegression, to_rational
from fedbounds.problems import coupled_cosine
ARRAYS = np.array([[[1.1, 0.3], [0.3, 0.7]], [[2.3, -0.1], [-0.1, 0.9]]])
SLOPES = np.array([[0.1, -0.2], [0.7, 1.3]])
FLOATS = FederatedQuadratic(ARRAYS, SLOPES, 2, Noise(NoiseLaw.RADEMACHER, 0.1, 0.0))
def fractions(array):
    return [fractions(x) for x in array] if array.ndim else Fraction(float(array))
"""
DRAW = """
return {"present": random.participants(problem.clients, p["m"]), "e": random.noise(problem, 1)}
"""
STEP = """
    y = problem.spread(state["x"])
    y = y - p["eta"] * (problem.gradient(y) + drawn["e"][:, :, 0, :])
    return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
"""
WAYS = {
    "arrays in a problem": ("[(FLOATS, np.array([0.3, -0.7]))]", "np.array([0.1])"),
    "arrays": ("[quadratic(ARRAYS, SLOPES, np.array([0.3, -0.7]), 0.1)]", "(np.float64(0.1),)"),
    "fractions": (
        "[quadratic(fractions(ARRAYS), fractions(SLOPES), fractions(np.array([0.3, -0.7])), "
        "Fraction(0.1))]",
        "(Fraction(0.1),)",
    ),
    "a float problem, a start in fractions": (
        "[(FLOATS, fractions(np.array([0.3, -0.7])))]",
        "(0.1,)",
    ),
}
BODY = """
me.claim("holds", "D_W(t+1) <= 2*D_W(t) + 100")
me.claim("fails", "D_W(t+1) <= D_W(t)/1000")
"""


def theory(folder, problems, steps, body=BODY, **more):
    given = {
        "draw": DRAW,
        "step": STEP,
        "before": BEFORE,
        "body": body.replace("me.", f"{more.get('key', 'me')}."),
    }
    parameters = f'{{"m": "1:n", "eta": {steps}}}'
    return loaded(folder, problems=problems, parameters=parameters, **{**given, **more})


def outcomes(found):
    """Verdict and gap of every claim on every run, and how they were had."""
    claims = [one.claim for one in found.statements]
    every = [(case, judge(claims, case).judgements) for case in cases(found, Profile.QUICK, 0)]
    assert {case.method for case, _ in every} == {Method.RATIONAL}
    return [(one.claim.id, one.verdict, one.deciding.gap) for _, own in every for one in own]


def test_floats_are_judged_as_the_same_numbers_in_fractions(tmp_path):
    found = {}
    for name, (problems, steps) in WAYS.items():
        (tmp_path / name).mkdir()
        found[name] = outcomes(theory(tmp_path / name, problems, steps))
    first = found["fractions"]
    assert {(name, verdict.value) for name, verdict, _ in first} == {
        ("me/holds", "not violated"),
        ("me/fails", "violated"),
    }
    assert all(own == first for own in found.values())


def test_a_float_is_not_the_decimal_that_it_was_typed_as(tmp_path):
    """0.1 is above 1/10 by 2^-54 of it: what is false by less than one ulp is found false."""
    step = 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}'
    found = loaded(
        tmp_path,
        step=step,
        draw="return {}",
        problems="[quadratic([[[1.0]]], [[0.0]], [0.1])]",
        parameters='{"eta": (0.5,)}',
        before="from fractions import Fraction",
        body='me.parameter("c", "a number", (Fraction(0.1) ** 2,))\nme.claim("exact", "D_W(0) <= c")\nme.claim("typed", "D_W(0) <= 1/100")'
        '\nme.claim("floats", "D_W(0) <= 0.1*0.1")',
        more="rounds=(1,), horizon=2",
    )
    verdicts = {(name, verdict.value) for name, verdict, _ in outcomes(found)}
    assert verdicts == {
        ("me/exact", "not violated"),
        ("me/typed", "violated"),
        ("me/floats", "violated"),
    }
    assert 0 < Fraction(0.1) ** 2 - Fraction(1, 100) < np.spacing(0.01)


def test_a_step_size_that_is_one_ulp_above_a_condition_is_outside(tmp_path):
    body = 'me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/2"])'
    problems = "[quadratic([[[1.0]]], [[0.0]], [0.1])]"
    found = theory(tmp_path, problems, "(0.5, np.nextafter(0.5, 1))", body)
    verdicts = {
        (parameters_of(case)["eta"] > fmpq(1, 2), judge([found.statements[0].claim], case).judgements[0].verdict)
        for case in cases(found, Profile.QUICK, 0)
    }  # fmt: skip
    assert {(above, verdict.value) for above, verdict in verdicts} == {
        (False, "not violated"),
        (True, "outside conditions"),
    }


def test_who_looks_sees_that_floats_were_read(tmp_path):
    case = next(cases(theory(tmp_path, *WAYS["arrays"]), Profile.QUICK, 0))
    assert "eta=0.1 (a float)" in case.name
    assert "floats read as the rationals they are" in find(case.setup).family
    plain = theory(tmp_path, "[quadratic([[[1.0]]], [[0.5]], [2.0])]", "(0.25,)")
    assert "floats" not in find(next(cases(plain, Profile.QUICK, 0)).setup).family


def test_other_problems_in_floats_are_exact_or_in_balls(tmp_path):
    step = """
        y = problem.spread(state["x"])
        y = y - p["eta"] * problem.gradient(y)
        return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
    """
    of_blocks = """
        gu, gv = problem.gradients(state["u"], state["v"])
        u = problem.spread(state["u"]) - p["eta"] * gu
        return {"u": problem.xp.sum(u, axis=1) / problem.clients, "v": state["v"] - p["eta"] * gv}
    """
    given = {"draw": 'return {"present": random.participants(problem.clients, p["m"])}'}
    body = 'me.claim("a", "G_u(t) <= 1000")'
    (tmp_path / "cosines").mkdir()
    regression = theory(
        tmp_path, "[(SampledRegression(ARRAYS, SLOPES), np.array([0.3, -0.7]))]", "(0.1,)", body,
        step=step, **given,
    )  # fmt: skip
    cosines = theory(
        tmp_path / "cosines",
        "[(coupled_cosine(clients=2, shared_dimension=1, personal_dimension=1), [0.3, -0.7, 0.1])]",
        "(0.1,)", body, step=of_blocks, key="cos", **given,
        init='u, v = problem.blocks(start)\nreturn {"u": u, "v": v}',
    )  # fmt: skip
    for found, method in ((regression, Method.RATIONAL), (cosines, Method.BALLS)):
        for case in cases(found, Profile.QUICK, 0):
            (one,) = judge([found.statements[0].claim], case).judgements
            assert (case.method, one.verdict.value) == (method, "not violated")


def test_a_problem_of_the_files_own_is_left_as_it_is(tmp_path):
    before = """
        import numpy as np
        from dataclasses import dataclass
        from fedbounds.problems import FederatedQuadratic
        PLAIN, _ = quadratic([[[1.0]]], [[0.5]], [2.0])
        @dataclass(frozen=True, eq=False)
        class Mine:
            features: object
            clients: int = 1
            shared_dimension: int = 1
            personal_dimension: int = 0
            noise: object = PLAIN.noise
            minimiser: object = None
            def gradient(self, z, cohort):
                return np.asarray(z, dtype=float) * 1.5
            def value(self, z, cohort):
                return 0.75 * (np.asarray(z, dtype=float) ** 2).sum(axis=1)
            def infimum(self):
                return 0.0
            def constants(self, start):
                return {}
            def satisfies(self, fact):
                from fedbounds.problems.constants import not_known
                return not_known(fact)
    """
    found = loaded(
        tmp_path,
        before=before,
        draw="return {}",
        step='return {"x": state["x"] - 0.5 * problem.full_gradient(state["x"])}',
        problems="[(Mine(np.ones((1, 1, 1))), [2.0])]",
        parameters='{"eta": (1,)}',
        body='me.claim("a", "G_u(t+1) <= G_u(t)")',
    )
    case = next(cases(found, Profile.QUICK, 0))
    (one,) = judge([found.statements[0].claim], case).judgements
    assert one.verdict.value == "undecided"
