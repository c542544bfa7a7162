"""FedPLT's plan of small exact set-ups: what it decides, where, and that planted errors show."""

from collections import defaultdict
from dataclasses import replace

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_setups import alike, read_again

from fedbounds.algorithms import fedplt
from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt import assumed
from fedbounds.theory.fedplt.setups import PLANNED, run_of, sequence
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import Planned, Setup
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local
from fedbounds.verify.decide.case import find, found
from fedbounds.verify.decide.measurement import fingerprint
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import own_cases, quick_cases
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.plan import case_of
from fedbounds.verify.setups.plan import planned as of_theory
from fedbounds.vocabulary import Index, Method, Verdict

CLAIMS = encoded_claims("fedplt")
FIRM = (Verdict.VIOLATED, Verdict.NOT_VIOLATED)


def quick():
    found_cases = quick_cases("fedplt")
    return [case for case in found_cases if isinstance(case.setup, Setup)]


@pytest.fixture(scope="module")
def rows(quick_plan):
    """(claim, part, index, view, reading, verdict) of every exact outcome of the quick plan."""
    views = {case.name: getattr(case.setup, "view", None) for case in quick_cases("fedplt")}
    parts = {(c.id, part.name): part for c in CLAIMS for part in c.parts}
    return [
        (
            row["claim"].split("/", 1)[1],
            part["part"],
            parts[row["claim"], part["part"]].index,
            views[row["problem"]["instance"]],
            row["reading"],
            part["verdict"],
        )
        for row in quick_plan("fedplt")
        if row["evidence"]["method"] == Method.RATIONAL
        for part in row["parts"]
    ]


def judged(every):
    for case in every:
        view = getattr(case.setup, "view", None)
        for judgement in judge(CLAIMS, case).judgements:
            name = judgement.claim.id.split("/", 1)[1]
            for outcome in judgement.outcomes:
                index = judgement.claim.part(outcome.part).index
                yield name, outcome.part, index, view, judgement.reading.name, outcome.verdict


def violated(found_rows):
    return {(name, part) for name, part, *_, verdict in found_rows if verdict is Verdict.VIOLATED}


# ---- what is decided, and where


def test_every_part_is_decided_in_the_quick_plan(rows):
    every = {(c.id.split("/", 1)[1], p.name) for c in CLAIMS for p in c.parts}
    firm = {(name, part) for name, part, *_, verdict in rows if verdict in FIRM}
    assert every - firm == set()


def test_nothing_proved_is_violated(rows):
    proved = {
        (step.written.claim.split("/", 1)[1], step.written.part, step.written.reading)
        for step in replayed("fedplt")
        if step.local is Local.PROVED and step.inherited and step.written.claim
    }
    assert len(proved) > 40
    broken = {
        (name, part, reading)
        for name, part, *_, reading, verdict in rows
        if verdict is Verdict.VIOLATED
    }
    assert not broken & proved


def test_statements_are_judged_only_where_they_mean_what_is_measured(rows):
    ways = defaultdict(set)
    for name, part, index, view, _, verdict in rows:
        # where rounds are many, what is measured is that of rounds; of one local step, of steps too
        if verdict in FIRM and view is not None and not view.startswith("many"):
            ways[name, part, index].add(view)
    of_sums = {
        (c.id.split("/", 1)[1], p.name)
        for c in CLAIMS
        for p in c.parts
        if p.vectors and p.index is Index.ROUND
    }
    for (name, part, index), views in ways.items():
        alone = {view for view in views if view.endswith("client")}
        if index is Index.CLIENT:
            assert alone == views, (name, part)
        elif (name, part) in of_sums:
            assert not alone, (name, part)
    round_only = ("recursion", "constant-step", "update-identity", "local-divergence")
    for (name, part, _), views in ways.items():
        of_rounds = {view for view in views if view.startswith("rounds")}
        if name in round_only and part != "virtual" and "given" not in part:
            assert views == of_rounds, (name, part)
        if name == "A1-term":
            assert bool(of_rounds) == part.endswith(", round"), part
    assert ways["recursion/corrected", "round", Index.ROUND] == {"local steps"}
    assert ways["local-divergence", "virtual", Index.ROUND] == {"local steps", "between rounds"}
    assert {v[:6] for v in ways["A3-zero", "round", Index.ROUND]} == {"rounds"}
    assert not any(v.startswith("one step") for v in ways["global-is-average", "W", Index.ROUND])


def test_what_has_no_value_says_why():
    free = next(p.setup for p in PLANNED if p.setup.view == "rounds" and p.quick)
    case = case_of(Planned("no rho", replace(free, chosen=())), "FedPLT")
    reasons = {
        outcome.reason
        for judgement in judge(CLAIMS, case).judgements
        for outcome in judgement.outcomes
        if judgement.claim.id == "fedplt/nu"
    }
    assert any("no definition in this view" in reason for reason in reasons), reasons


# ---- exact throughout, and stored exactly


def test_set_ups_show_no_float():
    for case in quick():
        assert case.method is Method.RATIONAL
        shown = found(case)
        numbers = [
            *shown.parameters.values(),
            *(constant.value for constant in shown.constants.values()),
            *(x for series in shown.series.values() for x in series.reshape(-1)),
        ]
        assert all(isinstance(x, fmpq) for x in numbers), case.name
        rounds = shown.parameters["T"]
        assert {s.shape[-1] for s in shown.series.values()} <= {rounds, rounds + 1}


def test_cases_have_names_of_their_own_and_are_stored():
    every = list(own_cases("fedplt", Profile.DEFAULT, 3))
    names = [case.name for case in every]
    assert len(set(names)) == len(names)
    for case in quick()[::9]:
        setup = read_again(case.setup, case.algorithm_name)
        assert alike(setup, case.setup)
        again = list(judged([replace(case, setup=setup)]))
        assert again == list(judged([case]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p | {"eta": 0}, "eta is 0; expected a number > 0"),
        (lambda p: p | {"masks": ((1, 2), (1, 1))}, "masks"),
        (lambda p: p | {"pace": 1}, "pace"),
        (lambda p: {x: y for x, y in p.items() if x != "tau"}, "parameters"),
        (lambda p: p | {"weights": (1,)}, "weights has 1 entries"),
    ],
)
def test_a_stored_set_up_that_does_not_fit_is_refused(change, said):
    setup = next(p.setup for p in PLANNED if p.setup.view == "local steps")
    wrong = tuple(change(dict(setup.run.parameters)).items())
    broken = replace(setup, run=replace(setup.run, parameters=wrong))
    with pytest.raises(FedboundsError, match=said):
        read_again(broken, "FedPLT")


def test_the_seed_changes_random_runs_only():
    one, two = (
        {
            case.name: fingerprint(case.setup)
            for case in drawn_cases("fedplt", "", Profile.DEFAULT, seed)
        }
        for seed in (1, 2)
    )
    assert one
    assert not one.keys() & two.keys()
    assert one == {
        c.name: fingerprint(c.setup) for c in drawn_cases("fedplt", "", Profile.DEFAULT, 1)
    }
    fixed = [fingerprint(case.setup) for case in of_theory("fedplt", "FedPLT", Profile.DEFAULT)]
    assert len(set(fixed)) == len(fixed)


def test_the_cheapest_set_ups_have_the_least_work():
    work = {case.name: case.work for case in quick()}
    assert work["recursion, one round"] == 1
    noise = next(x for name, x in work.items() if name.startswith("nested masks: rounds of"))
    assert noise == 2**8 * 2 * 2 * 2


# ---- the recursion taken as given

rationals = st.integers(1, 40).map(lambda x: fmpq(x, 8))


def verdicts(setup):
    case = case_of(Planned("numbers", setup), "FedPLT")
    return {(name, part): verdict for name, part, *_, verdict in judged([case])}


def steps_of(first, z, count):
    return " ".join(str(first / (z * (t + first))) for t in range(count))


@settings(max_examples=8, deadline=None)
@given(rationals, rationals, st.integers(1, 40), st.integers(1, 6))
def test_sequences_satisfy_what_they_are_given(z, B, D_0, count):
    for steps, assumption in (
        (" ".join([str(1 / (2 * z))] * count), assumed.RECURSION),
        (steps_of(1, z, count), assumed.RECURSION_DECAYING),
        (steps_of(2, z, count), assumed.RECURSION_LONGER),
    ):
        setup = sequence(D_0, B, steps, "base", z)
        shown = find(setup)
        assert shown.evidence[assumption].holds
        D, each = shown.series["D_W"], shown.series["eta_t"]
        for t, step in enumerate(each):
            assert D[t + 1] - D[t] == step * (step * B - z * D[t])
        if assumption == assumed.RECURSION:
            found_verdicts = verdicts(setup)
            for part in ("unrolled, given", "floor, given"):
                assert found_verdicts["constant-step", part] is Verdict.NOT_VIOLATED


@settings(max_examples=8, deadline=None)
@given(rationals, rationals, st.integers(0, 40))
def test_longer_steps_keep_the_rate(z, B, D_0):
    found_verdicts = verdicts(sequence(D_0, B, steps_of(2, z, 8), "longer", z))
    assert found_verdicts["decaying-step/corrected", ""] is Verdict.NOT_VIOLATED
    assert found_verdicts["decaying-step-induction/corrected", ""] is Verdict.NOT_VIOLATED


def test_a_run_that_breaks_the_display_is_no_evidence():
    noisy = run_of((((1,),), ((1,),)), ((1,), (-1,)), ((1,), (1,)), (4,), 3, noise=1,
                   steps=(1, "1/2", "1/3"))  # fmt: skip

    def paced(B):
        chosen = (("z", 1), ("B_step", B), ("C_rate", "base"))
        return find(Setup("fedplt", "rounds, a step size each", noisy, chosen))

    fits = paced("least")
    assert fits.evidence[assumed.RECURSION_DECAYING].holds
    assert fits.evidence[assumed.RECURSION].holds is False
    short = paced(fits.parameters["B_step"] * fmpq(999, 1000))
    assert short.evidence[assumed.RECURSION_DECAYING].holds is False
    # by hand: W^1 = W* + the mean of two noises +-1, as 1 - eta^0 = 0
    assert fits.series["D_W"][:2].tolist() == [16, fmpq(1, 2)]
    with pytest.raises(FedboundsError, match="fails: -1 against 0"):
        find(sequence(1, -1, "1 1/2 1/3", 1, 1))


def test_the_step_size_is_below_its_limit_or_not_given():
    for step, given_gap in (("1/2", fmpq(1)), ("1", None), ("2", None)):
        shown = find(sequence(1, 1, f"{step} {step}", "base", 1))
        assert shown.parameters.get("w_gap") == given_gap


# ---- planted errors: an identity or what is proved becomes violated


def no_mask(W, updates, trained, c):
    return W + (updates * c[:, None]).sum(axis=1) * fedplt.compensation(trained, c)


_LOCAL = fedplt.local


def no_local_mask(noisy, trained, eta, steps, models):
    return _LOCAL(noisy, trained | True, eta, steps, models)


PLANTED = (
    ("compensation", lambda trained, c: c[:1] * 0 + 1, ("A2.2-split", "")),
    ("shares", lambda weights: weights * 0 + fmpq(1, len(weights)), ("A2.2-split", "")),
    ("server", no_mask, ("A2.2-split", "")),
    ("local", no_local_mask, ("update-identity/corrected", "SGD")),
    ("local", no_local_mask, ("local-divergence", "a")),
)


def test_an_error_planted_in_the_algorithm_breaks_an_identity(rows, monkeypatch):
    chosen = [c for c in quick() if c.setup.view in ("one step", "rounds of each client")]
    for name, planted_rule, caught in PLANTED:
        assert caught not in violated(rows)
        with monkeypatch.context() as patched:
            patched.setattr(fedplt, name, planted_rule)
            again = [replace(c, setup=replace(c.setup, run=replace(c.setup.run))) for c in chosen]
            assert caught in violated(judged(again)), name
