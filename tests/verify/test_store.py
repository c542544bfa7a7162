"""Records are canonical, atomic, and named by everything that determines them and nothing else."""

import json
from dataclasses import replace
from functools import cache
from math import inf, nan

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from fedbounds.algorithms.fedavg_p import with_effective_step
from fedbounds.algorithms.participant_mean import ParticipantMean
from fedbounds.border import load
from fedbounds.errors import FedboundsError
from fedbounds.problems import (
    ClientVectors,
    FederatedQuadratic,
    Noise,
    NoiseLaw,
    Start,
    coupled_cosine,
    federated_quadratic,
)
from fedbounds.theory.claims import AS_PRINTED, Condition, Reading
from fedbounds.theory.registry import claim, encoded_claims
from fedbounds.theory.symbols import G_u, Mean_t, gamma, t
from fedbounds.verify import store as store_module
from fedbounds.verify.decide import Outcome
from fedbounds.verify.instance import Instance
from fedbounds.verify.judge import judge
from fedbounds.verify.measurement import fingerprint
from fedbounds.verify.records import dumps, plain, record
from fedbounds.verify.store import Store, claim_text, record_key, source_hash
from fedbounds.vocabulary import Assumption, Index, Method, Relation, Verdict

CLAIMS = encoded_claims("personalization")


def quadratic(**changes):
    problem = federated_quadratic(
        clients=3, shared_dimension=1, personal_dimension=1, dissimilarity=1.0,
        noise=Noise(NoiseLaw.RADEMACHER, 0.5, 0.25), seed=1,
    )  # fmt: skip
    instance = Instance(
        "here", problem, with_effective_step(2, 2, 1 / 256, 2.0, 2.0), 3, Method.MOMENTS,
        Start(np.ones(1), np.ones((3, 1))),
    )  # fmt: skip
    return replace(instance, **changes)


def cosine():
    problem = coupled_cosine(
        clients=2, shared_dimension=1, personal_dimension=1,
        noise=Noise(NoiseLaw.RADEMACHER, 0.1, 0.1),
    )  # fmt: skip
    return Instance(
        "cosine", problem, with_effective_step(1, 1, 1 / 256, 1.0, 2.0), 2, Method.ENUMERATION,
        Start(np.ones(1), np.ones((2, 1))),
    )  # fmt: skip


def vectors():
    rows = np.array([[fmpq(1)], [fmpq(-2, 3)], [fmpq(5)]], dtype=object)
    return Instance("vectors", ClientVectors(rows), ParticipantMean(2), 1, Method.RATIONAL)


# ---- canonical text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False,
                                                                      allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(json_values)
def test_text_is_one_line_with_sorted_keys_and_reads_back_the_same(data):
    text = dumps(data)
    assert text.endswith("\n")
    assert "\n" not in text[:-1]
    assert json.loads(text) == data
    assert dumps(json.loads(text)) == text


def test_the_order_of_keys_does_not_matter():
    assert dumps({"b": 1, "a": {"d": 2, "c": 3}}) == dumps({"a": {"c": 3, "d": 2}, "b": 1})


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_what_is_not_a_number_never_reaches_a_file(value):
    assert plain(value) is None
    assert plain(np.float64(value)) is None
    with pytest.raises(ValueError, match="JSON"):
        dumps({"gap": value})


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_reals_survive_to_the_last_digit(value):
    assert json.loads(dumps(plain(value))) == value
    assert json.loads(dumps(plain(np.float64(value)))) == value


def test_plain_values_keep_their_kind():
    assert plain(fmpq(-3, 7)) == "-3/7"
    assert plain(fmpq(4)) == "4"
    assert plain(True) is True
    assert plain(3) == 3
    assert plain("x") == "x"
    assert plain(None) is None
    assert plain(np.int64(3)) == 3.0


def no_nan(data):
    """Every leaf is text, a finite number, a truth value or null."""
    if isinstance(data, dict):
        return all(isinstance(k, str) and no_nan(v) for k, v in data.items())
    if isinstance(data, list):
        return all(map(no_nan, data))
    return data is None or isinstance(data, str | bool | int) or np.isfinite(data)


@pytest.mark.parametrize("instance", [quadratic(), cosine(), vectors()], ids=lambda i: i.name)
def test_records_are_plain_and_canonical(instance):
    for judgement in judge(CLAIMS, instance).judgements:
        row = record(judgement, "key")
        assert no_nan(row)
        assert json.loads(dumps(row)) == row
        assert {"claim", "reading", "problem", "algorithm", "parameters", "constants", "verdict",
                "evidence", "left", "right", "gap", "tightness", "at", "reason",
                "witness"} <= row.keys()  # fmt: skip
        assert {"method", "level", "replicas", "premise"} <= row["evidence"].keys()
        assert row["verdict"] in list(Verdict)


def test_a_record_of_a_diverged_or_infinite_outcome_is_plain():
    (judgement,) = judge((claim("personalization/lem-3.4"),), quadratic()).judgements
    wild = Outcome("", Verdict.DIVERGED, "diverged", inf, nan, -inf, nan, nan)
    assert no_nan(record(replace(judgement, outcomes=(wild,)), "key"))


def test_every_constant_carries_its_provenance():
    (judgement,) = judge((claim("personalization/lem-3.4"),), quadratic()).judgements
    for row in record(judgement, "key")["constants"].values():
        assert row["provenance"] in ("exact", "certified", "estimate")
        assert row["side"] in ("both", "upper", "lower")


# ---- names of records


def key(found=None, reading=AS_PRINTED, instance=None, seed=0):
    found = found or claim("personalization/thm-3.7")
    return record_key(claim_text(found, reading), fingerprint(instance or quadratic()), seed)


def test_the_same_inputs_have_the_same_name():
    assert key() == key()
    assert key(instance=quadratic()) == key(instance=quadratic())  # built twice
    assert len(key()) == 24


def changed_part(**changes):
    found = claim("personalization/thm-3.7")
    return replace(found, parts=(replace(found.parts[0], **changes),))


PART = claim("personalization/thm-3.7").parts[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"right": PART.right + 1},
        {"left": Mean_t(G_u(t))},
        {"name": "x"},
        {"relation": Relation.EQUAL},
        {"index": Index.ROUND},
        {"first_round": 1},
        {"conditions": PART.conditions[1:]},
        {"conditions": (*PART.conditions, Condition(gamma, "<=", gamma))},
        {"assumptions": (Assumption.SMOOTH,)},
        {"trivial": None},
    ],
    ids=lambda c: next(iter(c)),
)
def test_a_changed_claim_has_another_name(changes):
    assert key(changed_part(**changes)) != key()


def test_readings_of_a_claim_have_different_names():
    found = claim("personalization/thm-3.7")
    names = {key(found, reading) for reading in found.readings}
    assert len(names) == len(found.readings)
    assert key(found, Reading("as printed, again")) not in names


def test_claims_with_equal_formulas_have_different_names():
    other = replace(claim("personalization/thm-3.7"), entry=claim("personalization/cor-3.8").entry)
    assert key(other) != key()


def nudged(array):
    out = array.copy()
    out.reshape(-1)[0] = np.nextafter(out.reshape(-1)[0], 9.0)
    return out


BASE = quadratic()
DIFFERENT = {
    "hessian": replace(BASE, problem=replace(BASE.problem, hessian=np.array(
        [h + np.eye(2) * 2.0**-50 for h in BASE.problem.hessian]))),
    "linear": replace(BASE, problem=replace(BASE.problem, linear=nudged(BASE.problem.linear))),
    "noise scale": replace(BASE, problem=replace(
        BASE.problem, noise=Noise(NoiseLaw.RADEMACHER, 0.5, 0.250001))),
    "noise law": replace(BASE, problem=replace(
        BASE.problem, noise=Noise(NoiseLaw.GAUSSIAN, 0.5, 0.25))),
    "shared dimension": replace(
        BASE, problem=replace(BASE.problem, shared_dimension=2),
        start=Start(np.ones(2), np.ones((3, 0)))),
    "start u": replace(BASE, start=Start(nudged(np.ones(1)), np.ones((3, 1)))),
    "start v": replace(BASE, start=Start(np.ones(1), nudged(np.ones((3, 1))))),
    "participants": replace(BASE, algorithm=replace(BASE.algorithm, participants=1)),
    "local steps": replace(BASE, algorithm=replace(BASE.algorithm, local_steps=3)),
    "inner step": replace(BASE, algorithm=replace(BASE.algorithm, inner_step_u=1 / 511)),
    "outer step": replace(BASE, algorithm=replace(BASE.algorithm, outer_step_v=2.0000000001)),
    "rounds": replace(BASE, rounds=4),
    "method": replace(BASE, method=Method.ENUMERATION),
    "replicas": replace(BASE, replicas=1024),
    "kind of problem": cosine(),
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_changed_instance_has_another_name(what):
    assert key(instance=DIFFERENT[what]) != key()


def test_a_changed_seed_source_or_numpy_has_another_name(monkeypatch):
    before = key()
    assert key(seed=1) != before
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "source_hash", lambda: "another")
        assert key() != before
    with monkeypatch.context() as patch:
        patch.setattr(np, "__version__", "99")
        assert key() != before
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "SCHEMA", 99)
        assert key() != before
    assert key() == before


def test_equal_arrays_in_another_layout_have_the_same_name():
    fortran = replace(BASE.problem, hessian=np.asfortranarray(BASE.problem.hessian))
    assert key(instance=replace(BASE, problem=fortran)) == key()


def test_rational_instances_are_named_by_value():
    rows = vectors().problem.vectors
    again = np.array([[fmpq(2, 2)], [fmpq(-4, 6)], [fmpq(15, 3)]], dtype=object)
    same = replace(vectors(), problem=ClientVectors(again))
    other = replace(vectors(), problem=ClientVectors(rows + fmpq(1, 10**30)))
    assert fingerprint(same) == fingerprint(vectors()) != fingerprint(other)


def test_neighbouring_fields_do_not_run_into_each_other():
    """1 and 23 are not 12 and 3: each field is delimited by its name."""
    a = FederatedQuadratic(np.ones((1, 1, 1)), np.zeros((1, 1)), 1)
    b = FederatedQuadratic(np.ones((1, 1, 1)), np.zeros((1, 1)), 0)
    assert fingerprint(a) != fingerprint(b)


def test_the_source_hash_sees_every_file(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    for name in ("a.py", "sub/b.py", "c.toml", "d.j2"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(store_module.resources, "files", lambda _: tmp_path)
    hashes = [source_hash.__wrapped__()]
    for name in ("a.py", "sub/b.py", "c.toml", "d.j2"):
        (tmp_path / name).write_text("2")
        hashes.append(source_hash.__wrapped__())
    (tmp_path / "sub/b.py").rename(tmp_path / "sub/e.py")
    hashes.append(source_hash.__wrapped__())
    assert len(set(hashes)) == len(hashes)
    (tmp_path / "notes.txt").write_text("not source")
    assert source_hash.__wrapped__() == hashes[-1]


# ---- files


@cache
def some_record():
    return record(judge((claim("personalization/lem-A.2"),), vectors()).judgements[0], "k")


def test_a_record_is_loaded_as_it_was_saved(tmp_path):
    store = Store(tmp_path / "deep" / "folder")
    assert store.load("k") is None
    store.save("k", some_record())
    assert store.load("k") == some_record()
    assert [path.name for path in store.records.iterdir()] == ["k.json"]


def test_saving_again_replaces_the_record(tmp_path):
    store = Store(tmp_path)
    store.save("k", some_record())
    store.save("k", some_record() | {"reason": "other"})
    assert store.load("k")["reason"] == "other"


@pytest.mark.parametrize("name", ["claim", "reading", "verdict", "parts", "constants",
                                  "parameters", "problem", "evidence"])  # fmt: skip
def test_a_record_that_lost_a_field_is_corrupt(tmp_path, name):
    store = Store(tmp_path)
    for wrong in ({k: v for k, v in some_record().items() if k != name}, some_record() | {name: 3}):
        store.save("k", wrong)
        with pytest.raises(FedboundsError, match=rf"k\.json.*\({name} is"):
            store.load("k")


@given(st.sampled_from(sorted(some_record())), st.data())
def test_a_record_with_any_field_edited_is_refused(tmp_path_factory, name, data):
    store = Store(tmp_path_factory.mktemp("edited"))
    store.save("k", some_record())
    path = store.records / "k.json"
    stored = json.loads(path.read_text())
    before = stored[name]
    stored[name] = data.draw(json_values.filter(lambda value: dumps(value) != dumps(before)))
    path.write_text(dumps(stored))
    with pytest.raises(FedboundsError, match=r"k\.json"):
        store.load("k")
    stored[name] = before
    path.write_text(dumps(stored))
    assert store.load("k") == some_record()


def test_a_record_without_its_digest_is_refused(tmp_path):
    store = Store(tmp_path)
    (store.records / "k.json").write_text(dumps(some_record()))
    with pytest.raises(FedboundsError, match="digest is missing"):
        store.load("k")


def test_a_witness_script_is_saved_below_the_folder(tmp_path):
    store = Store(tmp_path)
    where = store.save_witness("paper-claim", "print(1)\n")
    assert (tmp_path / where).read_text() == "print(1)\n"
    assert not where.startswith("/")


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1', "[1, 2]", "3", "null", '"text"', "\x00\x01", '{"a": }']
)
def test_a_corrupt_file_is_an_error_that_names_it(tmp_path, text):
    store = Store(tmp_path)
    path = store.records / "k.json"
    path.write_text(text)
    for reading in (lambda: store.load("k"), lambda: load(path, "delete it")):
        with pytest.raises(FedboundsError) as refused:
            reading()
        assert str(path) in str(refused.value)
        assert "delete it" in str(refused.value)


def test_bytes_that_are_no_text_are_corrupt(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(FedboundsError, match=r"x\.json.*corrupt"):
        load(path, "")


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FedboundsError, match=r"no results file .*nothing\.json"):
        load(tmp_path / "nothing.json", "")
    with pytest.raises(FedboundsError, match=str(tmp_path)):
        load(tmp_path, "")


def test_a_folder_below_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FedboundsError) as refused:
        Store(tmp_path / "file" / "results")
    message = str(refused.value)
    assert "file/results" in message
    assert "--out" in message
    assert "\n" not in message


def test_a_file_in_place_of_the_records_cannot_be_written(tmp_path):
    (tmp_path / "records").write_text("")
    with pytest.raises(FedboundsError, match="cannot write"):
        Store(tmp_path)
