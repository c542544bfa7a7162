"""The runs that judge a theory: those of its plan, and longer ones where a claim fails later."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fedbounds.errors import FedboundsError

from ..decide.case import Case
from ..decide.profile import Profile
from ..measure.trace import subject_of
from ..setups.found import view_of
from ..setups.later import later, lengthened
from .declare import Theory
from .plan import chosen, long_work, parts_of, speaks_of_rounds

Known = Mapping[str, Any]


@dataclass(eq=False)
class Runs:
    """The runs of a theory; what is known of runs of any length is found once.

    Attributes
    ----------
    theory : Theory
    """

    theory: Theory
    _known: dict[Profile, Known] = field(default_factory=dict)

    def cases(self, profile: Profile, seed: int) -> Iterator[Case]:
        """Cases in the order of their work, each shape of problem in turn."""
        every = chosen(self.theory, profile)
        yield from every
        named = {case.name: case for case in every}
        for broken in self.later(profile)["broken"]:
            case, rounds = named[broken["case"]], broken["rounds"]
            name = f"{case.name.rpartition('=')[0]}={rounds}"
            subject = subject_of(case.setup.run, view_of(case.setup))
            work = long_work(replace(subject, rounds=rounds))
            yield replace(lengthened(case, rounds), name=name, work=work)

    def forever(self, profile: Profile) -> dict[tuple[str, str], frozenset[str]]:
        """By claim and part, the cases on which it holds whatever the number of rounds is."""
        names = [(s.claim.id, part.name) for s in self.theory.statements for part in s.claim.parts]
        return dict(zip(names, map(frozenset, self.later(profile)["forever"]), strict=True))

    def later(self, profile: Profile, known: Known | None = None) -> Known:
        """What is known of runs of any length, as plain data; ``known`` is what it was before.

        Raises
        ------
        FedboundsError
            If what was known is of other cases, or of other parts.
        """
        if profile not in self._known:
            self._known[profile] = (
                self._later(profile) if known is None else self._of(profile, known)
            )
        return self._known[profile]

    def _later(self, profile: Profile) -> Known:
        theory = self.theory
        every = chosen(theory, profile)
        fixed = not speaks_of_rounds(theory)  # else a longer run has other values
        long = [case for case in every if fixed and case.setup.run.rounds == theory.horizon]
        found = later(parts_of(theory), long)
        return {
            "broken": [{"case": case.name, "rounds": rounds} for case, rounds in found.broken],
            "forever": [sorted(names) for names in found.forever],
        }

    def _of(self, profile: Profile, known: Known) -> Known:
        names = {case.name for case in chosen(self.theory, profile)}
        told = {one["case"] for one in known["broken"]}.union(*known["forever"])
        if not told <= names or len(known["forever"]) != len(parts_of(self.theory)):
            raise FedboundsError(f"{self.theory.key}: what is kept of longer runs is of other runs")
        return known
