"""Records are canonical, atomic, and named by everything that determines them and nothing else."""

import copy
import fcntl
import json
import os
import subprocess
import sys
import zlib
from dataclasses import replace
from functools import cache
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from personal_cases import alike, case, run, sizes
from result_folders import files_of, lines, stored, unsealed, write_lines
from set_ups import vectors_case

import fedbounds
from fedbounds.border import load
from fedbounds.errors import FedboundsError
from fedbounds.facts import Fact
from fedbounds.problems import FederatedQuadratic
from fedbounds.theory.language.claims import AS_PRINTED, Condition, Reading
from fedbounds.theory.language.registry import claim, encoded_claims
from fedbounds.theory.language.setups import Objective
from fedbounds.theory.language.symbols import G_u, Mean_t, gamma, t
from fedbounds.theory.personalization import setups_cosines
from fedbounds.verify.decide.measurement import fingerprint
from fedbounds.verify.decide.part import Outcome
from fedbounds.verify.judge.judge import judge
from fedbounds.verify.measure.device import Device
from fedbounds.verify.results.engine import engine_of
from fedbounds.verify.results.records import dumps, plain, record, sealed
from fedbounds.verify.results.store import Store, claim_text, record_key, records_file
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Index, Relation, Verdict

CLAIMS = encoded_claims("personalization")
SOURCE = str(Path(fedbounds.__path__[0]).parent)


PROBLEM = {"noise": "1/2", "personal_noise": "1/4"}
STEPS = sizes(2, 2, "1/256", 2, 2)


def quadratic(problem=None, *, rounds=3, start=None, floats=True, **steps):
    problem = alike(shared=1, **PROBLEM) if problem is None else problem
    return case(run(problem, STEPS | steps, rounds, start), floats=floats)


def balls():
    return case_of(next(one for one in setups_cosines.PLANNED if one.judged), "")


def vectors():
    return vectors_case(((1,), ("-2/3",), (5,)), 2)


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


@pytest.mark.parametrize("instance", [quadratic(), balls(), vectors()], ids=lambda i: i.name)
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


def key(found=None, reading=AS_PRINTED, instance=None, seed=0, engine="12345678"):
    text = claim_text(found or claim("personalization/thm-3.7"), reading)
    return record_key(engine, text, fingerprint(instance or quadratic()), seed)


def test_the_same_inputs_have_the_same_name():
    assert key() == key()
    assert key(instance=quadratic()) == key(instance=quadratic())  # built twice
    assert len(key()) == 33


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
        {"assumptions": (Fact.SMOOTH,)},
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


def described(**changes):
    """The same problem with some of its data changed."""
    data = dict(alike(shared=1, **PROBLEM).data)
    return Objective("quadratics", tuple((data | changes).items()))


HAIR = f"1/{2**50}"
DIFFERENT = {
    "hessian": quadratic(alike(shared=1, lowest=f"{2**50 + 10}/{10 * 2**50}", **PROBLEM)),
    "linear": quadratic(described(slopes=[[HAIR, 1], [1, 0], [0, 1]])),
    "noise scale": quadratic(described(noise="500001/1000000")),
    "noise law": quadratic(described(law="gaussian")),
    "shared dimension": quadratic(described(personal=0), start=(1, 1)),
    "start u": quadratic(start=(f"{2**50 + 1}/{2**50}", 1, 1, 1)),
    "start v": quadratic(start=(1, f"{2**50 + 1}/{2**50}", 1, 1)),
    "participants": quadratic(cohort=1),
    "local steps": quadratic(K=3),
    "inner step": quadratic(gamma_u="1/511"),
    "outer step": quadratic(eta_v="20000000001/10000000000"),
    "rounds": quadratic(rounds=4),
    "method": quadratic(floats=False),
    "algorithm": case(run(alike(shared=1, **PROBLEM), STEPS, 3), rule="Scaffold-P"),
    "kind of problem": balls(),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_changed_instance_has_another_name(what):
    assert key(instance=DIFFERENT[what]) != key()


def test_a_changed_seed_engine_or_device_has_another_name():
    assert key(seed=1) != key()
    assert key(engine="87654321") != key()
    told = ("12345678", "claim", "set-up", 0)
    assert record_key(*told, Device.CUDA) != record_key(*told, Device.CPU)


def test_equal_arrays_in_another_layout_have_the_same_name():
    hessian = np.arange(4.0).reshape(1, 2, 2)
    hessian = hessian + hessian.transpose(0, 2, 1)
    one, other = (
        FederatedQuadratic(array, np.ones((1, 2)), 1)
        for array in (hessian, np.asfortranarray(hessian))
    )
    assert fingerprint(one) == fingerprint(other)


def test_rational_instances_are_named_by_value():
    def named(shift):
        rows = np.array([[fmpq(2, 2)], [fmpq(-4, 6)]], dtype=object) + shift
        return fingerprint(FederatedQuadratic(rows[:, :, None], rows, 1))

    again = np.array([[fmpq(1)], [fmpq(-2, 3)]], dtype=object)
    same = fingerprint(FederatedQuadratic(again[:, :, None], again, 1))
    assert named(fmpq(0)) == same != named(fmpq(1, 10**30))
    assert key(instance=quadratic(noise_of("2/4"))) == key(instance=quadratic(noise_of("1/2")))


def noise_of(scale):
    return alike(shared=1, **(PROBLEM | {"noise": scale}))


NAMED = """
from fedbounds.verify.decide.measurement import fingerprint
from fedbounds.verify.setups.found import Named

print(fingerprint(Named(None, frozenset({"F", "D_u", "D_v", "E", "S"}))))
"""


def test_a_name_does_not_depend_on_the_order_of_a_set():
    """Which is another in another process."""
    found = {
        subprocess.run(
            [sys.executable, "-c", NAMED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_neighbouring_fields_do_not_run_into_each_other():
    """1 and 23 are not 12 and 3: each field is delimited by its name."""
    a = FederatedQuadratic(np.ones((1, 1, 1)), np.zeros((1, 1)), 1)
    b = FederatedQuadratic(np.ones((1, 1, 1)), np.zeros((1, 1)), 0)
    assert fingerprint(a) != fingerprint(b)


# ---- files

PAPER = "personalization"
LEMMA = f"{PAPER}/lem-A.2"


@cache
def some_record(key="k"):
    return record(judge((claim(LEMMA),), vectors()).judgements[0], key)


def other_record(key, **changes):
    return some_record() | {"key": key} | changes


def saved(folder, *rows):
    """A folder after a run that found these records."""
    store = Store(folder)
    with store.writing():
        store.save(rows)
        store.pack()
    return folder / records_file(PAPER)


def test_a_record_is_loaded_as_it_was_saved(tmp_path):
    folder = tmp_path / "deep" / "folder"
    assert Store(folder).load(LEMMA, "k") is None
    path = saved(folder, some_record())
    assert Store(folder).load(LEMMA, "k") == some_record()
    assert [p.name for p in Store(folder).records.iterdir()] == [path.name]


def test_records_of_a_set_up_say_once_what_it_is(tmp_path):
    path = saved(tmp_path, *(other_record(f"k{number}") for number in range(3)))
    (line,) = lines(path)
    assert line.count('"problem"') == 1
    assert len(stored(tmp_path)) == 3


def test_each_paper_has_its_file(tmp_path):
    saved(tmp_path, some_record(), other_record("l", claim="other/one"))
    assert [p.name for p in files_of(tmp_path)] == ["other.jsonl.gz", f"{PAPER}.jsonl.gz"]
    assert Store(tmp_path).load("other/one", "l")["claim"] == "other/one"
    assert Store(tmp_path).load("other/one", "k") is None


def test_saving_again_replaces_the_record(tmp_path):
    saved(tmp_path, some_record())
    saved(tmp_path, some_record() | {"reason": "other"})
    assert Store(tmp_path).load(LEMMA, "k")["reason"] == "other"


def test_the_order_in_which_records_finish_changes_no_byte(tmp_path):
    rows = [other_record(f"k{number}", reading=f"{number % 2}") for number in range(4)]
    rows.append(other_record("k4", algorithm="another"))
    one = saved(tmp_path / "one", *rows)
    for row in reversed(rows):
        other = saved(tmp_path / "other", row)
    assert one.read_bytes() == other.read_bytes()


def test_without_news_no_file_is_touched(tmp_path):
    path = saved(tmp_path, some_record())
    before = path.stat().st_mtime_ns, path.stat().st_ino
    store = Store(tmp_path)
    with store.writing():
        assert store.load(LEMMA, "k")
        store.pack()
        assert store.knows(LEMMA, "k")
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before


def test_it_is_remembered_that_nothing_was_found(tmp_path):
    store = Store(tmp_path)
    with store.writing():
        store.save_found(LEMMA, "none", None)
        store.save_found(LEMMA, "k", some_record())
        store.pack()
    again = Store(tmp_path)
    assert again.knows(LEMMA, "none")
    assert again.load(LEMMA, "none") is None
    assert again.load(LEMMA, "k") == some_record()
    assert not again.knows(LEMMA, "other")


def test_what_another_engine_found_is_forgotten_and_no_other_paper(tmp_path):
    engine = engine_of(PAPER)
    old, new = other_record("00000000-a"), other_record(f"{engine}-a")
    saved(tmp_path, old, new, other_record("00000000-b", claim="other/one"))
    store = Store(tmp_path)
    with store.writing():
        store.load(LEMMA, "k")
        store.pack()
        assert stored(tmp_path).keys() >= {old["key"], new["key"]}
        store.forget()
    assert stored(tmp_path).keys() == {new["key"], "00000000-b"}


@pytest.mark.parametrize("name", ["claim", "reading", "verdict", "parts", "constants",
                                  "parameters", "problem", "evidence"])  # fmt: skip
def test_a_record_that_lost_a_field_is_corrupt(tmp_path, name):
    path = saved(tmp_path, some_record())
    whole = unsealed(lines(path)[0])
    for wrong in ({}, {name: 3}):
        block = copy.deepcopy(whole)
        inside = block["setup"] if name in block["setup"] else block["records"][0]
        del inside[name]
        inside |= wrong
        write_lines(path, [sealed(block).strip()])
        with pytest.raises(FedboundsError, match=rf"jsonl\.gz.*{name} is"):
            Store(tmp_path).load(LEMMA, "k")


@given(st.sampled_from(sorted(some_record())), st.data())
def test_a_record_with_any_field_edited_is_refused(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("edited")
    path = saved(folder, some_record())
    before = path.read_bytes()
    (line,) = lines(path)
    block = json.loads(line)
    inside = block["setup"] if name in block["setup"] else block["records"][0]
    differs = json_values.filter(lambda value: dumps(value) != dumps(inside[name]))
    inside[name] = data.draw(differs)
    write_lines(path, [dumps(block).strip()])
    with pytest.raises(FedboundsError, match=r"jsonl\.gz"):
        Store(folder).load(LEMMA, "k")
    path.write_bytes(before)
    assert Store(folder).load(LEMMA, "k") == some_record()


def test_a_record_without_its_digest_is_refused(tmp_path):
    path = saved(tmp_path, some_record())
    write_lines(path, [dumps(unsealed(lines(path)[0])).strip()])
    with pytest.raises(FedboundsError, match="digest is missing"):
        Store(tmp_path).load(LEMMA, "k")


def test_a_witness_script_is_saved_below_the_folder(tmp_path):
    store = Store(tmp_path)
    where = store.save_witness("paper-claim", "print(1)\n")
    assert (tmp_path / where).read_text() == "print(1)\n"
    assert not where.startswith("/")


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1', "[1, 2]", "3", "null", '"text"', "\x00\x01", '{"a": }']
)
def test_a_corrupt_file_is_an_error_that_names_it(tmp_path, text):
    path = saved(tmp_path, some_record())
    for compressed in (False, True):
        if not compressed:
            path.write_text(text or "\n")
        else:
            write_lines(path, [text])
        with pytest.raises(FedboundsError) as refused:
            Store(tmp_path).load(LEMMA, "k")
        assert str(path) in str(refused.value)
        assert "delete it" in str(refused.value)
    path = tmp_path / "k.json"
    path.write_text(text)
    with pytest.raises(FedboundsError, match=r"k\.json.*delete it"):
        load(path, "delete it")


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


# ---- interrupted, and not alone


def unfinished(folder):
    return [path for path in files_of(folder) if path.name.startswith(".unfinished")]


def test_what_was_written_before_a_kill_is_packed_by_the_next_run(tmp_path):
    store = Store(tmp_path)
    store.save([some_record()])
    store.save([other_record("l")])
    (left,) = unfinished(tmp_path)
    again = Store(tmp_path)
    with again.writing():
        assert again.load(LEMMA, "l") == other_record("l")
    assert unfinished(tmp_path) == []
    assert stored(tmp_path).keys() == {"k", "l"}
    assert not left.exists()


def test_a_tail_that_was_cut_anywhere_is_dropped_and_what_comes_before_kept(tmp_path):
    Store(tmp_path / "whole").save([some_record()])
    (first,) = (path.read_bytes() for path in unfinished(tmp_path / "whole"))
    Store(tmp_path / "second").save([other_record("l")])
    (second,) = (path.read_bytes() for path in unfinished(tmp_path / "second"))
    damaged = [second[:cut] for cut in range(len(second))]
    damaged += [second[:99] + bytes(9), bytes(50), second[:-1] + b"\x00", b"half a line"]
    for number, tail in enumerate(damaged):
        store = Store(tmp_path / f"cut-{number}")
        (store.records / ".unfinished-x-1.jsonl.gz").write_bytes(first + tail)
        with store.writing():
            assert store.load(LEMMA, "k") == some_record()
            found = store.load(LEMMA, "l")
            # all of it, with its digest, if only the end of the stream is lost
            assert found is None or (found == other_record("l") and len(tail) > len(second) - 12)
    store = Store(tmp_path / "both")
    (store.records / ".unfinished-x-1.jsonl.gz").write_bytes(first + second)
    with store.writing():
        assert store.knows(LEMMA, "k")
        assert store.knows(LEMMA, "l")


def test_what_was_edited_before_it_was_packed_is_refused(tmp_path):
    store = Store(tmp_path)
    store.save([some_record()])
    (path,) = unfinished(tmp_path)
    (line,) = lines(path)
    write_lines(
        path, [line.replace("not violated", "violated").replace('"violated"', '"undecided"')]
    )
    assert lines(path) != [line]
    with pytest.raises(FedboundsError, match=r"unfinished.*was edited"), store.writing():
        pass


def test_a_packed_file_that_was_cut_is_refused(tmp_path):
    path = saved(tmp_path, some_record())
    data = path.read_bytes()
    for cut in (0, 5, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        if cut:
            with pytest.raises(FedboundsError, match=r"jsonl\.gz.*corrupt.*delete it"):
                Store(tmp_path).load(LEMMA, "k")


def test_two_runs_do_not_write_into_one_folder_at_a_time(tmp_path):
    with Store(tmp_path).writing():
        refused = pytest.raises(FedboundsError, match=r"another run writes into .*--out")
        with refused, Store(tmp_path).writing():
            pass
        with Store(tmp_path / "other").writing():
            pass
    with Store(tmp_path).writing():
        pass


def test_without_locks_a_run_goes_on(tmp_path, monkeypatch):
    def none(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    with Store(tmp_path).writing(), Store(tmp_path).writing():
        pass


def test_a_killed_process_leaves_what_it_finished(tmp_path):
    """Killed in the middle of writing, again and again: every record that it told of is there."""
    code = (
        "import sys, json\n"
        "from pathlib import Path\n"
        "from fedbounds.verify.results.store import Store\n"
        "row = json.loads(sys.argv[2])\n"
        "store = Store(Path(sys.argv[1]))\n"
        "with store.writing():\n"
        "    for number in range(10**6):\n"
        "        store.save([row | {'key': f'{sys.argv[3]}-{number}', 'reason': 'x' * 20000}])\n"
        "        print(number, flush=True)\n"
    )
    told = set()
    for turn in range(3):
        command = [sys.executable, "-c", code, str(tmp_path), dumps(some_record()), f"t{turn}"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": SOURCE}
        ) as child:
            for _ in range(20 + turn):
                told.add(f"t{turn}-{child.stdout.readline().strip()}")
            child.kill()
            told |= {f"t{turn}-{line.strip()}" for line in child.stdout if line.endswith("\n")}
    store = Store(tmp_path)
    with store.writing():
        assert all(store.load(LEMMA, key) for key in told)
    assert len(told) > 60
    assert unfinished(tmp_path) == []


@pytest.mark.parametrize("name", [f"records/{PAPER}.jsonl.gz", "records/.unfinished-x-1.jsonl.gz"])
def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path, name):
    outside = saved(tmp_path / "outside", some_record())
    before = outside.read_bytes()
    store = Store(tmp_path / "results")
    (tmp_path / "results" / name).symlink_to(outside)
    with pytest.raises(FedboundsError, match="leads out of"), store.writing():
        store.load(LEMMA, "k")
    with pytest.raises(FedboundsError, match="leads out of"):
        saved(tmp_path / "results", other_record("l"))
    assert outside.read_bytes() == before


def test_a_folder_of_records_that_leads_out_is_refused(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "records").symlink_to(tmp_path / "outside")
    with pytest.raises(FedboundsError, match="leads out of"):
        Store(tmp_path / "results")


def test_a_packed_gigabyte_is_not_read_into_memory(tmp_path):
    path = saved(tmp_path, some_record())
    stream = zlib.compressobj(wbits=31)
    path.write_bytes(b"".join(stream.compress(bytes(1 << 24)) for _ in range(6)) + stream.flush())
    with pytest.raises(FedboundsError, match=r"a line of it has more than"):
        Store(tmp_path).load(LEMMA, "k")
