"""Kept multipliers: those of the steps as they stand, believed by nobody but the checker."""

from dataclasses import replace

import pytest
from small_book import DEFINITIONS, SQUARE, definitions, empty_book, lemma

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.proof import keep, multipliers
from fedbounds.theory.proof import replay as replay_
from fedbounds.theory.proof.library import book_of, papers, replayed
from fedbounds.theory.proof.multipliers import filled, kept_by, lacks, name_of
from fedbounds.theory.proof.replay import Local, Replays, certified, whole_draft, without_idle

SMALLEST = "meerkat"

# ---- the files of the papers


def drafts(paper):
    """Name, draft and certificate of every proved step whose multipliers are not written down."""
    book, earlier = book_of(paper), {}
    for written, found in zip(book.steps, replayed(paper), strict=False):  # then come signs
        assert found.written is written
        if found.local is Local.PROVED and written.rule != "unroll":
            draft = whole_draft(book.theory, written)
            if lacks(draft):
                name = name_of(written.id, written.statement, draft, earlier)
                yield name, draft, found.certificate
        earlier[written.id] = written.statement


@pytest.mark.parametrize("paper", papers())
def test_kept_are_the_multipliers_of_every_proved_step_and_of_no_other(paper):
    every, kept = list(drafts(paper)), kept_by(paper)
    command = f"write the file of {paper} anew: python -m fedbounds.theory.proof.keep {paper}"
    assert list(kept) == [name for name, _, _ in every], command
    for name, draft, certificate in every:
        assert without_idle(filled(draft, kept[name])) == certificate, name  # which was checked


@pytest.mark.slow
@pytest.mark.parametrize("paper", papers())
def test_steps_are_what_they_are_where_nothing_is_kept(paper):
    """Of an eighth of them, by the hash in their names."""
    kept = {name: times for name, times in kept_by(paper).items() if name[-1] not in "01"}
    assert len(kept) < len(kept_by(paper))
    searched = Replays(book_of(paper), kept=kept).every()
    assert list(map(repr, searched)) == list(map(repr, replayed(paper)))


def test_the_file_is_what_is_printed(capsys):
    assert keep.main([SMALLEST]) == 0
    file = multipliers.file_of(f"fedbounds.theory.{SMALLEST}")
    assert capsys.readouterr().out == file.read_text(encoding="utf-8")


def test_one_theory_is_printed_at_a_time(capsys):
    assert keep.main([]) == 2
    assert "name a theory" in capsys.readouterr().err


# ---- what is kept is tried, and never believed


def small(uses=None):
    return lemma(definitions(empty_book()), uses)


def last(book, kept):
    return Replays(book, kept=kept).every()[-1]


def unsought(*_):
    raise AssertionError("searched")


def test_what_is_kept_is_not_searched(monkeypatch):
    kept, expected = dict(keep.found(small())), last(small(), {})
    monkeypatch.setattr(replay_, "complete", unsought)
    assert last(small(), kept) == expected
    with pytest.raises(AssertionError, match="searched"):
        last(small(), {})


def test_multipliers_of_another_step_are_not_tried(monkeypatch):
    """Whatever a step says, uses, or cites is part of its name."""
    kept = dict(keep.found(small()))
    first = small().steps[-1].statement
    for changed in ({"right": f"2*({first.right})"}, {"assumptions": ()}, {"conditions": ()}):
        book = small()
        own = book.steps[-1]
        book.steps[-1] = replace(own, statement=replace(own.statement, **changed))
        assert name_in(book) not in kept
    assert name_in(small(DEFINITIONS)) not in kept
    cited = small()
    about = next(i for i, step in enumerate(cited.steps) if step.id == "def E")
    other = replace(cited.steps[about].statement, right="0")
    cited.steps[about] = replace(cited.steps[about], statement=other)
    assert name_in(cited) not in kept
    assert name_in(small()) in kept


def name_in(book):
    """The name of a book's last step."""
    written = book.steps[-1]
    earlier = {step.id: step.statement for step in book.steps[:-1]}
    return name_of(written.id, written.statement, whole_draft(book.theory, written), earlier)


def wrong():
    """What may stand in a file in place of the multipliers of the small book's lemma."""
    (times,) = dict(keep.found(small())).values()
    for at, own in enumerate(times):
        for other in ("0", "-1", f"2*{own[0]}", "1/0", "?", "", "gamma.real", "f(", "E(t)", "zz"):
            yield (*times[:at], (other,), *times[at + 1 :])
    yield times[:-1]
    yield (*times, ("0",))
    yield ()


def test_wrong_multipliers_are_not_believed():
    name, expected = name_in(small()), last(small(), {})
    assert expected.local is Local.PROVED
    for times in wrong():
        assert last(small(), {name: times}) == expected, times


def test_a_step_that_does_not_follow_is_not_proved_by_what_is_kept():
    book = small([*DEFINITIONS, SQUARE])  # smoothness dropped
    *earlier, own = book.steps
    known = {step.id: step.statement for step in earlier}
    (right,) = dict(keep.found(small())).values()
    for times in (right, (*right[:-2], right[-1]), *wrong()):
        with pytest.raises(Refused, match="no multipliers found"):
            certified(book.theory, own, known, {name_in(book): times})


# ---- reading a file


@pytest.mark.parametrize(
    "text", ["[", "a = 1", "a = [1]", "a = [[1]]", "a = [[]]", 'a = ["1"]', "[a]\nb = 1"]
)
def test_a_file_of_anything_else_is_refused_with_its_name(text, tmp_path, monkeypatch):
    file = tmp_path / multipliers.FILE
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(multipliers, "file_of", lambda _: file)
    with pytest.raises(FedboundsError, match="multipliers.toml has no multipliers"):
        multipliers._in_package.__wrapped__("any")


def test_a_theory_without_a_file_keeps_nothing(tmp_path, monkeypatch):
    assert kept_by("no theory") == {}
    monkeypatch.setattr(multipliers, "file_of", lambda _: tmp_path / "none")
    assert multipliers._in_package.__wrapped__("any") == {}
