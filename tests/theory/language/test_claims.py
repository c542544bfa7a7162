"""Every claim of the sheet is encoded as data of its kind, with known symbols and plain readings."""

import importlib
from dataclasses import fields
from fractions import Fraction
from functools import cache
from importlib.util import find_spec
from math import isclose
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_numbers import LADDER_NAMES, PER_CLIENT, PER_STEP, random_numbers, same, value
from each import each
from flint import arb, ctx

from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.theory.language.catalogue import PAPERS, Entry, entry, paper
from fedbounds.theory.language.claims import AS_PRINTED, Claim, Condition, Part, Reading, read
from fedbounds.theory.language.equivalences import Equivalence
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.registry import claim, encoded, encoded_claims, glossary
from fedbounds.theory.language.setting import (
    Announced,
    AssumptionClaim,
    Existence,
    Experiment,
    Universal,
    experiment_of,
)
from fedbounds.theory.language.symbols import (
    G_u,
    G_v,
    Mean_t,
    RunOperator,
    VectorSymbol,
    k,
    m,
    n,
    t,
)
from fedbounds.theory.personalization import lemmas
from fedbounds.verify.decide.conditions import failure, sides
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.measure.evaluate import Numbers
from fedbounds.vocabulary import Index, Kind, Relation


@cache
def instance_names() -> set[str]:
    """Of everything that a plan judges."""
    planned = (case.algorithm_name for key in PAPERS for case in quick_cases(key))
    return {*LADDER_NAMES, *planned}


def claims() -> list[Claim]:
    return [found for key in PAPERS for found in encoded_claims(key)]


def readings() -> list[tuple[Claim, Reading]]:
    return [(found, reading) for found in claims() for reading in found.readings]


def entries() -> list[Entry]:
    return [e for key in PAPERS for e in paper(key).entries]


every_claim = each("found", claims, lambda found: found.id)
every_reading = each("found, reading", readings, lambda row: f"{row[0].id}, {row[1].name}")
every_entry = each("listed", entries, lambda listed: listed.id)


# ---- the catalogue and the code


def test_the_catalogue_names_the_module_of_exactly_the_encoded_claims():
    listed = {(e.paper, e.module, e.id) for key in PAPERS for e in paper(key).entries if e.module}
    modules = {(key, module) for key, module, _ in listed}
    written = {
        (key, module, found.entry.id)
        for key, module in modules
        for found in importlib.import_module(f"fedbounds.theory.{key}.{module}").CLAIMS
    }
    assert listed == written


def test_no_claim_is_encoded_twice():
    for key in PAPERS:
        modules = {e.module for e in paper(key).entries if e.module}
        ids = [
            found.entry.id
            for module in modules
            for found in importlib.import_module(f"fedbounds.theory.{key}.{module}").CLAIMS
        ]
        assert len(ids) == len(set(ids))


@every_claim
def test_a_claim_is_reached_by_its_id_and_carries_its_entry(found):
    assert claim(found.id) is found
    assert found.entry is entry(found.id)


CLASS_OF_KIND = {
    Kind.ASSUMPTION: AssumptionClaim,
    Kind.EQUIVALENCE: Equivalence,
    Kind.COMPARISON: ComparisonClaim,
    Kind.EXPERIMENT: Experiment,
    **dict.fromkeys((Kind.IDENTITY, Kind.INEQUALITY, Kind.SCALING, Kind.ORDERING), Claim),
}
# claims in words, judged without a formula of their own
IN_WORDS = {
    Kind.ASSUMPTION: Existence,
    Kind.FEASIBLE: Existence | Universal,
    Kind.SCALING: Universal,
    Kind.INEQUALITY: Announced,
    Kind.COMPARISON: Claim,  # of explicit bounds, at choices of parameters
    Kind.EXPERIMENT: Claim,  # whose words are put on known problems
}


@every_entry
def test_all_but_definitions_are_encoded_in_the_class_of_their_kind(listed):
    if listed.kind is Kind.DEFINITION or not_yet(listed):
        assert not listed.module
        with pytest.raises(FedboundsError, match=listed.id):
            encoded(listed)
        return
    found = encoded(listed)
    assert found.entry is listed
    own = CLASS_OF_KIND.get(listed.kind)
    assert type(found) is own or isinstance(found, IN_WORDS[listed.kind])
    if listed.kind is Kind.EXPERIMENT:
        assert experiment_of(found).unstated
    assert found.readings
    assert len({reading.name for reading in found.readings}) == len(found.readings)


def not_yet(listed):
    """What has no formula yet."""
    return listed.paper == "fedplt" and not listed.module


@every_entry
def test_only_claims_with_parts_are_given_out_as_such(listed):
    if listed.module and isinstance(encoded(listed), Claim):
        assert claim(listed.id).parts
    else:
        with pytest.raises(FedboundsError, match=listed.id):
            claim(listed.id)


@every_claim
def test_relations_fit_the_kind(found):
    relations = {part.relation for part in found.parts}
    if found.entry.kind is Kind.IDENTITY:
        assert Relation.EQUAL in relations
    elif found.entry.kind is Kind.INEQUALITY:
        assert Relation.AT_MOST in relations
    if any(part.index is Index.RUNG for part in found.parts):
        assert found.entry.kind in (Kind.SCALING, Kind.ORDERING, Kind.EXPERIMENT)
        # or those of runs name what is run
        assert all(part.index is Index.RUNG or part.algorithm for part in found.parts)


@every_claim
def test_an_algorithm_is_one_that_instances_have(found):
    """A name that nothing runs would leave a claim without evidence for ever."""
    assert found.algorithms
    assert set(found.algorithms) <= instance_names()
    for part in found.parts:
        assert part.algorithm in ("", *found.algorithms)
        assert (part.index is Index.RUNG) == ("ladder" in (part.algorithm or found.algorithms[0]))
        own = (part.algorithm,) if part.algorithm else found.algorithms
        assert (part.index is Index.POINT) == (own == ("bound",))


# ---- shape of a claim


def expressions(part: Part) -> list[sp.Expr]:
    """Every expression of a part."""
    inside = [side for c in part.conditions for side in (c.left, c.right)]
    return [part.left, part.right, *inside, *([] if part.trivial is None else [part.trivial])]


@every_reading
def test_every_symbol_has_a_meaning(found, reading):
    names = glossary(found.entry.paper)
    weights = [multiplier.weight for multiplier in found.proof_weights]
    schedules = [side for schedule in found.schedules for side in schedule.values()]
    whole = [e for part in read(found, reading) for e in expressions(part)] + weights + schedules
    for expression in map(sp.sympify, whole):
        for symbol in expression.free_symbols - {t, k}:
            assert symbol.name in names.meanings or isinstance(symbol, VectorSymbol)
        for atom in expression.atoms(sp.core.function.AppliedUndef):
            assert atom.func.__name__ in names.quantities


def words_of(paper):
    """What a paper's folder says that it assumes."""
    path = f"fedbounds.theory.{paper}.assumed"
    own = vars(importlib.import_module(path)) if find_spec(path) else {}
    return {word for name, word in own.items() if name.isupper()}


@every_reading
def test_a_part_is_typed(found, reading):
    for part in read(found, reading):
        assert all(isinstance(condition, Condition) for condition in part.conditions)
        assert all(c.relation in ("<=", ">=", "==") for c in part.conditions)
        assert set(part.assumptions) <= {*Fact, *words_of(found.entry.paper)}
        assert len(set(part.assumptions)) == len(part.assumptions)
        assert isinstance(part.index, Index)
        assert isinstance(part.relation, Relation)
        assert not any(c.left.has(t) or c.right.has(t) for c in part.conditions)


@every_reading
def test_rounds_are_bound_where_a_part_speaks_of_a_whole_run(found, reading):
    for part in measured(read(found, reading)):
        free = any(bare(side, t) for side in (part.left, part.right))
        if part.index in (Index.RUN, Index.POINT, Index.START):
            assert not free
        elif part.index is not Index.RUNG:  # of a pair of rungs, P(0) and P(1) are compared
            # of a client, whole runs may be compared
            whole = any(side.has(RunOperator) for side in (part.left, part.right))
            assert free or (part.index is Index.CLIENT and whole)
        if part.index is not Index.STEP:
            assert not any(bare(side, k) for side in (part.left, part.right))
        if part.index in (Index.POINT, Index.START):
            assert not part.quantities
        if part.trivial is not None:
            assert part.index is not Index.RUN or not bare(part.trivial, t)
            # a reading that changes the left side has no trivial bound of its own
            assert part.left == found.part(part.name).left


def measured(parts):
    """Those whose sides are quantities that runs measure, no products of vectors."""
    return [part for part in parts if not part.vectors]


def bare(expression: sp.Expr, symbol: sp.Symbol) -> bool:
    """Whether the round t, or the step k, occurs outside every run operator."""
    if isinstance(expression, RunOperator):
        return False
    return expression == symbol or any(bare(argument, symbol) for argument in expression.args)


@every_claim
def test_what_is_indexed_by_clients_and_steps_is_stated_so(found):
    for part in measured(found.parts):
        steps, clients = bool(part.quantities & PER_STEP), bool(part.quantities & PER_CLIENT)
        assert steps == (part.index is Index.STEP)
        assert clients or part.index is not Index.CLIENT
        assert not clients or part.index in (Index.CLIENT, Index.STEP)


@every_claim
def test_part_names_are_unique_and_found(found):
    names = [part.name for part in found.parts]
    assert len(set(names)) == len(names)
    assert all(names) or names == [""]
    assert [found.part(name) for name in names] == list(found.parts)
    with pytest.raises(FedboundsError, match="no such part"):
        found.part("no such part")


@every_claim
def test_an_assumption_is_named_for_every_constant_that_needs_one(found):
    needs = {
        "L": Fact.SMOOTH,
        "sigma_u^2": Fact.NOISE,
        "sigma_v^2": Fact.NOISE,
        "b^2": Fact.DISSIMILARITY,
        "F_0": Fact.BOUNDED_BELOW,
    }
    for part in found.parts:
        for name in part.constants & needs.keys():
            assert needs[name] in part.assumptions, (part.name, name)


@every_claim
def test_multipliers_name_lemmas_of_the_same_paper(found):
    for multiplier in found.proof_weights:
        lemma = claim(multiplier.claim)
        assert lemma.entry.paper == found.entry.paper
        assert lemma.part(multiplier.part).relation is Relation.AT_MOST


# ---- readings


@every_claim
def test_the_first_reading_is_the_printed_one(found):
    first = found.readings[0]
    assert first.relation is None
    assert not first.substitute
    spoken = [part for part in found.parts if not first.parts or part.name in first.parts]
    assert all(
        getattr(a, field.name) == getattr(b, field.name)
        for a, b in zip(read(found, first), spoken, strict=True)
        for field in fields(Part)
    )
    assert first is AS_PRINTED or first.parts
    ambiguities = [reading.ambiguity for reading in found.readings]
    assert all(not name or name.startswith("amb-") for name in ambiguities)


@every_claim
def test_readings_that_choose_parts_leave_none_out(found):
    chosen = [name for reading in found.readings for name in reading.parts]
    if chosen:
        assert all(reading.parts for reading in found.readings)
        assert set(chosen) == {part.name for part in found.parts}


@every_reading
def test_a_reading_turns_exactly_one_switch(found, reading):
    # one quantity at several rungs is one thing replaced
    replaced = {getattr(old, "func", old) if getattr(old, "args", ()) else old
                for old, _ in reading.substitute}  # fmt: skip
    assert len(replaced) <= 1
    switched = reading.relation is not None or bool(replaced)
    # what it is turned from: a reading of the same parts, as they are
    plain = [r for r in found.readings if r.relation is None and not r.substitute]
    alike = [r for r in plain if r.parts == reading.parts]
    assert alike == [reading] if not switched else len(alike) == 1
    for after in read(found, reading):
        before = found.part(after.name)
        kept = ("name", "index", "first_round", "assumptions", "algorithm")
        assert all(getattr(before, name) == getattr(after, name) for name in kept)
        assert [c.relation for c in before.conditions] == [c.relation for c in after.conditions]
        assert after.relation is (reading.relation or before.relation)
        if not replaced:
            assert expressions(before) == expressions(after)
        elif reading.relation is not None:
            # "no influence" as an inequality, together with what it may be at most
            assert reading.relation is Relation.AT_MOST
            assert before.left == after.left
    if reading.relation is not None:
        assert any(found.part(part.name).relation is Relation.EQUAL for part in found.parts)


def changed_series(numbers: Numbers, name: str, factor: Any) -> Numbers:
    return Numbers(
        numbers.constants,
        dict(numbers.series) | {name: numbers.series[name] * factor},
        numbers.rational,
    )


def all_same(a: Any, b: Any) -> bool:
    return all(same(x, y) for x, y in np.broadcast(a, b))


def other_series(numbers: Numbers, name: str, other: str) -> Numbers:
    series = dict(numbers.series) | {name: numbers.series[other]}
    return Numbers(numbers.constants, series, numbers.rational)


def changed_constant(numbers: Numbers, name: str, value: Any) -> Numbers:
    return Numbers(dict(numbers.constants) | {name: value}, numbers.series, numbers.rational)


@pytest.mark.parametrize("seed", range(3))
def test_a_reading_means_the_same_expression_at_other_numbers(seed):
    """Summing G_v, taking F_0 as the decrease, B^0 from f: by changing numbers, not expressions."""
    numbers = random_numbers(seed, full=True)
    n, T = numbers.constants["n"], int(numbers.constants["T"])
    drop = numbers.series["f"][0] - numbers.series["f"][T]
    equivalents = {
        "G_v summed over clients": changed_series(numbers, "G_v", n),
        "F_0 = f(u^0, v^0) - E f(u^T, v^T)": changed_constant(numbers, "F_0", drop),
        "B^0 with f in place of f_i, as its last line prints": changed_constant(
            numbers, "B_0", n * numbers.constants["G_0"]
        ),
        "(m/n) G_v in place of G_v": changed_series(numbers, "G_v", numbers.constants["m"] / n),
        "steady state of G_u only": other_series(numbers, "P", "P_G_u"),
        "steady state of G_u + G_v": other_series(numbers, "P", "P_sum"),
    }
    elsewhere = {  # typed among the displays
        "G_v hatted in the last line",
        "21 in place of 2",
        "with beta^{t-1} on the right, as the text has it for beta",
    }
    tried = set()
    for found, reading in readings():
        if reading.name not in equivalents:
            plain = reading.relation is not None or reading.parts
            assert plain or reading is found.readings[0] or reading.name in elsewhere
            continue
        tried.add(reading.name)
        other = equivalents[reading.name]
        spoken = [x for x in found.parts if not reading.parts or x.name in reading.parts]
        for before, after in zip(spoken, read(found, reading), strict=True):
            whole = before.index in (Index.RUN, Index.POINT)
            rounds = None if whole else range(before.first_round, T)
            pairs = [(before.left, after.left), (before.right, after.right)]
            pairs += [
                (getattr(a, side), getattr(b, side))
                for a, b in zip(before.conditions, after.conditions, strict=True)
                for side in ("left", "right")
            ]
            for old, new in pairs:
                assert all_same(value(new, numbers, rounds), value(old, other, rounds)), found.id
    assert tried == set(equivalents)


# ---- small contracts of the data types


@each("found", lambda: [c for c in claims() if c.entry.paper != "fedplt"], lambda c: c.id)
def test_the_gap_is_right_minus_left(found):
    numbers = random_numbers(13, full=False)
    assert (
        numbers.constants["m"] < numbers.constants["n"]
    )  # n = 6, m = 3: some steps divide by n - m, or speak of 2m
    for part in measured(found.parts):
        rounds = range(part.first_round, int(numbers.constants["T"]))
        sides = (value(e, numbers, rounds) for e in (part.gap, part.left, part.right))
        with ctx.workprec(200):
            for gap, left, right in np.broadcast(*sides):
                # the two sides may be equal, so that only their sizes tell what is small
                off = arb(0) + (right - left) - gap
                assert off.contains(0)
                size = abs(arb(0) + left) + abs(arb(0) + right)
                assert off.rad() <= size * arb("1e-40")


def test_a_part_knows_what_it_needs():
    part = lemmas.LEMMA_36.part("b")
    assert part.quantities == {"B", "G_u", "G_v"}
    assert part.constants == {
        "n", "m", "K", "T", "L", "sigma_u^2", "sigma_v^2", "eta_u", "eta_v", "gamma_u", "gamma_v",
        "gamma",
    }  # fmt: skip


def test_a_quantity_is_rescaled_inside_a_run_operator():
    summed = next(r for c, r in readings() if r.name == "G_v summed over clients")
    (old, factor) = summed.substitute[0]
    assert old is G_v
    assert factor == n
    (part,) = read(claim("personalization/thm-3.7"), summed)
    assert part.left == Mean_t(G_u(t) + m * G_v(t))  # (m/n) sum over clients of the n-fold mean


def test_a_condition_prints_both_sides():
    text = str(lemmas.EFFECTIVE_STEP)
    assert "eta_u" in text
    assert "==" in text
    assert "eta_v" in text


def test_conditions_at_equality_hold_exactly_in_rationals():
    numbers = random_numbers(1, full=True)
    constants = dict(numbers.constants)
    constants["gamma"] = 1 / (8 * constants["L"] * constants["K"])
    edge = lemmas.LEMMA_36.part("b").conditions[-1]
    assert failure(edge, Numbers(constants, {}, numbers.rational)) is None
    left, right = sides(edge, Numbers(constants, {}, numbers.rational))
    assert left == right
    assert isclose(float(Fraction(str(left))), float(right))
