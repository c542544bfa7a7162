"""The table of a claim, and planted errors in it: too small, too large, proved and broken."""

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from set_ups import choice

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import G_u, L, T, eta, t
from fedbounds.theory.personalization.glossary import GLOSSARY
from fedbounds.theory.personalization.symbols import E
from fedbounds.theory.proof.premises import Need
from fedbounds.verify.commands.sensitivity import exports, premises, rows, witnessed
from fedbounds.verify.commands.sensitivity.bisect import Sharpest
from fedbounds.verify.commands.sensitivity.printed import printed as printed_of
from fedbounds.verify.commands.sensitivity.printed import rational
from fedbounds.verify.commands.sensitivity.row import Row
from fedbounds.verify.commands.sensitivity.rows import sensitivity
from fedbounds.verify.commands.sensitivity.terminal import print_rows
from fedbounds.verify.commands.sensitivity.witnessed import (
    Examined,
    Excluded,
    Survey,
    _of_right_side,
    _subjects,
    breaks,
    survey,
)
from fedbounds.verify.decide import case
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import Replays, judge_reading
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.vocabulary import Index, Verdict

printed = partial(printed_of, signed=GLOSSARY.signed)

SMOOTH_PART = "fedplt/A2.1"  # part c: || g ||^2 <= 2 L F_own, attained


@pytest.fixture(autouse=True, scope="module")
def _measured_once():
    """Claims that differ in a number are held against the same plan, and it does not change."""
    original, known = witnessed.instances, {}

    def instances(claims, *asked):
        key = frozenset(one.entry.paper for one in claims), *asked
        if key not in known:
            known[key] = tuple(original(claims, *asked))
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(witnessed, "instances", instances)
        patch.setattr(case, "find", cache(case.find))
        yield


def changed(factor, conditions=()):
    """Part c of A2.1 alone, its 2 times a factor."""
    whole = claim(SMOOTH_PART)
    part = whole.part("c")
    right = part.right * rational(Fraction(factor))
    return replace(whole, parts=(replace(part, right=right, conditions=conditions),))


@cache
def table(factor):
    return sensitivity(changed(factor))


def test_an_attained_number_is_the_best_possible():
    number, smooth = table(1)
    assert (number.printed, number.proved, number.excluded) == ("2", "2", "below 2")
    assert number.says == "best possible"
    assert number.proved_by.startswith("exact: certificate of A2.1:c, from the same uses")
    assert number.excluded_by.startswith("exact rationals: ")
    assert (smooth.kind, smooth.printed) == ("assumption", Fact.SMOOTH)
    assert smooth.proved == "no proof without it"
    assert smooth.directly == ("A2.1:c",)


def test_an_enlarged_number_comes_down():
    (number, _) = table(3)
    assert (number.printed, number.proved, number.excluded) == ("6", "2", "below 2")
    assert number.says == "best possible: 2"


def test_a_halved_number_is_refuted():
    (number, _) = table(Fraction(1, 2))
    assert (number.printed, number.proved) == ("1", "")
    assert (number.says, number.excluded) == ("refuted as printed", "below 2")


def test_what_is_below_the_bound_of_a_witness_breaks_on_that_instance():
    """The oracle is the verdict on the part itself, judged as in a run."""
    whole = changed(1)
    numbers = printed(whole.parts[0])
    (bound,) = survey(whole, numbers).bounds.values()
    subject = next(s for s in _subjects(whole, whole.parts, numbers, 0) if s.name == bound.instance)
    for value, verdict in (
        (bound.value, Verdict.NOT_VIOLATED),
        (bound.value * Fraction(999, 1000), Verdict.VIOLATED),
    ):
        tried = replace(whole, parts=(numbers[0].at(value),))
        found = judge_reading(tried, tried.readings[0], subject, measure(subject), Replays(subject))
        assert found.verdict is verdict


def test_a_condition_that_keeps_violations_out_is_bounded_by_them():
    """With half the number the part fails for every L: the smallest one that we try is told."""
    condition = Condition(L, "<=", sp.Rational(1, 1000))
    whole = changed(Fraction(1, 2), (condition,))
    numbers = printed(whole.parts[0])
    (number,) = [x for x in numbers if x.condition is not None]
    found = survey(whole, numbers)
    bound = found.bounds[number]
    assert bound.value > Fraction(1, 1000)
    assert rows._says(number, None, bound) == "no proof"
    (dropped,) = [d for d in found.dropped if d.premise == str(condition)]
    assert dropped.broken_by
    assert dropped.admitted > 0


def test_a_number_both_proved_and_broken_is_a_conflict(monkeypatch):
    low = Sharpest(Fraction(1), Fraction(1, 2), 9)
    monkeypatch.setattr(rows, "allowed", lambda *arguments: low)
    with pytest.raises(ConflictError, match=r"A2.1, right side: 1 in place of 2 is both proved"):
        sensitivity(changed(1))


def test_what_rests_on_a_given_claim_is_no_conflict(monkeypatch):
    low = Sharpest(Fraction(1), None, 9)
    monkeypatch.setattr(rows, "allowed", lambda *arguments: low)
    monkeypatch.setattr(rows, "givens", lambda proof: ("asm round",))
    (number, _) = sensitivity(changed(Fraction(1, 2)))
    assert number.says == "refuted as printed"
    assert "which takes asm round as given" in number.proved_by


@pytest.mark.parametrize(
    ("towards", "value", "condition", "refuted"),
    [(-1, 1, False, True), (-1, 2, False, False), (1, 2, False, False), (1, 3, False, True)],
)
def test_which_values_a_witness_refutes(towards, value, condition, refuted):
    (number,) = printed(changed(1).parts[0])
    number = replace(number, towards=towards)
    bound = Excluded(Fraction(2), "one", (), "")
    assert rows._refuted(number, bound, Fraction(value)) is refuted
    assert not rows._refuted(number, None, Fraction(value))


def test_the_edge_of_a_condition_admits_the_instance():
    whole = changed(1, (Condition(eta, "<=", 2 / L),))
    (number,) = [x for x in printed(whole.parts[0]) if x.condition is not None]
    bound = Excluded(Fraction(3), "one", (), "")
    assert number.towards == 1
    assert rows._refuted(number, bound, Fraction(3))
    assert not rows._refuted(number, bound, Fraction(2))
    assert rows._excluded(number, bound) == "at or above 3"


def test_a_claim_without_inequality_is_an_error():
    with pytest.raises(FedboundsError, match=r"fedplt/expansion has no inequality \(identity\)"):
        sensitivity(claim("fedplt/expansion"))


def test_nothing_is_said_of_a_side_that_is_not_affine():
    (number,) = printed(replace(changed(1).parts[0], right=(2 * L + eta) ** 2))
    assert number.value == 2
    assert number.times is None
    row = rows._constant(changed(1), number, None, Survey())
    assert (row.excluded, row.excluded_by) == ("", "not asked: the side is not affine in it")
    assert (row.proved, row.says) == ("", "no proof")
    bound = Excluded(number.value, "one", (), "")
    assert rows._says(number, None, bound) == "no proof; nothing sharper holds"


def test_half_of_a_premise_that_is_not_needed_says_nothing_of_the_whole():
    step = SimpleNamespace(written=SimpleNamespace(id="line"))
    proof = SimpleNamespace(own=((step,),))
    halves = [("gamma", "==", "a"), ("gamma", "==", "b")]
    found = {("line", " ".join(h)): Need("line", " ".join(h), False, "") for h in halves}
    assert premises._needed(proof, found, halves)[0] == "not decided"
    assert premises._needed(proof, found, halves[:1])[0] == "proved without it"
    found["line", "gamma == b"] = Need("line", "gamma == b", True, "line", "why")
    assert premises._needed(proof, found, halves) == ("no proof without it", "breaks at line: why")
    assert premises._needed(None, found, halves)[0] == ""


def test_a_root_that_is_not_rational_is_enclosed():
    """sqrt(2) <= theta: the lower end of a ball is excluded, and not what lies above it."""
    part = Part(sp.sqrt(L), 2 * eta, index=Index.RUN)
    (number,) = printed(part)
    one = Examined(choice(), Numbers({"L": arb(2), "eta": arb(1), "T": 1}, {}, arb))
    (bound,) = _of_right_side(number, number.times, one)
    assert bound.how == "balls"
    assert bound.value**2 < 2 < (bound.value + Fraction(1, 10**12)) ** 2


def test_an_instance_that_lacks_a_round_counts_neither_way():
    """Without the assumption that keeps it out, a part may speak of rounds that it has not."""
    series = {"G_u": np.array([fmpq(1)]), "E": np.array([fmpq(2), fmpq(2)])}
    one = Examined(choice(), Numbers({"T": fmpq(1)}, series, fmpq))
    assert breaks(Part(G_u(t + 1), E(t)), one) is None
    assert breaks(Part(G_u(t), E(t)), one) is False
    assert breaks(Part(2 * E(t), G_u(t)), one) is True
    assert breaks(Part(E(t), G_u(t) / (T - 1)), one) is None  # not defined at T = 1


# ---- exports


def test_csv_and_json_hold_every_row():
    found = table(1)
    read = list(csv.DictReader(io.StringIO(exports.to_csv(found))))
    data = json.loads(exports.to_json(found))
    assert len(read) == len(data) == len(found)
    for row, line, one in zip(found, read, data, strict=True):
        assert line["proved"] == one["proved"] == row.proved
        assert line["directly"] == "; ".join(row.directly)
        assert one["directly"] == list(row.directly)


def test_latex_escapes_text_and_keeps_formulas():
    hostile = "a_b & 50% \\ {x} # $1 ^ ~ <="
    row = Row("c", hostile, "constant", "2", "K^2 <= 1", r"K^{2} \mu", "", "2", "", "", "")
    text = exports.to_latex([row])
    assert r"$K^{2} \mu$" in text
    outside = text.replace(r"$K^{2} \mu$", "")
    outside = outside.replace("{lllllll}", "").replace("{lllll}", "")
    plain = re.sub(r"\\(?:[&%$#_{}\\]|[a-z]+\{[^}]*\}|[a-z]+)", "", outside)
    assert not set(plain) & set("%$#_^~{}<>")
    lines = [line for line in text.splitlines() if line.endswith(r"\\") and "hline" not in line]
    assert len({len(re.findall(r"(?<!\\)&", line)) for line in lines}) == 1


def test_the_terminal_tells_how_each_number_is_known(capsys):
    print_rows(table(3))
    out = capsys.readouterr().out
    assert "best possible: 2" in out
    assert "proof: exact: certificate of A2.1:c" in out
    assert "witness: exact rationals: " in out
    assert "no proof without it" in out
    print_rows(())
    assert "no inequality of this claim has" in capsys.readouterr().out


@pytest.mark.parametrize("up", [False, True])
def test_a_bound_of_many_digits_is_shortened_so_that_it_excludes_no_more(up):
    exact = Fraction(10**5000 + 1, 3 * 10**5000)
    short = rows._short(exact, up=up)
    assert len(str(short)) < 40
    assert abs(short - exact) < Fraction(1, 10**14)
    assert (short >= exact) if up else (short <= exact)
    assert rows._short(Fraction(4, 7), up=up) == Fraction(4, 7)
