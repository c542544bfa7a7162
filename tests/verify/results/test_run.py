"""A run can be interrupted anywhere and resumed to the same bytes; threads change nothing."""

import os
from dataclasses import replace
from functools import cache

import pytest
from personal_cases import alike, case, sizes
from personal_cases import run as run_of
from result_folders import lines, lose, stored, write_lines
from set_ups import vectors_case

from fedbounds.errors import ConflictError, FedboundsError
from fedbounds.theory.language.catalogue import entry, select
from fedbounds.theory.language.claims import Claim
from fedbounds.theory.language.registry import claim, encoded, setups
from fedbounds.theory.language.setups import Planned
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge import proofs
from fedbounds.verify.judge import summary as summary_module
from fedbounds.verify.judge.judge import concerned, judge
from fedbounds.verify.judge.summary import REFUSED
from fedbounds.verify.results import run as run_module
from fedbounds.verify.results import witness_records, work
from fedbounds.verify.results.document import Timing, document
from fedbounds.verify.results.records import dumps
from fedbounds.verify.results.run import Settings, refuse_conflicts, run
from fedbounds.verify.results.store import Journal, Store
from fedbounds.verify.results.work import findings_of
from fedbounds.verify.setups.plan import case_of
from fedbounds.vocabulary import Kind, Method, ProofStatus, Standing, StatementStatus, Verdict


def vectors():
    return vectors_case()


def quadratic():
    problem = alike(noise="1/5", law="gaussian")
    return case(run_of(problem, sizes(2, 2, "1/128", 2, 2), 4), name="quadratic")


def cosine(replicas=0):
    """Every outcome in balls; or some replicas."""
    name = "cosines, n=2 m=1 K=1 T=2 noise 1/2 and 1/2, short steps"
    setup = next(one.setup for one in setups("personalization") if one.name == name)
    return case_of(Planned(f"cosine, {replicas}", setup, replicas=replicas), "")


def plan():
    return [vectors(), quadratic(), cosine(), cosine(1024)]


SETTINGS = Settings(Profile.QUICK, seed=3, workers=1)
RECORDS = "records/personalization.jsonl.gz"
# of every kind: about runs, vectors and parameters; and an assumption, an equivalence, an
# experiment, a comparison, a definition
NAMES = (
    "prob-1.1", "asm-2.1", "sc-psgd", "lem-A.2", "lem-3.4", "lem-3.5-geo", "thm-3.7", "thm-3.11",
    "eq-4.7", "exp-setup",
)  # fmt: skip
ENTRIES = select(tuple(f"personalization/{name}" for name in NAMES))
ENCODED = [encoded(e) for e in ENTRIES if e.module]
CLAIMS = [found for found in ENCODED if isinstance(found, Claim)]


@cache
def expected():
    """Records of a run: a pair of a reading and an instance each, and what needs no run."""
    settled = (findings_of(c.entry.id) for c in ENCODED if not isinstance(c, Claim))
    return sum(len(concerned(CLAIMS, each)) for each in plan()) + sum(map(len, settled))


@pytest.fixture(scope="module", autouse=True)
def counted():
    """Before anything is planted."""
    expected()


@pytest.fixture(autouse=True)
def tiny_plan(monkeypatch):
    """Four instances of every method instead of a profile's."""
    monkeypatch.setattr(run_module, "instances", lambda *_: iter(plan()))


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """Files and results of a run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_module, "instances", lambda *_: iter(plan()))
        results = run(ENTRIES, SETTINGS, Store(folder))
    return files(folder), results


def left(uninterrupted, folder):
    """The files of the undisturbed run, in a folder."""
    for name, data in uninterrupted[0].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


# ---- what a run leaves


def test_every_claim_reading_and_instance_has_its_record(uninterrupted, tmp_path):
    _, results = uninterrupted
    kept = stored(left(uninterrupted, tmp_path))
    assert sum("witness" not in key for key in kept) == expected()
    spoken = [row for row in kept.values() if row["verdict"] not in REFUSED]
    assert 0 < len(spoken) < len(kept)
    assert len(results.records) == len(spoken)
    for row in results.records:
        assert kept[row["key"]] == row


def test_a_run_leaves_one_file_of_records_for_each_paper(uninterrupted):
    written, _ = uninterrupted
    assert [name for name in written if name.startswith("records/")] == [RECORDS]


def test_refused_records_are_kept_counted_in_the_summary_and_left_out_of_the_results(
    uninterrupted, tmp_path
):
    _, results = uninterrupted
    kept = stored(left(uninterrupted, tmp_path)).values()
    for summary in results.claims:
        for reading in summary["readings"]:
            own = [
                row["verdict"] for row in kept
                if (row["claim"], row["reading"]) == (summary["id"], reading["name"])
            ]  # fmt: skip
            assert sum(reading["refused"].values()) == sum(verdict in REFUSED for verdict in own)
            assert all(reason.startswith(tuple(REFUSED)) for reason in reading["refused"])
    assert not [row for row in results.records if row["verdict"] in REFUSED]


def test_a_violation_leaves_a_witness_with_its_script(uninterrupted):
    written, results = uninterrupted
    witnesses = [row for row in results.records if row["witness"]]
    assert witnesses
    for row in witnesses:
        assert row["witness"] in written
        assert row["verdict"] == Verdict.VIOLATED
        assert row["instance"]["family"] == "Case"
        assert row["premises"] is not None
    refuted = {
        (summary["id"], reading["name"]): reading["witness"]
        for summary in results.claims
        for reading in summary["readings"]
        if reading["statement"] == StatementStatus.REFUTED
    }
    assert set(refuted.values()) == {row["witness"] for row in witnesses}


def test_summaries_follow_the_catalogue(uninterrupted):
    _, results = uninterrupted
    assert [summary["id"] for summary in results.claims] == [e.id for e in ENTRIES]
    for summary, found in zip(results.claims, ENTRIES, strict=True):
        if found.kind is Kind.DEFINITION:
            assert summary["standing"] is None
        elif not found.module:
            assert summary["standing"] == Standing.OPEN
            assert summary["reason"] == "not encoded yet"
        else:
            assert summary["standing"] in list(Standing)
            assert summary["readings"][0]["name"] == encoded(found).readings[0].name
            statements = {reading["statement"] for reading in summary["readings"]}
            assert summary["readings_differ"] == (len(statements) > 1)


def test_the_slack_of_the_theorem_is_recorded_and_closes(uninterrupted):
    _, results = uninterrupted
    with_slack = [row for row in results.records if row["slack"]]
    assert {row["claim"] for row in with_slack} == {"personalization/thm-3.7"}
    assert {row["reading"] for row in with_slack} == {"as printed"}
    for row in with_slack:
        assert sum(share["share"] for share in row["slack"]) == pytest.approx(1.0, rel=1e-9)


def test_the_document_is_the_same_but_for_timing(uninterrupted):
    _, results = uninterrupted
    a, b = (document(results, SETTINGS, Timing(seconds)) for seconds in (1.0, 2.0))
    assert a != b
    for data in (a, b):
        del data["run"]["timing"]
    assert dumps(a) == dumps(b)
    assert a.keys() == {"schema", "run", "claims", "results", "proofs"}


# ---- resuming


class Stop(KeyboardInterrupt):
    """Ctrl-C at a chosen moment."""


def interrupt_at(done):
    def progress(message, at, total):
        if at == done:
            raise Stop

    return progress


def interrupt_at_witness(message, at, total):
    if message.startswith("smallest witness"):
        raise Stop


def resumed(folder):
    results = run(ENTRIES, SETTINGS, Store(folder))
    return files(folder), results


@pytest.mark.parametrize("done", range(len(plan())))
def test_interrupting_between_instances_and_resuming_gives_the_same_bytes(
    tmp_path, uninterrupted, done
):
    with pytest.raises(Stop):
        run(ENTRIES, SETTINGS, Store(tmp_path), interrupt_at(done))
    kept = stored(tmp_path)
    assert len(kept) >= done
    written, results = resumed(tmp_path)
    assert kept.items() <= stored(tmp_path).items()  # what was there was whole and final
    assert written == uninterrupted[0]
    assert results == uninterrupted[1]


def test_interrupting_the_search_for_a_witness_and_resuming_gives_the_same_bytes(
    tmp_path, uninterrupted
):
    with pytest.raises(Stop):
        run(ENTRIES, SETTINGS, Store(tmp_path), interrupt_at_witness)
    assert sum("witness" not in key for key in stored(tmp_path)) == expected()
    assert resumed(tmp_path) == uninterrupted


@pytest.mark.parametrize("saves", [1, 3, len(plan()) + 2])
def test_interrupting_between_writing_records_gives_the_same_bytes(
    tmp_path, uninterrupted, monkeypatch, saves
):
    whole = Journal.add
    written = []

    def add(self, rows):
        if len(written) == saves:
            raise Stop
        written.append(len(rows))
        whole(self, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add", add)
        with pytest.raises(Stop):
            run(ENTRIES, SETTINGS, Store(tmp_path))
    assert len(stored(tmp_path)) == sum(written) > 0
    assert resumed(tmp_path) == uninterrupted


def test_interrupting_while_files_are_packed_loses_nothing(tmp_path, uninterrupted, monkeypatch):
    def stop(source, target):
        if "records" in str(target):
            raise Stop
        return replaced(source, target)

    replaced = os.replace
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises(Stop):
            run(ENTRIES, SETTINGS, Store(tmp_path))
        monkeypatch.setattr(work, "judge", never)
        assert len(stored(tmp_path)) >= expected()
    assert resumed(tmp_path) == uninterrupted


def never(*_, **__):
    raise AssertionError("judged or searched again")


def test_a_second_run_computes_nothing(tmp_path, uninterrupted, monkeypatch):
    left(uninterrupted, tmp_path)
    monkeypatch.setattr(work, "judge", never)
    monkeypatch.setattr(work, "settle", never)
    monkeypatch.setattr(witness_records, "find_witness", never)
    monkeypatch.setattr(proofs, "evaluated", never)
    monkeypatch.setattr(os, "replace", never)  # nor is a file written
    proofs._seen_so_far.cache_clear()
    assert run(ENTRIES, SETTINGS, Store(tmp_path)) == uninterrupted[1]
    assert files(tmp_path) == uninterrupted[0]


def test_only_what_is_missing_is_computed_again(tmp_path, uninterrupted, monkeypatch):
    left(uninterrupted, tmp_path)
    lost = next(
        row["key"] for row in uninterrupted[1].records
        if row["problem"]["instance"] == "quadratic" and not row["witness"]
    )  # fmt: skip
    lose(tmp_path, lost)
    judged = []
    original = work.judge

    def counted(claims, instance, **named):
        judged.append(instance.name)
        return original(claims, instance, **named)

    monkeypatch.setattr(work, "judge", counted)
    assert resumed(tmp_path) == uninterrupted
    assert judged == ["quadratic"]


def test_nothing_already_computed_is_lost_when_a_later_instance_fails(tmp_path, monkeypatch):
    original = work.judge

    def failing(claims, instance, **named):
        if instance.method is Method.SAMPLING:
            raise MemoryError
        return original(claims, instance, **named)

    monkeypatch.setattr(work, "judge", failing)
    with pytest.raises(MemoryError):
        run(ENTRIES, SETTINGS, Store(tmp_path))
    kept = len(stored(tmp_path))
    assert kept == expected() - len(concerned(CLAIMS, plan()[3]))


def test_threads_change_no_byte(tmp_path, uninterrupted):
    run(ENTRIES, replace(SETTINGS, workers=2), Store(tmp_path))
    assert files(tmp_path) == uninterrupted[0]


def test_another_seed_writes_other_records_beside_the_old(tmp_path, uninterrupted):
    one = (entry("personalization/lem-3.4"),)
    run(one, SETTINGS, Store(tmp_path))
    before = stored(tmp_path)
    run(one, replace(SETTINGS, seed=4), Store(tmp_path))
    after = stored(tmp_path)
    assert before.items() < after.items()
    assert len(after) == 2 * len(before)


def test_a_sampled_verdict_does_not_depend_on_what_else_was_run():
    """The design's rule: the error of one decision depends on nothing else, nor does its data."""
    problem = cosine(4096)
    alone_claim = claim("personalization/lem-3.4")
    every = CLAIMS
    (alone,) = judge((alone_claim,), problem, seed=1).judgements
    among = next(x for x in judge(every, problem, seed=1).judgements if x.claim is alone_claim)
    assert alone.outcomes == among.outcomes


# ---- what goes wrong is named


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"parts": 3}'])
def test_a_corrupt_record_is_an_error_that_names_its_file(tmp_path, uninterrupted, text):
    path = left(uninterrupted, tmp_path) / RECORDS
    write_lines(path, [*lines(path)[1:], text])
    with pytest.raises(FedboundsError) as refused:
        run(ENTRIES, SETTINGS, Store(tmp_path))
    assert path.name in str(refused.value)
    path.unlink()  # as the message advises
    assert resumed(tmp_path) == uninterrupted


@pytest.mark.parametrize("name", ["sc-psgd", "exp-setup", "asm-2.1", "eq-4.7"])
def test_a_lost_record_of_a_claim_without_runs_is_made_again(tmp_path, uninterrupted, name):
    """Whichever of its records it is: evidence must not be dropped in silence."""
    left(uninterrupted, tmp_path)
    rows = [row for row in uninterrupted[1].records if row["claim"] == f"personalization/{name}"]
    for row in (rows[0], rows[-1]):
        lose(tmp_path, row["key"])
        assert resumed(tmp_path) == uninterrupted


def test_a_lost_witness_script_is_written_again(tmp_path, uninterrupted):
    run(ENTRIES, SETTINGS, Store(tmp_path))
    script = next(row["witness"] for row in uninterrupted[1].records if row["witness"])
    (tmp_path / script).unlink()
    assert resumed(tmp_path) == uninterrupted


def test_proved_and_violated_is_a_conflict(tmp_path, monkeypatch):
    """A proof planted beside an exact violation; every other claim has its standing."""
    original = summary_module.standing
    monkeypatch.setattr(
        summary_module,
        "standing",
        lambda statement, proof, **_: original(statement, ProofStatus.PROVED),
    )
    results = run(ENTRIES, SETTINGS, Store(tmp_path))
    assert len(stored(tmp_path)) > expected()
    standings = {claim["id"]: claim["standing"] for claim in results.claims}
    assert list(standings) == [entry.id for entry in ENTRIES]
    assert standings["personalization/lem-A.2"] == Standing.CONFLICT
    with pytest.raises(ConflictError, match=r"lem-A\.2 is both proved and violated"):
        refuse_conflicts(results.claims)
    refuse_conflicts([row for row in results.claims if row["standing"] != Standing.CONFLICT])


def test_proved_and_not_violated_is_no_conflict(tmp_path, monkeypatch):
    original = summary_module.standing
    monkeypatch.setattr(
        summary_module,
        "standing",
        lambda statement, proof, **_: original(statement, ProofStatus.PROVED),
    )
    results = run((entry("personalization/lem-3.4"),), SETTINGS, Store(tmp_path))
    assert results.claims[0]["standing"] == Standing.CONFIRMED


def test_definitions_are_summed_up_without_work(tmp_path, monkeypatch):
    waiting = tuple(e for e in select(()) if not e.module)
    monkeypatch.setattr(run_module, "instances", lambda *_: iter(()))
    results = run(waiting, SETTINGS, Store(tmp_path))
    assert results.records == []
    assert len(results.claims) == len(waiting)
