"""Of a paper's proofs those steps are looked at on which the asked claims rest, and no others."""

from dataclasses import replace

import pytest

from fedbounds.errors import ConflictError
from fedbounds.theory.language.catalogue import select
from fedbounds.theory.proof.language import CORRECTED
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local, inherit, rested_on, rests_on
from fedbounds.verify.judge import proofs
from fedbounds.verify.results.kept_steps import kept_steps
from fedbounds.verify.results.store import Store

PAPER = "fedplt"
SMALL, LARGE = f"{PAPER}/alignment-identity", f"{PAPER}/constant-step"


def ids(steps):
    return {step.written.id for step in steps}


def test_of_a_whole_paper_every_step_is_asked():
    every = replayed(PAPER)
    assert proofs.asked(every, PAPER, [PAPER]) == every
    assert proofs.asked(every, PAPER, [entry.id for entry in select((PAPER,))]) == every


@pytest.mark.parametrize("claim", [SMALL, LARGE])
def test_a_claim_stands_as_it_does_beside_all_others(claim):
    """With its own steps, all that they rest on, and the lines that ours stand for."""
    every = replayed(PAPER)
    found = proofs.asked(every, PAPER, [claim])
    assert 0 < len(found) < len(every)
    assert inherit(found) == found  # nothing that it rests on is missing
    assert {s for s in every if s.written.claim == claim} <= {*found}
    whole = {s.written.id: s for s in every}
    for step in found:
        assert {*rests_on(step)} <= ids(found)
        for use in rests_on(step):
            printed = use.removesuffix(CORRECTED)
            if use.endswith(CORRECTED) and printed in whole:
                assert printed in ids(found)


def test_a_step_that_is_left_out_is_seen():
    every = replayed(PAPER)
    found = proofs.asked(every, PAPER, [LARGE])
    used = next(use for step in found for use in rests_on(step))
    with pytest.raises(KeyError, match="def|asm|:"):
        inherit(step for step in found if step.written.id != used)


def test_what_is_rested_on_goes_all_the_way():
    every = replayed(PAPER)
    last = next(step for step in reversed(every) if rests_on(step))
    found = rested_on(every, [last.written.id])
    assert {
        use for name in found for s in every if s.written.id == name for use in rests_on(s)
    } <= found


def test_steps_are_evaluated_once_and_kept_beside_those_before(tmp_path, monkeypatch):
    asked = []

    def counted(steps, theory):
        asked.append(sorted(ids(steps)))
        return {s.written.id: proofs.Seen(1, 0.5) for s in steps if s.local is Local.PROVED}

    monkeypatch.setattr(proofs, "evaluated", counted)
    proofs._seen_so_far.cache_clear()
    store = Store(tmp_path)
    every = list(dict.fromkeys(step.written.id for step in replayed(PAPER)))
    with store.writing():
        first = kept_steps(store, PAPER, every[:30])
        assert kept_steps(store, PAPER, every[:30]) == first
        both = kept_steps(store, PAPER, every[10:40])
        store.pack()
    assert asked == [sorted(every[:30]), sorted(every[30:40])]
    proofs._seen_so_far.cache_clear()
    assert kept_steps(Store(tmp_path), PAPER, every[10:40]) == both
    assert len(asked) == 2
    proofs._seen_so_far.cache_clear()


def test_a_conflict_in_an_asked_step_is_told(monkeypatch):
    """The same error in a step of another claim is not looked at."""
    every = replayed(PAPER)
    own = ids(proofs.asked(every, PAPER, [SMALL]))
    other = ids(proofs.asked(every, PAPER, [LARGE])) - own
    wrong = next(s for s in every if s.local is Local.PROVED and s.inherited and s.written.id in own
                 and s.written.claim == SMALL)  # fmt: skip
    planted = replace(wrong, written=replace(wrong.written, left=wrong.written.right + 1))
    steps = tuple(planted if s is wrong else s for s in every)
    monkeypatch.setattr(proofs, "replayed", lambda paper: steps)
    proofs._seen_so_far.cache_clear()
    with pytest.raises(ConflictError, match=wrong.written.id):
        proofs.prove([SMALL])
    proofs._seen_so_far.cache_clear()
    assert proofs.seen_of(PAPER, sorted(other)[:5]) is not None
    proofs._seen_so_far.cache_clear()
