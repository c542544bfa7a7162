"""Claims without a plan of runs: firm findings, computed, that planted errors change."""

from dataclasses import replace
from functools import cache

import pytest
import sympy as sp

from fedbounds.facts import Fact
from fedbounds.problems import Evidence
from fedbounds.theory.language.catalogue import PAPERS, entry, paper
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.equivalences import ANALYSIS
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.language.setting import (
    Announced,
    AssumptionClaim,
    Existence,
    Experiment,
    Universal,
)
from fedbounds.theory.language.symbols import T, b2
from fedbounds.theory.personalization.comparisons import EQUATION_47, TABLE_3
from fedbounds.theory.personalization.equivalences import FEDSIM, PARALLEL_SGD
from fedbounds.theory.personalization.setting import ASSUMPTION_BG, EXPERIMENT
from fedbounds.verify.judge import settled, summary
from fedbounds.verify.judge.settled import as_record, settle
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.results.records import dumps
from fedbounds.vocabulary import Method, Standing, StatementStatus, Verdict

IN_WORDS = Existence | Universal | Announced  # these have tests of their own, in test_settings
SETTLED = [
    found
    for key in PAPERS
    for listed in paper(key).entries
    if listed.module and not isinstance(found := encoded(listed), Claim | IN_WORDS)
]
every_claim = pytest.mark.parametrize("claim", SETTLED, ids=[c.entry.id for c in SETTLED])


@cache
def findings(claim_id):
    return list(settle(encoded(entry(claim_id))))


def summed(claim, findings):
    rows = [as_record(claim.entry.id, found, f"k-{i}") for i, found in enumerate(findings)]
    return summarise(claim.entry, rows, {})


@every_claim
def test_every_reading_has_findings_and_none_is_of_another(claim):
    found = findings(claim.entry.id)
    assert {finding.reading for finding in found} == {reading.name for reading in claim.readings}
    if isinstance(claim, Experiment):
        assert {finding.verdict for finding in found} == {Verdict.UNDECIDED}
    else:
        assert {finding.verdict for finding in found} & {Verdict.NOT_VIOLATED, Verdict.VIOLATED}
        assert Verdict.UNDECIDED not in {finding.verdict for finding in found}
    assert all(finding.premise for finding in found)
    names = [(f.reading, f.part, f.instance) for f in found]
    assert len(set(names)) == len(names)


@every_claim
def test_a_record_has_the_shape_of_a_runs_and_is_plain(claim):
    for finding in findings(claim.entry.id):
        row = as_record(claim.entry.id, finding, "key")
        assert dumps(row)
        assert row["verdict"] == row["parts"][0]["verdict"] == finding.verdict
        assert row["evidence"]["method"] in list(Method)
        assert {"left", "right", "gap", "slack", "witness", "constants"} <= row.keys()


@every_claim
def test_the_standing_is_computed_from_the_findings(claim):
    found = findings(claim.entry.id)
    first = [f for f in found if f.reading == claim.readings[0].name]
    standing = summed(claim, found)["standing"]
    if isinstance(claim, Experiment):
        assert standing == Standing.NOT_REPRODUCIBLE
    elif any(f.verdict is Verdict.VIOLATED for f in first):
        assert standing == Standing.REFUTED
    elif isinstance(claim, AssumptionClaim):
        assert standing == Standing.SATISFIABLE
    elif isinstance(claim, ComparisonClaim):  # its certificates are proofs, ours
        assert standing == Standing.PROVED_OTHERWISE
    else:
        assert standing == Standing.TESTED
    assert summed(claim, [])["standing"] in (Standing.OPEN, Standing.NOT_REPRODUCIBLE)


# ---- planted errors


def test_a_wrong_pair_is_refuted():
    assert {f.verdict for f in settle(PARALLEL_SGD)} == {Verdict.NOT_VIOLATED}
    pair = PARALLEL_SGD.pairs[0]
    own = replace(pair.special, parameters={"gamma": sp.Rational(1, 9)})
    wrong = replace(pair, special=own)
    found = list(settle(replace(PARALLEL_SGD, pairs=(wrong, *PARALLEL_SGD.pairs[1:]))))
    assert {f.verdict for f in found if f.part == pair.name} == {Verdict.VIOLATED}
    assert {f.verdict for f in found if f.part != pair.name} == {Verdict.NOT_VIOLATED}
    assert summed(PARALLEL_SGD, found)["statement"] == StatementStatus.REFUTED


def test_the_analysis_is_judged_by_its_inequality():
    """sqrt(m) <= 1 and sqrt(n/m) <= 1 hold for one client alone."""
    found = [f for f in settle(FEDSIM) if f.reading == ANALYSIS]
    held = {f.instance for f in found if f.verdict is Verdict.NOT_VIOLATED}
    assert held == {"n=1 m=1"}
    assert {f.verdict for f in found if f.instance not in held} == {Verdict.VIOLATED}
    looser = replace(FEDSIM, analysis=replace(FEDSIM.analysis, right=sp.Integer(2)))
    found = [f for f in settle(looser) if f.reading == ANALYSIS]
    assert {f.verdict for f in found} == {Verdict.NOT_VIOLATED}


def words(claim):
    return words_of(settle(claim))


def words_of(found):
    return {(f.reading, f.part): (f.verdict, f.reason.split(":")[0]) for f in found}


def test_a_wrong_table_row_changes_the_word():
    before = words_of(findings(TABLE_3.entry.id))
    drift = (b2 / T**2) ** sp.Rational(1, 3)
    at = next(i for i, p in enumerate(TABLE_3.pairs) if drift in p.theirs.args)
    pair = TABLE_3.pairs[at]
    lost = replace(pair, theirs=pair.theirs - drift)
    after = words(replace(TABLE_3, pairs=(*TABLE_3.pairs[:at], lost, *TABLE_3.pairs[at + 1 :])))
    assert before.keys() == after.keys()
    assert {key for key in before if before[key] != after[key]} >= {
        (reading.name, pair.name) for reading in TABLE_3.readings[:1]
    }
    assert all(before[key] == after[key] for key in before if key[1] != pair.name)


def test_the_two_sides_of_a_comparison_exchanged_change_the_word():
    pair = EQUATION_47.pairs[0]
    turned = replace(EQUATION_47, pairs=(replace(pair, ours=pair.theirs, theirs=pair.ours),))
    assert words(turned) != words(EQUATION_47)


# ---- experiments and assumptions


def test_an_experiment_lists_what_is_not_stated():
    found = list(settle(EXPERIMENT))
    assert [f.part for f in found] == list(EXPERIMENT.unstated)
    assert all(f.part in f.reason for f in found)


def test_an_experiment_with_nothing_unstated_is_open(monkeypatch):
    """Nothing but what is missing makes it 'not reproducible as stated'."""
    whole = replace(EXPERIMENT, unstated=())
    assert list(settle(whole)) == []
    monkeypatch.setattr(summary, "encoded", lambda listed: whole)
    assert summed(whole, [])["standing"] == Standing.OPEN


@pytest.mark.parametrize("holds", [True, False, None])
def test_an_assumption_is_satisfiable_only_if_some_specimen_satisfies_it(monkeypatch, holds):
    class Specimen:
        clients = 2

        def satisfies(self, assumption):
            assert assumption == Fact.BOUNDED_GRADIENTS
            return Evidence(holds, "as planted")

    monkeypatch.setattr(settled, "specimens", lambda: [("planted", Specimen())])
    found = list(settle(ASSUMPTION_BG))
    own = [f.verdict is Verdict.NOT_VIOLATED for f in found if f.instance == "planted"]
    assert own == ([] if holds is None else [holds])  # the paper's own runs speak of it
    expected = Standing.SATISFIABLE if holds else Standing.OPEN
    assert summed(ASSUMPTION_BG, found)["standing"] == expected


def test_bounded_gradients_are_satisfied_by_some_families_and_not_by_others():
    """Quadratics in u have no bound; logistic losses have one."""
    verdicts = {f.family: f.verdict for f in settle(ASSUMPTION_BG)}
    assert verdicts["FederatedLogistic"] is Verdict.NOT_VIOLATED
    assert verdicts["FederatedQuadratic"] is Verdict.NOT_APPLICABLE


def test_every_id_is_a_definition_or_can_be_judged():
    for key in ("personalization",):  # fedplt is judged by proof so far
        for listed in paper(key).entries:
            assert listed.module or listed.kind == "definition", listed.id
    assert entry("personalization/prob-1.1").kind == "definition"
