"""Where nobody sees a bar, a line tells how far a run is: what was told last, now and then."""

from queue import Queue

from fedbounds.verify.commands import progress


def test_what_was_told_last_comes_again_until_the_run_is_over(monkeypatch):
    lines = Queue()
    monkeypatch.setattr(progress.click, "echo", lambda line, err: lines.put((line, err)))
    monkeypatch.setattr(progress, "_SELDOM", 1e-3)
    with progress.progress() as told:
        assert lines.get(timeout=60) == ("begun", True)
        told("replaying proofs", 0, 9)
        found = {lines.get(timeout=60) for _ in range(100)}
        assert found <= {("begun", True), ("0 of 9 set-ups judged; replaying proofs", True)}
        assert len(found) == 2 or ("begun", True) not in found
        told("smallest witnesses", 9, 9)
        while lines.get(timeout=60)[0] != "9 of 9 set-ups judged; smallest witnesses":
            pass
    left = lines.qsize()
    told("nothing", 0, 0)
    assert lines.qsize() == left


def test_a_short_run_has_no_line(monkeypatch):
    lines = []
    monkeypatch.setattr(progress.click, "echo", lambda *line, **_: lines.append(line))
    with progress.progress() as told:
        told("replaying proofs", 0, 9)
    assert not lines
