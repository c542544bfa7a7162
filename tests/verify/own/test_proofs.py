"""Standings of own claims: what a proof may rest on, and what false premises never give."""

import re
from pathlib import Path

import pytest
from own_files import judged, loaded, own_file

from fedbounds.errors import FedboundsError
from fedbounds.theory.proof.replay import Replays
from fedbounds.verify.own.book import book_of
from fedbounds.verify.own.load import load

PIECES = {
    "problems": "quadratics(clients=(1, 2), dimensions=(1,))",
    "parameters": '{"m": ("n",), "eta": "edges"}',
    "more": "rounds=(2,), horizon=4",
}
INSIDE = 'conditions=["eta <= 1/(2*L)"], assumptions=["strongly convex clients"]'
ROUND = f'me.given("one-round", "D_W(t+1) <= (1 - eta*mu)*D_W(t)", "a lemma", {INSIDE})\n'


def standings(folder, body):
    return {name: row["standing"] for name, row in judged(folder, body=body, **PIECES).items()}


def claim(name, formula, uses, more=INSIDE):
    return f'me.claim("{name}", "{formula}", uses={uses}, {more})\n'


RATE = claim("a.rate", "D_W(t) <= (1 - eta*mu)**t*D_W(0)", ["one-round", "conditions"],
             f'by="induction", {INSIDE}')  # fmt: skip


def test_givens_carry_claims_and_never_confirm_them(tmp_path):
    body = (
        ROUND
        + RATE
        + claim("twice", "D_W(t) <= 2*(1 - eta*mu)**t*D_W(0)", ["a.rate", "conditions"])
    )
    assert standings(tmp_path, body) == {
        "one-round": "tested",
        "a.rate": "proved from givens",
        "twice": "proved from givens",  # two levels up
    }


def test_a_claim_from_conditions_alone_is_confirmed(tmp_path):
    body = claim("c", "eta*mu <= 1/2", ["conditions"])
    body += claim("d", "eta*D_W(t) <= D_W(t)/L", ["conditions"])
    assert standings(tmp_path, body) == {"c": "confirmed", "d": "confirmed"}


def test_a_false_given_gives_nothing_at_any_distance(tmp_path):
    """All these claims follow from the given; the given is broken on runs."""
    body = ROUND.replace("(1 - eta*mu)", "(1 - eta*mu)**9")
    body += claim("near", "D_W(t+1) <= (1 - eta*mu)**8*D_W(t)", ["one-round", "conditions"])
    body += claim("true", "D_W(t+1) <= 2*D_W(t)", ["one-round", "conditions"])
    body += claim("far", "D_W(t+1) <= 3*D_W(t)", ["true", "conditions"])
    body += claim("farther", "D_W(t+1) <= 4*D_W(t)", ["far", "conditions"])
    found = standings(tmp_path, body)
    assert found.pop("one-round") == found.pop("near") == "refuted"
    assert set(found.values()) == {"gap"}  # true, but not for that reason


def test_a_halved_constant_is_refuted_and_shown_not_to_follow(tmp_path):
    rows = judged(tmp_path, body=ROUND + RATE.replace("D_W(0)", "D_W(0)/2"), **PIECES)
    assert rows["a.rate"]["standing"] == "refuted"
    assert rows["one-round"]["standing"] == "tested"


def test_an_induction_with_a_wrong_base_proves_nothing(tmp_path):
    # true from round 1 on, and false at its base
    body = ROUND + claim("base", "D_W(t) <= (1 - eta*mu)**t*D_W(0)*(1 - eta*mu)",
                         ["one-round", "conditions"], f'by="induction", {INSIDE}')  # fmt: skip
    assert standings(tmp_path, body)["base"] == "refuted"


def test_a_given_from_round_one_says_nothing_of_round_zero(tmp_path):
    body = ROUND.replace('"a lemma",', '"a lemma", first=1,') + RATE
    body += claim("early", "D_W(t+1) <= D_W(t)", ["one-round", "conditions"])
    body += claim("late", "D_W(t+1) <= D_W(t)", ["one-round", "conditions"], "first=1, " + INSIDE)
    found = standings(tmp_path, body)
    assert (found["a.rate"], found["early"]) == ("tested", "tested")
    assert found["late"] == "proved from givens"


def test_a_given_is_only_used_inside_its_conditions_and_assumptions(tmp_path):
    convex = 'assumptions=["strongly convex clients"]'
    body = ROUND
    body += claim("wide", "D_W(t+1) <= D_W(t)", ["one-round", "conditions"],
                  f'conditions=["eta <= 1/L"], {convex}')  # fmt: skip
    body += claim("any", "D_W(t+1) <= D_W(t)", ["one-round", "conditions"],
                  'conditions=["eta <= 1/(2*L)"]')  # fmt: skip
    body += claim("narrow", "D_W(t+1) <= D_W(t)", ["one-round", "conditions"],
                  f'conditions=["eta <= 1/(4*L)"], {convex}')  # fmt: skip
    found = standings(tmp_path, body)
    assert found["narrow"] == "proved from givens"
    assert found["wide"] in ("tested", "gap")
    assert found["any"] in ("tested", "gap")


def test_every_condition_can_be_used_also_a_second_one_on_the_same_symbol(tmp_path):
    both = 'conditions=["eta <= 1/L", "eta <= 1/(2*L)"]'
    body = claim("second", "eta*L <= 1/2", ["conditions"], both)
    assert standings(tmp_path, body)["second"] == "confirmed"


def test_what_meanings_imply_may_be_used_and_holds_on_every_run(tmp_path):
    body = claim("counts", "m*D_W(t) <= n*D_W(t)", ["conditions"])
    body += claim("curves", "mu*D_W(t) <= L*D_W(t)", ["conditions"])
    rows = judged(tmp_path, body=body, **PIECES)
    for row in rows.values():
        assert row["standing"] == "confirmed"
        assert row["statement"] == "survived"


def test_step_sizes_of_blocks_are_not_tied(tmp_path):
    """A personal block of dimension 0 ties gamma to other step sizes in the papers, not here."""
    uses = 'uses=["conditions"], conditions=["d_v == 0"]'
    body = f'me.claim("tied", "gamma <= eta_u*gamma_u", {uses})'
    assert standings(tmp_path, body) == {"tied": "gap"}  # numbers break it


def test_a_signed_quantity_is_not_dropped(tmp_path):
    declared = 'me.quantity("Zq", "a coordinate", lambda p, s: s["x"][:, 0], signed=True)\n'
    body = declared + claim("signed", "D_W(t) <= D_W(t) + Zq(t)", ["conditions"])
    assert standings(tmp_path, body)["signed"] == "refuted"
    sure = 'me.quantity("Zp", "a square", lambda p, s: s["x"][:, 0] ** 2)\n'
    body = sure + claim("square", "D_W(t) <= D_W(t) + Zp(t)", ["conditions"])
    # its sign is only declared: measured on every run, and proved by nothing
    assert standings(tmp_path, body)["square"] == "proved from givens"


def test_a_given_that_names_a_quantity_of_the_file_is_still_a_given(tmp_path):
    """It looks like a definition, but what the quantity is, the file's own code says."""
    value = 'lambda p, s: 2 * ((s["x"] - p.minimiser) ** 2).sum(axis=-1)'
    body = f'me.quantity("Zq", "twice the distance", {value})\n'
    body += 'me.given("twice", "Zq(t) == 2*D_W(t)", "by its code")\n'
    body += claim("three", "Zq(t) <= 3*D_W(t)", ["twice", "conditions"])
    assert standings(tmp_path, body) == {"twice": "tested", "three": "proved from givens"}


SIGNS = {
    "a quantity": 'me.quantity("Zn", "negative", lambda p, s: -(s["x"][:, 0] ** 2) - 1)\n'
    'me.claim("c", "D_W(t) <= D_W(t) + Zn(t)", uses=["conditions"], conditions=["eta <= 1/L"])',
    "a constant": 'me.constant("cn", "negative", lambda p, s: -1)\n'
    'me.claim("c", "D_W(t) <= D_W(t) + cn", uses=["conditions"], conditions=["eta <= 1/L"])',
}


@pytest.mark.parametrize("what", SIGNS)
def test_a_wrong_sign_is_an_error_and_not_a_proof(tmp_path, what):
    """Their proofs rest on the declared sign, so a conflict would be the suite's word for it."""
    with pytest.raises(FedboundsError, match="is -.* on a run; expected"):
        judged(tmp_path, body=SIGNS[what], **PIECES)


def test_a_constant_that_must_be_positive_is_not_judged_at_zero(tmp_path):
    body = 'me.constant("cz", "zero", lambda p, s: 0, positive=True)\n'
    body += 'me.claim("c", "D_W(t) >= 0*cz + D_W(t)/(cz + 1) - D_W(t)")'
    (row,) = judged(tmp_path, body=body, **PIECES).values()
    assert set(row["readings"][0]["counts"]) == {"outside conditions"}


def test_givens_may_be_cited_at_another_round(tmp_path):
    body = ROUND
    body += claim("cited", "D_W(t+1) <= D_W(t)", '[cite("one-round"), "conditions"]')
    assert standings(tmp_path, body)["cited"] == "proved from givens"


REFUSED = {
    "nothing": ("uses=[]", "cites nothing"),
    "a later claim": ('uses=["later"]', "unknown step cited by 'a': 'later'"),
    "itself": ('uses=["a"]', "unknown step cited by 'a': 'a'"),
    "a later claim by cite": ('uses=[cite("later")]', "unknown step cited by 'a': 'later'"),
    "a string": ('uses="one-round"', "expected a sequence: ['one-round']"),
    "a number": ("uses=[5]", "uses 5; expected names"),
    "another rule": ('uses=["one-round"], by="inducton"', "the nearest are induction"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_proofs_that_cite_what_is_not_there_are_told_with_their_line(tmp_path, how):
    uses, told = REFUSED[how]
    body = f'{ROUND}me.claim("a", "D_W(T) >= 0", {uses})\nme.claim("later", "D_W(T) >= 0")'
    path = own_file(tmp_path, body=body)
    with pytest.raises(FedboundsError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:"), str(caught.value)
    assert told in str(caught.value)


CONTRADICTIONS = [
    '["2 <= 1"]',
    '["eta <= 1/(2*L)", "eta >= 1/L"]',
    '["1/(2*L) >= eta", "1/L <= eta"]',
    '["eta <= 1/(4*L*K)", "eta*L*K >= 1"]',
    '["mu >= 2*L"]',
    '["eta <= -1"]',
    '["m >= n + 1"]',
    '["eta == 1/L", "eta == 2/L"]',
    '["eta*mu >= 3", "eta <= 2/L"]',
]
MET = [
    '["eta <= 1/L", "eta >= 1/(2*L)"]',
    '["eta <= 1/L", "eta <= 1/(2*L)"]',
    '["mu >= L"]',
    '["m >= n"]',
    '["eta == 1/L"]',
]


@pytest.mark.parametrize("conditions", CONTRADICTIONS)
def test_conditions_that_no_run_can_meet_are_refused(tmp_path, conditions):
    path = own_file(tmp_path, body=f'me.claim("a", "D_W(T) >= 0", conditions={conditions})')
    with pytest.raises(FedboundsError, match="contradict each other") as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:")


@pytest.mark.parametrize("conditions", MET)
def test_conditions_that_can_be_met_at_an_edge_are_not_refused(tmp_path, conditions):
    load(own_file(tmp_path, body=f'me.claim("a", "D_W(T) >= 0", conditions={conditions})'))


def test_linear_rates_of_the_usual_forms_are_proved(tmp_path):
    """1 - eta*mu may be 0 at eta = 1/L, and a maximum need not tell which side is larger."""
    at_once = 'conditions=["eta <= 1/L"], assumptions=["strongly convex clients"]'
    induction = f'by="induction", {at_once}'
    body = "".join(
        f'me.given("{name}-step", "D_W(t+1) <= {rate}*D_W(t)", "a lemma", {at_once})\n'
        + claim(name, f"D_W(t) <= {rate}**t*D_W(0)", [f"{name}-step", "conditions"], induction)
        for name, rate in (("plain", "(1 - eta*mu)"), ("larger", "max(1 - eta*mu, 1/2)"))
    )
    body += claim("less", "D_W(t) <= min(1 - eta*mu, 1/2)**t*D_W(0)",
                  ["larger-step", "conditions"], induction)  # fmt: skip
    found = standings(tmp_path, body)
    assert found["plain"] == found["larger"] == "proved from givens"
    assert found["less"] == "tested"  # it does not follow, and one dimension has no two curvatures


def test_the_telescoped_descent_of_the_documentation_is_proved(tmp_path):
    """The gap is not negative: that it is above the infimum is what it means."""
    page = (Path(__file__).parents[3] / "docs" / "own_theorem.md").read_text(encoding="utf-8")
    (body,) = (x for x in re.findall(r"```python\n(.+?)```", page, re.S) if 'over="t"' in x)
    step = 'return {"x": state["x"] - p["eta"] * problem.full_gradient(state["x"])}'
    rows = judged(tmp_path, body=body, draw="return {}", step=step, parameters='{"eta": "edges"}')
    assert rows["sum"]["standing"] == rows["mean"]["standing"] == "proved from givens"


def test_a_dimension_may_be_divided_by(tmp_path):
    rows = judged(tmp_path, body='me.claim("a", "G_u(t)/d_u <= G_u(t)", uses=["conditions"])')
    assert rows["a"]["standing"] == "confirmed"


# ---- standard forms of rates

FALLS = 'me.given("rec", "D_W(t+1) <= t/(t+2)*D_W(t) + 4*b2/(t+2)**2", "a lemma")\n'


def proofs(folder, body):
    """Of every claim: how its own step ends."""
    theory = loaded(folder, body=body, **PIECES)
    return {step.written.id: str(step.local) for step in Replays(book_of(theory)).every()}


def induced(name, formula, first=0, uses="['rec']"):
    return f'me.claim("{name}", "{formula}", uses={uses}, by="induction", first={first})\n'


def test_rates_in_1_over_t_from_round_1_on(tmp_path):
    """The start of the induction is round 1, of which the recursion says what it is."""
    body = FALLS + induced("true", "D_W(t) <= 4*b2/t", 1)
    body += induced("false", "D_W(t) <= b2/(2*t)", 1)
    body += 'me.claim("after", "D_W(t) <= 5*b2/t", uses=["true"], first=1)\n'
    assert proofs(tmp_path, body) == {
        "asm rec": "given", "true": "proved", "false": "open", "after": "proved",
    }  # fmt: skip


def test_rates_of_the_larger_of_two(tmp_path):
    """max(D, 4 b^2)/(t + 1), where D is at least the start; and with 1 b^2, which is false."""
    body = 'me.constant("D", "at least the start", lambda problem, start: 9)\n'
    body += 'me.given("begin", "D_W(0) <= D", "by definition")\n' + FALLS
    body += induced("true", "D_W(t) <= Max(D, 4*b2)/(t+1)", uses="['rec', 'begin']")
    body += induced("false", "D_W(t) <= Max(D, b2)/(t+1)", uses="['rec', 'begin']")
    found = proofs(tmp_path, body)
    assert (found["true"], found["false"]) == ("proved", "open")


def test_a_measured_quantity_in_a_maximum_is_told_what_to_do(tmp_path):
    body = FALLS + induced("a", "D_W(t) <= Max(D_W(0), 4*b2)/(t+1)")
    theory = loaded(tmp_path, body=body, **PIECES)
    (step,) = (x for x in Replays(book_of(theory)).every() if x.written.id == "a")
    assert "D_W(0); in Max, Min, roots and powers name a constant that bounds it" in step.reason


def test_a_least_round_is_at_most_the_mean(tmp_path):
    body = 'me.given("mean", "Mean_t(G_u(t)) <= 2*f(0)/(eta*T)", "a lemma")\n'
    body += 'me.claim("least", "Min_t(G_u(t)) <= 3*f(0)/(eta*T)", uses=["mean"])\n'
    body += 'me.claim("smaller", "Min_t(G_u(t)) <= f(0)/(eta*T)", uses=["mean"])\n'
    body += 'me.claim("other-side", "G_u(0) <= Min_t(G_u(t)) + f(0)", uses=["mean"])\n'
    found = proofs(tmp_path, body)
    assert found["least"] == "proved"
    assert "proved" not in (found["smaller"], found["other-side"])


def test_a_given_least_round_is_not_a_mean(tmp_path):
    """Planted: what is known of the least round, taken for the mean."""
    body = 'me.given("least", "Min_t(G_u(t)) <= f(0)", "a lemma")\n'
    body += 'me.claim("a", "Mean_t(G_u(t)) <= f(0)", uses=["least"])\n'
    assert proofs(tmp_path, body)["a"] == "open"


def test_mu_pl_may_be_larger_than_the_norms_of_blocks(tmp_path):
    """f = (u + v)^2/2 has blocks of norm 1, and |grad f|^2 = 4 f: mu_PL is 2."""
    pieces = {
        "init": 'u, v = problem.blocks(start)\nreturn {"u": u, "v": v}',
        "draw": "return {}",
        "step": 'return {"u": state["u"] / 2, "v": state["v"] / 2}',
        "parameters": '{"eta": ("1/8",)}',
        "problems": "[quadratic([[[1, 1], [1, 1]]], [[0, 0]], [1], personal=[[1]])]",
    }
    small = 'uses=["conditions"], conditions=["eta <= 1/L"]'
    body = f'me.claim("a", "mu_PL <= L", {small})\nme.claim("b", "mu <= L", {small})'
    theory = loaded(tmp_path, body=body, **pieces)
    found = {step.written.id: str(step.local) for step in Replays(book_of(theory)).every()}
    assert found["a"] != "proved"
    shared = {**PIECES, "body": body}
    theory = loaded(tmp_path, **shared)
    found = {step.written.id: str(step.local) for step in Replays(book_of(theory)).every()}
    assert found == {"a": "proved", "b": "proved"}
