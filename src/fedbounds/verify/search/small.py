"""Small exact instances, as hypothesis strategies: where witnesses are sought and shrunk."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import fmpq
from hypothesis import assume
from hypothesis import strategies as st

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Claim, Reading, read
from fedbounds.theory.language.setups import Setup

from ..decide.case import Case
from ..measure.trace import subject_of
from ..setups.found import Named, method_of, view_of
from ..setups.inside import NoStepsError
from ..setups.program import check_size, follows, with_few_outcomes
from .seeking import Asking, Space, spaces

_BITS = 6  # significant binary digits of what is irrational: rounded inside the conditions
_SHARES = [Fraction(x) for x in ("0", "1", "1/2", "1/4", "3/4", "1/3", "2/3")]
_SIZES = (
    *(Fraction(x) for x in (1, 2, 3, 4)),
    *(1 / Fraction(x) for x in (2, 3, 4, 10, 100)),
    *(Fraction(x) for x in (10, 100)),
)
_FALLING, _RISING = (1, "1/2", "1/8"), (1, 2)  # of step sizes at their edges


class Drawing(Asking):
    """Answers that hypothesis draws: the first ones are the simplest."""

    def __init__(self, space: Space, draw: st.DrawFn) -> None:
        super().__init__(space, _BITS)
        self._draw = draw

    def counts(self) -> dict[str, Any]:
        """One count after the other, so that each shrinks by itself."""
        if not self._counts:
            every = list(self.space.counts)
            for name in every[0]:
                values = sorted({own[name] for own in every}, key=lambda x: (isinstance(x, str), x))
                value = self._draw(st.sampled_from(values))
                every = [own for own in every if own[name] == value]
            self._counts = dict(every[0])
        return dict(self._counts)

    def which(self, options: Sequence[Any], what: str) -> int:
        """See `Asking.which`."""
        return self._draw(st.integers(0, len(options) - 1))

    def share(self) -> Fraction:
        """See `Asking.share`."""
        return self._draw(st.sampled_from(_SHARES))

    def size(self, least: Any, most: Any) -> Fraction:
        """See `Asking.size`."""
        ends = Fraction(least), Fraction(most)
        inside = [x for x in _SIZES if ends[0] <= x <= ends[1]]
        return self._draw(st.sampled_from(tuple(dict.fromkeys((*inside, *ends)))))

    def factors(self, *, rising: Sequence[str], falling: Sequence[str]) -> dict[str, fmpq]:
        """See `Asking.factors`."""
        every = (*((x, _RISING) for x in rising), *((x, _FALLING) for x in falling))
        drawn = ((name, Fraction(self._draw(st.sampled_from(own)))) for name, own in every)
        return {name: fmpq(x.numerator, x.denominator) for name, x in drawn}


def small_instances(claim: Claim, reading: Reading) -> st.SearchStrategy[Case]:
    """Instances inside the conditions of some part of a reading.

    Raises
    ------
    FedboundsError
        If its theory does not say where there are any.
    """
    every = small_spaces(claim, reading)
    if not every:
        raise FedboundsError(f"no instances are searched for {claim.id}")
    return st.one_of([instances_of(space, names_of(claim)) for space in every])


def small_spaces(claim: Claim, reading: Reading) -> tuple[Space, ...]:
    """Of every part of a reading."""
    return tuple(space for part in read(claim, reading) for space in spaces(claim, part))


def names_of(claim: Claim) -> frozenset[str]:
    """The quantities of which its parts speak."""
    found: frozenset[str] = frozenset().union(*(part.named for part in claim.parts))
    return found


@st.composite
def instances_of(draw: st.DrawFn, space: Space, names: frozenset[str]) -> Case:
    """Of one part and one algorithm."""
    try:
        return space.case(Drawing(space, draw), names)
    except NoStepsError:
        assume(False)
        raise


def exactly(case: Case) -> Case:
    """The instance as a file holds it: without floats, and all of it measured."""
    if not isinstance(case.setup, Named):
        return case
    setup = case.setup.setup
    return replace(case, setup=setup, method=method_of(setup))


def is_shown(case: Case) -> bool:
    """Whether a script can walk through all outcomes of an instance, if it is one run."""
    setup = getattr(case.setup, "setup", case.setup)
    if not isinstance(setup, Setup):
        return True
    try:
        check_size(with_few_outcomes(subject_of(setup.run, view_of(setup))))
    except FedboundsError:
        return False
    return True


def is_followed(case: Case) -> bool:
    """Whether a script can follow its moments, where it cannot walk through all outcomes."""
    setup = getattr(case.setup, "setup", case.setup)
    if not isinstance(setup, Setup):
        return False
    view = view_of(setup)
    return follows(with_few_outcomes(subject_of(setup.run, view)), view)
