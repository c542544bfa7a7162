"""Ladders of runs that settle: values of another program, plain moments, orders, planted errors."""

import json
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from claim_numbers import LADDER_NAMES
from flint import arb

from fedbounds.algorithms import personal_scaffold
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Condition, Part, read
from fedbounds.theory.language.registry import claim, encoded_claims, ladders, rungs
from fedbounds.theory.language.setups import Run
from fedbounds.theory.language.symbols import K, gamma, m, n, t
from fedbounds.theory.personalization import figures
from fedbounds.theory.personalization.run_ladders import CLIENTS, EQUAL, TUNED
from fedbounds.theory.personalization.symbols import P, rho
from fedbounds.verify.decide.case import find, ladder_shown
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import check, concerned, judge
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.verify.setups import found as of_setups
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.plan import ladder_case
from fedbounds.verify.setups.rungs import LadderInFloats, rung_of
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Index, Method, Relation, Verdict

EQUAL_RUNGS = Part(left=P(t + 1), right=P(t), relation=Relation.EQUAL, index=Index.RUNG)
STORED = Path(__file__).parents[2] / "data" / "personalization_run_ladders.json"


@cache
def planned():
    """By name; of two clients first."""
    return {one.name: one for one in ladders("personalization")}


def pick(parameter, rule="FedAvg-P", n=2, **fixed):
    """The first ladder in a parameter whose set-ups share these parameters."""
    for one in planned().values():
        first = dict(one.ladder.setups[0].run.parameters)
        clients = len(one.ladder.setups[0].run.start) - 1
        named = one.ladder.rungs == f"{rule} over {parameter}" and clients == n
        if named and all(first[name] == value for name, value in fixed.items()):
            return one
    raise AssertionError(parameter)


def case(one):
    return ladder_case(one.name, one.ladder, floats=one.floats)


def test_stored_values_are_found_again():
    compared = 0
    for name, wanted in json.loads(STORED.read_text()).items():
        found = find(planned()[name].ladder)
        for quantity in ("P", "P_sum", "P_G_u"):
            assert [str(x) for x in found.series[quantity]] == wanted[quantity], (name, quantity)
        for rate, row in zip(found.series["rho"], wanted["rho"], strict=True):
            assert isinstance(rate, arb)
            assert 0 < rate < 1
            assert abs(float(rate) - float(row)) < 1e-8, name
        compared += sum(map(len, wanted.values()))
    assert compared > 800


# ---- from the paper, client by client


def plain(setup):
    """G_u, G_v and the rate, from the round's matrices of every outcome, in floats."""
    run = setup.run
    data, p = dict(run.problem.data), dict(run.parameters)
    H, h = (np.array(data[x], dtype=float) for x in ("hessians", "slopes"))
    n, m, steps = len(H), p["cohort"], p["K"]
    gu, gv, eu, ev = (float(sp.Rational(p[x])) for x in ("gamma_u", "gamma_v", "eta_u", "eta_v"))
    h = h * np.array([float(sp.Rational(data["apart"])), 1.0])
    scaffold = setup.view.startswith("Scaffold")

    def after(x, present, noise):
        u, v, c = x[0], x[1 : n + 1], x[n + 1 :]
        ends, vs, new = [], list(v), list(c)
        for i in present:
            a, b = u, v[i]
            for k in range(steps):
                g, f = H[i] @ (a, b) + h[i] * x_one + noise[k, i] * scales
                a = a - gu * (g - c[i] + c.sum() / n if scaffold else g)
                b = b - gv * f
            ends.append(a)
            vs[i] = (1 - ev) * v[i] + ev * b
            if scaffold:
                new[i] = c[i] - c.sum() / n + (u - a) / (steps * gu)
        return np.array([(1 - eu) * u + eu * sum(ends) / m, *vs, *new])

    size = 1 + n + (n if scaffold else 0)
    scales = np.array([data["noise"], data["personal_noise"]], dtype=float)
    total, silent, x_one = 0.0, np.zeros((steps, n, 2)), 1.0
    sets = list(combinations(range(n), m))
    for present in sets:
        x_one = 1.0
        shift = after(np.zeros(size), present, silent)
        x_one = 0.0
        A = np.stack([after(e, present, silent) for e in np.eye(size)], axis=1)
        B = np.block([[np.ones((1, 1)), np.zeros((1, size))], [shift[:, None], A]])
        total = total + np.kron(B, B) / len(sets)
        for k, i, j in product(range(steps), range(n), range(2)):
            one = silent.copy()
            one[k, i, j] = 1.0
            z = np.array([0.0, *after(np.zeros(size), present, one)])
            total[:, 0] += np.kron(z, z) / len(sets)
    moments = np.linalg.matrix_power(total, 2**16)[:, 0].reshape(size + 1, size + 1)
    grads = [
        [[h[i, r], *(H[i, r, 0] if j == 0 else H[i, r, 1] * (j == i + 1) for j in range(size))]
         for i in range(n)] for r in range(2)
    ]  # fmt: skip
    mean = np.mean(grads[0], axis=0)
    rate = sorted(abs(np.linalg.eigvals(total)))[-2]
    return mean @ moments @ mean, np.mean([g @ moments @ g for g in np.array(grads[1])]), rate


@pytest.mark.parametrize("rule", ["FedAvg-P", "Scaffold-P"])
def test_limits_are_those_of_plain_moments(rule):
    own = next(
        one for one in planned().values()
        if one.ladder.rungs == f"{rule} over K" and one.name.startswith(f"{rule}, own curvature n=2")
    )  # fmt: skip
    found = find(own.ladder).series
    for at, setup in enumerate(own.ladder.setups):
        g_u, g_v, rate = plain(setup)
        share = setup.run.parameter("cohort") / 2
        assert float(found["P_G_u"][at]) == pytest.approx(g_u, rel=1e-6)
        assert float(found["P"][at]) == pytest.approx(g_u + share * g_v, rel=1e-6)
        assert float(found["rho"][at]) == pytest.approx(rate, abs=1e-8)


def test_a_round_without_c_is_the_round_with_the_mean_of_all_c_i():
    generator = np.random.default_rng(0)
    problem = of_setups.subject_of(
        pick("K", "Scaffold-P").ladder.setups[1].run,
        of_setups.view_of(pick("K", "Scaffold-P").ladder.setups[1]),
    )
    p, draws = problem.parameters(), generator.integers(-3, 4, (2, 1, 2, 2, 1))
    exact = np.vectorize(of_setups.exact, otypes=[object])
    drawn = {
        "present": exact(np.array([[1, 0]])), "weight": exact(np.array([[1, 0]])),
        "xi_u": exact(draws[0]), "xi_v": exact(draws[1]),
    }  # fmt: skip
    state = {
        "u": exact(np.array([[2]])), "v": exact(np.array([[[1], [3]]])),
        "ci": exact(np.array([[[4], [-1]]])),
    }  # fmt: skip
    whole = {**state, "c": state["ci"].sum(axis=1) / 2}
    see = lambda **seen: None  # noqa: E731
    one = personal_scaffold.SETTLING.step(problem.problem, p, state, drawn, see)
    other = personal_scaffold.ROUNDS.step(problem.problem, p, whole, drawn, see)
    assert all((one[name] == other[name]).all() for name in one)
    assert (other["c"] == one["ci"].sum(axis=1) / 2).all()


# ---- the plan


def test_every_kind_that_a_claim_names_is_planned():
    kinds = {case(one).algorithm_name for one in planned().values()}
    spoken = {x for c in encoded_claims("personalization") for x in c.algorithms if "ladder" in x}
    assert kinds == LADDER_NAMES == spoken == {x.runs for x in rungs("personalization").values()}
    assert {case(one).algorithm_name for one in planned().values() if one.quick} == kinds


def test_tuned_steps_are_the_shortest_that_leave_fedavg_p_no_more_accurate():
    tuned = [one for one in planned().values() if one.name.endswith(f"ladder in {EQUAL}")]
    parts = [
        x for n, some in ((2, (1,)), (4, (3,)), (10, (3, 9)))
        for _ in range(2) for m in some for pair in TUNED[n, m] for x in pair
    ]  # fmt: skip
    every = [pair for pair in zip(tuned, parts, strict=True) if pair[1] < 64]
    for one, part in [pair for pair in every if not pair[0].floats][:4]:
        first, second = find(one.ladder).series["P"]
        assert first >= second
        run = one.ladder.setups[0].run
        if part > 1:
            shorter = {
                x: sp.Rational(run.parameter(x)) * (part - 1) / part for x in ("gamma_u", "gamma_v")
            }
            parameters = {**dict(run.parameters), **{x: str(y) for x, y in shorter.items()}}
            less = Run(run.problem, run.start, tuple(parameters.items()), run.rounds)
            setup = replace(one.ladder.setups[0], run=less)
            lower = replace(
                one.ladder, rungs="FedAvg-P over gamma", setups=(one.ladder.setups[0], setup)
            )
            assert find(lower).series["P"][1] < second


def test_tuned_steps_of_ten_clients_are_the_shortest_in_64ths():
    """Those that are one 64th shorter are more accurate than Scaffold-P, which balls show."""
    tuned = [one for one in planned().values() if one.floats and one.name.endswith(EQUAL)]
    assert len(tuned) == 32
    looked = 0
    for one in (one for one in tuned if " K=1 " in one.name and "eta = 1," in one.name):
        first, second = one.ladder.setups
        whole, own = (sp.Rational(x.run.parameter("gamma_u")) for x in (second, first))
        levels = find(LadderInFloats(one.ladder)).series["P"]
        if own < whole:
            assert levels[0] >= levels[1]
        shorter = own - whole / 64
        if not shorter:
            continue
        parameters = {
            **dict(first.run.parameters),
            "gamma_u": str(shorter),
            "gamma_v": str(shorter),
        }
        less = Run(first.run.problem, first.run.start, tuple(parameters.items()), 1)
        below = rung_of(replace(first, run=less), floats=True)
        series = rungs("personalization")["FedAvg-P over gamma"].series["P"]
        assert below.number(series)[0] < levels[1]
        looked += 1
    assert looked > 4


def test_rungs_are_in_the_order_that_claims_count():
    for one in (pick("gamma"), pick("K"), pick("b^2"), pick("algorithm", "FedAvg-P to Scaffold-P")):
        turned = replace(one.ladder, setups=one.ladder.setups[::-1])
        with pytest.raises(FedboundsError, match=r"falling|growing|algorithm"):
            find(turned)


def test_rungs_differ_in_one_parameter_alone():
    ladder = pick("K").ladder
    *others, last = ladder.setups
    parameters = {**dict(last.run.parameters), "eta_u": 3}
    run = Run(last.run.problem, last.run.start, tuple(parameters.items()), 1)
    with pytest.raises(FedboundsError, match="eta_u"):
        find(replace(ladder, setups=(*others, replace(last, run=run))))


@pytest.mark.parametrize("factor", ["1/2", "1"])
def test_a_pair_at_equal_steady_state_is_tuned(factor):
    ladder = next(
        one.ladder for one in planned().values()
        if one.name.endswith(f"b^2=16, ladder in {EQUAL}")
    )  # fmt: skip
    first, second = ladder.setups
    own = dict(second.run.parameters)
    if factor != "1":
        own = {**dict(first.run.parameters)}
        own |= {x: str(sp.Rational(own[x]) * sp.Rational(factor)) for x in ("gamma_u", "gamma_v")}
    run = Run(first.run.problem, first.run.start, tuple(own.items()), 1)
    with pytest.raises(FedboundsError, match="of the rungs"):
        find(replace(ladder, setups=(replace(first, run=run), second)))


# ---- judged


def judged(found, one, reading=0):
    for judgement in judge((found,), case(one)).judgements:
        if judgement.reading is found.readings[reading]:
            return {o.part: o for o in judgement.outcomes}
    raise AssertionError


def test_a_claim_on_neighbouring_rungs_is_decided_as_its_numbers_are_ordered():
    figure, one = claim("personalization/fig-1a"), pick("gamma", cohort=1)
    series = find(one.ladder).series
    falling = all(b <= a for a, b in zip(series["P"], series["P"][1:], strict=False))
    slower = all(a < b for a, b in zip(series["rho"], series["rho"][1:], strict=False))
    found = judged(figure, one)
    assert found["smaller"].verdict is (Verdict.NOT_VIOLATED if falling else Verdict.VIOLATED)
    assert found["slower"].verdict is (Verdict.NOT_VIOLATED if slower else Verdict.VIOLATED)
    # turned round, each strict order breaks
    turned = replace(
        figure,
        parts=tuple(replace(p, left=p.right, right=p.left) for p in figure.parts),
    )
    assert {o.verdict for o in judged(turned, one).values()} == {Verdict.VIOLATED}


def test_the_rung_that_breaks_is_named():
    figure, one = claim("personalization/fig-1a"), pick("gamma", cohort=1)
    series = find(one.ladder).series["P"]
    level = (series[0] + series[1]) / 2
    # P below its mean of the first two rungs: rung 0 alone is above
    below = replace(figure.part("smaller"), left=P(t), right=sp.Rational(str(level)))
    outcome = judged(replace(figure, parts=(below,)), one)["smaller"]
    assert (outcome.verdict, outcome.at) == (Verdict.VIOLATED, 0)


def test_conditions_are_those_that_all_rungs_share():
    figure = claim("personalization/fig-1c")
    part = replace(figure.part("larger"), conditions=(Condition(m, "<=", n - 1),))
    one = replace(figure, parts=(part,))
    decided = check(one, case(pick("K", cohort=1))).verdict
    assert decided in (Verdict.VIOLATED, Verdict.NOT_VIOLATED)
    with pytest.raises(FedboundsError, match="fails"):
        check(one, case(pick("K", cohort=2)))
    for symbol, parameter in ((K, "K"), (gamma, "gamma")):
        name = f"FedAvg-P ladder in {parameter}"
        on_it = replace(part, conditions=(Condition(symbol, ">=", 0 * m),), algorithm=name)
        own = replace(figure, algorithms=(name,), parts=(on_it,))
        with pytest.raises(FedboundsError, match=f"no value for {parameter}"):
            check(own, case(pick(parameter)))


def test_equality_of_steady_states_is_exact():
    figure, one = claim("personalization/fig-1d"), pick("b^2", cohort=2)
    same = len(set(find(one.ladder).series["P"])) == 1
    outcome = judged(figure, one, reading=-1)["no influence of b^2"]
    assert figure.part("no influence of b^2").relation is Relation.EQUAL
    assert outcome.verdict is (Verdict.NOT_VIOLATED if same else Verdict.VIOLATED)


def test_a_part_speaks_of_its_own_ladder_only():
    found = judged(claim("personalization/fig-1c"), pick("b^2", cohort=1))
    assert found["faster"].verdict is Verdict.NOT_APPLICABLE
    assert found["larger with b^2"].verdict in (Verdict.VIOLATED, Verdict.NOT_VIOLATED)
    others = [c for c, _ in concerned(encoded_claims("personalization"), case(pick("m")))]
    assert {c.id for c in others} == {"personalization/fig-1b"}


def test_the_personal_part_counts_with_its_weight():
    series = find(pick("K", cohort=1).ladder).series
    own = (series["P_sum"] - series["P_G_u"]) / 2
    assert all(own > 0)
    assert list(series["P"]) == list(series["P_G_u"] + own)


@pytest.mark.parametrize(
    ("name", "rule", "m"), [("fig-1d", "FedAvg-P", 2), ("fig-2c", "Scaffold-P", 1)]
)
def test_a_broken_order_has_a_script(name, rule, m):
    """One that runs alone and prints the gap, or it is not kept."""
    figure = claim(f"personalization/{name}")
    told = f"{rule}, own curvature n=2 in rationals, eta = 1, m={m}, ladder in K"
    whole = planned()[told]
    one = case(replace(whole, ladder=replace(whole.ladder, setups=whole.ladder.setups[:2])))
    reading = next(x for x in figure.readings if x.name == "harsher: K and b^2 never enlarge it")
    (judgement,) = (x for x in judge((figure,), one).judgements if x.reading is reading)
    assert judgement.verdict is Verdict.VIOLATED
    part = next(x for x in read(figure, reading) if x.name == judgement.deciding.part)
    numbers = measure(judgement.instance).numbers
    text = script(judgement, part, numbers)
    relation = {"fig-1d": "== Q(n)", "fig-2c": "<= Q(n) - 1"}[name]
    assert f'assert Q(p["cohort"]) {relation}' in text
    assert "not checked here: smooth" in text
    rates = replace(part, left=rho(t + 1), right=rho(t))
    with pytest.raises(FedboundsError, match="no script for Pace"):
        script(judgement, rates, numbers)


def test_algorithms_are_shown_by_name():
    shown = ladder_shown(pick("algorithm", "FedAvg-P to Scaffold-P").ladder)
    assert shown["values"] == ["FedAvg-P", "Scaffold-P"]
    assert shown["fit"] is None
    assert figures.PAIR in LADDER_NAMES


# ---- ten clients


def test_kinds_of_ten_clients_are_those_of_few():
    kinds = {case(one).algorithm_name for one in planned().values() if one.floats}
    assert kinds == LADDER_NAMES
    assert sum(one.floats for one in planned().values()) == 128


def test_curvatures_of_ten_clients_are_between_a_half_and_one():
    for of in (x for x in CLIENTS if not x.exact):
        H = np.array(of.hessians, dtype=float)
        assert (H.transpose(0, 2, 1) == H).all()
        values = np.linalg.eigvalsh(H)
        assert values.min() > 0.49
        blocks = np.linalg.norm(H[:, :2, :2], 2, axis=(1, 2)), H[:, 2, 2]
        assert max(x.max() for x in blocks) <= 1
        a = np.array(of.slopes, dtype=float)[:, :2]
        assert float(of.spread) == pytest.approx(((a - a.mean(axis=0)) ** 2).sum() / 10)
        assert of.alike == bool((H[:, :2] == H[:1, :2]).all())
        for present in range(1, 11):
            assert of.step(present, 25) <= min(present / 10 ** (2 / 3), 1) / (84 * 25)
            u, v = of.outer[1].steps(10, present)
            assert 0 <= u**2 - present <= u / 8
            assert 0 <= v**2 - sp.Rational(10, present) <= v / 8


def test_drawn_ladders_are_planned_where_much_is_and_settle():
    every = {name: list(drawn_cases("personalization", "", profile, 5)) for name, profile in
             (("quick", Profile.QUICK), ("thorough", Profile.THOROUGH))}  # fmt: skip
    ladders = {name: [x for x in own if "ladder" in x.name] for name, own in every.items()}
    assert not ladders["quick"]
    assert len(ladders["thorough"]) == 2 * 64
    assert {x.name for x in ladders["thorough"]}.isdisjoint(planned())
    one = next(x for x in ladders["thorough"] if "own" in x.name and x.name.endswith("in K"))
    series = find(one.setup).series
    assert all(x > 0 for x in series["P"])
    assert all(x < 1 for x in series["rho"])
    for case_ in ladders["thorough"]:
        for setup in case_.setup.ladder.setups[:1]:
            H = np.array([[[float(sp.Rational(x)) for x in row] for row in M]
                          for M in dict(setup.run.problem.data)["hessians"]])  # fmt: skip
            values = np.linalg.eigvalsh(H)
            assert 0.5 <= values.min() <= values.max() <= 1


def test_a_ladder_of_ten_clients_is_judged_in_balls():
    """A broken order is certain; one that is turned round breaks everywhere."""
    figure = claim("personalization/fig-1a")
    one = next(
        x for x in planned().values() if x.floats and x.ladder.rungs == "FedAvg-P over gamma"
    )
    assert case(one).method is Method.BALLS
    assert {o.verdict for o in judged(figure, one).values()} == {Verdict.NOT_VIOLATED}
    parts = tuple(replace(p, left=p.right, right=p.left) for p in figure.parts)
    turned = judged(replace(figure, parts=parts), one)
    assert {o.verdict for o in turned.values()} == {Verdict.VIOLATED}


def test_an_equality_of_balls_notices_a_millionth():
    ball = arb(1, 1e-15)
    level = EQUAL_RUNGS
    for series, wanted in (
        ([ball, ball, ball], Verdict.UNDECIDED),
        ([ball, ball * (1 + 1e-6), ball], Verdict.VIOLATED),
    ):
        numbers = Numbers({"T": sp.Integer(2)}, {"P": np.array(series, dtype=object)})
        assert decide(level, numbers, Method.BALLS).verdict is wanted


def test_every_part_names_a_ladder_and_every_reading_keeps_both_sides_apart():
    for figure in figures.CLAIMS:
        assert {part.algorithm for part in figure.parts} == set(figure.algorithms)
        for reading in figure.readings:
            for part in read(figure, reading):
                assert part.index is Index.RUNG
                assert part.left != part.right
    for part in read(figures.FIGURE_2C, figures.FIGURE_2C.readings[1]):
        assert part.quantities in ({"P_G_u"}, {"rho"})
