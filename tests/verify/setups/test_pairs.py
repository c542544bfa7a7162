"""Equivalences on equal draws: polynomials decide them, and planted differences are found."""

import copy
import json
from collections import Counter
from dataclasses import replace

import pytest
from flint import fmpq

from fedbounds.algorithms import fedavg, fedsim, personal_averaging, personal_scaffold, scaffold
from fedbounds.errors import FedboundsError
from fedbounds.problems import to_float
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.symbols import K, d_u, d_v, eta_u, eta_v, gamma_v, m, n
from fedbounds.theory.personalization.equivalences import (
    CLAIMS,
    FEDAVG,
    FEDSIM,
    PARALLEL_SGD,
    SCAFFOLD,
    SHAPES,
)
from fedbounds.verify.judge.settled import as_record, settle
from fedbounds.verify.measure.clients import Clients
from fedbounds.verify.measure.objectives import exact_array, objective
from fedbounds.verify.measure.same import Two, compare, seen_again
from fedbounds.verify.measure.subject import Subject
from fedbounds.verify.results.shapes import RECORD
from fedbounds.verify.setups.pairs import compared, difference_again, shapes_of, two_of
from fedbounds.vocabulary import Verdict

PAIRS = {f"{e.entry.id}, {p.name}": p for e in CLAIMS for p in e.pairs}
STEPS = {"gamma_u": fmpq(1, 3), "gamma_v": fmpq(1, 7), "eta_u": fmpq(5, 2), "eta_v": fmpq(11, 13)}
PLAIN = {**STEPS, "eta_u": 1, "eta_v": 1}
SIM = {"m": 2, "K": 2, "gamma_u": STEPS["gamma_u"], "gamma_v": STEPS["gamma_v"]}
AVG = {"m": 2, "K": 2, "gamma": STEPS["gamma_u"], "eta": STEPS["eta_u"]}
SCAF = {"m": 2, "K": 2, "eta_l": STEPS["gamma_u"], "eta_g": STEPS["eta_u"]}
BLOCKS, BOTH = {"u": "u", "v": "v"}, {"present": "present", "xi_u": "xi_u", "xi_v": "xi_v"}
ONE = {"present": "present", "xi_u": "xi"}
CONTROLS = {"u": "x", "ci": "ci", "c": "c"}


def shape(clients, participants, local_steps, shared, own):
    """The planned problem and start of this shape."""
    sizes = {n: clients, m: participants, K: local_steps, d_u: shared, d_v: own}
    equal = tuple(Condition(symbol, "==", size) for symbol, size in sizes.items())
    (found,) = shapes_of(equal, SHAPES)
    return found


def two(general, special, *, own=1, states=BLOCKS, draws=BOTH, steps=2):
    """Both (algorithm, parameters) for three clients, two of whom take part."""
    found = shape(3, 2, steps, 2, own)
    problem, start = Clients(objective(found.problem)), exact_array(found.start)
    subjects = (Subject(*one, 3) for one in ((a, problem, start, p) for a, p in (general, special)))
    return Two(*subjects, states, draws)


def averaging(**changed):
    return personal_averaging.ROUNDS, {"cohort": 2, "K": 2, **STEPS, **changed}


# ---- the claims


@pytest.mark.parametrize("name", [name for name in PAIRS if "any eta_u" not in name])
def test_claimed_equivalences_are_equal_polynomials(name):
    rows = list(compared(PAIRS[name], SHAPES))
    assert Counter(found.verdict for _, found in rows) == {Verdict.NOT_VIOLATED: len(rows)}
    assert {found.deviation for _, found in rows} == {"0"}


def test_a_server_step_is_not_a_plain_average():
    """Every shape has eta_u = 5/2; the difference is (eta - 1) (average - u) in each."""
    rows = list(compared(PAIRS["personalization/sc-fedavg, plain average at any eta_u"], SHAPES))
    assert {found.verdict for _, found in rows} == {Verdict.VIOLATED}
    assert all(
        found.difference.round == 0 and "no noise" in found.difference.where for _, found in rows
    )


@pytest.mark.parametrize("name", PAIRS)
def test_problems_have_the_shape_that_a_pair_needs(name):
    pair = PAIRS[name]
    every = list(shapes_of(pair.conditions, SHAPES))
    sizes = [{str(x): int(one.numbers[x]) for x in (n, m, K, d_u, d_v)} for one in every]
    needs = {(str(c.left), str(c.right)) for c in pair.conditions}
    for one, size in zip(every, sizes, strict=True):
        assert all(size[left] == size.get(right, 0 if right == "0" else 1) for left, right in needs)
        problem = Clients(objective(one.problem))
        shown = (problem.clients, problem.dimension, problem.personal_dimension)
        assert shown == (size["n"], size["d_u"], size["d_v"])
        assert len(one.start) == problem.entries
    assert {(s["n"], s["m"]) for s in sizes} == {
        (a, b) for a in (1, 2, 3) for b in range(1, a + 1) if ("m", "n") not in needs or a == b
    }
    assert {s["K"] for s in sizes} == ({1} if ("K", "1") in needs else {1, 2, 3})
    assert len(every) == len({one.name for one in every})


def test_every_special_case_of_the_sheet_is_encoded_and_judged():
    assert [e.entry.id for e in CLAIMS] == [
        f"personalization/sc-{name}" for name in ("fedavg", "fedsim", "psgd", "scaffold")
    ]
    rows = list(settle(PARALLEL_SGD))
    assert {row.part for row in rows} == {"FedAvg-P", "Scaffold-P"}
    assert Counter(row.verdict for row in rows) == {Verdict.NOT_VIOLATED: 6}


def test_as_many_rows_as_before_and_the_same_verdicts():
    """Counts of the engine that drove rounds with basis states and unit noises."""
    found = Counter((row.part, row.verdict) for e in CLAIMS for row in settle(e))
    assert found == {
        ("server step", Verdict.NOT_VIOLATED): 18,
        ("plain average at eta_u = 1", Verdict.NOT_VIOLATED): 18,
        ("plain average at any eta_u", Verdict.VIOLATED): 18,
        ("outer steps one", Verdict.NOT_VIOLATED): 72,
        ("conditions of thm-3.7 at eta_u = eta_v = 1", Verdict.NOT_VIOLATED): 1,
        ("conditions of thm-3.7 at eta_u = eta_v = 1", Verdict.VIOLATED): 9,
        ("FedAvg-P", Verdict.NOT_VIOLATED): 3,
        ("Scaffold-P", Verdict.NOT_VIOLATED): 3,
        ("option II", Verdict.NOT_VIOLATED): 18,
    }


@pytest.mark.parametrize(
    ("pair", "side", "changed"),
    [
        (FEDSIM.pairs[0], "general", {"eta_u": eta_u}),
        (FEDSIM.pairs[0], "general", {"eta_v": eta_v}),
        (PARALLEL_SGD.pairs[0], "special", {"gamma": gamma_v}),
        (PARALLEL_SGD.pairs[1], "special", {"gamma": gamma_v}),
        (PARALLEL_SGD.pairs[0], "general", {"K": K + 1}),
        (SCAFFOLD.pairs[0], "special", {"eta_g": eta_v}),
        (SCAFFOLD.pairs[0], "special", {"K": K + 1}),
    ],
)
def test_without_a_restriction_they_differ(pair, side, changed):
    own = getattr(pair, side)
    loose = replace(pair, **{side: replace(own, parameters=own.parameters | changed)})
    for one in shapes_of(pair.conditions, SHAPES):
        if one.numbers[d_u] and "eta_v" in changed and not one.numbers[d_v]:
            continue  # nothing personal to average
        if not one.numbers[d_u] and "eta_u" in changed:
            continue
        assert compare(two_of(loose, one, 3)).verdict is Verdict.VIOLATED, one.name


def test_the_conditions_of_the_analysis_are_an_inequality_of_n_and_m():
    part = FEDSIM.analysis
    assert not part.quantities
    assert part.constants == {"n", "m"}
    left = {(a, b): part.left.subs({n: a, m: b}) for a, b in ((1, 1), (4, 1), (4, 4), (18, 2))}
    assert left == {(1, 1): 1, (4, 1): 2, (4, 4): 2, (18, 2): 3}
    assert part.right == 1


# ---- planted errors, in rationals: n = 3, m = 2, K = 2


def fewer_steps():
    sim = replace(fedsim.ROUNDS, step=with_parameters(fedsim.step, K=1))
    return two(averaging(**PLAIN), (sim, SIM))


def fewer_steps_and_draws():
    return two(averaging(**PLAIN), (fedsim.ROUNDS, {**SIM, "K": 1}))


def outer_step_forgotten():
    return two(averaging(**{**PLAIN, "eta_u": 2}), (fedsim.ROUNDS, SIM))


def personal_outer_step_forgotten():
    return two(averaging(**{**PLAIN, "eta_v": 2}), (fedsim.ROUNDS, SIM))


def personal_at_the_new_shared():
    def step(problem, p, state, drawn, see):
        u, v = problem.spread(state["u"]), state["v"]
        u = u - (problem.gradients(u, v)[0] + drawn["xi_u"][:, :, 0]) * p["gamma_u"]
        v = v - (problem.gradients(u, v)[1] + drawn["xi_v"][:, :, 0]) * p["gamma_v"]
        chosen = drawn["present"][:, :, None]
        return {"u": (u * chosen).sum(axis=1) / p["m"], "v": v * chosen + state["v"] * (1 - chosen)}

    general = averaging(**PLAIN, K=1)
    return two(general, (replace(fedsim.ROUNDS, step=step), {**SIM, "K": 1}), steps=1)


def average_over_all_clients():
    own = replace(fedavg.ROUNDS, step=with_parameters(fedavg.step, m=3))
    return two(averaging(), (own, AVG), own=0, states={"u": "x"}, draws=ONE)


def _scaffold(**changed):
    general = personal_scaffold.ROUNDS, averaging()[1]
    special = replace(scaffold.ROUNDS, **changed), SCAF
    return two(general, special, own=0, states=CONTROLS, draws=ONE)


def correction_of_the_wrong_sign():
    def step(problem, p, state, drawn, see):
        turned = {"x": state["x"], "ci": -state["ci"], "c": -state["c"]}
        after = scaffold.step(problem, p, turned, drawn, see)
        return {"x": after["x"], "ci": -after["ci"], "c": -after["c"]}

    return _scaffold(step=step)


def absent_clients_renewed():
    def step(problem, p, state, drawn, see):
        everyone = {**drawn, "present": drawn["present"] * 0 + 1}
        renewed = scaffold.step(problem, p, state, everyone, lambda **_: None)
        return {**scaffold.step(problem, p, state, drawn, see), "ci": renewed["ci"]}

    return _scaffold(step=step)


def control_moves_by_the_whole_mean():
    def step(problem, p, state, drawn, see):
        after = scaffold.step(problem, p, state, drawn, see)
        moved = (after["c"] - state["c"]) * fmpq(3, 2)  # without the factor m/n
        return {**after, "c": state["c"] + moved}

    return _scaffold(step=step)


def controls_start_at_zero():
    def init(problem, start, random, p):
        state = scaffold.init(problem, start, random, p)
        return {"x": start, "ci": state["ci"] * 0, "c": state["c"] * 0}

    return _scaffold(init=init)


def noise_of_the_start_ignored():
    def init(problem, start, random, p):
        silent = type("Silent", (), {"noise": lambda _, *a: random.noise(*a) * 0})
        return scaffold.init(problem, start, silent(), p)

    return _scaffold(init=init)


def noise_of_another_client():
    def step(problem, p, state, drawn, see):
        return fedavg.step(problem, p, state, {**drawn, "xi": drawn["xi"][:, [1, 2, 0]]}, see)

    special = replace(fedavg.ROUNDS, step=step), AVG
    return two(averaging(), special, own=0, states={"u": "x"}, draws=ONE)


def with_parameters(step, **changed):
    def wrong(problem, p, *rest):
        return step(problem, p.with_values(changed), *rest)

    return wrong


PLANTS = [
    fewer_steps,
    fewer_steps_and_draws,
    outer_step_forgotten,
    personal_outer_step_forgotten,
    personal_at_the_new_shared,
    average_over_all_clients,
    correction_of_the_wrong_sign,
    absent_clients_renewed,
    control_moves_by_the_whole_mean,
    controls_start_at_zero,
    noise_of_the_start_ignored,
    noise_of_another_client,
]


@pytest.mark.parametrize("plant", PLANTS)
def test_planted_errors_are_violations_with_an_exact_witness(plant):
    found = compare(plant())
    assert found.verdict is Verdict.VIOLATED
    assert 0 <= found.difference.round < 3
    assert fmpq(*map(int, found.deviation.split("/"))) > 0
    blind = plant in (noise_of_the_start_ignored, noise_of_another_client)
    assert ("no noise" in found.difference.where) is not blind
    assert seen_again(plant(), found.difference) == found.difference


def test_without_planting_the_same_algorithms_agree():
    """The planting itself changes nothing."""
    assert compare(_scaffold()).verdict is Verdict.NOT_VIOLATED


def test_sampling_with_replacement_is_another_law():
    def draw(random, problem, p):
        own = fedsim.draw(random, problem, p)
        return {**own, "present": random.participants_with_replacement(problem.clients, p["m"])}

    found = compare(two(averaging(**PLAIN), (replace(fedsim.ROUNDS, draw=draw), SIM)))
    assert found.verdict is Verdict.VIOLATED
    assert "participants(3, 2) against present of participants_with_replacement" in found.reason
    assert found.difference.where == "present is [2, 0, 0] with probability 0 against 1/9"
    assert found.difference.values == ("0", "1/9")


# ---- a difference is kept with its record


def kept(claim):
    """Records of what differs, as a file gives them back, with the number of the reading."""
    rows = [as_record(claim.entry.id, found, f"key-{i}") for i, found in enumerate(settle(claim))]
    found = [json.loads(json.dumps(row)) for row in rows if row["verdict"] == "violated"]
    for row in found:
        RECORD.check(row)
    return found


def again(row, **changed):
    told = copy.deepcopy(row["difference"]) | changed
    return difference_again(FEDAVG, row["at"]["part"], row["parameters"], told)


@pytest.fixture(scope="module")
def apart():
    found = kept(FEDAVG)
    assert len(found) == 18
    return found


def test_a_record_has_both_runs_and_both_sides_and_shows_them_again(apart):
    for row in apart:
        told = row["difference"]
        assert again(row).endswith(f"differ after round {told['round']}: {told['where']}")
        assert [row["left"], row["right"]] == told["values"]
        assert fmpq(row["gap"]) == fmpq(row["right"]) - fmpq(row["left"]) != 0
        assert row["parts"][0]["relation"] == "=="
        assert told["general"]["parameters"]["eta_u"] == "5/2"
        assert "eta" in told["special"]["parameters"]
        assert len(told["problem"]["hessians"]) == int(row["parameters"]["n"])


def test_what_is_told_of_a_difference_is_what_a_hand_computes(apart):
    """n = K = 1: x - H x - h times gamma, and eta_u = 5/2 times that against once."""
    told = apart[0]["difference"]
    (((a, b), _),), ((h, _),) = told["problem"]["hessians"], told["problem"]["slopes"]
    u, v = told["start"]
    one = u - fmpq(1, 3) * (a * u + b * v + h)
    assert told["place"] == "u[0]"
    assert told["values"] == [str(u * (1 - fmpq(5, 2)) + one * fmpq(5, 2)), str(one)]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"start": [5, 5]}, "start of the difference"),
        ({"draws": []}, "do not differ"),
        ({"draws": [[]]}, "draws is 0; expected 1"),
        ({"draws": [[["1"]]]}, "shape of a draw"),
        ({"draws": [[[[["1e9", "0"]]]]]}, "number is 1e9"),
        ({"draws": [[[[["5", "0"]]]]]}, "expected an outcome of signs"),
        ({"draws": [[[[["0", "0"]]]]] * 9}, "at most 3"),
        ({"values": ["1", "2"]}, "told was 1 against 2"),
    ],
)
def test_a_difference_that_was_changed_is_told(apart, changed, told):
    try:
        found = again(apart[0], **changed)
    except FedboundsError as error:
        found = str(error)
    assert told in found


def test_a_difference_of_another_pair_or_size_is_refused(apart):
    row = apart[0]
    with pytest.raises(FedboundsError, match="server step"):
        difference_again(FEDAVG, "another", row["parameters"], row["difference"])
    sizes = row["parameters"] | {"n": "99"}
    with pytest.raises(FedboundsError, match="no problem has"):
        difference_again(FEDAVG, row["at"]["part"], sizes, row["difference"])
    with pytest.raises(FedboundsError, match="general of the difference"):
        again(row, general=row["difference"]["special"])


def test_a_difference_out_of_reach_is_no_violation():
    """c is the mean of the c_i in every run, so a server that sets it so differs nowhere."""

    def step(problem, p, state, drawn, see):
        after = scaffold.step(problem, p, state, drawn, see)
        return {**after, "c": after["ci"].sum(axis=1) / problem.clients}

    found = compare(_scaffold(step=step))
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason == (
        "rounds differ at some state, but no run of 3 rounds was seen to differ"
    )


def test_a_difference_that_only_the_start_makes_is_found():
    found = compare(controls_start_at_zero())
    assert found.difference.round <= 1


def test_the_witness_is_what_a_hand_computes():
    """f_1 = u^2 / 2, f_2 = u^2 + u from u = 1 with step 1/2: 1/2 for client 0, -1/2 for 1."""
    data = (("hessians", (((1,),), ((2,),))), ("slopes", ((0,), (1,))))
    problem, start = Clients(objective(Objective("quadratics", data))), exact_array((1,))
    half = fmpq(1, 2)
    values = {"cohort": 1, "K": 1, "gamma_u": half, "gamma_v": half, "eta_u": 3, "eta_v": 1}
    plain = {"m": 1, "K": 1, "gamma": half, "eta": 1}
    subjects = (
        Subject(personal_averaging.ROUNDS, problem, start, values, 1),
        Subject(fedavg.ROUNDS, problem, start, plain, 1),
    )
    found = compare(Two(*subjects, {"u": "x"}, ONE))
    # (1 - 3) 1 + 3 / 2 = -1/2 against 1/2
    assert found.difference.round == 0
    assert found.deviation == "1"
    assert found.difference.where == "from u = [1]; present {0}; no noise; u[0] is -1/2 against 1/2"


def test_a_difference_that_only_noise_shows_names_the_noise():
    found = compare(noise_of_another_client())
    assert "noise xi_u [[[" in found.difference.where
    found = compare(noise_of_the_start_ignored())
    assert "noise at the start [[[" in found.difference.where
    assert found.difference.where.count(" then [[[") == found.difference.round


# ---- steps of any form


def test_a_round_that_is_not_affine_is_decided_too():
    def squares(factor):
        def step(problem, p, state, drawn, see):
            return {"x": state["x"] - state["x"] * state["x"] * factor}

        return replace(fedavg.ROUNDS, step=step), AVG

    states, draws = {"x": "x"}, {"present": "present", "xi": "xi"}
    same, other = squares(1), squares(2)
    found = compare(two(same, same, own=0, states=states, draws=draws))
    assert found.verdict is Verdict.NOT_VIOLATED
    found = compare(two(same, other, own=0, states=states, draws=draws))
    assert found.verdict is Verdict.VIOLATED


def test_a_step_that_compares_the_state_is_run_and_not_proved():
    def step(problem, p, state, drawn, see):
        after = fedavg.step(problem, p, state, drawn, see)["x"]
        return {"x": problem.project(after, p["box"])}

    def boxed(side):
        box = (-side, side)
        return replace(fedavg.ROUNDS, step=step), {**AVG, "box": box}

    states, draws = {"x": "x"}, {"present": "present", "xi": "xi"}
    found = compare(two(boxed(9), boxed(9), own=0, states=states, draws=draws))
    assert found.verdict is Verdict.UNDECIDED
    assert "it compares an entry that is not known" in found.reason
    assert "no run of 3 rounds was seen to differ" in found.reason
    found = compare(two(boxed(9), boxed(8), own=0, states=states, draws=draws))
    assert found.verdict is Verdict.VIOLATED


def test_steps_that_change_with_the_round_are_run_and_not_proved():
    def step(problem, p, state, drawn, see):
        return {"x": state["x"] * (1 + p["t"])}

    def other(problem, p, state, drawn, see):
        return {"x": state["x"] * (1 + p["t"] ** 2)}

    states, draws = {"x": "x"}, {"present": "present", "xi": "xi"}
    one, two_ = (replace(fedavg.ROUNDS, step=own) for own in (step, other))
    found = compare(two((one, AVG), (one, AVG), own=0, states=states, draws=draws))
    assert found.verdict is Verdict.UNDECIDED
    found = compare(two((one, AVG), (two_, AVG), own=0, states=states, draws=draws))
    assert (found.verdict, found.difference.round) == (Verdict.VIOLATED, 2)


# ---- other problems


def cosines(general, special):
    data = (
        ("shared_hessian", (("3/5",),)),
        ("linear", ((1,), ("-1/2",), ("1/4",))),
        ("personal_curvature", "1/2"),
        ("amplitude", "7/10"),
        ("shared_direction", (1,)),
        ("personal_direction", (1,)),
        ("noise", "1/2"),
        ("personal_noise", "1/2"),
    )
    problem = Clients(objective(Objective("coupled cosines", data)))
    start = exact_array((1, "1/2", -1, "3/2"))
    subjects = (Subject(a, problem, start, p, 3) for a, p in (general, special))
    return Two(*subjects, BLOCKS, BOTH)


def test_in_balls_a_difference_is_certified_and_equality_is_not():
    found = compare(cosines(averaging(**PLAIN), (fedsim.ROUNDS, SIM)))
    assert found.verdict is Verdict.UNDECIDED
    assert "no run of 3 rounds was seen to differ" in found.reason
    found = compare(cosines(averaging(**{**PLAIN, "eta_u": 2}), (fedsim.ROUNDS, SIM)))
    assert found.verdict is Verdict.VIOLATED
    assert float(found.deviation) > 0.01
    found = compare(cosines(averaging(**PLAIN), (fedsim.ROUNDS, {**SIM, "K": 1})))
    assert found.verdict is Verdict.VIOLATED


# ---- what is refused


def test_draws_that_cannot_be_shared_are_refused():
    found = shape(3, 2, 1, 0, 2)
    pair = PARALLEL_SGD.pairs[0]
    with pytest.raises(FedboundsError, match=r"only one of the two draws participants\(3, 2\)"):
        compare(two_of(pair, found, 3))


def test_draws_of_one_law_from_other_calls_are_refused():
    every = ((1, 1, 0), (1, 0, 1), (0, 1, 1))
    general = averaging(**PLAIN, cohort=every)
    with pytest.raises(FedboundsError, match="draws cannot be shared: present of cohort of 3"):
        compare(two(general, (fedsim.ROUNDS, SIM)))


def test_an_array_that_rests_on_two_calls_is_refused():
    def draw(random, problem, p):
        own = fedsim.draw(random, problem, p)
        return {**own, "xi_u": own["xi_u"] + random.noise(problem, p["K"])}

    with pytest.raises(FedboundsError, match="'xi_u' rests on several calls"):
        compare(two(averaging(**PLAIN), (replace(fedsim.ROUNDS, draw=draw), SIM)))


def test_starts_that_draw_differently_are_refused():
    special = (fedavg.ROUNDS, AVG)
    general = (personal_scaffold.ROUNDS, averaging()[1])
    with pytest.raises(FedboundsError, match="and nothing: draws cannot be shared"):
        compare(two(general, special, own=0, states={"u": "x"}, draws=ONE))


def test_states_that_cannot_be_matched_are_refused():
    with pytest.raises(FedboundsError, match="states of the two have"):
        compare(two(averaging(), (fedavg.ROUNDS, AVG), own=0, states={}, draws=ONE))
    with pytest.raises(FedboundsError, match="states of the two have"):
        compare(replace(_scaffold(), states={"u": "x", "ci": "ci"}))


def test_a_name_that_is_not_drawn_is_refused():
    with pytest.raises(FedboundsError, match="draw returns no 'noise'"):
        compare(two(averaging(**PLAIN), (fedsim.ROUNDS, SIM), draws={**BOTH, "xi_u": "noise"}))


def test_floats_are_refused_where_exact_numbers_are_needed():
    given = two(averaging(**PLAIN), (fedsim.ROUNDS, SIM))
    floats = [
        replace(
            one, problem=Clients(to_float(one.problem.objective)), start=one.start.astype(float)
        )
        for one in given.both
    ]
    with pytest.raises(FedboundsError, match="exact rationals"):
        compare(Two(*floats, given.states, given.draws))
