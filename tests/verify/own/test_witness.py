"""Witness scripts run by themselves and print the gap that was judged, or are not written."""

import subprocess
import sys

import pytest
from flint import fmpq
from own_files import cases, loaded

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.decide.case import script_of
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.setups.script_check import agrees
from fedbounds.vocabulary import Verdict

PROBLEMS = "quadratics(clients=(2,), dimensions=(1, 2))"
NOISY = {
    "draw": 'return {"s": random.participants(problem.clients, p["m"]), '
    '"e": random.noise(problem, p["K"])}',
    "step": """
        y = problem.spread(state["x"])
        for k in range(p["K"]):
            y = y - p["eta"] * (problem.gradient(y) + drawn["e"][:, :, k, :])
        return {"x": problem.xp.sum(drawn["s"][:, :, None] * y, axis=1) / p["m"]}
    """,
    "parameters": '{"m": "1:n", "K": (1,), "eta": ("1/(2*L)",)}',
}
FALSE = {
    "a round": ({}, 'me.claim("a", "D_W(t+1) <= D_W(t)/100")'),
    "a whole run": ({}, 'me.claim("a", "Mean_t(G_u(t)) <= L*f(0)/1000")'),
    "the largest": ({}, 'me.claim("a", "Max_t(f(t)) <= f(0)/2 + D_W(T)/1000")'),
    "a product up to a round": (
        {},
        'me.claim("a", "D_W(t+1) <= Prod_to((1 - eta*mu)**9)*D_W(0)")',
    ),
    "a product from round to round": ({}, 'me.claim("a", "D_W(t+1) <= Prod_to(f(t)/9)*D_W(0)")'),
    "the least so far": ({}, 'me.claim("a", "G_u(t) <= Min_to(f(t))/1000")'),
    "the last": ({}, 'me.claim("a", "D_W(T) <= (1 - eta*mu)**(9*T)*D_W(0)")'),
    "an identity": ({}, 'me.claim("a", "D_W(t+1) == D_W(t)/2")'),
    "within a round": ({}, 'me.claim("a", "Du_2(t) <= eta**2*G_u(t)/9")'),
    "clients' gradients": ({}, 'me.claim("a", "B(t) <= n*G_u(t)/2")'),
    "a choice of parameters": ({}, 'me.claim("a", "eta*L <= 1/9")'),
    "counts": ({}, 'me.claim("a", "D_W(t+1) <= D_W(t)*m/(100*n)")'),
    "noise": (NOISY, 'me.claim("a", "D_W(t+1) <= D_W(t)/100 + eta**2*sigma2/1000")'),
    "draws with replacement": (
        {"draw": 'return {"present": random.participants_with_replacement(2, p["m"])}'},
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "masks": (
        {
            "draw": 'return {"b": random.bernoulli(p["m"] / 3, problem.dimension)}',
            "step": "return {'x': state['x'] - p['eta'] * drawn['b'] "
            "* problem.full_gradient(state['x'])}",
        },
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "an index and an order": (
        {
            "draw": 'return {"i": random.index(2), "o": random.permutation(2), "s": random.signs(1)}',
            "step": """
                rows = problem.xp.arange(len(drawn["i"]))
                x = state["x"] + drawn["s"] / 4
                for k in range(2):
                    chosen = drawn["o"][:, k] if k else drawn["i"]
                    x = x - p["eta"] * problem.gradient(x)[rows, chosen, :]
                return {"x": x}
            """,
        },
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "the round": (
        {"step": 'return {"x": state["x"] - 1 / (p["t"] + 3) * problem.full_gradient(state["x"])}'},
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "helpers, constants and imports": (
        {
            "before": "import math\nTWICE = 2\nNEGATIVE = -1\nTABLE = (1, 1)\n"
            "def helper(x):\n    return x / TWICE * math.floor(-NEGATIVE) / TABLE[1]",
            "step": 'return {"x": helper(state["x"])}',
        },
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "a fraction": (
        {
            "before": "from fractions import Fraction\nHALF = 2",
            "step": 'return {"x": Fraction(1, HALF) * state["x"]}',
        },
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "what is carried": (
        {
            "draw": 'return {"e": random.signs(problem.clients, p["m"])}',
            "step": """
                y = problem.spread(state["x"])
                for k in range(p["m"]):
                    y = see.carry(y - p["eta"] * drawn["e"][:, :, k, None] * problem.gradient(y))
                y, z = see.carry(y, y / 2)
                return {"x": problem.xp.sum(y + z, axis=1) / problem.clients}
            """,
        },
        'me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    ),
    "premises": (
        NOISY,
        'me.claim("a", "D_W(t+1) <= D_W(t)/100", conditions=["eta <= 1/L"], '
        'assumptions=["smooth", "strongly convex clients", "quadratic clients", "unbiased noise"])',
    ),
    "own quantities, constants and parameters": (
        {
            "before": "def drift(problem, state):\n    return (state['c'] ** 2).sum(axis=1)",
            "init": 'return {"x": start, "c": start * 0}',
            "step": 'g = problem.full_gradient(state["x"])\n'
            'return {"x": state["x"] - p["eta"] * g, "c": state["c"] / 2 + p["beta"] * g}',
        },
        'me.quantity("Z", "drift", drift)\n'
        'me.parameter("beta", "momentum", (1,))\n'
        'me.constant("c0", "a size", lambda p, s: 1)\n'
        'me.claim("a", "Z(t+1) <= Z(t)/2 + beta*c0*G_u(t)/2")',
    ),
}


def broken(theory):
    """The judged instances that break the claim, and their numbers."""
    claims = encoded_claims(theory.key)
    for case in cases(theory, Profile.QUICK, 0):
        found = judge(claims, case)
        (judgement,) = found.judgements
        if judgement.verdict is Verdict.VIOLATED and case.setup.run.rounds < theory.horizon:
            yield case, judgement, found.measurement.numbers


def script(theory, case, judgement, numbers):
    return script_of(case.setup, judgement, judgement.claim.parts[0], numbers)


@pytest.mark.parametrize("what", FALSE)
def test_a_script_prints_the_gap_that_was_judged(tmp_path, what):
    pieces, body = FALSE[what]
    theory = loaded(tmp_path, problems=PROBLEMS, body=body, **pieces)
    case, judgement, numbers = next(broken(theory))
    text = script(theory, case, judgement, numbers)
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    left, right, gap = (str(getattr(judgement.deciding, x)) for x in ("left", "right", "gap"))
    first, second = done.stdout.splitlines() or [done.stderr, ""]
    assert first == f"left {left} right {right} right - left {gap}"
    assert second.endswith("broken: True")
    assert fmpq(*map(int, gap.partition("/")[::2])) if "/" in gap else int(gap)
    assert "fedbounds" not in text


def test_premises_are_asserted_on_numbers_that_are_computed(tmp_path):
    pieces, body = FALSE["premises"]
    theory = loaded(tmp_path, problems=PROBLEMS, body=body, **pieces)
    case, judgement, numbers = next(broken(theory))
    text = script(theory, case, judgement, numbers)
    for line in (
        "eta <= 1/L",
        "for s in (1, -1))  # smooth",
        "mu > 0 and",
        "not sum(noises).any()",
    ):
        assert line in text
    assert "# quadratic clients" in text
    assert not agrees(text.replace("assert eta <= 1/L", "assert eta > 1/L"), judgement.deciding.gap)


REFUSED = {
    "a name that scripts have": (
        {
            "before": "def look(x):\n    return x / 2",
            "step": 'return {"x": look(state["x"])}',
        },
        "no script quotes a function look",
    ),
    "what is computed once": (
        {"before": "TABLE = list(range(3))", "step": 'return {"x": state["x"] / TABLE[2]}'},
        "no script quotes TABLE",
    ),
    "a class": (
        {
            "before": "class Half:\n    value = 2",
            "step": 'return {"x": state["x"] / Half.value}',
        },
        "does not run, or gives",
    ),
    "a quantity without a name": (
        {},
        "is a lambda; a script needs a named function",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
def test_what_does_not_run_outside_its_file_is_refused(tmp_path, how):
    pieces, told = REFUSED[how]
    body = 'me.claim("a", "D_W(t+1) <= D_W(t)/100")'
    if how.startswith("a quantity"):
        body = 'me.quantity("Z", "z", lambda p, s: s["x"][:, 0] ** 2 + 1)\n'
        body += 'me.claim("a", "Z(t+1) <= Z(t)/100")'
    theory = loaded(tmp_path, problems=PROBLEMS, body=body, **pieces)
    with pytest.raises(FedboundsError, match=told):
        script(theory, *next(broken(theory)))


def test_another_gap_is_never_printed(tmp_path):
    """A function that behaves otherwise outside the suite is found out."""
    before = (
        "import sys\nINSIDE = 3\ndef scale():\n    return 2 if 'fedbounds' in sys.modules else 4"
    )
    theory = loaded(
        tmp_path,
        problems=PROBLEMS,
        before=before,
        step='return {"x": state["x"] / scale()}',
        body='me.claim("a", "D_W(t+1) <= D_W(t)/100")',
    )
    with pytest.raises(FedboundsError, match="gives another gap"):
        script(theory, *next(broken(theory)))


def of_the_long_run(folder, problem, first):
    """The theory, a case of fifty rounds that breaks its claim, and what was judged."""
    theory = loaded(
        folder,
        problems=f"[{problem}]",
        parameters='{"m": (1,), "eta": ("1/(8*L)",)}',
        more="rounds=(1,), horizon=50",
        body=f'me.claim("a", "D_W(t+1) <= D_W(t)/100", first={first})',
    )
    *_, case = cases(theory, Profile.QUICK, 0)
    assert case.setup.run.rounds == theory.horizon
    found = judge(encoded_claims(theory.key), case)
    return theory, case, found.judgements[0], found.measurement.numbers


@pytest.mark.parametrize("first", [0, 30])
def test_a_long_run_is_shown_by_its_rounds_up_to_the_broken_one(tmp_path, first):
    theory, case, judgement, numbers = of_the_long_run(
        tmp_path, "quadratic([[[1]]], [[1]], [4])", first
    )
    text = script(theory, case, judgement, numbers)
    assert f"T, q = {judgement.deciding.at + 1}, " in text
    done = subprocess.run([sys.executable, "-I", "-c", text], capture_output=True, text=True)
    gap = done.stdout.splitlines()[0].split()[-1]
    judged = judgement.deciding.gap  # a long fraction is kept rounded
    assert gap == judged if isinstance(judged, str) else float(gap) == judged
    assert isinstance(judged, str) is (first == 0)


def test_a_broken_round_that_is_too_late_has_no_script(tmp_path):
    long = of_the_long_run(tmp_path, "quadratic([[[1]], [[3]]], [[1], [-2]], [4])", 30)
    with pytest.raises(FedboundsError, match="more than 8192 outcomes: too many for a script"):
        script(*long)


def test_a_mean_over_a_long_run_has_no_script(tmp_path):
    theory = loaded(
        tmp_path,
        problems="[quadratic([[[1]], [[3]]], [[1], [-2]], [4])]",
        parameters='{"m": (1,), "eta": ("1/(8*L)",)}',
        more="rounds=(1,), horizon=50",
        body='me.claim("a", "Mean_t(D_W(t)) <= D_W(0)/1000")',
    )
    *_, case = cases(theory, Profile.QUICK, 0)
    found = judge(encoded_claims(theory.key), case)
    assert found.judgements[0].verdict is Verdict.VIOLATED
    with pytest.raises(FedboundsError, match="50 rounds have more than 8192 outcomes: too many"):
        script(theory, case, found.judgements[0], found.measurement.numbers)
