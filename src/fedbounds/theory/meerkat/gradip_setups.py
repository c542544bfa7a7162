"""Clients whose GradIP scores are looked at: with and without variance of samples, and a dial.

On the dial labels are 1 and -1, and a client fits a'w to them by squares: of the kept coordinate
the noise of a gradient is a_1 times the standard deviation of its labels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fedbounds.theory.language.setups import (
    Ladder,
    Number,
    Objective,
    Planned,
    PlannedLadder,
    Run,
    Setup,
)

from .ridges import RIDGES, Ridge

_STEPS, _FEW = 3, 2  # so few that their outcomes can be listed
_ALONG = (2, 1)
_MOST = 12  # coordinates, of which all may settle
# mean and standard deviation of labels, the rarer of which has a share 1/2, 1/5, 1/10, 1/26, 0
LABELS: tuple[tuple[Number, Number], ...] = (
    (0, 1), ("3/5", "4/5"), ("4/5", "3/5"), ("12/13", "5/13"), (1, 0),
)  # fmt: skip


def scored(
    problem: Objective, start: Sequence[Number], mask: tuple[int, ...], pre: Sequence[Number],
    eta: Number, steps: int = _STEPS,
) -> Setup:  # fmt: skip
    """Local steps with scores."""
    given = {"mask": mask, "epsilon": "1/10", "own": 0, "eta": eta, "pretraining": tuple(pre)}
    run = Run(problem, tuple(start), tuple(given.items()), steps)
    return Setup("meerkat", "local steps with scores", run)


def labelled(of: Ridge, mean: Number, spread: Number) -> Objective:
    """Squares of a'w less a label, of one client."""
    noise = str(of.along[0] * Fraction(spread))
    return replace(of, curvatures=(1,), slopes=(str(-Fraction(mean)),), noise=noise).objective


def of_labels(mean: Number, spread: Number, start: Sequence[Number] = (0, 0)) -> Setup:
    """A client on the dial, at 1/(L(u+2)); f_p is least far along the frequent label."""
    of = Ridge("labels", _ALONG, (1, 0), (1,), (0,))
    return scored(labelled(of, mean, spread), start, of.mask, (-1, -1), str(of.local_step))


def _of_ridges() -> Iterator[Planned]:
    """Where a mask keeps one coordinate, or two of which one is seen more by f_p."""
    for of in RIDGES:
        if len(of.curvatures) > 1 or len(of.along) > _MOST:
            continue
        pre = tuple(1 + at % 3 for at in range(len(of.along)))
        for noise in (0, "1/2"):
            own = replace(of, noise=noise)
            setup = scored(own.objective, own.start, own.mask, pre, str(own.local_step))
            yield Planned(f"{of.told}, noise {noise}: scores", setup, quick=True)


def _of_curved() -> Iterator[Planned]:
    """Two kept coordinates of unequal curvature."""
    hessian = ((2, 0), (0, 1))
    for noise in (0, 1):
        data = {"hessians": (hessian,), "slopes": ((1, 0),), "noise": noise}
        problem = Objective("quadratics", tuple(data.items()))
        setup = scored(problem, (1, 2), (1, 1), (1, 2), "1/8", _FEW)
        yield Planned(f"two curvatures, noise {noise}: scores", setup, quick=True)


def _of_labels() -> Iterator[Planned]:
    """The two ends of the dial."""
    for told, own in (("balanced labels", LABELS[0]), ("one label", LABELS[-1])):
        yield Planned(f"{told}: scores", of_labels(*own), quick=True)


PLANNED = (*_of_labels(), *_of_curved(), *_of_ridges())
_NEUTRAL, _SURE = (
    Ladder("meerkat", rungs, tuple(of_labels(*own, start) for own in LABELS))
    for rungs, start in (
        ("over label shares", (0, 0)),
        ("over label shares, from a sure model", ("1/2", 0)),
    )
)
LADDERS = (
    PlannedLadder("labels, from a neutral model", _NEUTRAL, _NEUTRAL),
    PlannedLadder("labels, from a sure model", _SURE, _SURE),
)
