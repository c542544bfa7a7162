"""A set-up that is sampled: quantities replica by replica, and between which numbers they are.

Rounds are computed for participants alone where that is shown to be the same, see
`measure.participants`; what needs more than the state of a round's start runs all clients besides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from fedbounds.errors import FedboundsError, require
from fedbounds.problems import to_float
from fedbounds.problems.spectrum import to_floats
from fedbounds.theory.language.setups import Setup

from ..decide.case import Found, find, sampled_by
from ..decide.measurement import fingerprint
from ..measure.clients import Clients
from ..measure.forms import ends
from ..measure.known import MissingError
from ..measure.participants import Slotted, slotted
from ..measure.replicas import Replicas
from ..measure.rows import Pattern
from ..measure.samples import CHUNK, Rows, patterned, replicas, stream
from ..measure.subject import Subject
from ..measure.trace import subject_of
from ..measure.unknowns import Refused
from ..measure.within import within
from .found import defined, told_of, view_of

Array = Any
Series = dict[str, Array]


@dataclass(frozen=True, eq=False)
class InSamples:
    """A set-up of which replicas are looked at.

    Attributes
    ----------
    setup : Setup
    replicas : int
        The most.
    """

    setup: Setup
    replicas: int

    def __post_init__(self) -> None:
        require(self.replicas >= CHUNK, "replicas", self.replicas, f"at least {CHUNK}")
        alone = view_of(self.setup).alone
        require(not alone, "indices that are looked at one by one", alone, "none, of replicas")


@dataclass(frozen=True, eq=False)
class Sampled:
    """Replicas of a set-up.

    Attributes
    ----------
    setup : Setup
    replicas : int
        The most.
    subject : Subject
        In floats.
    pattern : Pattern
    constants : mapping from name to number or definition
    slotted : Slotted or None
        What computing for participants alone needs; None where all clients compute.
    all_compute : str
        Why they do.
    """

    setup: Setup
    replicas: int
    subject: Subject
    pattern: Pattern
    constants: Mapping[str, Any]
    slotted: Slotted | None
    all_compute: str

    def of(self, rows: Rows) -> Replicas:
        """What is defined, of rows."""
        view = view_of(self.setup)
        return Replicas(
            rows,
            self.constants,
            view.quantities,
            view.states,
            each=view.each,
            later=view.later,
            outcomes=view.outcomes,
        )

    def chunk(self, names: frozenset[str], seed: int, number: int, xp: Any) -> Series:
        """Quantities that are asked for, of every replica of a chunk, in rounds 0, 1, ..."""
        random = stream(seed, int(fingerprint(self.setup)[:12], 16), number)
        rows = replicas(self.subject, self.pattern, random, xp, slotted=self.slotted)
        return self._series(self.of(rows), names)

    def ranges(self, names: frozenset[str]) -> Series:
        """Half of how far apart the values of each may be; of none, where nothing is certified."""
        try:
            found = self._series(self.of(within(self.subject, self.pattern)), names)
        except Refused:
            return {}
        every = {name: ends(array) for name, array in found.items()}
        return {x: (high.max(axis=0) - low.min(axis=0)) / 2 for x, (low, high) in every.items()}

    def _series(self, known: Replicas, names: frozenset[str]) -> Series:
        found, every = {}, names & known.quantities.keys()
        # of starts last: where all clients compute, these are there already
        for name in sorted(every, key=lambda x: (x in known.states, x)):
            try:
                found[name] = known.series(name)
            except MissingError:
                continue  # told by what was found of the set-up
        return found


@sampled_by.register
@lru_cache(maxsize=4)
def _sampled(given: InSamples) -> Sampled:
    view = view_of(given.setup)
    exact = subject_of(given.setup.run, view)
    floats = Clients(to_float(exact.problem.objective))
    subject = replace(exact, problem=floats, start=to_floats(exact.start))
    constants = defined(given.setup, view, exact)
    pattern, known, reason = patterned(subject), None, ""
    try:
        known = slotted(subject)
    except Refused as error:
        reason = str(error)
    return Sampled(given.setup, given.replicas, subject, pattern, constants, known, reason)


@find.register
def _found(given: InSamples) -> Found:
    """What is known without replicas, and which quantities they have."""
    view = view_of(given.setup)
    try:
        own = sampled_by(given)
    except Refused as error:
        raise FedboundsError(f"replicas are not measured: {error}") from error
    one = replicas(own.subject, own.pattern, np.random.default_rng(0), count=1)
    exact = subject_of(given.setup.run, view)
    return replace(told_of(given.setup, view, own.of(one), exact), series={}, missing={})
