"""Every premise of a broken part is asserted by its script, or named as not checked."""

import subprocess
import sys
from dataclasses import replace
from itertools import islice

import pytest
from flint import fmpq
from own_files import cases as own_cases
from own_files import loaded

from fedbounds.errors import FedboundsError
from fedbounds.theory.fedplt import long_runs
from fedbounds.theory.fedplt.setups import run_of, sequence
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import besides, claim, encoded, encoded_claims
from fedbounds.theory.language.setups import Objective, Run, Setup
from fedbounds.verify.decide.case import Case
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.trace import subject_of, traced
from fedbounds.verify.setups.chance import drawn_cases
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.setups.plan import beside_case, planned
from fedbounds.verify.setups.script_asserts import NOT_CHECKED, asserted
from fedbounds.verify.setups.script_lines_of import code
from fedbounds.verify.setups.script_output import run_here
from fedbounds.verify.setups.script_rendered import script
from fedbounds.vocabulary import Method, Verdict

HALF = fmpq(1, 2)


def written(judged, part, numbers):
    """The script; none where its outcomes are too many to list."""
    try:
        return script(judged, part, numbers)
    except FedboundsError as error:
        if "too many for a script" not in str(error):
            raise
        return ""


def broken(claims, instances):
    """One script of every broken part of every reading, with what the part assumes."""
    shown = {}
    for instance in instances:
        found = judge(claims, instance)
        for judged in found.judgements:
            for part, outcome in zip(
                read(judged.claim, judged.reading), judged.outcomes, strict=True
            ):
                key = judged.claim.id, judged.reading.name, part.name
                if outcome.verdict is Verdict.VIOLATED and key not in shown:
                    text = written(judged, part, found.measurement.numbers)
                    if text:
                        shown[key] = part.assumptions, part.conditions, text
    return shown


def personalization():
    """Eight clients without a shared block, as the sum over clients is read."""
    curvature = [((f"{x}/16",),) for x in (16, 1, 6, 11, 14, 1, 2, 7)]
    slope = [(f"{x}/16",) for x in (14, 15, -1, 10, 11, -6, -8, -2)]
    begin = [f"{x}/16" for x in (-14, -287, 14, -3, 14, 85, 42, -17)]
    data = {"hessians": curvature, "slopes": slope, "noise": 0, "personal": 1, "personal_noise": 0}
    steps = {"gamma_u": "1/96", "gamma_v": "1/32", "eta_u": 3, "eta_v": 1}
    parameters = {"cohort": 8, "K": 1, **steps}
    run = Run(Objective("quadratics", tuple(data.items())), begin, tuple(parameters.items()), 60)
    setup = Setup("personalization", "rounds", run)
    case = Case("many", "FedAvg-P", setup, Method.RATIONAL)
    return broken([claim("personalization/thm-3.7")], [case])


def fedplt():
    def looked_at(view, masks, noise, tau, **more):
        run = run_of((((2, 1), (1, 2)), ((1, 0), (0, 3))), ((-1, 1), (1, -6)), masks, (3, 2),
                     weights=(1, 2), tau=tau, eta="1/8", noise=noise, **more)  # fmt: skip
        chosen = (("rho_min", "aligned"), ("G^2", "global"))
        return Setup("fedplt", view, run, (*chosen, *((("k", 0),) if "client" in view else ())))

    apart = {"models": ((3, 1), ("1/2", 2)), "common": 0}
    setups = (
        looked_at("one step", ((1, 0), (0, 1)), 0, 1, **apart),
        looked_at("one step of one client", ((1, 0), (0, 1)), 0, 1, **apart),
        looked_at("rounds", long_runs.PARTIAL, HALF, 2),
        long_runs.setup(long_runs.partial_masks(4, "1/256", 1, "1/2")),
        sequence(6, 3, "2 1 2/3", "base"),
    )
    cases = [Case(str(i), "FedPLT", x, Method.RATIONAL) for i, x in enumerate(setups)]
    return broken(encoded_claims("fedplt"), cases)


def in_words(findings):
    shown = {}
    for name, own in findings.items():
        asked = {each.name: each for each in encoded(entry(name)).asked}
        for finding in own:
            if finding.script:
                says = asked[finding.reading]
                strict = tuple(replace(c, relation=c.relation[0]) for c in says.strict)
                key = name, finding.reading, finding.instance
                shown[key] = says.assumptions, says.conditions + strict, finding.script
    return shown


def submodel():
    wanted = ("pushed out and in, eta S K L = 1/10, as T grows",
              "windows of two, bent, eta S K L = 1/2, as T grows")  # fmt: skip
    cases = [x for x in planned("submodel", "", Profile.DEFAULT) if x.name in wanted]
    cases += map(beside_case, besides("submodel")[:4])
    drawn = drawn_cases("submodel", "", Profile.QUICK, 0)
    cases += [x for x in drawn if x.method is Method.RATIONAL and x.work < 10**4][:24]
    return broken(encoded_claims("submodel"), cases)


FLAT = (1, 1, 1, -1, 1, 1, 1, -1, 1, 1, -1, -1)  # orthogonal columns: all spectra are whole


# the same of a width at which all conditions of the theorem are met
WIDE = (
    *(x for row in range(400) for x in (1, (-1) ** row)),
    *((-1) ** (row // 2) for row in range(400)),
)


def network(schedule=((1, 0),), start=FLAT, **other):
    """Two layers of width 4, where the first client's sample is fitted: its rounds move nothing."""
    data = {
        "features": (((1, 0),), ((0, 1),)),
        "targets": (((0,),), ((1,),)),
        "depth": 2,
        "width": 4,
    }
    parameters = {"eta": "1/100", "K": 1, "schedule": schedule}
    run = Run(Objective("deep linear", tuple((data | other).items())), start,
              tuple(parameters.items()), 2)  # fmt: skip
    setup = Setup("overparam", "rounds", run, (("C_w", 1), ("C_B", 2), ("chance", "1/10")))
    return Case("network", "FedAvg on a schedule", setup, Method.RATIONAL)


def overparam(*names, **changes):
    wanted = [claim(f"overparam/{name}") for name in names or ("thm-iv.2", "term-1")]
    return broken(wanted, [network(**changes)])


def own(folder):
    body = """
        me.claim("a", "D_W(t+1) <= D_W(t)/100", conditions=["eta <= 1/(2*L)"], assumptions=[
            "smooth", "strongly convex clients", "unbiased noise", "bounded below",
            "quadratic clients", "no constraint"])
    """
    theory = loaded(folder, problems="quadratics(clients=(2,), dimensions=(2,))", body=body)
    return broken(encoded_claims(theory.key), islice(own_cases(theory, Profile.QUICK, 0), 2))


@pytest.fixture(scope="module")
def scripts(tmp_path_factory, findings_in_words):
    groups = {
        "personalization": personalization(), "fedplt": fedplt(), "in words": in_words(findings_in_words),
        "submodel": submodel(), "own": own(tmp_path_factory.mktemp("own")),
        "overparam": overparam("term-1") | overparam("thm-iv.2", width=400, start=WIDE),
    }  # fmt: skip
    assert all(groups.values())
    return {(group, *key): found for group, own in groups.items() for key, found in own.items()}


def alone(text):
    flags = ["-I"] if "import numpy" in text else ["-I", "-S"]
    return subprocess.run(
        [sys.executable, *flags, "-c", text], capture_output=True, text=True, check=False
    )


def test_scripts_run_alone_and_print_the_gap(scripts):
    """One of each group: all of them did when they were written."""
    first = {key[0]: (key, found) for key, found in reversed(scripts.items())}
    assert len(first) == 6
    for key, (_, _, text) in first.values():
        done = alone(text)
        assert done.returncode == 0, (key, done.stderr)
        shown = done.stdout
        assert ("broken: True" in shown) or (key[0] == "own" and "right - left -" in shown), key


def test_every_premise_is_asserted_or_said_not_to_be(scripts):
    for key, (assumptions, conditions, text) in scripts.items():
        lines = text.splitlines()
        left_out = " ".join(x[len(NOT_CHECKED) :] for x in lines if x.startswith(NOT_CHECKED))
        left_out += " ".join(x for x in lines if x.startswith("# as it is run"))
        for assumption in assumptions:
            at = [i for i, x in enumerate(lines) if x.endswith(f"# {assumption}")]
            said = [i for i in at if "assert " in lines[i + lines[i].startswith("#")]]
            assert said or str(assumption) in left_out, (key, assumption)
        for condition in conditions:
            begins = f"{code(condition.left)} {condition.relation} "  # roots have names there
            shown = (f"\nassert {begins}", f"\nassert all({begins}")
            held = all(line in text for line in asserted([condition])) or any(
                line in text for line in shown
            )
            assert held or str(condition) in left_out, (key, condition)


def steeper(text):
    """The same with curvatures of other clients, put in where the premises begin."""
    before, mark, rest = text.partition("def positive(S)")
    for name in ("H", "F", "A"):
        if f"\n{name} = [" in before or f"\n{name}, " in before:
            grown = f"{name} = [[[99 * x for x in r] for r in h] for h in {name}]\n"
            return before + grown + mark + rest
    return before + "H = 99 * H\n" + mark + rest


def test_a_curvature_above_L_stops_a_script(scripts):
    stopped = set()
    for key, (_, _, text) in scripts.items():
        if "positive(plus(L" in text:
            done = alone(steeper(text))
            assert "AssertionError" in done.stderr, key
            stopped.add(key[0])
    assert stopped == {"personalization", "fedplt", "in words", "submodel", "own"}


def before(text, what, line):
    """The text with a line put in front of the one that begins so."""
    lines = text.splitlines()
    at = next(i for i, x in enumerate(lines) if what in x)
    return "\n".join([*lines[:at], line, *lines[at:]])


def test_a_longer_step_stops_a_script(scripts):
    stopped = set()
    for key, (_, conditions, text) in scripts.items():
        for condition in conditions:
            short = "eta" in {x.name for x in condition.left.free_symbols}
            if short and condition.relation in ("<", "<=") and asserted([condition])[0] in text:
                done = alone(before(text, asserted([condition])[0], "eta = eta * 10**9"))
                assert "AssertionError" in done.stderr, (key, condition)
                stopped.add(key[0])
    assert stopped == {"fedplt", "in words", "submodel", "own", "overparam"}


def test_other_masks_stop_a_script(scripts):
    """With one coordinate every coverage is uniform, so that not all scripts are stopped."""
    found = [x for _, _, x in scripts.values() if "uniform coverage" in x and "sub_models" in x]
    other = 'p["sub_models"][0, 0, 0] = 1 - p["sub_models"][0, 0, 0]'
    errors = [alone(before(text, "rounds = run(T)", other)).stderr for text in found]
    assert any("AssertionError" in error for error in errors)
    assert not any("Error" in error.replace("AssertionError", "") for error in errors)


# ---- what networks tell of themselves


@pytest.fixture(scope="module")
def of_network(scripts):
    own = encoded(entry("overparam/thm-iv.2")).readings[0].name
    (found,) = (
        text for key, (_, _, text) in scripts.items() if key[1:3] == ("overparam/thm-iv.2", own)
    )
    return found


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('P_min = Q("2")', 'P_min = Q("199/100")'),  # less than the eigenvalue
        ('P_min = Q("2")', 'P_min = Q("201/100")'),
        ('s_max2 = Q("1")', 's_max2 = Q("2")'),
        ('rank = Q("2")', 'rank = Q("1")'),
        ('w_star2 = Q("1")', 'w_star2 = Q("1/2")'),
        ('low_0 = Q("1")', 'low_0 = Q("101/100")'),
        ('high_0 = Q("1")', 'high_0 = Q("99/100")'),
        ('R_0 = Q("1")', 'R_0 = Q("1/2")'),
        ('C_w = Q("1")', 'C_w = Q("21/20")'),  # log(20) is a factor of what it is too wide for
        ("start = exact([1, 1,", "start = exact([1, 2,"),
        ('"schedule": exact([[1, 0]])', '"schedule": exact([[0, 0]])'),
        ('"schedule": exact([[1, 0]])', '"schedule": exact([[1, 0, 0]])'),
        ("depth, width = 2, 400", "depth, width = 2, 200"),
    ],
)
def test_another_number_stops_the_script_of_a_network(of_network, right, wrong):
    assert right in of_network
    found = run_here(compile(of_network.replace(right, wrong), "script", "exec"))
    assert found is None


def test_a_script_of_a_network_shows_its_gap(of_network):
    assert run_here(compile(of_network, "script", "exec"))[1].endswith("broken: True\n")


def test_of_a_number_between_two_ends_the_worse_one_is_given():
    """An eigenvalue that is no rational is above what the script has for it."""
    (shown,) = overparam("term-1", start=("5/4", *FLAT[1:])).values()
    text = shown[2]
    line = "assert against(problem.kernel(start), P_min) <= 0"
    assert line in text
    more = text.replace(line, f"P_min += Q(1, 10**6)\n{line}")
    assert run_here(compile(text, "script", "exec")) is not None
    assert run_here(compile(more, "script", "exec")) is None


def test_a_script_of_clients_at_random_lists_them():
    case = network()
    run = replace(case.setup.run, parameters=(("eta", "1/100"), ("K", 1), ("m", 1)))
    setup = replace(case.setup, view="rounds, clients at random", run=run)
    drawn = replace(case, setup=setup, algorithm_name="FedAvg, clients at random")
    ((_, _, text),) = broken([claim("overparam/eq-18")], [drawn]).values()
    assert "participants(self, n, m)" in text
    assert run_here(compile(text, "script", "exec"))[1].endswith("broken: True\n")


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        (((1, 0), (0, 0)), "row 1 of the schedule"),
        (((1, 0, 0),), "row 0 of the schedule"),
        (((1, 2),), "row 0 of the schedule"),
        ((1, 0), "axes of the schedule"),
    ],
)
def test_a_schedule_that_names_nobody_or_others_is_refused_when_it_is_run(schedule, told):
    setup = network(schedule).setup
    with pytest.raises(FedboundsError, match=f"in step: {told} is .*; expected"):
        traced(subject_of(setup.run, view_of(setup)))


def test_a_root_in_the_outputs_has_no_script():
    with pytest.raises(FedboundsError, match="for outputs over the root of 3"):
        overparam("eq-18", schedule=((1, 1),), width=3, start=(1, 1, 1, -1, 1, 0, 0, 1, 2))
