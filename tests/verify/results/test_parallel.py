"""Processes change no byte of what a run leaves."""

import pytest

from fedbounds.theory.language.catalogue import select
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.plan import quick_cases
from fedbounds.verify.results import run as run_module
from fedbounds.verify.results.run import Settings, run
from fedbounds.verify.results.store import Store

ENTRIES = select(
    tuple(f"personalization/{name}" for name in ("lem-A.2", "lem-3.5-geo", "sc-psgd", "exp-setup"))
)


def plan():
    every = quick_cases("personalization")
    vectors = [case for case in every if case.algorithm_name == "participant mean"]
    choices = [case for case in every if case.algorithm_name == "bound"]
    return [*vectors[:10], *choices[:12]]


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def processes(monkeypatch):
    """A plan small enough to test, large enough for a pool."""
    monkeypatch.setattr(run_module, "instances", lambda *_: iter(plan()))
    monkeypatch.setattr(run_module, "_SMALL_PLAN", 1)
    started = []
    original = run_module.worker_pool

    def counted(workers, *given):
        started.append(workers)
        return original(workers, *given)

    monkeypatch.setattr(run_module, "worker_pool", counted)
    return started


def test_one_process_and_two_leave_the_same_bytes(tmp_path, processes):
    alone = run(ENTRIES, Settings(Profile.QUICK, workers=1), Store(tmp_path / "one"))
    assert processes == []
    pooled = run(ENTRIES, Settings(Profile.QUICK, workers=2), Store(tmp_path / "two"))
    assert processes == [2, 2]  # others for the search
    assert alone == pooled
    left = files(tmp_path / "one")
    assert left == files(tmp_path / "two")
    assert any(name.startswith("witnesses/") for name in left)


def test_a_few_instances_start_no_process(tmp_path, processes, monkeypatch):
    monkeypatch.setattr(run_module, "_SMALL_PLAN", 1000)
    run(ENTRIES, Settings(Profile.QUICK, workers=2), Store(tmp_path))
    assert processes == []
