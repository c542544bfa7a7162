"""Which laws of samples, step sizes and levels judge the claim about the train-test gap."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from fedbounds.theory.language.beside import Beside, PlannedBeside
from fedbounds.theory.language.setups import Number, Objective, Run, Setup

_Samples = tuple[tuple[tuple[Number, ...], ...], ...]


@dataclass(frozen=True)
class Gap:
    """Laws of samples, uniform on (features..., target), and a level of training loss."""

    name: str
    rows: _Samples
    level: Number
    samples: int = 1
    keep: Number = "1/2"
    rounds: int = 12
    local_steps: int = 1
    inverse_step: Number = 2  # eta = 1/(this L)


_LINE: _Samples = (((1, 1), (1, -1)),)
_ALIGNED: _Samples = (((1, 1, 1), (1, 1, -1)),)
_QUICK = (
    # after one round of full models and two of random masks the training losses are equal
    Gap("one sample on the line, p = 2/3", _LINE, "1/8", keep="2/3", rounds=2),
    Gap("one sample, two aligned features, four rounds", _ALIGNED, "1/40", rounds=4,
        inverse_step=1),
)  # fmt: skip
_MORE = (
    Gap("one sample on the line", _LINE, "1/300", rounds=16),
    Gap("one sample, two aligned features", _ALIGNED, "1/80"),
    Gap("one sample, two aligned features, rare masks", _ALIGNED, "1/20", keep="1/4", rounds=30),
    Gap("one sample, three features", (((1, 1, 1, 1), (1, 1, 1, -1)),), "1/180", inverse_step=3),
    Gap("two samples, orthogonal features", (((1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)),),
        "1/5", samples=2, rounds=8),
    Gap("two samples, opposed features", (((1, 1, 1), (1, -1, 1), (1, 1, -1), (1, -1, -1)),),
        "23/100", samples=2, rounds=10),
    Gap("two clients", (*_ALIGNED, ((1, 0, 1), (1, 0, -1))), "1/5", rounds=8),
    Gap("two local steps", _ALIGNED, "1/100", local_steps=2, inverse_step=4),
    Gap("two samples on the line", _LINE, "3/10", samples=2, inverse_step=4),
)  # fmt: skip


def planned() -> Iterator[PlannedBeside]:
    """Every comparison."""
    for quick, every in ((True, _QUICK), (False, _MORE)):
        for one in every:
            yield PlannedBeside(f"gap: {one.name}", beside_full(one), quick)


def beside_full(gap: Gap) -> Beside:
    """Random masks beside full models, on every data set."""
    features = tuple(tuple(row[:-1] for row in own) for own in gap.rows)
    targets = tuple(tuple(row[-1] for row in own) for own in gap.rows)
    problem = Objective("regression", (("features", features), ("targets", targets)))
    squares = (sum(Fraction(x) ** 2 for x in row) for own in features for row in own)
    eta = 1 / (Fraction(gap.inverse_step) * max(squares))
    own = (("K", gap.local_steps), ("eta", eta), ("n_s", gap.samples))
    start = (0,) * len(features[0][0])
    setups = (
        Setup("submodel", view, Run(problem, start, (("keep", (p,) * len(gap.rows)), *own),
                                    gap.rounds), (("level", gap.level),))
        for view, p in (("losses of random masks", gap.keep), ("losses of full models", 1))
    )  # fmt: skip
    return Beside("submodel", "random masks beside full models", tuple(setups))
