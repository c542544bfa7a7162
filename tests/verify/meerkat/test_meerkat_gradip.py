"""GradIP of local steps: moments by hand, limits, what is said of them, and planted errors."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fedbounds.algorithms import early_stopped_rounds
from fedbounds.algorithms.early_stopping import gradip
from fedbounds.theory.language.catalogue import entry
from fedbounds.theory.language.claims import read
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.setting import readings_of
from fedbounds.theory.meerkat.gradip_setups import LABELS, LADDERS, PLANNED, of_labels
from fedbounds.verify.decide.measurement import measure
from fedbounds.verify.judge.judge import judge_reading
from fedbounds.verify.judge.settled import settle
from fedbounds.verify.judge.summary import summarise
from fedbounds.verify.setups.found import followed, many_of, view_of
from fedbounds.verify.setups.plan import case_of, ladder_case
from fedbounds.vocabulary import Standing, Verdict

PHENOMENON, TOLD_APART = claim("meerkat/gradip-phenomenon"), claim("meerkat/rq2")
BY_NAME = {planned.name: planned for planned in PLANNED}
FEW = ("balanced labels: scores", "one label: scores", "two curvatures, noise 0: scores",
       "two curvatures, noise 1: scores")  # fmt: skip


def numbers(nested, kind):
    own = np.array(nested, dtype=object)
    exact = np.vectorize(lambda x: Fraction(str(x)), otypes=[object])(own)
    return exact if kind is Fraction else exact.astype(float)


def by_hand(setup, steps, kind=Fraction):
    """E GradIP, E GradIP^2 and E ||estimate||^2 of every step, by Isserlis: exact or in floats."""
    data, given = dict(setup.run.problem.data), setup.run.parameter
    every = (data["hessians"][0], data["slopes"][0], given("mask"), given("pretraining"))
    H, h, m, pre, mean = (numbers(x, kind) for x in (*every, setup.run.start))
    eta, scale = (kind(Fraction(str(x))) for x in (given("eta"), data["noise"]))
    moment, kept, found = np.outer(mean, mean), np.diag(m), []
    for _ in range(steps):
        g, mixed = H @ mean + h, (moment @ H + np.outer(mean, h)) @ kept  # E g, E y (m o g)'
        square = H @ moment @ H + np.outer(H @ mean, h) + np.outer(h, H @ mean) + np.outer(h, h)
        square = kept @ square @ kept + kept * scale**2
        trace, along = square.trace(), pre @ square @ pre
        found.append((pre @ (m * g), (pre * m) @ pre * trace + 2 * along, (2 + sum(m)) * trace))
        moment = moment - eta * (mixed + mixed.T) + eta**2 * (2 * square + trace * kept)
        mean = mean - eta * m * g
    return found


def shown(setup):
    """The same as runs show it."""
    known = many_of(setup, view_of(setup))
    every = (known.series(name) for name in ("GradIP", "GradIP_2", "est_one"))
    return [tuple(map(told, row)) for row in zip(*every, strict=True)]


def told(x):
    return Fraction(int(x.p), int(x.q))


@pytest.mark.parametrize("name", FEW)
def test_moments_of_scores_are_those_by_hand(name):
    setup = BY_NAME[name].setup
    assert shown(setup) == by_hand(setup, setup.run.rounds)


@pytest.mark.parametrize("name", FEW)
def test_limits_are_those_of_many_steps_by_hand(name):
    setup = BY_NAME[name].setup
    known = many_of(setup, view_of(setup))
    late = settled(setup)
    limits = [float(known.constant(x)) for x in ("lim_mean2", "lim_GradIP2", "lim_est2")]
    assert limits == pytest.approx([late[0] ** 2, *late[1:]], abs=1e-9)
    assert (limits[1] > 0) is ("balanced" in name or "noise 1" in name)


def settled(setup):
    """After many steps."""
    return by_hand(setup, 300, float)[-1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda scalars, directions, gradient: gradip(scalars, directions, gradient * 2),
        lambda scalars, directions, gradient: -gradip(scalars, directions, gradient),
        lambda scalars, directions, gradient: gradip(scalars, directions, gradient**2),
    ],
    ids=["doubled", "sign", "squared"],
)
def test_wrong_scores_are_found(wrong, monkeypatch):
    setup = BY_NAME["two curvatures, noise 1: scores"].setup
    monkeypatch.setattr(early_stopped_rounds, "gradip", wrong)
    followed.cache_clear()
    assert shown(setup) != by_hand(setup, setup.run.rounds)
    followed.cache_clear()


# ---- what is said of them


def verdict(found, name, case, **more):
    """Of the reading that has this part alone, which may have been changed."""
    part = replace(found.part(name), **more)
    own = replace(found, parts=(part,), readings=(replace(found.readings[0], parts=()),))
    return judge_reading(own, own.readings[0], case, measure(case)).outcomes[0].verdict


def case(name):
    return case_of(BY_NAME[name], "")


@pytest.mark.parametrize(
    ("name", "on", "wanted"),
    [
        ("decays", "one label: scores", Verdict.NOT_VIOLATED),
        ("decays", "balanced labels: scores", Verdict.OUTSIDE),
        ("stays", "balanced labels: scores", Verdict.NOT_VIOLATED),
        ("stays", "two curvatures, noise 1: scores", Verdict.NOT_VIOLATED),
        ("cosine", "two curvatures, noise 1: scores", Verdict.NOT_VIOLATED),
        ("mirrors, below", "two curvatures, noise 1: scores", Verdict.NOT_VIOLATED),
        ("mirrors, above", "two curvatures, noise 1: scores", Verdict.NOT_VIOLATED),
        ("mirrors exactly", "two curvatures, noise 1: scores", Verdict.VIOLATED),
        ("norm of all", "balanced labels: scores", Verdict.VIOLATED),
    ],
)
def test_words_on_known_problems(name, on, wanted):
    assert verdict(PHENOMENON, name, case(on)) is wanted


def test_means_of_scores_do_not_tell_clients_apart():
    assert verdict(TOLD_APART, "means", case("balanced labels: scores")) is Verdict.VIOLATED


def test_planted_errors_of_the_words_are_caught():
    noisy, two = case("balanced labels: scores"), case("two curvatures, noise 1: scores")
    assert verdict(PHENOMENON, "decays", noisy, conditions=()) is Verdict.VIOLATED
    stays, above = (PHENOMENON.part(name) for name in ("stays", "mirrors, above"))
    assert verdict(PHENOMENON, "stays", noisy, left=6 * stays.left) is Verdict.VIOLATED
    assert verdict(PHENOMENON, "mirrors, above", two, right=above.right / 2) is Verdict.VIOLATED
    cosine = PHENOMENON.part("cosine")
    assert verdict(PHENOMENON, "cosine", two, right=cosine.right / 3) is Verdict.VIOLATED


# ---- norms of gradients

DYNAMICS = claim("meerkat/norm-dynamics")
ONE_KEPT = [name for name in BY_NAME if "two" not in name]  # where all that moves settles


@pytest.mark.parametrize("name", ONE_KEPT)
def test_norms_on_a_ridge_keep_what_is_by_hand(name):
    """At 1/(L(u+2)): s^2/(2 - 3c/(u+2)), s^2 the variance of every coordinate."""
    setup = BY_NAME[name].setup
    known = many_of(setup, view_of(setup))
    mask, data = setup.run.parameter("mask"), dict(setup.run.problem.data)
    scale, hessian = Fraction(str(data["noise"])), numbers(data["hessians"][0], Fraction)
    u, c = sum(mask), np.array(mask) @ hessian.diagonal() / hessian.trace()
    assert told(known.constant("lim_g2")) == scale**2 / (2 - 3 * c / (u + 2))


def test_words_on_norms():
    with_noise = [case(name) for name in ONE_KEPT if name.endswith("noise 1/2: scores")]
    without = case("one label: scores")
    for one in with_noise:
        assert verdict(DYNAMICS, "stays", one) is Verdict.NOT_VIOLATED
        assert verdict(DYNAMICS, "vanishes", one) is Verdict.OUTSIDE
    assert verdict(DYNAMICS, "vanishes", without) is Verdict.NOT_VIOLATED


def test_planted_errors_of_norms_are_caught():
    noisy = case("one client, noise 1/2: scores")
    stays = DYNAMICS.part("stays")
    assert verdict(DYNAMICS, "vanishes", noisy, conditions=()) is Verdict.VIOLATED
    assert verdict(DYNAMICS, "stays", noisy, left=2 * stays.left) is Verdict.VIOLATED


# ---- the dial


def test_what_falls_on_the_dial_is_what_is_by_hand():
    neutral, sure = (ladder_case(one.name, one.ladder) for one in LADDERS)
    for own, start in ((neutral, (0, 0)), (sure, ("1/2", 0))):
        found = measure(own).numbers.series
        for at, labels in enumerate(LABELS):
            setup = of_labels(*labels, start)
            (first, square, _), late = by_hand(setup, 1)[0], settled(setup)
            assert float(found["falls_1"][at]) == pytest.approx(float(first) - late[0], abs=1e-9)
            assert float(found["falls_2"][at]) == pytest.approx(float(square) - late[1], abs=1e-9)
    assert verdict(PHENOMENON, "sharper", neutral) is Verdict.NOT_VIOLATED
    assert verdict(PHENOMENON, "sharper, signed", neutral) is Verdict.NOT_VIOLATED
    assert verdict(PHENOMENON, "sharper, sure", sure) is Verdict.VIOLATED


def test_a_fall_that_is_turned_round_is_caught():
    neutral = ladder_case(LADDERS[0].name, LADDERS[0].ladder)
    part = PHENOMENON.part("sharper")
    turned = {"left": part.right, "right": part.left}
    assert verdict(PHENOMENON, "sharper", neutral, **turned) is Verdict.VIOLATED


# ---- the experiments themselves


@pytest.mark.parametrize("found", [PHENOMENON, TOLD_APART], ids=lambda found: found.id)
def test_no_problem_of_ours_stands_for_the_experiments(found):
    """Whatever is seen on known problems, they come first, and nobody can repeat them."""
    summary = summarise(entry(found.id), [], {})
    first, *others = summary["readings"]
    assert summary["standing"] == Standing.NOT_REPRODUCIBLE
    assert summary["reason"].startswith("not stated: step size")
    assert first["name"] == readings_of(found)[0].name == "the experiments themselves"
    assert [row["name"] for row in others] == [reading.name for reading in found.readings]
    findings = list(settle(found))
    assert {one.reading for one in findings} == {first["name"]}
    assert {one.verdict for one in findings} == {Verdict.UNDECIDED}


def test_every_part_is_in_a_reading():
    for found in (PHENOMENON, TOLD_APART):
        spoken = {part.name for reading in found.readings for part in read(found, reading)}
        assert spoken == {part.name for part in found.parts}
