"""What the text says of the error and of the algorithm, reading by reading; trivial bounds."""

from dataclasses import replace

import pytest
import sympy as sp
from flint import fmpq

from fedbounds.theory.fedplt import assumed, long_runs
from fedbounds.theory.fedplt.limits import CONSTANT_STEP_FLOOR, LESS, SETTLES
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.setting import Variant
from fedbounds.theory.language.symbols import D_W, t
from fedbounds.verify.decide.case import find
from fedbounds.verify.decide.measurement import fingerprint, measure
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge, judge_reading
from fedbounds.verify.judge.plan import own_cases, quick_cases
from fedbounds.verify.judge.settings import judge as judging
from fedbounds.verify.judge.settings.stated import limit_of, tell
from fedbounds.verify.judge.settings.subjects import Examined, subjects
from fedbounds.verify.judge.settled import settle
from fedbounds.verify.judge.standing import evidence
from fedbounds.verify.results.records import record
from fedbounds.vocabulary import Kind, Method, Relation, Verdict

CLAIMS = encoded_claims("fedplt")
RECURSIONS = {assumed.RECURSION, assumed.RECURSION_DECAYING, assumed.RECURSION_LONGER}
RUNS = {name: run for name, run in subjects("fedplt") if isinstance(run, Examined)}


def cases(profile, seed):
    """Those in rationals, which are small."""
    return [c for c in own_cases("fedplt", profile, seed) if c.method is Method.RATIONAL]


@pytest.fixture(scope="module")
def verdicts(quick_plan):
    """Of every reading of a claim, on all small exact cases; those of the quick plan from there."""
    found = {}
    every = {fingerprint(case): case for case in cases(Profile.DEFAULT, 0)}
    quick = {case.name for case in quick_cases("fedplt") if every.pop(fingerprint(case), None)}
    assert len(quick) > 100
    for row in quick_plan("fedplt"):
        if row["problem"]["instance"] in quick:
            key = row["claim"].partition("/")[2], row["reading"]
            found.setdefault(key, []).extend(part["verdict"] for part in row["parts"])
    for case in every.values():
        for judgement in judge(CLAIMS, case).judgements:
            key = judgement.claim.id.partition("/")[2], judgement.reading.name
            found.setdefault(key, []).extend(o.verdict for o in judgement.outcomes)
    return found


# ---- the error, not two expressions of its bound


def test_an_inequality_names_what_is_measured_unless_it_is_about_numbers_alone():
    """A claim about an algorithm's error is about the error: it names a measured quantity."""
    assert not any(c.entry.kind is Kind.SCALING for c in CLAIMS)
    for found in CLAIMS:
        if found.id in ("fedplt/constant-step", "fedplt/decaying-step", "fedplt/recursion"):
            assert all(part.quantities for part in found.parts)


def test_the_error_that_is_left_is_measured_and_decided(monkeypatch):
    monkeypatch.setattr(judging, "script_in_words", lambda *_: "")  # verdicts alone
    rows = list(settle(CONSTANT_STEP_FLOOR))
    by_reading = {name.name: set() for name in CONSTANT_STEP_FLOOR.readings}
    for row in rows:
        by_reading[row.reading].add(row.verdict)
    first, *_, given = (name.name for name in CONSTANT_STEP_FLOOR.readings)
    assert first == "of the algorithm: the error settles within eta B/z"
    assert {Verdict.VIOLATED, Verdict.NOT_VIOLATED} <= by_reading[first]
    assert Verdict.VIOLATED not in by_reading[given]
    assert Verdict.NOT_VIOLATED in by_reading[given]
    assert Verdict.VIOLATED not in by_reading["of the algorithm: a smaller eta is slower"]


@pytest.mark.parametrize("name", ["overlapping masks, full gradients", "full masks, noise"])
def test_where_the_error_settles_is_where_long_runs_tend(name):
    """Against the algorithm itself: with full gradients, from elsewhere; with noise, by hand."""
    run, (half,) = RUNS[name], LESS.variants
    error, less = (limit_of(one, "D_W") for one in (run, run.varied(half)))
    if name.endswith("full gradients"):
        assert error == less == fmpq(1, 8)  # W = (1/4, 1/4), the same for every step size
    else:
        # to first order eta sigma^2/(2 lambda) per eigenvalue, of a mean of two noises
        assert 0 < less < error < 3 * less


def test_a_bias_that_no_step_size_removes_breaks_the_floor_and_the_trend():
    run = RUNS["overlapping masks, full gradients"]
    for said in (SETTLES, LESS):
        assert tell(run, said, "fedplt").verdict is Verdict.VIOLATED
    longer = Variant(sp.Symbol("a longer step"), (("eta", sp.Rational(1, 200)),))
    assert tell(run.varied(longer), SETTLES, "fedplt").verdict is Verdict.NOT_VIOLATED
    whole = RUNS["full masks, full gradients"]
    assert {tell(whole, said, "fedplt").verdict for said in (SETTLES, LESS)} == {
        Verdict.NOT_VIOLATED
    }


# ---- of the algorithm first; a recursion taken as given is a reading of its own


def test_no_first_reading_supposes_the_recursion():
    for found in CLAIMS:
        first = found.readings[0]
        own = [p for p in found.parts if not first.parts or p.name in first.parts]
        ours = found.id.endswith("/corrected")
        assert ours or not any(RECURSIONS & set(part.assumptions) for part in own), found.id


@pytest.mark.parametrize("name", ["decaying-step-reduced", "decaying-step"])
def test_a_run_that_stays_away_from_the_minimiser_breaks_the_decaying_step(name, verdicts):
    found = claim(f"fedplt/{name}")
    first = found.readings[0].name
    assert Verdict.VIOLATED in verdicts[name, first]
    run = long_runs.at_rest(44)
    shown = find(long_runs.setup(run))
    assert set(shown.series["D_W"]) == {fmpq(2)}
    level = shown.parameters["B_step"] / shown.parameters["z"] ** 2
    assert 40 < level / 2 < 44
    # the same run is none of a recursion, and runs with other steps are none of this reading
    assert shown.evidence[assumed.RECURSION_DECAYING].holds is False
    steps = dict(run.parameters) | {"eta": long_runs.LONGER}
    other = find(long_runs.setup(replace(run, parameters=tuple(steps.items()))))
    assert other.evidence[assumed.DECAYING_STEPS].holds is False


# ---- readings that the text allows

_FREE = "psi over all coordinates, free values among them, harsh"
JUDGED = [
    ("A1-term", "a round of tau local steps", True),
    ("A2.1", "a round of tau local steps", True),
    ("A2.2-part2", _FREE, True),
    ("nu", _FREE, True),
    ("recursion", _FREE, True),
    ("constant-step", "of the algorithm, any step in (0, 1/z) as Case 1 prints, harsh", True),
    ("alignment-identity", "with cos theta_3 > 0, where Assumption 6 holds", False),
    ("alignment-identity", "with cos theta_3 > 0 of every projection, harsh", True),
]


@pytest.mark.parametrize(("name", "reading", "broken"), JUDGED)
def test_a_reading_that_the_text_allows_is_judged(name, reading, broken, verdicts):
    found = verdicts[name, reading]
    assert (Verdict.VIOLATED in found) is broken
    assert broken or Verdict.NOT_VIOLATED in found


# ---- trivial bounds


def uninformative(part, cases_):
    """Whether the flag is set for a part, from records as a run writes them."""
    one = replace(claim("fedplt/constant-step"), parts=(part,), readings=(_READING,))
    rows = [
        record(judge_reading(one, _READING, case, measure(case)), "key")
        for case in cases_
        if Verdict.NOT_APPLICABLE
        is not judge_reading(one, _READING, case, measure(case)).deciding.verdict
    ]
    return evidence(rows)["uninformative"]


_READING = replace(claim("fedplt/constant-step").readings[0], parts=())


def test_a_planted_uninformative_bound_is_flagged_and_one_that_beats_it_is_not():
    chosen = [c for c in cases(Profile.QUICK, 0) if c.name.startswith("recursion")]
    part = claim("fedplt/constant-step").part("floor, given")
    assert uninformative(part, chosen) is False
    assert uninformative(replace(part, right=part.right + part.trivial), chosen) is True
    assert uninformative(replace(part, trivial=None), chosen) is None


def test_a_trivial_bound_holds_wherever_it_is_named():
    """It is a bound of the left side under the part's own assumptions.

    Of D^{t+1} it is one at a model of the run, which W^T is not: there D^t is looked at.
    """
    bare = []
    for found in CLAIMS:
        parts = tuple(
            replace(p, left=p.left.subs(D_W(t + 1), D_W(t)), right=p.trivial, trivial=None)
            for p in found.parts
            if p.trivial is not None and ("given" not in p.name or not p.left.has(D_W(t + 1)))
        )
        assert all(part.relation is Relation.AT_MOST for part in parts)
        if parts:
            bare.append(
                replace(found, parts=parts, readings=(replace(found.readings[0], parts=()),))
            )
    named = 0
    for case in cases(Profile.QUICK, 0):
        for judgement in judge(bare, case).judgements:
            for outcome in judgement.outcomes:
                said = (judgement.claim.id, outcome, case.name)
                assert outcome.verdict is not Verdict.VIOLATED, said
                named += outcome.verdict is Verdict.NOT_VIOLATED
    assert named > 30


def test_the_masking_inequality_never_beats_that_a_mask_shortens():
    for name, reading in (("alpha", 0), ("gamma-relax", 0), ("decaying-step-base", 1)):
        found = claim(f"fedplt/{name}")
        chosen = found.readings[reading]
        flags = [
            o.beats_trivial
            for case in cases(Profile.QUICK, 0)
            for o in judge_reading(found, chosen, case, measure(case)).outcomes
            if o.beats_trivial is not None
        ]
        assert flags
        assert not any(flags)


def test_products_of_vectors_in_a_trivial_bound_are_measured():
    case = next(
        c for c in cases(Profile.QUICK, 0) if getattr(c.setup, "view", "").endswith("one client")
    )
    found = claim("fedplt/alpha")
    shorter = replace(found.parts[0], trivial=2 * found.parts[0].trivial)
    one = replace(found, parts=(shorter,))
    (outcome,) = judge_reading(one, one.readings[0], case, measure(case)).outcomes
    assert outcome.beats_trivial is True
