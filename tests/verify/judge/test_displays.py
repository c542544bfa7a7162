"""Scalings shown beside claims: every claim exists, fits have intervals, the recursion is exact."""

import pytest

from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.registry import displayed
from fedbounds.verify.decide.profile import Profile
from fedbounds.verify.judge.plan import own_displays
from fedbounds.verify.page.tables import _scaling
from fedbounds.verify.results import kept
from fedbounds.verify.results.store import Store


@pytest.mark.parametrize("paper", ["fedplt", "submodel"])
def test_every_display_is_beside_a_claim_and_tells_its_interval(paper, quick_displays):
    assert quick_displays(paper)
    for claim_id, rows in quick_displays(paper).items():
        assert entry(claim_id).paper == paper
        assert rows
        for row in rows:
            ladder = row["ladder"]
            assert {len(x) for x in ladder["series"].values()} == {len(ladder["values"])}
            fit = ladder["fit"]
            if fit is not None:
                assert fit["low"] <= fit["exponent"] <= fit["high"]
                assert f"[{fit['low']:.3f}" in _scaling(row)


def test_a_paper_without_a_plan_of_its_own_shows_nothing():
    assert displayed("personalization") == {}
    assert own_displays("personalization", Profile.QUICK, {"personalization/thm-3.7"}) == {}


def test_a_claim_alone_has_its_own_and_they_are_called_the_same(quick_displays):
    claim = "submodel/claim-residual"
    found = own_displays("submodel", Profile.QUICK, {claim})
    assert found == {claim: quick_displays("submodel")[claim]}


def test_what_was_shown_is_kept_with_the_records(tmp_path, monkeypatch, quick_displays):
    asked = []

    def counted(paper, profile, claims):
        asked.append(list(claims))
        return {x: own for x, own in quick_displays(paper).items() if x in claims}

    monkeypatch.setattr(kept, "own_displays", counted)
    store, first, other = Store(tmp_path), "fedplt/decaying-step", "fedplt/A1"
    with store.writing():
        before = kept.kept_displays(store, "fedplt", Profile.QUICK, {first, "submodel/lem-1"})
        both = kept.kept_displays(store, "fedplt", Profile.QUICK, {first, other})
        store.pack()
    assert asked == [[first], [other]]
    assert before == {first: quick_displays("fedplt")[first]} == both
    assert kept.kept_displays(Store(tmp_path), "fedplt", Profile.QUICK, {first, other}) == both
    assert len(asked) == 2
    kept.kept_displays(Store(tmp_path), "fedplt", Profile.DEFAULT, {first})
    assert len(asked) == 3


def test_the_recursion_alone_falls_more_slowly_than_one_over_t(quick_displays):
    own = quick_displays("fedplt")["fedplt/decaying-step"]
    rows = {row["problem"]["instance"]: row for row in own}
    alone = rows["recursion with equality, steps 1/(z(t+1))"]["ladder"]
    scaled = [t * d for t, d in zip(alone["values"], alone["series"]["D^t"], strict=True)]
    assert scaled == sorted(scaled)  # t D^t = H_t grows without end
    assert alone["fit"]["low"] > -1
    longer = rows["recursion with equality, steps 2/(z(t+2))"]["ladder"]
    assert max(t * d for t, d in zip(longer["values"], longer["series"]["D^t"], strict=True)) < 4


def test_the_residual_falls_with_the_square_of_what_is_missing(quick_displays):
    rows = quick_displays("submodel")["submodel/claim-residual"]
    fits = [row["ladder"]["fit"] for row in rows if row["ladder"]["fit"]]
    assert fits
    assert all(abs(fit["exponent"] - 2) < 0.1 for fit in fits)
