"""Runs at the edges of the claims' conditions, values of parameters, and what is refused of them."""

from collections import Counter

import pytest
from flint import fmpq
from own_files import cases, loaded, own_file, parameters_of

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.contributed import contributed
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.own.load import contribution, load

ONE = "[quadratic([[[1]], [[3]], [[4]]], [[1], [-2], [3]], [4])]"  # n = 3, mu = 1, L = 4


def values_of(theory):
    found = [parameters_of(case) for case in cases(theory, Profile.DEFAULT, 0)]
    return [dict(one) for one in dict.fromkeys(tuple(sorted(x.items())) for x in found)]


def test_edges_are_the_largest_values_of_every_claim_and_half_of_them(tmp_path):
    theory = loaded(
        tmp_path,
        problems=ONE,
        parameters='{"m": (1,), "K": (2,), "eta": "edges"}',
        body="""
            me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/(L*K)", "eta <= 1/(4*mu)"])
            me.claim("b", "D_W(t) >= 0", conditions=["1/(2*mu) >= eta"])
            me.claim("c", "D_W(t) >= 0", conditions=["eta*L <= 100"])
        """,
    )
    assert {x["eta"] for x in values_of(theory)} == {fmpq(1, k) for k in (8, 16, 2, 4)} | {
        fmpq(25),
        fmpq(25, 2),
    }


def test_some_runs_are_at_equality_and_every_verdict_is_inside_its_conditions(tmp_path):
    theory = loaded(
        tmp_path,
        problems=ONE,
        parameters='{"m": "1:n", "eta": "edges"}',
        body="""
            me.claim("a", "eta*L <= 1/2", conditions=["eta <= 1/(2*L)"])
            me.claim("b", "eta*mu <= 1/3", conditions=["eta <= 1/(3*mu)", "m >= 2"])
        """,
    )
    claims = [statement.claim for statement in theory.statements]
    seen = Counter()
    for case in cases(theory, Profile.QUICK, 0):
        eta, m = (parameters_of(case)[name] for name in ("eta", "m"))
        for found in judge(claims, case).judgements:
            name = found.claim.id[-1]
            inside = eta <= fmpq(1, 8) if name == "a" else eta <= fmpq(1, 3) and m >= 2
            edge = eta == (fmpq(1, 8) if name == "a" else fmpq(1, 3))
            assert (found.verdict.value == "not violated") is inside
            assert (found.verdict.value == "outside conditions") is not inside
            seen[name, inside, edge] += 1
    assert seen["a", True, True]
    assert seen["b", True, True]
    assert seen["a", False, False]


def test_ranges_and_formulas_in_values(tmp_path):
    theory = loaded(
        tmp_path,
        problems=ONE,
        parameters='{"m": "n/2:n - 1/2", "K": "1:m", "eta": ("1/(n*L)", 0.25, "mu/m")}',
        body='me.claim("a", "D_W(t) >= 0")',
    )
    found = {(x["m"], x["K"], x["eta"]) for x in values_of(theory)}
    assert found == {
        (fmpq(2), k, eta)
        for k in (fmpq(1), fmpq(2))
        for eta in (fmpq(1, 12), fmpq(1, 4), fmpq(1, 2))
    }  # whole numbers of 3/2, ..., 5/2 are 2 alone


def test_an_own_parameter_without_a_condition_gets_a_quarter_of_one_over_l_and_four(tmp_path):
    body = 'me.parameter("beta", "momentum")\nme.claim("a", "beta*L <= 1/4")'
    theory = loaded(tmp_path, problems=ONE, body=body)
    assert {x["beta"] for x in values_of(theory)} == {fmpq(1), fmpq(1, 16), fmpq(1, 32)}


def test_horizons_are_in_the_order_of_work_and_at_most_as_many_as_the_profile_says(tmp_path):
    theory = loaded(tmp_path, problems="quadratics()")
    found = list(cases(theory, Profile.QUICK, 0))
    assert len(found) == 60
    assert len({case.name for case in found}) == 60
    assert [c.work for c in found] == sorted(c.work for c in found)
    assert {case.setup.run.rounds for case in found} == {1, 2, 3}


def test_bounds_in_own_constants_and_the_variance_are_edges_too(tmp_path):
    noisy = "[quadratic([[[1]]], [[1]], [4], 3)]"
    theory = loaded(
        tmp_path,
        problems=noisy,
        parameters='{"m": (1,), "K": "edges", "eta": "edges", "tau": ("sigma2", "cc")}',
        body="""
            me.constant("cc", "five", lambda problem, start: 5)
            me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/cc", "K <= 7/2"])
            me.claim("b", "D_W(t) >= 0", conditions=["eta <= 1/sigma2"])
        """,
    )
    found = values_of(theory)
    assert {x["eta"] for x in found} == {fmpq(1, k) for k in (5, 10, 9, 18)}
    assert {x["K"] for x in found} == {fmpq(4), fmpq(3), fmpq(1)}  # 4/L: "b" names no end
    assert {x["tau"] for x in found} == {fmpq(9), fmpq(5)}


def test_a_parameter_with_a_square_in_its_name_is_found_by_formulas(tmp_path):
    theory = loaded(
        tmp_path,
        problems=ONE,
        parameters='{"m": (1,), "eta": (1,), "G2": (7,)}',
        body='me.claim("a", "G2 == 7")',
    )
    case = next(cases(theory, Profile.QUICK, 0))
    (found,) = judge([theory.statements[0].claim], case).judgements
    assert found.verdict.value == "not violated"


REFUSED = {
    "half a step": (
        {"parameters": '{"m": (1,), "K": (0.5,), "eta": (1,)}'},
        "expected whole and positive",
    ),
    "no step": (
        {"parameters": '{"m": (1,), "K": (0,), "eta": (1,)}'},
        "expected whole and positive",
    ),
    "a step backwards": ({"parameters": '{"m": (1,), "eta": (-1,)}'}, "expected positive"),
    "a size below zero": (
        {"parameters": '{"m": (1,), "eta": (1,), "G2": (-1,)}'},
        "expected not negative",
    ),
    "m above n": ({"parameters": '{"m": (4,), "eta": (1,)}'}, "parameter 'm' is 4 where n = 2"),
    "a number of the problem": (
        {"parameters": '{"L": (1,), "m": (1,), "eta": (1,)}'},
        "'L' is a number of the problem",
    ),
    "a variance": (
        {"parameters": '{"sigma2": (1,), "m": (1,), "eta": (1,)}'},
        "'sigma2' is a number of the problem",
    ),
    "a bare number": ({"parameters": '{"m": 1, "eta": (1,)}'}, 'expected "edges", "a:b"'),
    "a misspelt word": ({"parameters": '{"m": (1,), "eta": "edge"}'}, "unknown name 'edge'"),
    "no number": ({"parameters": '{"m": (1,), "eta": (None,)}'}, "expected a number"),
    "none at all": ({"parameters": '{"m": "2:1", "eta": (1,)}'}, "no combination of parameters"),
    "a later parameter": (
        {
            "parameters": '{"m": (1,), "eta": "edges", "K": (1,)}',
            "body": 'me.claim("a", "D_W(t) >= 0", conditions=["eta <= 1/(L*K)"])',
        },
        "depend on K, which come later",
    ),
    "one pair": ({"problems": "quadratic([[[1]]], [[0]], [1])"}, "expected a list of pairs"),
    "no start": ({"problems": "[quadratic([[[1]]], [[0]], [1])[0]]"}, "expected a list of pairs"),
    "another shape": ({"problems": "[quadratic([[[1]]], [[0]], [1, 2])]"}, "shape of a start"),
    "a start that is no number": (
        {"problems": "[(quadratic([[[1]]], [[0]], [1])[0], [float('nan')])]"},
        "no array of numbers",
    ),
    "a start without its personal blocks": (
        {
            "before": "from fedbounds.problems import coupled_cosine",
            "problems": "[(coupled_cosine(clients=2, shared_dimension=1, personal_dimension=1), [1])]",
        },
        "shape of a start is (1,); expected (3,)",
    ),
    "noise by sampling": (
        {
            "before": "from fedbounds.problems import federated_logistic",
            "problems": "[(federated_logistic(clients=2, shared_dimension=1, personal_dimension=0, "
            "samples=3, heterogeneity=0.5), [1])]",
        },
        "FederatedLogistic has no additive noise of known law",
    ),
    "a quadratic with other gradients": (
        {
            "before": """
                from fedbounds.problems import FederatedQuadratic
                class Bent(FederatedQuadratic):
                    def gradient(self, z, cohort):
                        return 2 * super().gradient(z, cohort)
                PLAIN, START = quadratic([[[1]]], [[0]], [1])
            """,
            "problems": "[(Bent(PLAIN.hessian, PLAIN.linear, 1), START)]",
        },
        "Bent is a subclass of FederatedQuadratic",
    ),
    "no problem": ({"problems": "[]"}, "problems is empty"),
    "no round": ({"more": "rounds=(0,)"}, "rounds 0; expected whole numbers from 1"),
    "a law": ({"more": 'laws=["controls"]'}, "unknown law 'controls'"),
    "a paper": ({"key": "fedplt"}, "key 'fedplt'"),
    "half a client": ({"problems": "quadratics(clients=(9,))"}, "clients n is 9"),
    "asymmetric": ({"problems": "[quadratic([[[1, 2], [0, 1]]], [[0, 0]], [1, 1])]"}, "symmetric"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_wrong_values_are_told_with_file_and_line(tmp_path, how):
    pieces, told = REFUSED[how]
    path = own_file(tmp_path, **pieces)
    with pytest.raises(FedboundsError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:"), message
    assert told in message


def test_m_above_n_on_one_of_the_problems_is_refused_before_any_run(tmp_path):
    theory = loaded(tmp_path, parameters='{"m": (1, 2), "eta": (1,)}')
    with pytest.raises(FedboundsError, match="'m' is 2 where n = 1"):
        next(cases(theory, Profile.QUICK, 0))


def ways(theory):
    """How every planned run was measured, by its number of rounds."""
    every = [(case.setup.run.rounds, find(case.setup)) for case in cases(theory, Profile.QUICK, 0)]
    return {rounds: shown.family.rpartition(", ")[2] for rounds, shown in every}


def test_runs_with_too_many_rows_are_left_to_moments(tmp_path):
    few = '{"m": (1,), "eta": ("1/L",)}'
    theory = loaded(tmp_path, problems=ONE, parameters=few, more="rounds=(1, 12)")
    assert ways(theory) == {1: "enumerated", 12: "exact moments", 20: "exact moments"}


def test_a_long_run_of_few_outcomes_is_enumerated(tmp_path):
    theory = loaded(tmp_path, problems=ONE, step="return {'x': state['x'] ** 2}", draw="return {}",
                    more="rounds=(1,), horizon=3")  # fmt: skip
    assert ways(theory) == {1: "enumerated", 3: "enumerated"}


GD = {
    "step": 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}',
    "draw": "return {}",
}


def test_a_value_that_is_no_rational_has_no_run_and_is_counted(tmp_path):
    """A claim may speak of what the value is, and not of the value: no other step will do."""
    theory = loaded(
        tmp_path, problems="[quadratic([[[2]]], [[1]], [4]), quadratic([[[4]]], [[1]], [4])]",
        parameters='{"eta": ("1/sqrt(L)", "1/(L*sqrt(T))")}', **GD,
    )  # fmt: skip
    found = {(x["eta"], case.setup.run.rounds) for case, x in paired(theory)}
    assert {eta for eta, _ in found} == {
        fmpq(1, 2), fmpq(1, 4), fmpq(1, 8), fmpq(1, 16), fmpq(1, 2) / 1, fmpq(1, 2) / 2,
    }  # fmt: skip
    assert {rounds for _, rounds in found} >= {1, 4, 16}  # whose roots are rational
    assert contributed("me").irrational() > 0


def paired(theory):
    return [(case, parameters_of(case)) for case in cases(theory, Profile.DEFAULT, 0)]


def test_values_that_name_the_length_are_never_those_of_another_length(tmp_path):
    body = 'me.claim("a", "T*D_W(T) <= T*D_W(0) + sigma2/(L**2*n)")'
    step = """
        noise = problem.xp.sum(drawn["xi"][:, :, 0, :], axis=1) / problem.clients
        return {"x": state["x"] - p["eta"] * (problem.full_gradient(state["x"]) + noise)}
    """
    theory = loaded(
        tmp_path, body=body, problems="[quadratic([[[1]]], [[0]], [1], 1)]", step=step,
        draw='return {"xi": random.noise(problem, 1)}', parameters='{"eta": ("1/(L*T)",)}',
        more="rounds=(1, 2), horizon=20",
    )  # fmt: skip
    for case, values in paired(theory):
        assert values["eta"] * case.setup.run.rounds == 1
    assert not any(contributed("me").forever(Profile.DEFAULT).values())


def test_a_far_value_that_the_algorithm_cannot_take_is_left_out(tmp_path):
    body = """
        me.parameter("q", "a probability")
        me.claim("a", "D_W(t) <= D_W(0)", conditions=["q <= 1", "eta <= 1/L"])
        me.claim("b", "D_W(t + 1) <= D_W(t)", conditions=["eta <= 1/L"])
    """
    theory = loaded(
        tmp_path, body=body, draw='return {"s": random.bernoulli(p["q"], 1)}',
        step='return {"x": state["x"] - drawn["s"] * p["eta"] * problem.full_gradient(state["x"])}',
        parameters='{"eta": "edges"}',
    )  # fmt: skip
    values = {x["q"] for _, x in paired(theory)}
    assert {fmpq(1), fmpq(1, 2)} <= values
    assert max(values) <= 1


def test_a_problem_without_a_rational_value_leaves_the_others_be(tmp_path):
    """The one with the most clients among them, on which a file is tried first."""
    theory = loaded(
        tmp_path, parameters='{"eta": ("1/sqrt(L)",)}', **GD,
        problems="[quadratic([[[2]], [[2]]], [[1], [1]], [3]), quadratic([[[4]]], [[1]], [3])]",
    )  # fmt: skip
    assert {x["eta"] for _, x in paired(theory)} == {fmpq(1, 2)}
    assert contributed("me").irrational() == 1
    with pytest.raises(FedboundsError, match="no combination of parameters"):
        loaded(
            tmp_path, parameters='{"eta": ("1/sqrt(L)",)}', **GD,
            problems="[quadratic([[[2]]], [[1]], [3])]",
        )  # fmt: skip


def test_a_condition_on_the_length_alone_leaves_longer_runs_be(tmp_path):
    """The step is the same in all of them: a bound that fails late is still seen to fail."""
    body = 'me.claim("a", "D_W(T) >= 1/2", conditions=["T >= 2"])'
    theory = loaded(
        tmp_path, body=body, parameters='{"eta": ("1/100",)}', **GD,
        problems="[quadratic([[[1]]], [[0]], [1])]", more="rounds=(2,), horizon=3",
    )  # fmt: skip
    assert max(case.setup.run.rounds for case, _ in paired(theory)) > 3


def test_problems_are_added_once_however_often_a_theory_is_handed_over(tmp_path):
    body = 'me.claim("a", "f(t+1) <= f(t)", conditions=["eta <= 1/L"], assumptions=["smooth"])'
    theory = loaded(tmp_path, body=body, parameters='{"eta": "edges"}', problems="None", **GD)
    before = len(theory.problems)
    contribution(theory)
    assert len(theory.problems) == before


def test_a_larger_profile_sees_all_that_a_smaller_one_sees(tmp_path):
    """Of many runs: what is refuted quickly is refuted."""
    theory = loaded(
        tmp_path, problems="None", parameters='{"m": "1:n", "eta": ("1/L", "1/(2*L)", "1/(4*L)")}',
        more="rounds=(1, 2, 3), horizon=9",
    )  # fmt: skip
    every = [
        [case.name for case in cases(theory, profile, 0)]
        for profile in (Profile.QUICK, Profile.DEFAULT, Profile.THOROUGH)
    ]
    assert [len(set(names)) for names in every[:2]] == [60, 240]
    assert set(every[0]) < set(every[1]) < set(every[2])
