"""FedPLT's plan of small exact cases: what it decides, where, and that planted errors show."""

from collections import defaultdict
from dataclasses import fields, is_dataclass, replace
from functools import cache

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_setups import alike, read_again

from fedbounds.algorithms import fedplt_rows, parts
from fedbounds.algorithms.fedavg_p import Carry
from fedbounds.errors import FedboundsError
from fedbounds.problems.linear import numbers_like
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local
from fedbounds.theory.registry import encoded_claims
from fedbounds.verify.case import Case, find, found
from fedbounds.verify.fedplt.plan import cases as planned
from fedbounds.verify.fedplt.setups import (
    Analysed,
    Decaying,
    Rate,
    Recursion,
    Shows,
    View,
)
from fedbounds.verify.fedplt.small_plan import cases, decaying, longer
from fedbounds.verify.fedplt.small_runs import ONE, run
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import fingerprint
from fedbounds.verify.profile import Profile
from fedbounds.vocabulary import Assumption, Index, Method, Verdict

CLAIMS = encoded_claims("fedplt")
FIRM = (Verdict.VIOLATED, Verdict.NOT_VIOLATED)


# zero on both sides of every case, which says nothing: the identities "... = 0"
def quick():
    return list(cases(Profile.QUICK, 0))


@cache
def rows():
    """(claim, part, index, view, shows, reading, verdict) of every outcome of the quick plan."""
    return tuple(judged(quick()))


def judged(every):
    for case in every:
        way = (getattr(case.setup, "view", None), getattr(case.setup, "shows", None))
        for judgement in judge(CLAIMS, case).judgements:
            name = judgement.claim.id.split("/", 1)[1]
            for outcome in judgement.outcomes:
                index = judgement.claim.part(outcome.part).index
                yield name, outcome.part, index, *way, judgement.reading.name, outcome.verdict


def violated(found_rows):
    return {(name, part) for name, part, *_, verdict in found_rows if verdict is Verdict.VIOLATED}


# ---- what is decided, and where


def test_every_part_is_decided_in_the_quick_plan():
    every = {(c.id.split("/", 1)[1], p.name) for c in CLAIMS for p in c.parts}
    firm = {(name, part) for name, part, *_, verdict in rows() if verdict in FIRM}
    assert every - firm == set()


def test_nothing_proved_is_violated():
    proved = {
        (step.written.claim.split("/", 1)[1], step.written.part, step.written.reading)
        for step in replayed("fedplt")
        if step.local is Local.PROVED and step.inherited and step.written.claim
    }
    assert len(proved) > 40
    broken = {
        (name, part, reading)
        for name, part, *_, reading, verdict in rows()
        if verdict is Verdict.VIOLATED
    }
    assert not broken & proved


CLIENT_WAYS = {(view, shows) for view in View for shows in (Shows.CLIENTS, Shows.CLIENT)}


def test_statements_are_judged_only_where_they_mean_what_is_measured():
    ways = defaultdict(set)
    for name, part, index, view, shows, _, verdict in rows():
        if verdict in FIRM:
            ways[name, part, index].add((view, shows))
    of_sums = {name for name, part in _vector_parts(Index.ROUND)}
    for (name, part, index), found_ways in ways.items():
        if index is Index.CLIENT:
            assert found_ways <= CLIENT_WAYS, (name, part)
        elif name in of_sums:
            assert not found_ways & CLIENT_WAYS, (name, part)
    round_only = ("recursion", "constant-step", "update-identity", "local-divergence")
    for (name, part, _), found_ways in ways.items():
        views = {view for view, _ in found_ways}
        if name in round_only and part != "virtual" and "given" not in part:
            assert views == {View.ROUNDS}, (name, part)
        if name == "A1-term":
            assert (View.ROUNDS in views) == part.endswith(", round"), part
    assert {v for v, _ in ways["recursion/corrected", "round", Index.ROUND]} == {View.STEPS}
    assert {v for v, _ in ways["local-divergence", "virtual", Index.ROUND]} == {View.STEPS}
    assert {v for v, _ in ways["A3-zero", "round", Index.ROUND]} == {View.ROUNDS}


def _vector_parts(index):
    return {
        (c.id.split("/", 1)[1], p.name) for c in CLAIMS for p in c.parts if p.vectors
        if p.index is index
    }  # fmt: skip


def test_a_mean_of_clients_never_passes_for_each_of_them():
    """||W_k - W||^2 of one client, and its mean over clients, have one formula."""
    for case in quick():
        if isinstance(case.setup, Analysed) and case.setup.shows is Shows.VECTORS:
            names = found(case).parameters.keys()
            assert not {"alpha_k", "G^2", "tau"} <= names
            assert not {"D_1", "A_1"} & found(case).series.keys()


# ---- exact throughout, and stored exactly


def numbers_in(value):
    if is_dataclass(value):
        for f in fields(value):
            yield from numbers_in(getattr(value, f.name))
    elif isinstance(value, np.ndarray):
        assert value.dtype == object
        yield from value.reshape(-1).tolist()
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from numbers_in(item)
    elif not isinstance(value, str) and value is not None:
        yield value


def test_cases_hold_no_float():
    for case in quick():
        assert case.method is Method.RATIONAL
        shown = found(case)
        given_numbers = [
            *numbers_in(case.setup),
            *shown.parameters.values(),
            *(constant.value for constant in shown.constants.values()),
            *(x for series in shown.series.values() for x in series.reshape(-1)),
        ]
        assert all(isinstance(x, (fmpq, int)) for x in given_numbers), case.name
        rounds = shown.parameters["T"]
        assert {s.shape[-1] for s in shown.series.values()} <= {rounds, rounds + 1}


def test_cases_have_names_of_their_own_and_are_stored():
    every = list(planned(Profile.DEFAULT, 3))
    names = [case.name for case in every]
    assert len(set(names)) == len(names)
    for case in quick()[::9]:
        setup = read_again(case.setup, case.algorithm_name)
        assert alike(setup, case.setup)
        again = list(judged([replace(case, setup=setup)]))
        assert again == list(judged([case]))


def test_the_seed_changes_random_runs_only():
    one, two = (
        {case.name: fingerprint(case.setup) for case in cases(Profile.DEFAULT, seed)}
        for seed in (1, 2)
    )
    random = {name for name in one if name.startswith("random")}
    assert random
    assert one.keys() - random == two.keys() & one.keys()
    assert all(one[name] == two[name] for name in one.keys() - random)


# ---- the recursion taken as given

rationals = st.integers(1, 40).map(lambda x: fmpq(x, 8))


@settings(max_examples=10)
@given(rationals, rationals, st.integers(1, 40), st.integers(1, 6))
def test_sequences_satisfy_what_they_are_given(z, B, D_0, count):
    for steps, assumption in (
        ((1 / (2 * z),) * count, Assumption.RECURSION),
        (decaying(z, count), Assumption.RECURSION_DECAYING),
        (longer(z, count), Assumption.RECURSION_LONGER),
    ):
        setup = Recursion(fmpq(D_0), z, B, Rate.BASE, steps)
        shown = find(setup)
        assert shown.evidence[assumption].holds
        D = shown.series["D_W"]
        for t, step in enumerate(steps):
            assert D[t + 1] - D[t] == step * (step * B - z * D[t])
        rows_of = {(n, p): v for n, p, *_, v in judged([_case(setup)])}
        if assumption is Assumption.RECURSION:
            for part in ("unrolled, given", "floor, given"):
                assert rows_of["constant-step", part] is Verdict.NOT_VIOLATED


@settings(max_examples=10)
@given(rationals, rationals, st.integers(0, 40))
def test_longer_steps_keep_the_rate(z, B, D_0):
    setup = Recursion(fmpq(D_0), z, B, Rate.LONGER, longer(z, 8))
    verdicts = {(n, p): v for n, p, *_, v in judged([_case(setup)])}
    assert verdicts["decaying-step/corrected", ""] is Verdict.NOT_VIOLATED
    assert verdicts["decaying-step-induction/corrected", ""] is Verdict.NOT_VIOLATED


def _case(setup):
    return Case("numbers", "FedPLT", setup, Method.RATIONAL)


def test_a_run_that_breaks_the_display_is_no_evidence():
    noisy = run((ONE, ONE), ((1,), (-1,)), ((1,), (1,)), 1, (4,), count=3, noise=1)
    steps = decaying(fmpq(1), 3)
    fits = find(Decaying(noisy, steps, fmpq(1), None, Rate.BASE))
    assert fits.evidence[Assumption.RECURSION_DECAYING].holds
    assert fits.evidence[Assumption.RECURSION].holds is False
    least = fits.parameters["B_step"]
    short = find(Decaying(noisy, steps, fmpq(1), least * fmpq(999, 1000), Rate.BASE))
    assert short.evidence[Assumption.RECURSION_DECAYING].holds is False
    # by hand: W^1 = W* + the mean of two noises +-1, as 1 - eta^0 = 0
    assert fits.series["D_W"][:2].tolist() == [16, fmpq(1, 2)]
    with pytest.raises(FedboundsError, match="recursion is -1"):
        find(Recursion(fmpq(1), fmpq(1), fmpq(-1), fmpq(1), steps))


def test_the_step_size_is_below_its_limit_or_not_given():
    for step, given_gap in ((fmpq(1, 2), fmpq(1)), (fmpq(1), None), (fmpq(2), None)):
        shown = find(Recursion(fmpq(1), fmpq(1), fmpq(1), Rate.BASE, (step, step)))
        assert shown.parameters.get("w_gap") == given_gap


# ---- planted errors: an identity or what is proved becomes violated


def no_mask(algorithm, carry, drawn, reached):
    moved = parts.by_client(carry, drawn, reached) - carry.u[None]
    c, psi = (numbers_like(x(algorithm), carry.u, np) for x in (fedplt.shares, fedplt_rows.compensation))
    return Carry(u=carry.u + (moved * c[:, None, None]).sum(axis=0) * psi, v=carry.v)


_LOCAL = fedplt_rows.local


def no_local_mask(problem, algorithm, carry, drawn, *visit):
    full = tuple((1,) * len(mask) for mask in algorithm.masks)
    return _LOCAL(problem, replace(algorithm, masks=full), carry, drawn, *visit)


@pytest.mark.parametrize(
    ("name", "planted", "caught"),
    [
        ("compensation", lambda a: (fmpq(1),) * len(a.masks[0]), ("A2.2-split", "")),
        ("shares", lambda a: (fmpq(1, len(a.masks)),) * len(a.masks), ("A2.2-split", "")),
        ("server", no_mask, ("A2.2-split", "")),
        ("local", no_local_mask, ("update-identity/corrected", "SGD")),
        ("local", no_local_mask, ("local-divergence", "a")),
    ],
)
def test_an_error_planted_in_the_algorithm_breaks_an_identity(monkeypatch, name, planted, caught):
    ways = {(View.FREE, Shows.STEP), (View.ROUNDS, Shows.CLIENTS)}
    found_in = [c for c in quick() if isinstance(c.setup, Analysed)]
    chosen = [c for c in found_in if (c.setup.view, c.setup.shows) in ways]
    assert caught not in violated(rows())
    monkeypatch.setattr(fedplt_rows, name, planted)
    assert caught in violated(judged(chosen))


def test_a_coordinate_that_nobody_trains_is_reported():
    told = [found(c).family for c in cases(Profile.DEFAULT, 0) if "of nobody" in c.name]
    assert told
    assert all(family.endswith("nobody trains coordinate 1") for family in told)
    for case in quick():
        if isinstance(case.setup, Analysed):
            nobody = bool(fedplt.untrained(case.setup.run.algorithm))
            assert ("nobody" in found(case).family) == nobody
