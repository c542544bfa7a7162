"""Where the slack of an own proof goes: shares add up to it, and none is below zero."""

import pytest
from own_files import cases, loaded
from result_folders import document_of

from fedbounds.theory.language.registry import encoded_claims
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.decide.shares import shares_of
from fedbounds.verify.judge.judge import judge
from fedbounds.vocabulary import Verdict

INSIDE = 'conditions=["eta <= 1/(2*L)"], assumptions=["strongly convex clients"]'
BODY = f"""
me.given("one-round", "D_W(t+1) <= (1 - eta*mu)*D_W(t) + eta**2*sigma2", "a lemma", {INSIDE})
me.given("curves", "mu*D_W(t) <= L*D_W(t)", "a lemma", {INSIDE})
me.claim("rate", "D_W(t) <= (1 - eta*mu)**t*D_W(0) + 2*eta*sigma2/mu", uses=["one-round", "conditions"],
         by="induction", {INSIDE})
me.claim("loose", "D_W(t+1) <= 3*D_W(t) + eta*sigma2/L", uses=["one-round", "conditions"], {INSIDE})
me.claim("twice", "D_W(t+1) <= D_W(t) + eta**2*sigma2", uses=["one-round", "conditions"], {INSIDE})
me.claim("chained", "D_W(t) <= 2*(1 - eta*mu)**t*D_W(0) + 3*eta*sigma2/mu", uses=["rate", "conditions"], {INSIDE})
me.claim("unproved", "D_W(t) <= 9*D_W(0) + 9*eta*sigma2/mu", {INSIDE})
"""
PREMISES = {
    "rate": {"one-round"},
    "loose": {"one-round"},
    "twice": {"one-round"},
    "chained": {"rate"},
    "unproved": set(),
}


@pytest.fixture
def judgements(tmp_path):
    theory = loaded(
        tmp_path,
        problems="quadratics(clients=(1, 2), dimensions=(1,))",
        draw='return {"e": random.noise(problem, 1)}',
        step="""
            y = problem.spread(state["x"])
            y = y - p["eta"] * (problem.gradient(y) + drawn["e"][:, :, 0, :])
            return {"x": problem.xp.sum(y, axis=1) / problem.clients}
        """,
        parameters='{"m": ("n",), "eta": "edges"}',
        more="rounds=(2, 3), horizon=5",
        body=BODY,
    )
    claims = [claim for claim in encoded_claims("me") if claim.id[3:] in PREMISES]
    return [
        (found, judged.measurement.numbers)
        for case in cases(theory, Profile.QUICK, 0)
        for judged in [judge(claims, case)]
        for found in judged.judgements
        if found.verdict is Verdict.NOT_VIOLATED
    ]


def test_shares_add_up_to_the_gap_and_are_not_negative(judgements):
    named = {name: set() for name in PREMISES}
    for found, numbers in judgements:
        shares = shares_of(found.instance.setup, found, numbers)
        name = found.claim.id[3:]
        named[name] |= {share.name for share in shares}
        if not shares:
            assert name == "unproved" or found.deciding.gap in ("0", 0, 0.0)
            continue
        assert sum(share.share for share in shares) == pytest.approx(1, abs=1e-12)
        gap = sum(share.amount for share in shares)
        numerator, _, denominator = str(found.deciding.gap).partition("/")
        assert gap == pytest.approx(float(numerator) / float(denominator or 1), rel=1e-9)
        assert all(share.share >= -1e-12 for share in shares)
    rest = {"conditions and dropped terms"}
    for name, premises in PREMISES.items():
        assert named[name] - rest == premises, name


def test_a_premise_that_is_tight_loses_nothing(tmp_path):
    """One client in one dimension: the lemma is half of the truth, so that it loses all of it."""
    body = """
me.given("exact", "D_W(t+1) == (1 - eta*mu)**2*D_W(t)", "quadratics of one client")
me.claim("none", "D_W(t+1) <= (1 - eta*mu)**2*D_W(t) + eta*D_W(t)", uses=["exact"])
"""
    theory = loaded(
        tmp_path,
        problems="quadratics(clients=(1,), dimensions=(1,), noise=False)",
        parameters='{"m": (1,), "eta": ("1/(2*L)",)}',
        body=body,
    )
    (claim,) = [claim for claim in encoded_claims("me") if claim.id == "me/none"]
    seen = set()
    for case in cases(theory, Profile.QUICK, 0):
        found = judge([claim], case)
        (one,) = found.judgements
        if one.verdict is Verdict.NOT_VIOLATED:
            seen |= {x.name for x in shares_of(case.setup, one, found.measurement.numbers)}
    assert seen == {"conditions and dropped terms"}


SYMBOLS = """
from fedbounds.own import Algorithm, cite, quadratics, theory
from fedbounds.theory.language.symbols import G_u, L, Mean_t, T, eta, f, t

def init(problem, start):
    return {"x": start}

def draw(random, problem, p):
    return {}

def step(problem, p, state, drawn):
    return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}

gd = theory("gd", Algorithm(init, draw, step), parameters={"eta": "edges"},
            problems=quadratics(clients=(1, 2), dimensions=(1,), noise=False))
gd.given("descent", f(t + 1) <= f(t) - eta / 2 * G_u(t), "descent", conditions=[eta <= 1 / L])
gd.claim("mean", Mean_t(G_u(t)) <= 2 * (f(0) - f(T)) / (eta * T), conditions=[eta <= 1 / L],
         uses=[cite("descent", over="t")])
"""


def test_a_premise_summed_over_rounds_loses_its_sum(tmp_path):
    path, out = tmp_path / "gd.py", tmp_path / "out"
    path.write_text(SYMBOLS, encoding="utf-8")
    assert status(["verify", str(path), "--quick", "--workers", "1", "--out", str(out)]) == 0
    document = document_of(out)
    assert document["claims"]["gd/mean"]["standing"] == "proved from givens"
    told = [row["slack"] for row in document["results"] if row.get("slack")]
    assert told
    for shares in told:
        assert {share["name"] for share in shares} == {"descent"}  # nothing else is lost
        assert sum(share["share"] for share in shares) == pytest.approx(1)
