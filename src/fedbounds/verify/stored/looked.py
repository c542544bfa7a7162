"""Set-ups that are data, in a file: a run of quadratics in a view of a theory."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import FedboundsError, require
from fedbounds.theory.setups import Objective, Run, Setup

from ..setups.found import view_of
from .common import ROUNDS
from .fields import Data, Fields, Kind, Known, Listed, Number, Record, Word, untagged, wrong


@dataclass(frozen=True)
class Named:
    """A tuple of pairs of a name and what is meant by it, each name at most once, or once."""

    kinds: Mapping[str, Kind]
    every: bool = False

    def read(self, data: Data, where: str, known: Known) -> tuple[tuple[str, Any], ...]:
        """See `Kind`."""
        given = untagged(data, "tuple")
        if not isinstance(given, list):
            raise wrong(where, data, "a list of pairs")
        pairs = [untagged(pair, "tuple") for pair in given]
        if any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
            raise wrong(where, data, "a list of pairs")
        names = [Word(tuple(self.kinds)).read(name, where, known) for name, _ in pairs]
        if len(set(names)) < len(names):
            raise FedboundsError(f"{where} has a name twice: {', '.join(sorted(names))}")
        if self.every:
            require(len(names) == len(self.kinds), f"names in {where}", sorted(names),
                    ", ".join(self.kinds))  # fmt: skip
        return tuple(
            (name, self.kinds[name].read(value, f"{where}.{name}", known))
            for name, (_, value) in zip(names, pairs, strict=True)
        )


ROW = Listed(Number(), "d")
_PROBLEM = Record(
    Objective,
    {
        "family": Word(("quadratics",)),
        "data": Named(
            {
                "hessians": Listed(Listed(ROW, "d"), "n"),
                "slopes": Listed(ROW, "n"),
                "noise": Number(least=0),
            },
            every=True,
        ),
    },
)


def looked_at(theory: str, views: Iterable[str], parameters: Fields, chosen: Fields) -> Record:
    """A set-up of a theory, whose runs have some of these parameters and choices."""
    fields: Fields = {
        "problem": _PROBLEM,
        "start": ROW,
        "parameters": Named(parameters),
        "rounds": ROUNDS,
    }
    run = Record(Run, fields)
    view = Word(tuple(views))
    return Record(
        Setup, {"theory": Word((theory,)), "view": view, "run": run, "chosen": Named(chosen)}
    )


def fits(setup: Setup) -> None:
    """Raise unless the run has what its algorithm takes, and what the view chooses is chosen."""
    view_of(setup)
