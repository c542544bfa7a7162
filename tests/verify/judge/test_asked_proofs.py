"""Of a paper's proofs those steps are looked at on which the asked claims rest, and no others."""

from dataclasses import replace

import pytest

from fedbounds.errors import ConflictError
from fedbounds.theory.language.catalogue import select
from fedbounds.theory.proof.language import CORRECTED
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local, Replays, inherit, rested_on, rests_on
from fedbounds.verify.judge import proofs
from fedbounds.verify.results.kept import kept_steps
from fedbounds.verify.results.store import Store

PAPER = "fedplt"
SMALL, LARGE = f"{PAPER}/alignment-identity", f"{PAPER}/constant-step"


def ids(steps):
    return {step.written.id for step in steps}


def test_of_a_whole_paper_every_step_is_asked():
    every = replayed(PAPER)
    assert proofs.asked(PAPER, [PAPER]) == every
    assert proofs.asked(PAPER, [entry.id for entry in select((PAPER,))]) == every


def written_for(claim):
    """Ids of the steps of a claim's proof."""
    steps = book_of(PAPER).steps
    return [w.id for w in steps if w.claim == claim or proofs.proves(w, claim)]


@pytest.mark.parametrize("claim", [entry.id for entry in select((PAPER,))])
def test_replayed_alone_steps_are_what_they_are_in_the_whole_book(claim):
    every = replayed(PAPER)
    wanted = rested_on(every, written_for(claim))
    whole = sorted(told(step) for step in every if step.written.id in wanted)
    assert sorted(map(told, proofs.asked(PAPER, [claim]))) == whole


def test_nothing_is_replayed_that_is_not_needed():
    """Planted: one replay of a book, of which a small claim is asked."""
    replays = Replays(book_of(PAPER))
    found = replays.of(written_for(SMALL))
    assert len(replays._known) < len(book_of(PAPER).steps) / 4
    assert {step.written.id for step in found} >= {*written_for(SMALL)}


def told(step):
    """All that is said of a step, but for expressions, which are those of the book."""
    kept = (step.written.id, step.written.source, step.local.value, step.reason, step.missing)
    return repr((*kept, step.failed, step.numbers, step.supposed, step.givens, step.signs,
                 step.certificate))  # fmt: skip


@pytest.mark.parametrize("claim", [SMALL, LARGE])
def test_a_claim_stands_as_it_does_beside_all_others(claim):
    """With its own steps, all that they rest on, and the lines that ours stand for."""
    every = replayed(PAPER)
    found = proofs.asked(PAPER, [claim])
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
    found = proofs.asked(PAPER, [LARGE])
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
    own = ids(proofs.asked(PAPER, [SMALL]))
    other = ids(proofs.asked(PAPER, [LARGE])) - own
    wrong = next(s for s in every if s.local is Local.PROVED and s.inherited and s.written.id in own
                 and s.written.claim == SMALL)  # fmt: skip
    planted = replace(wrong, written=replace(wrong.written, left=wrong.written.right + 1))
    steps = tuple(planted if s is wrong else s for s in every)
    monkeypatch.setattr(proofs, "replayed", lambda paper, names=None: steps)
    proofs._seen_so_far.cache_clear()
    with pytest.raises(ConflictError, match=wrong.written.id):
        proofs.prove([SMALL])
    proofs._seen_so_far.cache_clear()
    assert proofs.seen_of(PAPER, sorted(other)[:5]) is not None
    proofs._seen_so_far.cache_clear()
