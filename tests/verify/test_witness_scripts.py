"""Scripts of witnesses: exact, short, runnable alone, for Scaffold-P too."""

import ast
import functools
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from functools import cache
from io import StringIO

import numpy as np
import pytest
from each import each
from flint import fmpq
from rational_runs import rational_instances

from fedbounds.algorithms.fedavg_p import FedAvgP
from fedbounds.algorithms.scaffold_p import ScaffoldP
from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic, Noise, NoiseLaw, Start, to_rational
from fedbounds.theory import symbols
from fedbounds.theory.claims import AS_PRINTED, Part, read
from fedbounds.theory.registry import claim
from fedbounds.theory.symbols import k, t
from fedbounds.verify.decide import Outcome
from fedbounds.verify.evaluate import evaluate
from fedbounds.verify.instance import Instance
from fedbounds.verify.judge import Judgement, judge_reading
from fedbounds.verify.measurement import measure, numbers_of
from fedbounds.verify.script import script
from fedbounds.verify.script_lines import LATER, MEMORY_WALK, WALK, known
from fedbounds.verify.witness import find_witness
from fedbounds.vocabulary import Index, Method, Relation, Verdict

PAPER = "personalization/"


@cache
def suspects():
    """What may break a claim, in rationals."""
    return tuple(rational_instances(ScaffoldP))


def reading(name, words):
    """The reading whose name starts so, of a claim."""
    whole = claim(PAPER + name)
    (found,) = [r for r in whole.readings if r.name.startswith(words)]
    return whole, found


def alone(text):
    """Whether it says broken, and both sides as it computes them, without us and our packages."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", text + '\nprint("exactly", Q(left), Q(right))'],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    *_, said, exactly = done.stdout.splitlines()
    _, left, right = exactly.split()
    return said.rsplit(": ", 1)[1] == "True", Fraction(left), Fraction(right)


def here(text):
    """Both sides as a script computes them, run in this interpreter: quicker."""
    space = {}
    with redirect_stdout(StringIO()):
        exec(compile(text, "script", "exec"), space)
    return space["left"], space["right"]


measured = functools.cache(measure)


def sides(part, outcome, instance):
    """Both sides where the outcome was decided, by the package."""
    numbers = measured(instance).numbers
    rounds = None if outcome.at is None else range(outcome.at, outcome.at + 1)
    found = []
    for side in (part.left, part.right):
        value = np.asarray(evaluate(side, numbers, rounds), dtype=object)
        if value.ndim == 0:
            value = value[None]
        elif part.index is Index.STEP:
            value = value[outcome.client, outcome.step]
        elif part.index is Index.CLIENT:
            value = value[outcome.client]
        found.append(Fraction(str(fmpq(value.reshape(-1)[0]))))
    return tuple(found)


def check_form(text):
    """At most 60 lines of less than 100 characters, and the standard library only."""
    assert len(text.splitlines()) <= 60
    assert max(map(len, text.splitlines())) < 100
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    assert {node.module for node in nodes} <= {"fractions", "itertools", "math"}
    assert not any(isinstance(node, ast.Import) for node in ast.walk(ast.parse(text)))
    assert literals(text) <= CHOSEN


# what an instance is made of; every constant of a premise is computed from these
CHOSEN = {"n", "m", "K", "T", "F", "X", "t", "u", "infimum"}
CHOSEN |= {"gamma_u", "gamma_v", "eta_u", "eta_v", "noise_u", "noise_v"}


def literals(text):
    """Names that a script gives a number or a text of numbers."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and not any(
            isinstance(x, ast.Name) and x.id not in BUILT for x in ast.walk(node.value)
        ):
            found |= {x.id for at in node.targets for x in ast.walk(at) if isinstance(x, ast.Name)}
    return found


BUILT = {"Q", "map", "x", "row"}


# ---- every refuted reading for which the plan holds exact suspects

REFUTED = [("eq-A.7", "as printed"), ("lem-4.4-split", "as printed")]


@functools.cache
def found(name, words):
    whole = claim(PAPER + name)
    chosen = next(r for r in whole.readings if r.name == words)
    about = [x for x in suspects() if x.algorithm_name in whole.algorithms]
    return find_witness(whole, chosen, about)


@pytest.mark.parametrize(("name", "words"), REFUTED)
def test_every_refuted_reading_has_a_script_that_agrees_exactly(name, words):
    witness = found(name, words)
    judgement = witness.judgement
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.instance.method is Method.RATIONAL
    check_form(witness.script)
    assert judgement.claim.id in witness.script.splitlines()[0]
    part = next(
        p for p in read(judgement.claim, judgement.reading) if p.name == judgement.deciding.part
    )
    broken, left, right = alone(witness.script)
    assert broken
    assert (left, right) == sides(part, judgement.deciding, judgement.instance)


@pytest.mark.parametrize(("name", "words"), REFUTED)
def test_a_claim_made_true_is_not_broken_by_the_same_numbers(name, words):
    """The left side taken for the right one, or an inequality the other way round."""
    judgement = found(name, words).judgement
    part = next(p for p in read(judgement.claim, judgement.reading)
                if p.name == judgement.deciding.part)  # fmt: skip
    numbers = measure(judgement.instance).numbers
    left, right = sides(part, judgement.deciding, judgement.instance)
    low, high = (part.left, part.right) if left < right else (part.right, part.left)
    for true in (replace(part, right=part.left),
                 replace(part, left=low, right=high, relation=Relation.AT_MOST)):  # fmt: skip
        low_here, high_here = here(script(judgement, true, numbers))
        assert low_here == high_here if true.relation is Relation.EQUAL else low_here < high_here
    assert alone(script(judgement, replace(part, right=part.left), numbers))[0] is False


# ---- theorems over many clients without noise, as the sum over clients is read


def many(kind, gamma):
    """Eight clients without a shared block, all taking part, from where curvature is felt."""
    curvature = [fmpq(x, 16) for x in (16, 1, 6, 11, 14, 1, 2, 7)]
    slope = [fmpq(x, 16) for x in (14, 15, -1, 10, 11, -6, -8, -2)]
    start = [fmpq(x, 16) for x in (-14, -287, 14, -3, 14, 85, 42, -17)]

    def column(numbers, shape):
        out = np.empty(8, dtype=object)
        out[:] = numbers
        return out.reshape(shape)

    problem = FederatedQuadratic(
        column(curvature, (8, 1, 1)), column(slope, (8, 1)), 0,
        Noise(NoiseLaw.RADEMACHER, fmpq(0), fmpq(0)),
    )  # fmt: skip
    algorithm = kind(8, 1, gamma / 3, gamma, fmpq(3), fmpq(1))
    begin = Start(np.empty(0, dtype=object), column(start, (8, 1)))
    return Instance("many", problem, algorithm, 60, Method.RATIONAL, begin)


@pytest.mark.parametrize(
    ("name", "kind", "gamma"),
    [("thm-3.7", FedAvgP, fmpq(1, 32)), ("thm-4.5", ScaffoldP, fmpq(1, 72)),
     ("cor-4.6", ScaffoldP, fmpq(1, 72))],
)  # fmt: skip
def test_theorems_about_many_clients_have_scripts(name, kind, gamma):
    whole, chosen = reading(name, "G_v summed over clients")
    instance = many(kind, gamma)
    judgement = judge_reading(whole, chosen, instance, measured(instance))
    assert judgement.verdict is Verdict.VIOLATED
    (part,) = [p for p in read(whole, chosen) if p.name == judgement.deciding.part]
    text = script(judgement, part, measured(instance).numbers)
    check_form(text)
    broken, left, right = alone(text)
    assert broken
    if "sqrt(" not in text:
        assert (left, right) == sides(part, judgement.deciding, instance)
    else:
        assert left == sides(replace(part, right=part.left), judgement.deciding, instance)[0]
        assert right == pytest.approx(Fraction(judgement.deciding.right), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "kind", "gamma"),
    [("thm-3.7", FedAvgP, fmpq(1, 32)), ("thm-4.5", ScaffoldP, fmpq(1, 72))],
)
def test_a_script_stops_where_a_premise_fails(name, kind, gamma):
    """Whatever number of the instance is changed: the premises are computed from the numbers."""
    whole, chosen = reading(name, "G_v summed over clients")
    instance = many(kind, gamma)
    judgement = judge_reading(whole, chosen, instance, measured(instance))
    (part,) = [p for p in read(whole, chosen) if p.name == judgement.deciding.part]
    text = script(judgement, part, measured(instance).numbers)
    assert text.count("assert ") >= len(part.conditions)
    step = f"{gamma / 3} {gamma} 3 1"
    changes = {
        step: [f"{gamma} {3 * gamma} 3 1", f"{gamma / 3} {gamma} 4 1", f"{gamma / 2} {gamma} 2 1"],
        "0 0 1 0 7/8 -7/8": ["0 0 2 0 7/8 -7/8", "0 0 -1 0 7/8 -7/8", "0 0 0 0 7/8 -7/8"],
    }
    here(text)
    for old, several in changes.items():
        assert old in text
        for new in several:
            with pytest.raises(AssertionError):
                here(text.replace(old, new))


# ---- every quantity that a script computes is the package's own


@functools.cache
def small(kind, scale):
    """Two clients with coupled blocks and unequal steps; K = 2."""
    hessian = np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 2.0]]])
    slopes = np.array([[1.0, -1.0], [-2.0, 1.0]])
    law = Noise(NoiseLaw.RADEMACHER, scale, 0.0)
    problem = to_rational(FederatedQuadratic(hessian, slopes, 1, law))
    start = to_rational(Start(np.array([1.0]), np.array([[-1.0], [2.0]])))
    algorithm = kind(1, 2, fmpq(1, 6), fmpq(1, 4), fmpq(3), fmpq(2))
    return Instance("small", problem, algorithm, 3, Method.RATIONAL, start)


def of_index(name):
    if name in LATER or name.endswith(("_ik", "_new")):
        return Index.STEP
    return Index.CLIENT if name.endswith("i") or name == "c_i2" else Index.ROUND


def one_quantity(name):
    atom = getattr(symbols, name)
    index = of_index(name)
    left = atom(t, k) if index is Index.STEP else atom(t)
    return Part(left=left, right=left * 0, relation=Relation.EQUAL, index=index,
                first_round=1 if name in LATER else 0)  # fmt: skip


@each("scale", [0.0, 2.0])
@each("kind, name", [(kind, name) for kind, scaffold in ((FedAvgP, False), (ScaffoldP, True))
     for name in sorted(known(scaffold))])  # fmt: skip
def test_every_quantity_of_a_script_is_the_measured_one(kind, name, scale):
    instance, part = small(kind, scale), one_quantity(name)
    many_outcomes = kind is ScaffoldP and scale > 0 and name in WALK | MEMORY_WALK
    outcome = Outcome("", Verdict.VIOLATED, at=0 if many_outcomes else 1, client=1, step=1)
    judgement = Judgement(claim(PAPER + "eq-A.7"), AS_PRINTED, instance, (outcome,))
    text = script(judgement, part, measured(instance).numbers)
    check_form(text)
    assert here(text)[0] == sides(part, outcome, instance)[0]


# ---- what has no script is said to have none


def is_scriptable(judgement, part):
    """Whether a script can be written: of this instance, with these quantities, short enough."""
    try:
        script(judgement, part, numbers_of(judgement.instance, {}))
    except FedboundsError:
        return False
    return True


def test_is_scriptable_is_no_where_a_script_cannot_be_written():
    noisy = replace(small(ScaffoldP, 2.0), rounds=40)
    whole = judge_reading(claim(PAPER + "thm-4.5"), AS_PRINTED, noisy, measure(noisy, frozenset()))
    assert not is_scriptable(whole, claim(PAPER + "thm-4.5").parts[0])


def test_too_long_a_script_is_none():
    judgement = found(*REFUTED[0]).judgement
    part = judgement.claim.part(judgement.deciding.part)
    assert is_scriptable(judgement, part)
    long = sum(symbols.What_2(t) ** power for power in range(2, 200))
    assert not is_scriptable(judgement, replace(part, right=long))
