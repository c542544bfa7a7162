"""Which ladders in p judge how masked objectives depend on it."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fedbounds.theory.language.setups import Number, Objective, Planned, Run, Setup, Trend, numbers

from .point_setups import Ends, Quadratics, Row, coupled, quadratics

Laws = tuple[Row, ...]
GRID: Row = ("1/10", "1/5", "1/2", "4/5", "9/10", 1, 1)  # claims compare a rung with the next


@dataclass(frozen=True)
class Samples:
    """A quadratic per sample, all samples of the first client first; f_i is the mean of its own."""

    every: Quadratics
    each: int = 1

    @property
    def clients(self) -> int:
        """How many they belong to."""
        return self.every.shape[0] // self.each

    def apart(self) -> tuple[Quadratics, dict[str, Any]]:
        """The clients, and what samples have more, where there are several."""
        if self.each == 1:
            return self.every, {}
        matrices, more_matrices = self._means(self.every.hessians)
        slopes, more_slopes = self._means(self.every.slopes)
        more = {"more_hessians": more_matrices, "more_slopes": more_slopes}
        return Quadratics(matrices, slopes), more

    def _means(self, rows: Any) -> tuple[Any, Any]:
        """Of every client, and how far its samples are from there."""
        own = [rows[at : at + self.each] for at in range(0, len(rows), self.each)]
        means = [_mean(one) for one in own]
        more = [[_less(x, mean) for x in one] for one, mean in zip(own, means, strict=True)]
        return numbers(means), numbers(more)


def _mean(every: Any) -> Any:
    """Of nested numbers, entry by entry."""
    if isinstance(every[0], list | tuple):
        return [_mean(entries) for entries in zip(*every, strict=True)]
    return sum(map(Fraction, every)) / len(every)


def _less(one: Any, other: Any) -> Any:
    if isinstance(one, list | tuple):
        return [_less(a, b) for a, b in zip(one, other, strict=True)]
    return Fraction(one) - Fraction(other)


def equal_laws(n: int, grid: Row = GRID) -> Laws:
    """All clients alike."""
    return tuple((p,) * n for p in grid)


def _unequal(n: int) -> Iterator[tuple[str, Laws]]:
    """One client's p grows alone, or all in proportion."""
    yield "one p grows", tuple((p, *("3/5",) * (n - 1)) for p in GRID)
    shares = [Fraction(1, k + 1) for k in range(n)]
    yield "all p grow", numbers([[Fraction(p) * share for share in shares] for p in GRID])


def kinds(n: int) -> Iterator[tuple[str, Laws]]:
    """Equal p, and where there are several clients unequal ones."""
    yield "equal p", equal_laws(n)
    if n > 1:
        yield from _unequal(n)


_PLAIN, _TURNED = ((2, -1), (-1, 2)), ((2, 1), (1, 2))
_APART, _ALONE = (coupled(2, "1/2"),) * 2, coupled(2, 0)
_SIGNS = (coupled(2, "9/10"), coupled(2, "-9/10"))
SAMPLES = {
    "one sample, aligned features": Samples(quadratics(_SIGNS[:1], ((1, 1),))),
    "three equal features": Samples(quadratics((coupled(3, 1, "1/10"),), ((1, 1, 1),))),
    "couplings that differ": Samples(quadratics(_SIGNS, ((3, 4), (4, -3)))),
    "slopes that differ": Samples(quadratics(_APART, ((3, 4), (-1, 2)))),
    "clients alike": Samples(quadratics(_APART, ((3, 4), (3, 4)))),
    "deviations that full models cancel": Samples(quadratics((_PLAIN, _ALONE), ((0, 0), (0, 0)))),
    "two samples, slopes": Samples(quadratics((_ALONE,) * 2, ((3, 3), (-1, 1))), 2),
    "two samples that one w fits": Samples(quadratics((_PLAIN, _TURNED), ((1, 1), (3, 3))), 2),
    "two clients of two samples": Samples(
        quadratics((*_SIGNS, _ALONE, coupled(2, "1/2")), ((1, 0), (0, 2), (-1, 1), (3, 1))), 2
    ),
}


def _domains(d: int) -> Iterator[tuple[str, Ends | None]]:
    yield "R^d", None
    yield "box around 0", ((-2,) * d, ("3/2",) * d)
    yield "box near 1", (("9/10",) * d, ("11/10",) * d)


def over_p(samples: Samples, laws: Laws, point: Row, box: Ends | None = None) -> Setup:
    """Rungs of growing p at one point."""
    problem, more = samples.apart()
    parameters = {"keeps": laws, "point": point, **more} | ({} if box is None else {"box": box})
    data = {"hessians": problem.hessians, "slopes": problem.slopes}
    run = Run(Objective("quadratics", tuple(data.items())), point, tuple(parameters.items()),
              len(laws))  # fmt: skip
    return Setup("submodel", f"random masks over p{'' if box is None else ' in a box'}", run)


# ---- no quadratic: the pull of couplings need not grow with p

# minimisers s 1 at p of the pairs (p, s): s - v + 2 p c s - p^2 k s^2 = 0
_BENT = (
    ("curvature", 1),
    ("centre", "11529/12025"),
    ("pairs", "232/925"),
    ("triple", "6528/12025"),
    ("reach", "9/8"),
)
_LEAST = (("1/4", "7/8"), ("1/2", "27/32"), (1, 1))


def bent(pairs: tuple[tuple[Number, Number], ...] = _LEAST) -> Setup:
    """A trilinear objective at minimisers of several p; the last is of full models."""
    points = tuple((s,) * 3 for _, s in pairs)
    parameters = {
        "keeps": tuple((p,) for p, _ in pairs),
        "least": points,
        "least_full": points[-1],
    }
    run = Run(Objective("trilinear", _BENT), points[-1], tuple(parameters.items()), len(pairs))
    return Setup("submodel", "random masks over p, minimisers given", run)


def planned() -> Iterator[Planned]:
    """Every ladder: all samples with equal and unequal p, on R^d and on boxes."""
    for label, samples in SAMPLES.items():
        d = samples.every.shape[1]
        for how, laws in kinds(samples.clients):
            for room, box in _domains(d):
                setup = over_p(samples, laws, (1,) * d, box)
                yield named(f"{label}, {how}, {room}", setup)
    yield named("trilinear", bent())


def named(label: str, setup: Setup) -> Planned:
    """As it is planned, in a quick plan too."""
    name = f"ladder in p, {label}, d={len(setup.run.start)}, rational"
    return Planned(name, setup, quick=True, steps=False)


# ---- what is shown: powers of 1 - p near full masks

_NEAR: Row = tuple(f"{2**k - 1}/{2**k}" for k in range(4, 10))


def trends(quantity: str) -> tuple[Trend, ...]:
    """As 1 - p falls from 1/16 to 1/512, of all samples."""
    found = []
    for label, samples in SAMPLES.items():
        setup = over_p(samples, equal_laws(samples.clients, _NEAR), (1,) * samples.every.shape[1])
        found.append(Trend(label, setup, "q_miss", quantity, "1 - p"))
    return tuple(found)
