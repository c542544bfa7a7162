"""Witnesses are exact, small, deterministic, and their scripts show the gap without us."""

import ast
import functools
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import fmpq
from hypothesis import HealthCheck, given, settings

from fedbounds.theory.language.claims import AS_PRINTED, Claim, read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.theory.language.symbols import b2, variance_u, variance_v
from fedbounds.verify.decide.case import Case, parameters_of
from fedbounds.verify.decide.conditions import failure, refusal
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.decide.part import decide
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.measure.evaluate import evaluate
from fedbounds.verify.search import witness as searched
from fedbounds.verify.search.planned import planned_cases
from fedbounds.verify.search.small import small_instances
from fedbounds.verify.search.witness import Witness, find_witness
from fedbounds.vocabulary import Method, Relation, Verdict

SAMPLED_MEAN = claim("personalization/lem-A.2")


def planted(name, change, part=""):
    """A claim with one part kept and changed, in its printed reading."""
    original = claim(f"personalization/{name}")
    parts = tuple(change(p) for p in original.parts if p.name == part)
    return replace(original, parts=parts, readings=(AS_PRINTED,), proof_weights=())


def divided(by):
    return lambda part: replace(part, right=part.right / by)


def without_dissimilarity(part):
    return replace(part, right=part.right.subs(b2, 0))


def without_noise(part):
    return replace(part, right=part.right.subs({variance_u: 0, variance_v: 0}))


PLANTED = {
    "lem-3.4 / 10": planted("lem-3.4", divided(10)),
    "lem-3.5 / 30": planted("lem-3.5", divided(30)),
    "thm-3.7 / 10": planted("thm-3.7", divided(10)),
    "cor-3.8 / 100": planted("cor-3.8", divided(100)),
    "lem-3.6 (a) without b^2": planted("lem-3.6", without_dissimilarity, "a"),
}
every_planted = pytest.mark.parametrize("name", PLANTED)
# of one round whose local iterates are looked at no script is written yet
scripted = pytest.mark.parametrize("name", [name for name in PLANTED if name != "lem-3.4 / 10"])


@functools.cache
def found(name) -> Witness:
    """The witness of a planted claim; searched once."""
    witness = find_witness(PLANTED[name], AS_PRINTED, examples=500)
    assert witness is not None
    return witness


def run_alone(script, then="", *, packages=False):
    """What a script prints in an interpreter that sees neither us nor our packages, or NumPy."""
    alone = () if packages else ("-S",)
    done = subprocess.run(
        [sys.executable, "-I", *alone, "-c", script + then],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


EXACTLY = '\nprint("exactly", Q(left), Q(right))\n'


def printed_exactly(script, **how):
    """Both sides as the script computes them."""
    *_, last = run_alone(script, EXACTLY, **how).splitlines()
    word, left, right = last.split()
    assert word == "exactly"
    return Fraction(left), Fraction(right)


# ---- planted claims


@every_planted
def test_a_planted_claim_is_broken_exactly_and_inside_its_conditions(name):
    judgement = found(name).judgement
    wrong = PLANTED[name]
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.claim is wrong
    assert judgement.instance.method is Method.RATIONAL
    (part,) = wrong.parts
    numbers = measure(judgement.instance).numbers
    assert refusal(part, judgement.instance, numbers) is None
    assert all(failure(condition, numbers) is None for condition in part.conditions)
    again = decide(part, numbers, Method.RATIONAL)
    assert (again.verdict, again.gap) == (Verdict.VIOLATED, judgement.deciding.gap)


@every_planted
def test_the_claim_without_the_error_is_not_broken_there(name):
    """The error is caught, not an instance that breaks the printed bound as well."""
    judgement = found(name).judgement
    original = claim(judgement.claim.id)
    measured = measure(judgement.instance)
    printed = judge_reading(original, original.readings[0], judgement.instance, measured)
    assert printed.verdict is not Verdict.VIOLATED


@every_planted
def test_a_witness_is_small(name):
    run = found(name).judgement.instance.setup.run
    data = dict(run.problem.data)
    assert len(data["slopes"]) <= 8
    assert run.rounds <= 12
    nested = str((data["hessians"], data["slopes"], run.start))
    numbers = [Fraction(x) for x in re.findall(r"-?\d+(?:/\d+)?", nested)]
    assert max(map(abs, numbers)) <= 100
    assert max(x.denominator for x in numbers) <= 16


@scripted
def test_the_script_imports_the_standard_library_and_numpy_only(name):
    script = found(name).script
    imported = set()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert imported <= {"fractions", "itertools", "math", "types", "numpy"}
    assert "__import__" not in script


@scripted
def test_the_script_shows_the_same_gap_alone(name):
    witness = found(name)
    output = run_alone(witness.script, packages=True)
    assert output.splitlines()[-1].endswith("broken: True")
    left, right = printed_exactly(witness.script, packages=True)
    (part,) = PLANTED[name].parts
    numbers = measure(witness.judgement.instance).numbers
    at = witness.judgement.deciding.at
    rounds = None if at is None else range(at, at + 1)
    for printed, side in ((left, part.left), (right, part.right)):
        (expected,) = np.atleast_1d(evaluate(side, numbers, rounds))
        assert printed == pytest.approx(Fraction(str(fmpq(expected))), rel=1e-14)
        if "sqrt" not in witness.script:
            assert printed == Fraction(str(fmpq(expected)))
    assert left > right


@scripted
def test_the_script_names_the_claim_and_its_reading(name):
    first = found(name).script.splitlines()[0]
    assert PLANTED[name].id in first
    assert AS_PRINTED.name in first


@every_planted
def test_premises_show_both_sides_of_every_condition(name):
    witness = found(name)
    (part,) = PLANTED[name].parts
    assert [premise.condition for premise in witness.premises] == [str(c) for c in part.conditions]
    for premise, condition in zip(witness.premises, part.conditions, strict=True):
        if any("[" in side for side in (premise.left, premise.right)):
            continue  # a ball around an irrational number
        left, right = Fraction(premise.left), Fraction(premise.right)
        assert {"<=": left <= right, ">=": left >= right, "==": left == right}[condition.relation]


@pytest.mark.parametrize("name", ["thm-3.7 / 10", "lem-3.6 (a) without b^2"])
def test_the_same_search_finds_the_same_witness(name):
    again = find_witness(PLANTED[name], AS_PRINTED, examples=500)
    assert again.script == found(name).script
    assert again.premises == found(name).premises


def test_a_script_with_a_planted_error_would_be_seen():
    """Halving the outer step inside the script changes what it prints."""
    witness = found("thm-3.7 / 10")
    left, _ = printed_exactly(witness.script, packages=True)
    assert 'p["eta_v"]})' in witness.script
    halved = witness.script.replace('p["eta_v"]})', 'p["eta_v"] / 2})')
    other, _ = printed_exactly(halved, packages=True)
    assert other != left


# ---- suspects: instances on which a violation was seen


def nearly_at_rest(noise=6, size="1/4"):
    """Two alike clients close to their minimiser, with loud noise: noise makes them drift."""
    data = {"hessians": (((1, 0), (0, 1)),) * 2, "slopes": ((0, 0),) * 2, "noise": noise}
    problem = Objective("quadratics", tuple((data | {"personal": 1, "personal_noise": 0}).items()))
    steps = dict.fromkeys(("gamma_u", "gamma_v"), "1/16") | {"eta_u": 1, "eta_v": 1}
    run = Run(problem, (size,) * 3, tuple(({"cohort": 1, "K": 2} | steps).items()), 1)
    setup = Setup("personalization", "rounds", run)
    return Case("suspect", "FedAvg-P", setup, Method.RATIONAL)


def test_a_suspect_is_a_witness_where_the_small_search_finds_none():
    wrong = planted("lem-3.5", without_noise)
    witness = find_witness(wrong, AS_PRINTED, [nearly_at_rest()], examples=1)
    assert witness.judgement.verdict is Verdict.VIOLATED
    assert witness.judgement.instance.name == "suspect"
    assert run_alone(witness.script, packages=True).splitlines()[-1].endswith("broken: True")


def test_a_suspect_that_breaks_nothing_is_no_witness():
    holds = claim("personalization/lem-3.5")
    assert find_witness(holds, AS_PRINTED, [nearly_at_rest()], examples=1, budget=25) is None


def test_where_small_instances_break_nothing_the_tightest_is_sought(monkeypatch):
    """A violation far from small numbers: the counted search meets it, in few digits."""
    wrong = PLANTED["lem-3.4 / 10"]
    monkeypatch.setattr(searched, "_shrunk", lambda *_: None)
    witness = find_witness(wrong, AS_PRINTED, [nearly_at_rest()])
    assert witness.judgement.verdict is Verdict.VIOLATED
    assert witness.judgement.instance.name.startswith("search, ")
    assert run_alone(witness.script, packages=True).splitlines()[-1].endswith("broken: True")


# ---- the lemma on sampling without replacement, enumerated here


def second_moments(vectors, m):
    """E ||mean of S||^2, ||mean||^2 and sum ||X_i - mean||^2 over all sets S of m clients."""
    n, d = len(vectors), len(vectors[0])
    sets = list(combinations(range(n), m))

    def square(x):
        return sum(a * a for a in x)

    def mean(rows):
        return [sum(row[j] for row in rows) / Fraction(len(rows)) for j in range(d)]

    centre = mean(vectors)
    sampled = sum(square(mean([vectors[i] for i in s])) for s in sets) / Fraction(len(sets))
    spread = sum(square([a - b for a, b in zip(x, centre, strict=True)]) for x in vectors)
    return sampled, square(centre), spread


@functools.cache
def printed_equality() -> Witness:
    return find_witness(SAMPLED_MEAN, SAMPLED_MEAN.readings[0], planned_cases(SAMPLED_MEAN))


def test_a_witness_of_the_printed_equality_is_confirmed_by_enumerating_sets():
    """On the witness's own vectors: left and right by walking through all sets, and unequal."""
    witness = printed_equality()
    outcome, run = witness.judgement.deciding, witness.judgement.instance.setup.run
    vectors = [[Fraction(x) for x in row] for row in dict(run.problem.data)["slopes"]]
    m, n = run.parameter("m"), len(vectors)
    sampled, centre, spread = second_moments(vectors, m)
    right = centre + Fraction(2 * (n - m), m * n**2) * spread
    assert sampled != right
    assert Fraction(outcome.left) == sampled
    assert Fraction(outcome.right) == right
    assert Fraction(outcome.gap) == right - sampled
    assert printed_exactly(witness.script, packages=True) == (sampled, right)
    output = run_alone(witness.script, packages=True)
    assert f"right - left {right - sampled}" in output
    assert output.splitlines()[-1].endswith("broken: True")


def test_the_gap_of_the_witness_is_what_the_exact_formula_leaves():
    """E||mean of S||^2 = ||mean||^2 + (n-m)/(mn(n-1)) spread: checked here on many vectors."""
    rng = np.random.default_rng(0)
    for n in range(2, 6):
        for m in range(1, n + 1):
            vectors = [[Fraction(int(x)) for x in row] for row in rng.integers(-3, 4, (n, 2))]
            sampled, centre, spread = second_moments(vectors, m)
            assert sampled == centre + Fraction(n - m, m * n * (n - 1)) * spread


def test_no_witness_is_found_where_the_left_side_is_at_most_the_right():
    """1/(n-1) <= 2/n for n >= 2, so "<=" has no counterexample, planned or not."""
    (weaker,) = [r for r in SAMPLED_MEAN.readings if r.relation is Relation.AT_MOST]
    assert find_witness(SAMPLED_MEAN, weaker, planned_cases(SAMPLED_MEAN)) is None


def test_the_smallest_witness_has_no_unneeded_client():
    """n = 2 leaves both sides equal, so three clients are needed, and three suffice."""
    witness = printed_equality()
    assert parameters_of(witness.judgement.instance)["n"] == 3
    for m in (1, 2):
        for vectors in ([[Fraction(1)], [Fraction(-2)]], [[Fraction(5)], [Fraction(0)]]):
            sampled, centre, spread = second_moments(vectors, m)
            assert sampled == centre + Fraction(2 * (2 - m), m * 4) * spread


# ---- the instances that are searched


@pytest.mark.parametrize("name", ["lem-3.4", "thm-3.7", "thm-3.11"])
def test_searched_instances_are_exact_and_inside_the_conditions(name):
    """Those of the part for which they are made; shrinking does not leave them."""
    wanted = claim(f"personalization/{name}")
    reading = wanted.readings[0]
    outside, seen = [], []

    @settings(
        max_examples=15, suppress_health_check=list(HealthCheck), deadline=None, database=None
    )
    @given(small_instances(wanted, reading))
    def draw(case):
        assert case.method is Method.RATIONAL
        assert case.algorithm_name in wanted.algorithms
        numbers = measure(case).numbers
        refused = [refusal(part, case, numbers) for part in read(wanted, reading)]
        seen.append(case)
        if all(one is not None and one.verdict is Verdict.OUTSIDE for one in refused):
            outside.append([one.reason for one in refused])

    draw()
    assert len(seen) >= 10
    assert all("F_0 = 0" in reason for own in outside for reason in own)


def test_a_claim_that_cannot_fail_has_no_witness():
    safe = Claim(
        claim("personalization/lem-3.4").entry, ("FedAvg-P",),
        tuple(replace(p, right=p.left) for p in claim("personalization/lem-3.4").parts),
    )  # fmt: skip
    assert find_witness(safe, AS_PRINTED, examples=30) is None
