"""The interval of real claims, planted bounds, and what the command says."""

import json
from dataclasses import replace

import pytest
import sympy as sp
from flint import fmpq

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.checker.__main__ import main as recheck_files
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import F_0, L, T, f
from fedbounds.verify.commands.command_line import status
from fedbounds.verify.commands.pep import solve as solving
from fedbounds.verify.commands.pep.families import reached
from fedbounds.verify.commands.pep.parameters import formulable, question
from fedbounds.verify.commands.pep.show import lines
from fedbounds.verify.commands.pep.worst import conclusion, proved, refuse_conflict, violated, worst
from fedbounds.verify.decide.case import constants_of

THEOREM = "personalization/thm-3.7"
ONE_CLIENT = ("n=1", "d_v=0", "gamma=1/32")


@pytest.fixture(scope="module")
def theorem():
    pytest.importorskip("PEPit", reason="needs the extra pep")
    return worst(question(claim(THEOREM), None, ("d_v=0",)))


@pytest.fixture(scope="module")
def one_client():
    pytest.importorskip("PEPit", reason="needs the extra pep")
    return worst(question(claim(THEOREM), None, ONE_CLIENT))


def with_bound(found, right):
    part = replace(found.asked.part, right=right)
    return replace(found, asked=replace(found.asked, part=part), right=fmpq(right.p, right.q))


def test_the_interval_closes_and_the_theorem_holds(theorem):
    assert theorem.reached.left <= theorem.certificate.bound
    assert float(theorem.reached.left) == pytest.approx(theorem.solved.dual, rel=1e-6)
    # 1/2 (2 + 2 (1 - g)^2 + g^2 b^2 / 2 ...) of quadratics: variance of the participants' slope
    assert float(theorem.reached.left) == pytest.approx(
        1 + (31 / 32) ** 2 + (1 / 32) ** 2 / 2, 1e-6
    )
    assert proved(theorem)
    assert not violated(theorem)
    refuse_conflict(theorem)


def test_one_client_with_one_block_is_tight_and_closes(one_client):
    assert one_client.tight
    assert float(one_client.certificate.bound - one_client.reached.left) < 1e-5


def test_a_bound_halved_below_the_worst_case_is_violated_by_a_witness(one_client):
    left = one_client.reached.left
    planted = with_bound(one_client, sp.Rational(int(left.p), int(2 * left.q)))
    assert violated(planted)
    assert not proved(planted)
    assert "below the worst case" in conclusion(planted)
    assert "violated" in conclusion(planted)


def test_a_bound_between_witness_and_estimate_gets_no_verdict(one_client):
    # the witness is taken away: an estimate alone refutes nothing
    planted = replace(with_bound(one_client, sp.Rational(3, 2)), reached=None)
    assert not violated(planted)
    assert not proved(planted)
    assert conclusion(planted).startswith("no verdict: the bound is below the solver's estimate")


def test_without_an_accepted_certificate_nothing_holds(one_client):
    assert not proved(replace(one_client, certificate=None))
    assert not proved(replace(one_client, refused="a planted refusal"))
    assert conclusion(replace(one_client, certificate=None)).startswith("no verdict")


def test_a_worst_from_below_that_exceeds_the_one_from_above_is_our_conflict(one_client):
    above = replace(one_client.reached, left=one_client.certificate.bound + fmpq(1, 10**9))
    with pytest.raises(ConflictError, match="above the certified bound"):
        refuse_conflict(replace(one_client, reached=above))
    far = replace(one_client.reached, left=fmpq(3))
    with pytest.raises(ConflictError, match="above the solver's worst case"):
        refuse_conflict(replace(one_client, reached=far, certificate=None))


def test_a_claim_of_ones_own_about_the_last_value(one_client):
    own = claim(THEOREM)
    part = replace(own.parts[0], left=f(T), right=2 * F_0)
    found = worst(question(replace(own, parts=(part,)), None, ONE_CLIENT))
    assert found.solved.dual == pytest.approx(1, rel=1e-6)  # a start without a gradient stays
    assert proved(found)


def test_a_claim_without_an_initial_gap_has_no_finite_worst_case(one_client):
    own = claim(THEOREM)
    part = replace(own.parts[0], right=L)
    found = worst(question(replace(own, parts=(part,)), None, ONE_CLIENT))
    assert found.solved is None
    assert found.certificate is None
    text = "\n".join(lines(found))
    assert "unbounded" in text
    assert conclusion(found).startswith("no verdict: the solver finds no finite worst case")
    refuse_conflict(found)


def test_an_estimate_is_called_one(one_client):
    text = "\n".join(lines(replace(one_client, certificate=None)))
    assert "certified" not in text.replace("nothing is certified", "")
    assert "estimate" in text
    assert "exact" in text


@pytest.mark.parametrize("part", [None, "vanilla"])
def test_what_is_reached_obeys_the_constants(part):
    name, given = (
        (THEOREM, ("n=3", "m=2", "b2=2")) if part is None else ("personalization/rem-3.12", ())
    )
    asked = question(claim(name), part, given)
    found = reached(asked, budget=60)
    own = {str(name): constant.value for name, constant in constants_of(found.instance).items()}
    assert asked.setting.constants.keys() <= own.keys()
    for name, limit in asked.setting.constants.items():
        assert own[name] <= limit
    assert found.left > 0


def test_the_same_search_finds_the_same_instance():
    asked = question(claim(THEOREM), None, ("d_v=0",))
    assert reached(asked, budget=40).left == reached(asked, budget=40).left


def test_claims_are_chosen_by_their_data():
    assert formulable(claim("personalization/lem-3.1")) == {}
    assert formulable(claim("personalization/cor-4.6")) == {}  # Scaffold-P
    assert set(formulable(claim("personalization/thm-3.11"))) == {"a", "b"}
    assert set(formulable(claim("personalization/rem-3.12"))) == {"remark", "vanilla"}


@pytest.mark.parametrize(
    ("name", "part", "given", "message"),
    [
        ("lem-3.1", None, (), "has no part for a worst-case problem.*thm-3.7"),
        ("thm-3.7", "z", (), "unknown part"),
        ("thm-3.7", None, ("q=1",), "unknown parameter 'q'"),
        ("thm-3.7", None, ("n",), "'n' without a value: expected NAME=NUMBER"),
        ("thm-3.7", None, ("n=two",), "n=two: expected NAME=NUMBER"),
        ("thm-3.7", None, ("n=1/2",), "n is 1/2; expected a whole number >= 1"),
        ("thm-3.7", None, ("L=0",), "L is 0; expected > 0"),
        ("thm-3.7", None, ("b2=-1",), "b.2 is -1; expected >= 0"),
        ("thm-3.7", None, ("m=3",), "m is 3; expected at most n = 2"),
        ("thm-3.7", None, ("d_u=0", "d_v=0"), "a block at least"),
        ("thm-3.7", None, ("sigma_u^2=1",), "noise-free"),
        ("thm-3.7", None, ("gamma=1",), "outside the conditions.*gamma <= 1/"),
        ("thm-3.7", None, ("n=9",), "180 unknown gradients; expected at most 40"),
        ("thm-3.7", None, ("m=2", "T=1000000"), "unknown gradients; expected at most 40"),
        ("cor-3.8", None, (), "fix gamma at an irrational number"),
        ("spec-3.2.3-shared", None, ("d_v=1",), "outside the conditions.*d_v == 0"),
    ],
)
def test_bad_input_is_named(name, part, given, message):
    with pytest.raises(FedboundsError, match=message):
        question(claim(f"personalization/{name}"), part, given)


def test_the_command_prints_and_writes_what_the_checker_reads(tmp_path, capsys, one_client):
    data, proof = tmp_path / "worst.json", tmp_path / "proof.json"
    given = [x for text in ONE_CLIENT for x in ("--set", text)]
    assert status(["worst", THEOREM, *given, "--json", str(data), "--certificate", str(proof)]) == 0
    printed = capsys.readouterr().out
    assert "accepted by the checker" in printed
    assert "holds at these numbers for all functions" in printed
    found = json.loads(data.read_text())
    assert [row["provenance"] for row in found["interval"]] == [
        "exact",
        "estimate",
        "certified",
        "exact",
    ]
    assert recheck_files([str(proof)]) == 0


def test_the_command_without_pepit_names_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(solving, "find_spec", lambda name: None)
    assert status(["worst", THEOREM]) == 2
    assert "extra 'pep': pip install 'fedbounds[pep]'" in capsys.readouterr().err


def test_the_command_refuses_what_has_no_inequality(capsys):
    assert status(["worst", "personalization/asm-2.1"]) == 2
    assert "no inequality" in capsys.readouterr().err
