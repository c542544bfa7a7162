"""Scripts of broken set-ups run without this package and print the gap that was judged."""

import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

from fedbounds.algorithms.traced import Algorithm
from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt import long_runs
from fedbounds.theory.fedplt.setups import run_of
from fedbounds.theory.fedplt.symbols import cos_g
from fedbounds.theory.fedplt.vectors import noise
from fedbounds.theory.language.claims import Condition, read
from fedbounds.theory.language.registry import encoded_claims, views
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import D_W, eta, t
from fedbounds.theory.proof.vectors import sq
from fedbounds.verify.decide.case import Case, script_of
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.setups import script_source
from fedbounds.verify.setups.script import program_of
from fedbounds.verify.setups.script_check import agrees
from fedbounds.verify.setups.script_lines_of import QUOTED, UNQUOTED
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Method, Verdict

SLOPES = ((-1, 1), (1, -6))
PARTIAL = ((1, 1), (1, 0))
SIDES = ("left", "right", "gap")
CHOSEN = (("rho_min", "aligned"), ("G^2", "global"))


def looked_at(view, masks, noise, tau, rounds=1, **more):
    run = run_of((((2, 1), (1, 2)), ((1, 0), (0, 3))), SLOPES, masks, (3, 2), rounds,
                 weights=(1, 2), tau=tau, eta="1/8", noise=noise, **more)  # fmt: skip
    return Setup("fedplt", view, run, CHOSEN)


# with everything: masks, noise, several rounds and local steps
FULL = {
    "free": looked_at("one step", PARTIAL, "1/2", 1, models=((3, 1), ("1/2", 2)), common=0),
    "steps, noise": looked_at("local steps", PARTIAL, "1/2", 2, 2),
    "steps, clients": looked_at("local steps of each client", PARTIAL, 0, 2, 3),
    "rounds": looked_at("rounds", PARTIAL, "1/2", 2),
    "rounds, clients": looked_at("rounds of each client", PARTIAL, "1/2", 1, 2),
    "many": long_runs.setup(long_runs.partial_masks(4, "1/256", 1, "1/2")),
    "many, noise": long_runs.setup(long_runs.own_minimisers(2, noise="1/2", eta="1/16")),
    "many, steps by a rule": long_runs.setup(long_runs.at_rest(44)),
}


def violations(case):
    """Every violated part on a case, with its judgement and numbers."""
    numbers = measure(case).numbers
    for judged in judge(encoded_claims(case.setup.theory), case).judgements:
        parts = {part.name: part for part in read(judged.claim, judged.reading)}
        for outcome in judged.outcomes:
            if outcome.verdict is Verdict.VIOLATED:
                yield judged, parts[outcome.part], outcome, numbers


@cache
def of(name):
    return list(violations(Case(name, "FedPLT", FULL[name], Method.RATIONAL)))


def printed(text):
    """What a script prints when it is run by itself."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def check(text, gap):
    first, second = printed(text)
    told = first.rpartition(" ")[2]
    assert told == gap if isinstance(gap, str) else float(told) == gap
    assert second.endswith("broken: True")
    assert "fedbounds" not in text.partition(QUOTED)[0].partition('"""')[0]
    before, _, rest = text.partition(QUOTED)
    own = (before + rest.partition(UNQUOTED)[2]).splitlines()
    assert len(own) <= 100
    assert len(text.splitlines()) <= 200
    assert max(map(len, own)) < 100


@pytest.mark.parametrize("name", FULL)
def test_every_violation_has_a_script_that_shows_its_gap(name):
    assert of(name)
    for judged, part, outcome, numbers in of(name):
        check(script(judged, part, numbers), outcome.gap)


def kind(case):
    """What its script is written by: a view, or the kinds of set-ups that a ladder or pair has."""
    return case.setup.view if isinstance(case.setup, Setup) else case.algorithm_name


@pytest.mark.parametrize("paper", ["fedplt", "submodel"])
def test_every_kind_of_setup_has_scripts(paper, quick_plan):
    """Of the cheapest part that is broken on one; else of one that holds: the gap is the judged."""
    every = {case.name: case for case in quick_cases(paper) if case.method is Method.RATIONAL}
    claims = encoded_claims(paper)
    parts = {(c.id, r.name, p.name): p for c in claims for r in c.readings for p in read(c, r)}
    found = {}
    for row in quick_plan(paper):
        case = every.get(row["problem"]["instance"])
        for part in row["parts"] if case is not None else ():
            whole = all(
                isinstance(x, str) and "." not in x for x in map(part.get, SIDES)
            )  # no roots
            own = parts[row["claim"], row["reading"], part["part"]]
            if whole and own.quantities:
                rank = part["verdict"] != Verdict.VIOLATED, part["gap"] == "0", case.work
                if kind(case) not in found or rank < found[kind(case)][0]:
                    found[kind(case)] = rank, case, own, row, part
    for _, case, own, row, part in found.values():
        judged = judge([c for c in claims if c.id == row["claim"]], case)
        one = next(x for x in judged.judgements if x.reading.name == row["reading"])
        text = script_of(case.setup, one, own, judged.measurement.numbers)
        _shows(text, part)
    assert len(found) >= 8


def _shows(text, part):
    """Whether a script prints, by itself, the sides that were judged."""
    *_, sides = printed(text + '\nprint("exactly", left, right)')
    assert sides == f"exactly {part['left']} {part['right']}"


def test_where_every_draw_has_one_outcome_none_are_listed():
    """Planted: a draw that has another one."""
    texts = {}
    for name in ("steps, noise", "steps, clients"):
        judged, part, outcome, numbers = of(name)[0]
        texts[name] = script(judged, part, numbers), outcome.gap
    assert "outcomes(" in texts["steps, noise"][0]
    sure, gap = texts["steps, clients"]
    assert "outcomes(" not in sure
    assert agrees(sure, gap)
    more = sure.replace("[np.zeros((n, steps, d), int)]", "2 * [np.zeros((n, steps, d), int)]")
    assert more != sure
    assert not agrees(more, gap)


# ---- planted errors


def divergence():
    """E ||W_k - W||^2 after two noisy local steps, with its judgement."""
    return next(found for found in of("rounds") if found[0].claim.id == "fedplt/local-divergence")


@cache
def a_script():
    judged, part, outcome, numbers = divergence()
    return script(judged, part, numbers), outcome.gap


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("sq(-W + Wk)", "sq(W + Wk)"),  # a definition
        ("largest(lambda: [dot(Gk, Gk)", "largest(lambda: [2*dot(Gk, Gk)"),  # of a constant
        ("models_ - noisy(s_, models_)", "models_ - 2 * noisy(s_, models_)"),  # a step
        ('noise_scale = Q("1/2")', 'noise_scale = Q("1/4")'),  # the problem
        ("every = list(product((-1, 1)", "every = list(product((0, 1)"),  # an outcome
        ("def given(x", "def taken(x"),  # it does not run
        ("assert not sum(noises)", "assert sum(noises)"),  # a premise
    ],
)
def test_a_planted_error_is_refused(right, wrong):
    text, gap = a_script()
    assert agrees(text, gap)
    assert right in text
    assert not agrees(text.replace(right, wrong), gap)


@pytest.mark.parametrize(
    ("printed", "gap", "expected"),
    [
        ("1/3", "1/3", True),
        ("1/3", "2/3", False),
        ("1/3", 1 / 3, True),
        ("10000000000001/30000000000000", 1 / 3, False),  # a fraction is not rounded
        ("0.33333333333333337", 1 / 3, True),  # of roots
        ("0.3333333334", 1 / 3, False),
        ("word", 1 / 3, False),
    ],
)
def test_what_a_script_prints_is_the_gap(printed, gap, expected):
    assert agrees(f"print('right - left', '{printed}')", gap) is expected


def test_a_wrong_definition_in_the_view_is_no_script(monkeypatch):
    judged, part, _, numbers = divergence()
    view = views("fedplt")["rounds"]
    wrong = replace(view, quantities={**view.quantities, "V_W": 2 * view.quantities["V_W"]})
    monkeypatch.setitem(views("fedplt"), "rounds", wrong)
    with pytest.raises(FedboundsError, match="does not run, or gives another gap"):
        script(judged, part, numbers)


def test_numbers_that_bound_what_is_visited_are_given_and_asserted():
    """Of many rounds G^2 and rho_min are bounds: a script has the numbers that were judged."""
    judged, part, outcome, numbers = next(x for x in of("many") if x[1].name == "unrolled")
    text = script(judged, part, numbers)
    bound = f'rho_min = Q("{numbers.constants["rho_min"]}")'
    assert bound in text
    assert "assert rho_min <= extreme" in text
    assert not agrees(text.replace(bound, 'rho_min = Q("2")'), outcome.gap)


def test_steps_by_a_rule_are_written_as_that_rule():
    judged, part, outcome, numbers = next(
        x for x in of("many, steps by a rule") if x[0].claim.id == "fedplt/decaying-step"
    )
    text = script(judged, part, numbers)
    assert 'p["eta"] = (lambda t: ' in text
    assert agrees(text, outcome.gap)
    assert not agrees(text.replace("))(Q(t))", "))(Q(t + 1))"), outcome.gap)


def test_a_condition_that_fails_is_no_script():
    judged, part, _, numbers = divergence()
    false = replace(part, conditions=(*part.conditions, Condition(eta, ">=", 100 * eta)))
    with pytest.raises(FedboundsError, match="does not run, or gives another gap"):
        script(judged, false, numbers)


# ---- what is refused


def test_what_nothing_shows_or_defines_has_no_script():
    defined = program_of(FULL["rounds"], divergence()[1], (None, None)).defined
    with pytest.raises(FedboundsError, match="no script for the vector noise"):
        defined.side(sq(noise))
    with pytest.raises(FedboundsError, match="no definition of cos_g"):
        defined.side(cos_g(t))
    assert defined.side(D_W(t)) == 'q["D_W"][t]'


def test_too_many_outcomes_have_no_script():
    judged, part, _, numbers = of("rounds")[0]
    setup = looked_at("rounds", PARTIAL, "1/2", 8)
    long = Case("long", "FedPLT", setup, Method.RATIONAL)
    with pytest.raises(FedboundsError, match="too many for a script"):
        script(replace(judged, instance=long), part, numbers)


def test_functions_that_cannot_be_quoted_are_refused():
    def step(problem, p, state, drawn):
        return state

    algorithm = Algorithm(step, step, step)
    with pytest.raises(FedboundsError, match="stands in no file by itself"):
        script_source.quoted(algorithm)
    with pytest.raises(FedboundsError, match="no plain function"):
        script_source.quoted(replace(algorithm, step=lambda *x: x[2]))
