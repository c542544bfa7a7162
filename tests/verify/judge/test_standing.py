"""A standing follows from two axes alone; a reading's status from its records alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.theory.language.claims import AS_PRINTED, Reading
from fedbounds.verify.decide.conditions import UNMEASURED
from fedbounds.verify.judge.standing import coverage, standing, status_of
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

REFUTED, SURVIVED, UNTESTED = (
    StatementStatus.REFUTED, StatementStatus.SURVIVED, StatementStatus.UNTESTED,
)  # fmt: skip

# the design's definitions, cell by cell
TABLE = {
    (SURVIVED, ProofStatus.PROVED): Standing.CONFIRMED,
    (UNTESTED, ProofStatus.PROVED): Standing.CONFIRMED,
    (REFUTED, ProofStatus.PROVED): Standing.CONFLICT,
    (SURVIVED, ProofStatus.PROVED_BY_SOLVER): Standing.CONFIRMED_BY_SOLVER,
    (UNTESTED, ProofStatus.PROVED_BY_SOLVER): Standing.CONFIRMED_BY_SOLVER,
    (REFUTED, ProofStatus.PROVED_BY_SOLVER): Standing.CONFLICT,
    (SURVIVED, ProofStatus.PROVED_OTHERWISE): Standing.PROVED_OTHERWISE,
    (UNTESTED, ProofStatus.PROVED_OTHERWISE): Standing.PROVED_OTHERWISE,
    (REFUTED, ProofStatus.PROVED_OTHERWISE): Standing.CONFLICT,
    (SURVIVED, ProofStatus.CONDITIONAL): Standing.CONDITIONAL,
    (UNTESTED, ProofStatus.CONDITIONAL): Standing.CONDITIONAL,
    (REFUTED, ProofStatus.CONDITIONAL): Standing.REFUTED,
    (SURVIVED, ProofStatus.GAP): Standing.GAP,
    (UNTESTED, ProofStatus.GAP): Standing.GAP,
    (REFUTED, ProofStatus.GAP): Standing.REFUTED,
    (SURVIVED, ProofStatus.CONTRADICTORY): Standing.CONFLICT,
    (REFUTED, ProofStatus.CONTRADICTORY): Standing.CONFLICT,
    (UNTESTED, ProofStatus.CONTRADICTORY): Standing.UNSATISFIABLE,
    (SURVIVED, ProofStatus.OPEN): Standing.TESTED,
    (UNTESTED, ProofStatus.OPEN): Standing.OPEN,
    (REFUTED, ProofStatus.OPEN): Standing.REFUTED,
}
# an assumption or an experiment has no proof: these words are none of the table's
OF_OTHER_KINDS = {
    Standing.SATISFIABLE, Standing.REPRODUCED, Standing.NOT_REPRODUCED, Standing.NOT_REPRODUCIBLE,
}  # fmt: skip
PROVED = (ProofStatus.PROVED, ProofStatus.PROVED_BY_SOLVER, ProofStatus.PROVED_OTHERWISE)


@pytest.mark.parametrize(("axes", "word"), TABLE.items(), ids=[" + ".join(k) for k in TABLE])
def test_each_pair_of_axes_has_its_word(axes, word):
    assert standing(*axes) is word


def test_the_table_is_whole():
    assert set(TABLE) == {(s, p) for s in StatementStatus for p in ProofStatus}
    assert set(TABLE.values()) == set(Standing) - OF_OTHER_KINDS


@pytest.mark.parametrize("proof", PROVED)
def test_proved_and_violated_is_a_conflict_and_nothing_else_with_consistent_premises_is(proof):
    assert standing(REFUTED, proof) is Standing.CONFLICT
    assert standing(SURVIVED, proof) is not Standing.CONFLICT
    for other in set(ProofStatus) - set(PROVED) - {ProofStatus.CONTRADICTORY}:
        assert standing(REFUTED, other) is not Standing.CONFLICT


@pytest.mark.parametrize("proof", [p for p in ProofStatus if p is not ProofStatus.CONTRADICTORY])
def test_a_violation_is_never_passed_over(proof):
    assert standing(REFUTED, proof) in (Standing.REFUTED, Standing.CONFLICT)


@pytest.mark.parametrize("statement", StatementStatus)
def test_only_a_proof_confirms(statement):
    for proof in set(ProofStatus) - set(PROVED):
        confirmed = (Standing.CONFIRMED, Standing.CONFIRMED_BY_SOLVER, Standing.PROVED_OTHERWISE)
        assert standing(statement, proof) not in confirmed


# ---- records


def part(verdict, name="", **numbers):
    return {
        "part": name, "verdict": verdict.value, "relation": "<=", "tightness": None,
        "relative_gap": None, "beats_trivial": None, "candidate": False, "round": None,
        "rounds": 1, "equal": 0, "idle": 0, "reason": "",
    } | numbers  # fmt: skip


def record(*parts, verdict=None, method="exact moments", constants=(), **parameters):
    constants = {name: {"value": value} for name, value in dict(constants).items()}
    return {
        "key": "key",
        "problem": {"instance": "an instance"},
        "verdict": (verdict or Verdict(parts[0]["verdict"])).value,
        "reason": parts[0]["reason"],
        "parts": list(parts),
        "parameters": {"n": 3, "m": 2, "T": 4} | parameters,
        "constants": constants,
        "evidence": {"method": method},
    }


def status(*records, reading=AS_PRINTED):
    return status_of(reading, records)


verdicts = st.lists(st.sampled_from(Verdict), max_size=6)


@given(verdicts)
def test_one_violation_refutes_and_a_firm_verdict_is_needed_to_survive(seen):
    found = status(*(record(part(verdict)) for verdict in seen))
    if Verdict.VIOLATED in seen:
        assert found["statement"] == REFUTED
    elif Verdict.NOT_VIOLATED in seen:
        assert found["statement"] == SURVIVED
    else:
        assert found["statement"] == UNTESTED
    assert found["counts"] == {v.value: seen.count(v) for v in set(seen)}
    assert sum(found["counts"].values()) == len(seen)


@given(st.lists(st.lists(st.sampled_from(Verdict), min_size=2, max_size=2), max_size=5))
def test_every_part_needs_a_firm_verdict_of_its_own(rows):
    found = status(*(record(part(a, "a"), part(b, "b")) for a, b in rows))
    firm = {name for a, b in rows for name, v in (("a", a), ("b", b)) if v is Verdict.NOT_VIOLATED}
    assert found["untested"] == (sorted({"a", "b"} - firm) if rows else [])
    violated = any(Verdict.VIOLATED in row for row in rows)
    expected = REFUTED if violated else SURVIVED if firm == {"a", "b"} else UNTESTED
    assert found["statement"] == expected


def test_no_records_mean_untested_without_numbers():
    found = status()
    assert found["statement"] == UNTESTED
    assert found["counts"] == {}
    for name in ("tightness", "power", "least_relative_gap", "uninformative"):
        assert found[name] is None
    assert found["coverage"]["instances"] == 0


def test_the_reading_is_named():
    found = status(reading=Reading("the other way", "amb-7"))
    assert (found["name"], found["ambiguity"]) == ("the other way", "amb-7")


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=5))
def test_power_is_the_inverse_of_the_largest_tightness(ratios):
    found = status(*(record(part(Verdict.NOT_VIOLATED, tightness=x)) for x in ratios))
    assert found["tightness"] == max(ratios)
    assert found["power"] * max(ratios) == pytest.approx(1.0)


def test_without_a_ratio_there_is_no_power():
    assert status(record(part(Verdict.NOT_VIOLATED)))["power"] is None
    assert status(record(part(Verdict.NOT_VIOLATED, tightness=0.0)))["power"] is None


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5), st.booleans())
def test_the_least_relative_gap_is_the_worst_for_the_claim(gaps, identity):
    relation = "==" if identity else "<="
    found = status(
        *(record(part(Verdict.UNDECIDED, relative_gap=g, relation=relation)) for g in gaps)
    )
    assert found["least_relative_gap"] == (-max(map(abs, gaps)) if identity else min(gaps))


@pytest.mark.parametrize(
    ("beats", "flag"),
    [
        ([None, None], None),
        ([False, None], True),
        ([False, False], True),
        ([False, True], False),
        ([True, None], False),
    ],
)
def test_uninformative_means_that_the_trivial_bound_was_never_beaten(beats, flag):
    found = status(*(record(part(Verdict.NOT_VIOLATED, beats_trivial=b)) for b in beats))
    assert found["uninformative"] is flag


# ---- coverage


def corners(verdict=Verdict.NOT_VIOLATED, **parameters):
    return coverage([record(part(verdict), **parameters)])["corners"]


@pytest.mark.parametrize(
    ("parameters", "hit"),
    [
        ({"n": 3, "m": 1, "K": 2, "T": 2}, ["m=1"]),
        ({"n": 3, "m": 3, "K": 2, "T": 2}, ["m=n"]),
        ({"n": 1, "m": 1, "K": 2, "T": 2}, ["m=n"]),  # one client is no partial participation
        ({"n": 2, "m": 1, "K": 2, "T": 2}, ["m=1", "n=2"]),
        ({"n": 2, "m": 2, "K": 1, "T": 2}, ["K=1", "m=n", "n=2"]),
        ({"n": 4, "m": 2, "K": 2, "T": 1}, ["T=1"]),
        ({"n": 4, "m": 2, "K": 2, "T": 9}, []),
        ({"n": 4, "m": 2, "T": 1}, []),  # vectors have no rounds
    ],
)
def test_corners_are_hit_by_the_parameters_that_lie_in_them(parameters, hit):
    assert corners(**parameters) == hit


@pytest.mark.parametrize("verdict", Verdict)
def test_refused_instances_cover_nothing(verdict):
    refused = (Verdict.NOT_APPLICABLE, Verdict.OUTSIDE, Verdict.DIVERGED)
    found = coverage([record(part(verdict), n=2, m=1, K=1, T=1)])
    assert found["instances"] == (0 if verdict in refused else 1)
    assert bool(found["corners"]) == (verdict not in refused)
    assert bool(found["ranges"]) == (verdict not in refused)


def test_ranges_span_what_was_examined():
    rows = [
        record(part(Verdict.NOT_VIOLATED), n=3, m=1, K=2, T=5, gamma="1/8",
               constants={"L": "2", "b^2": 0.25}),
        record(part(Verdict.UNDECIDED), n=10, m=5, K=4, T=1, gamma=0.01,
               constants={"L": 3.0, "b^2": None}),
        record(part(Verdict.OUTSIDE), n=99, m=99, K=99, T=99),
    ]  # fmt: skip
    found = coverage(rows)
    assert found["ranges"] == {
        "n": [3.0, 10.0], "m": [1.0, 5.0], "K": [2.0, 4.0], "T": [1.0, 5.0],
        "gamma L K": [pytest.approx(0.12), pytest.approx(0.5)], "b^2": [0.25, 0.25],
    }  # fmt: skip
    assert found["instances"] == 2


def test_methods_are_counted():
    rows = [
        record(part(Verdict.NOT_VIOLATED), method=method)
        for method in ("sampling", "exact moments", "sampling")
    ]
    assert coverage(rows)["methods"] == {"exact moments": 1, "sampling": 2}


def test_what_no_method_measured_is_counted_and_was_not_examined():
    """It must not pass for coverage, nor tell the sides of an equality apart."""
    seen = record(part(Verdict.NOT_VIOLATED, equal=1), T=4)
    left = record(part(Verdict.UNDECIDED, reason=f"{UNMEASURED}too many outcomes", rounds=0), T=20)
    found = status(seen, left)
    assert found["counts"] == {"not violated": 1, "undecided": 1}
    assert found["coverage"]["instances"] == 1
    assert found["coverage"]["ranges"]["T"] == [4, 4]
    assert found["equal_everywhere"]
    other = record(part(Verdict.UNDECIDED, reason="both sides equal to rounding", rounds=0), T=20)
    assert status(seen, other)["coverage"]["instances"] == 2
