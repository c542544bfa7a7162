"""Set-ups that are sampled: means, ranges, decisions, and what replicas cannot have."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part, read
from fedbounds.theory.language.registry import claim, encoded_claims, setups
from fedbounds.theory.language.symbols import G_u, G_v, Max_t, Mean_t, f, t
from fedbounds.theory.personalization import random_quadratics
from fedbounds.theory.personalization.random_setups import DRAWN
from fedbounds.theory.personalization.symbols import E
from fedbounds.verify.decide.case import Case, find, found
from fedbounds.verify.decide.interval import FIRST_LOOK, LEVEL
from fedbounds.verify.decide.measurement import numbers_of
from fedbounds.verify.decide.part import gap_width, is_affine, rounds_of
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.decide.sampling import sample_and_decide
from fedbounds.verify.judge.judge import check, judge
from fedbounds.verify.measure import within as within_module
from fedbounds.verify.measure.evaluate import Numbers, evaluate
from fedbounds.verify.measure.forms import ends
from fedbounds.verify.measure.samples import CHUNK, patterned, replicas, stream
from fedbounds.verify.measure.unknowns import Refused
from fedbounds.verify.measure.within import within
from fedbounds.verify.setups.chance import Seeded, drawn_cases
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.setups.plan import about
from fedbounds.verify.setups.sampled import InSamples, sampled_by
from fedbounds.vocabulary import Index, Method, Verdict

PLANNED = {one.name: one.setup for one in setups("personalization")}
# of every family, of both algorithms, with noise of both blocks or minibatches
RUNS = (
    "own curvature, n=3 m=2 K=3 T=3 noise 2, short steps",
    "Scaffold-P, own curvature, n=2 m=1 K=2 T=3 noise 1, short steps",
    "cosines, n=2 m=1 K=1 T=2 noise 1/2 and 1/2, long steps",
    "Scaffold-P, cosines, n=2 m=1 K=1 T=2 noise 0 and 1/2, short steps",
    "logistic, n=2 m=1 K=2 T=2, edge of lem-3.5",
    "Scaffold-P, logistic, n=2 m=1 K=1 T=2, edge of lem-4.3",
)
BOUNDED = RUNS[:4]
ONE_BY_ONE = "it is one of each client"


def case_of(setup, count=1024):
    return Case("sampled", about(view_of(setup)), InSamples(setup, count), Method.SAMPLING)


def series_of(setup, chunks, seed=0, xp=np):
    own = sampled_by(InSamples(setup, CHUNK))
    names = frozenset(view_of(setup).quantities)
    every = [own.chunk(names, seed, at, xp) for at in chunks]
    return {name: np.concatenate([one[name] for one in every]) for name in every[0]}


def middle(number):
    """NaN where nothing is measured."""
    return float(arb(number).mid()) if isinstance(number, arb | fmpq) else float(number)


# ---- means


@pytest.mark.parametrize("name", RUNS)
def test_means_lie_within_five_standard_errors_of_what_is_known(name):
    """Of all outcomes, or of moments: every quantity, 4096 replicas."""
    setup = PLANNED[name]
    known, seen = find(setup).series, series_of(setup, range(32))
    assert len(seen) >= 20
    for quantity, values in seen.items():
        wanted = np.array([middle(x) for x in known[quantity].reshape(-1)])[: values.shape[1]]
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        off = np.abs(values.mean(axis=0) - wanted)
        rounding = 1e-12 * np.abs(values).max() + 1e-25  # of squares that vanish
        assert (off <= 5 * error + rounding).all(), quantity


@pytest.mark.parametrize("name", RUNS)
def test_what_no_replica_has_is_told_not_sampled(name):
    """Given the past alone, draws are averaged; only such means are missing, and those by index."""
    setup = PLANNED[name]
    undefined, view = found(case_of(setup)).undefined, view_of(setup)
    missing = view.quantities.keys() - series_of(setup, range(1)).keys()
    assert missing <= undefined.keys()
    assert {x for x in missing if ONE_BY_ONE not in undefined[x]} == {"M_u", "M_v"}
    assert "a mean over S, which no replica has" in undefined["M_u"]


def test_a_mean_over_draws_would_be_wrong(monkeypatch):
    """What is refused: taken replica by replica, M_u is E ||Du||^2."""
    setup = PLANNED[RUNS[0]]
    monkeypatch.setattr("fedbounds.verify.measure.rows.Pattern.check", lambda *_: None)
    seen = series_of(setup, range(8))
    known = [middle(x) for x in find(setup).series["M_u"].reshape(-1)]
    np.testing.assert_allclose(seen["M_u"], seen["Du_2"])
    assert abs(seen["M_u"].mean(axis=0) - known[:3]).max() > 0.1 * max(known[:3])


# ---- streams


def test_replicas_depend_on_the_seed_what_is_run_and_their_chunk_alone():
    setup = PLANNED[RUNS[2]]
    own, more = InSamples(setup, 128), InSamples(setup, 8192)
    few = sampled_by(own).chunk(frozenset({"G_u"}), 0, 3, np)["G_u"]
    np.testing.assert_array_equal(
        few, sampled_by(more).chunk(frozenset({"G_u", "f"}), 0, 3, np)["G_u"]
    )
    all_too = sampled_by(more).chunk(frozenset({"G_u", "E", "Du_2"}), 0, 3, np)
    np.testing.assert_array_equal(few, all_too["G_u"])
    for other in ((1, 3), (0, 4)):
        assert (sampled_by(own).chunk(frozenset({"G_u"}), *other, np)["G_u"] != few).any()
    assert stream(0, 1, 2).integers(2**60) != stream(0, 2, 2).integers(2**60)


def test_those_who_take_part_compute_where_that_is_the_same():
    """On minibatches all clients do, and it is told why."""
    for name in RUNS:
        own = sampled_by(InSamples(PLANNED[name], CHUNK))
        assert (own.slotted is None) == name.startswith(("logistic", "Scaffold-P, logistic"))
        assert (own.slotted is None) == bool(own.all_compute)


def test_workers_and_claims_change_nothing():
    case = next(x for x in drawn_cases("personalization", "", Profile.DEFAULT, 0)
                if x.name.startswith("cosines sampled"))  # fmt: skip
    case = replace(case, setup=replace(case.setup, replicas=1024))
    every = tuple(encoded_claims("personalization"))
    one = judge(every, case, workers=1)
    two = judge(every, case, workers=2)
    alone = judge((claim("personalization/lem-3.4"),), case)
    assert [x.outcomes for x in one.judgements] == [x.outcomes for x in two.judgements]
    own = next(x for x in one.judgements if x.claim.id == "personalization/lem-3.4")
    assert alone.judgements[0].outcomes == own.outcomes


@pytest.mark.gpu
def test_cupy_sees_the_same_run():
    import cupy

    for name in RUNS:
        ours, reference = (series_of(PLANNED[name], range(1), xp=x) for x in (cupy, np))
        for quantity, values in reference.items():
            np.testing.assert_allclose(ours[quantity], values, rtol=1e-10, atol=1e-14)


# ---- ranges


def longer(setup, noise, **steps):
    """The same with other noise and step sizes."""
    data = {**dict(setup.run.problem.data), "noise": noise, "personal_noise": noise}
    problem = replace(setup.run.problem, data=tuple(data.items()))
    given = {**dict(setup.run.parameters), **steps}
    return replace(setup, run=replace(setup.run, problem=problem, parameters=tuple(given.items())))


def out_of_range(setup, chunks=range(4)):
    """Quantities of which some replica leaves its range in some round."""
    own = sampled_by(InSamples(setup, CHUNK))
    known = own.of(within(own.subject, own.pattern))
    seen, left = series_of(setup, chunks), set()
    for name, values in seen.items():
        low, high = ends(known.series(name))
        slack = 1e-12 * (1 + np.abs(values).max())
        if (values < low.min(axis=0) - slack).any() or (values > high.max(axis=0) + slack).any():
            left.add(name)
    return left


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("noise", [0, "1/2", 5])
@pytest.mark.parametrize("steps", [{}, {"eta_u": 3, "eta_v": 2}])
def test_no_replica_leaves_the_range(name, noise, steps):
    assert out_of_range(longer(PLANNED[name], noise, **steps)) == set()


def test_a_support_that_is_too_small_would_be_seen(monkeypatch):
    setup = longer(PLANNED[RUNS[2]], 2)
    monkeypatch.setattr(within_module, "support", lambda source: (-0.9, 0.9))
    monkeypatch.setattr(within_module, "_FEW", 2)
    assert {"Du_2", "Dv_2"} <= out_of_range(setup)


def test_what_is_known_at_the_start_has_no_width():
    own = sampled_by(InSamples(PLANNED[RUNS[2]], CHUNK))
    half = own.ranges(frozenset({"f", "G_u", "B"}))
    for name in ("f", "G_u", "B"):
        assert half[name][0] < 1e-12
        assert half[name][1] > 1e-3


@pytest.mark.parametrize("name", BOUNDED[::2])
def test_every_replicas_gap_lies_within_the_width_that_decides(name):
    setup = longer(PLANNED[name], "1/2")
    constants = numbers_of(case_of(setup), {}).constants
    own = sampled_by(InSamples(setup, CHUNK))
    bounds = Numbers(constants, own.ranges(frozenset(view_of(setup).quantities)))
    seen, checked = Numbers(constants, series_of(setup, range(2))), 0
    for one in encoded_claims("personalization"):
        for part in one.parts:
            there = part.quantities and part.quantities <= bounds.series.keys()
            if not there or not part.constants <= constants.keys() or not is_affine(part):
                continue
            rounds = rounds_of(part, seen)
            if rounds is not None and not rounds:
                continue
            gaps = np.asarray(evaluate(part.gap, seen, rounds)).reshape(2 * CHUNK, -1)
            spread = gaps.max(axis=0) - gaps.min(axis=0)
            assert (spread <= gap_width(part, bounds, rounds) + 1e-9).all(), one.id
            checked += 1
    assert checked >= 8


def _gaussian(random, problem, p):
    return {"xi": random.normal(1)}


def _moved(problem, p, state, drawn):
    return {"x": state["x"] / 2 + drawn["xi"]}


def test_noise_without_bounds_has_no_range():
    own = sampled_by(InSamples(PLANNED[RUNS[0]], CHUNK)).subject
    plain = Algorithm(lambda problem, start: {"x": start[:, :1]}, _gaussian, _moved)
    shown = replace(own.shown, draws={}, indices={}, vectors={}, factors={}, derived={})
    objective = replace(own.problem.objective, hessian=np.ones((1, 1, 1)), linear=np.ones((1, 1)),
                        shared_dimension=1)  # fmt: skip
    subject = replace(own, algorithm=plain, shown=shown, start=np.ones(1),
                      problem=replace(own.problem, objective=objective))  # fmt: skip
    rows = replicas(subject, patterned(subject), stream(0, 0, 0))
    assert len(rows.spaces) == subject.rounds + 1
    with pytest.raises(Refused, match="not bounded"):
        within(subject, patterned(subject))


# ---- decisions


def test_every_claim_has_a_verdict_and_none_is_violated():
    """An identity is undecided, whatever is seen; so is what rests on no certified range."""
    kinds = set()
    for name in (*BOUNDED[1:3], RUNS[4]):
        case = case_of(longer(PLANNED[name], "1/2") if name in BOUNDED else PLANNED[name])
        for judgement in judge(tuple(encoded_claims("personalization")), case).judgements:
            parts = read(judgement.claim, judgement.reading)
            for part, outcome in zip(parts, judgement.outcomes, strict=True):
                kinds.add(outcome.verdict)
                assert outcome.verdict is not Verdict.VIOLATED
                if outcome.verdict is Verdict.NOT_VIOLATED:
                    assert part.relation.value != "=="
                    assert name in BOUNDED or not part.quantities
    assert kinds >= {Verdict.UNDECIDED, Verdict.NOT_VIOLATED, Verdict.OUTSIDE}


def test_short_steps_are_decided_look_by_look():
    setup = longer(PLANNED[RUNS[2]], "1/20", gamma_u="1/1000", gamma_v="1/1000")
    (judgement,) = judge((claim("personalization/lem-3.4"),), case_of(setup, 2**14)).judgements
    assert judgement.verdict is Verdict.NOT_VIOLATED
    assert judgement.deciding.replicas % FIRST_LOOK == 0
    assert judgement.deciding.level == LEVEL


@pytest.mark.parametrize(
    "left", [G_u(t) * G_v(t), sp.sqrt(E(t)), Mean_t(G_u(t) ** 2), Max_t(f(t)), G_u(t) * f(t + 1)]
)
def test_replicas_say_nothing_of_a_gap_that_is_not_affine(left):
    index = Index.RUN if left.func in (Mean_t, Max_t) else Index.ROUND
    part = Part(left=left, right=sp.Integer(10**6), index=index)
    assert not is_affine(part)
    case = case_of(PLANNED[RUNS[2]])
    (outcome,) = sample_and_decide([part], case, seed=0, workers=1, xp=np).outcomes
    assert outcome.verdict is Verdict.UNDECIDED
    assert "not affine" in outcome.reason


@pytest.mark.parametrize("count", [0, 100])
def test_fewer_replicas_than_a_chunk_are_refused_in_words(count):
    with pytest.raises(FedboundsError, match="replicas is"):
        InSamples(PLANNED[RUNS[0]], count)


def test_one_client_at_a_time_is_not_sampled():
    name = next(x for x in PLANNED if x.endswith("one client"))
    with pytest.raises(FedboundsError, match="one by one"):
        InSamples(PLANNED[name], CHUNK)


def test_check_does_not_sample():
    with pytest.raises(FedboundsError, match="is to be sampled; use `judge`"):
        check(claim("personalization/lem-3.4"), case_of(PLANNED[RUNS[2]]))


# ---- the plan


def test_the_planned_ones_are_where_claims_are_most_exposed():
    """What a corollary prescribes, to the last digits: else it would not apply."""
    cases = list(drawn_cases("personalization", "FedAvg-P", Profile.DEFAULT, 0))
    sampled = [x for x in cases if x.method is Method.SAMPLING]
    assert len(sampled) == 9
    for case in sampled:
        about_it = "rem-3.12" if "steps of thm-3.11" in case.name else "cor-3.8"
        if "steps of" in case.name:
            short = replace(case, setup=replace(case.setup, replicas=CHUNK))
            (judgement, *_) = judge((claim(f"personalization/{about_it}"),), short).judgements
            assert judgement.verdict is not Verdict.OUTSIDE, case.name


def test_section_5_is_there_in_a_thorough_plan_alone():
    sampled = [drawn for drawn in DRAWN if drawn not in random_quadratics.DRAWN]
    made = [one for drawn in sampled for one in drawn.make(Seeded(3), drawn.thorough)]
    told = [one for one in made if "section 5" in one.name]
    assert [one.setup.view.startswith("logistic") for one in told] == [True, True]
    default = [one.name for drawn in sampled for one in drawn.make(Seeded(3), drawn.default)]
    assert not any("section 5" in name for name in default)
    assert dict(told[0].setup.run.parameters)["K"] == 25
