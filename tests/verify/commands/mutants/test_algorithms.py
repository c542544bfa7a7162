"""Every small change of an algorithm is made, and what becomes of it is told."""

import ast

import pytest
from own_files import loaded, own_text

from fedbounds.theory.language.contributed import contributed
from fedbounds.verify.commands.mutants.algorithms import Slip, changes
from fedbounds.verify.commands.mutants.of_file import of_algorithm

STEP = """
    y = problem.spread(state["x"])
    for k in range(p["K"]):
        y = y - p["eta"] * (problem.gradient(y) + drawn["noise"][:, :, k, :])
    return {"x": problem.xp.sum(drawn["present"][:, :, None] * y, axis=1) / p["m"]}
"""
DRAW = """
    return {
        "present": random.participants(problem.clients, p["m"]),
        "noise": random.noise(problem, p["K"]),
    }
"""
PIECES = {
    "draw": DRAW,
    "step": STEP,
    "parameters": '{"m": "1:n", "K": (1, 2), "eta": "edges"}',
    "problems": "quadratics(clients=(1, 2), dimensions=(1,))[::2]",
    "body": """
        me.claim("a", "D_W(t+1) <= (1 - eta*mu)*D_W(t) + 4*eta**2*K*sigma2 + 99*b2/mu**2",
                 conditions=["eta <= 1/(2*L*K)"], assumptions=["strongly convex clients"])
    """,
}


def test_changes_are_of_every_kind_each_once_and_all_compile():
    text = own_text(**PIECES)
    found = changes(text)
    assert {one.slip for one in found} == set(Slip) - {Slip.CONSTANT}
    assert len({one.text for one in found}) == len(found)
    for one in found:
        assert ast.dump(ast.parse(one.text)) != ast.dump(ast.parse(text))


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        (Slip.STEPS, "range(p['K']) -> range(p['K'] + 1)"),
        (Slip.STEPS, "range(p['K']) -> range(p['K'] - 1)"),
        (Slip.REUSE, "k -> 0"),
        (
            Slip.SIGN,
            "problem.gradient(y) + drawn['noise'][:, :, k, :] -> problem.gradient(y) - drawn",
        ),
        (Slip.FACTOR, "drawn['present'][:, :, None] * y -> y"),
        (Slip.LAW, "random.participants(problem.clients, p['m']) -> random.participants_with"),
        (Slip.NAME, "p['m'] -> p['K']"),
        (Slip.NAME, "problem.clients -> p['m']"),
        (Slip.STALE, "-> {'x': state['x']}"),
    ],
)
def test_a_change_is_told(slip, told):
    assert any(one.slip is slip and told in one.told for one in changes(own_text(**PIECES)))


def test_what_becomes_of_each_is_told_and_the_theory_is_as_it_was(tmp_path):
    theory = loaded(tmp_path, **PIECES)
    before = contributed("me")
    every = list(of_algorithm(theory))
    lines = {(line.operator, line.change): line for line in every}
    assert contributed("me") is before
    assert len(every) == len(changes(own_text(**PIECES)))
    outcomes = {change: line.outcome for (_, change), line in lines.items()}
    assert outcomes["range(p['K']) -> range(p['K'] + 1)"] == "refused"
    assert outcomes["range(p['K']) -> range(p['K'] - 1)"] == "caught by measurement"
    (law,) = (line for (slip, _), line in lines.items() if slip == Slip.LAW.value)
    assert (law.outcome, law.claim) == ("caught by a law", "draw")
    (sign,) = (change for slip, change in lines if slip == "sign" and change.startswith("problem."))
    assert outcomes[sign] == "equivalent"  # the noise is symmetric
