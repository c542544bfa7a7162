"""The problems that a file may hold, by their families."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import FedboundsError, require
from fedbounds.problems import NoiseLaw
from fedbounds.theory.language.setups import GIVEN, Objective

from ..measure.objectives import objective
from .stored_fields import (
    Data,
    Kind,
    Known,
    Listed,
    Number,
    Record,
    Text,
    Whole,
    Word,
    untagged,
    wrong,
)
from .stored_work import power


@dataclass(frozen=True)
class Named:
    """A tuple of pairs of a name and what is meant by it, each name at most once, some once.

    ``others`` is the kind of all other names, where there may be any.
    """

    kinds: Mapping[str, Kind]
    needs: tuple[str, ...] = ()
    others: Kind | None = None

    def read(self, data: Data, where: str, known: Known) -> tuple[tuple[str, Any], ...]:
        """See `Kind`."""
        given = untagged(data, "tuple")
        if not isinstance(given, list):
            raise wrong(where, data, "a list of pairs")
        pairs = [untagged(pair, "tuple") for pair in given]
        if any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
            raise wrong(where, data, "a list of pairs")
        word: Kind = Word(tuple(self.kinds)) if self.others is None else Text()
        names = [word.read(name, where, known) for name, _ in pairs]
        if len(set(names)) < len(names):
            raise FedboundsError(f"{where} has a name twice: {', '.join(sorted(names))}")
        there = set(self.needs) <= set(names)
        require(there, f"names in {where}", sorted(names), ", ".join(self.kinds))
        return tuple(
            (name, self._kind(name).read(value, f"{where}.{name}", known))
            for name, (_, value) in zip(names, pairs, strict=True)
        )

    def _kind(self, name: str) -> Kind:
        return self.kinds[name] if self.others is None else self.kinds.get(name, self.others)


@dataclass(frozen=True)
class OfFamily:
    """One of several records of a problem, by its family."""

    records: Mapping[str, Kind]

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        fields = data.get("fields") if isinstance(data, dict) else None
        family = fields.get("family") if isinstance(fields, dict) else None
        family = family if isinstance(family, str) else ""
        # of another family, the first says what is expected
        record = self.records.get(family, next(iter(self.records.values())))
        return record.read(data, where, known)


@dataclass(frozen=True)
class Sized:
    """A problem whose data tell how many coordinates a model has."""

    record: Record

    def read(self, data: Data, where: str, known: Known) -> Any:
        """See `Kind`."""
        found = self.record.read(data, where, known)
        known.counts["d"] = int(objective(found).shared_dimension)
        return found


_NETWORKS, _NEURONS = "deep linear", "ReLU"
_WIDEST = 10**12  # of which few outputs may be kept: what a model costs, its entries tell
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
                "personal": Whole(0, "d", "d_v"),
                "personal_noise": Number(least=0),
                "apart": Number(least=0),
                "law": Word(tuple(law.value for law in NoiseLaw)),
            },
            needs=("hessians", "slopes"),
        ),
    },
)
_REGRESSION = Record(
    Objective,
    {
        "family": Word(("regression",)),
        "data": Named(
            {
                "features": Listed(Listed(ROW, "samples"), "n"),
                "targets": Listed(Listed(Number(), "samples"), "n"),
                "ridge": Number(least=0),
                "threshold": Number(above=0),
            },
            needs=("features", "targets"),
        ),
    },
)
_NUMBERS = ("curvature", "centre", "pairs", "triple", "reach")
_TRILINEAR = Record(
    Objective,
    {
        "family": Word(("trilinear",)),
        "data": Named(dict.fromkeys(_NUMBERS, Number()), needs=_NUMBERS),
    },
)
_POWERS = Record(
    Objective,
    {
        "family": Word(("ridge powers",)),
        "data": Named(
            {
                "along": ROW,
                "curvatures": Listed(Number(above=0), "n"),
                "quartics": Listed(Number(least=0), "n"),
                "noise": Number(least=0),
            },
            needs=("along", "curvatures", "quartics"),
        ),
    },
)
_NETWORK = Record(
    Objective,
    {
        "family": Word((_NETWORKS,)),
        "data": Named(
            {
                "features": Listed(Listed(Listed(Number(), "d_in"), "samples"), "n"),
                "targets": Listed(Listed(Listed(Number(), "d_out"), "samples"), "n"),
                "depth": Whole(),
                "width": Whole(most=_WIDEST),
                "kept": Whole(),
            },
            needs=("features", "targets", "depth", "width"),
        ),
    },
)
_RELU = Record(
    Objective,
    {
        "family": Word((_NEURONS,)),
        "data": Named(
            {
                "features": Listed(Listed(Listed(Number(), "d_in"), "samples"), "n"),
                "targets": Listed(Listed(Number(), "samples"), "n"),
                "signs": Listed(Whole(-1, 1), "neurons"),
                "copies": Whole(),
            },
            needs=("features", "targets", "signs"),
        ),
    },
)
BY_NUMBER = Record(
    Objective,
    {"family": Word((GIVEN,)), "data": Named({"number": Whole(0)}, needs=("number",))},
)
FAMILIES: Mapping[str, Kind] = {
    "quadratics": _PROBLEM,
    _NETWORKS: Sized(_NETWORK),
    _NEURONS: Sized(_RELU),
    "regression": _REGRESSION,
    "ridge powers": _POWERS,
    "trilinear": _TRILINEAR,
}


# ---- what they cost

_EIGENVALUES = 40  # eliminations until all of a matrix are known


def work_of_an_entry(problem: Objective, size: int) -> int:
    """Multiplications for each of so many numbers of state, by all that is looked at of gradients.

    A network goes through its samples; a deep one knows the terms of its outputs by their degree.
    """
    data = dict(problem.data)
    if problem.family == _NEURONS:
        return len(data["targets"][0])
    if problem.family != _NETWORKS:
        return size
    return len(data["targets"][0]) * (int(data["depth"]) + 1)


def work_of_numbers(problem: Objective) -> int:
    """Of what the problem tells of itself: of a network, eigenvalues."""
    if problem.family != _NETWORKS:
        return 0
    data = dict(problem.data)
    every = len(data["targets"]) * len(data["targets"][0])
    outputs = every * len(data["targets"][0][0])
    through = every * int(objective(problem).shared_dimension)
    return int(data["depth"]) * (_EIGENVALUES * (outputs**3 + every**3) + every * through)


def growth(problem: Objective, steps: int) -> float:
    """How much longer numbers are after so many steps: a network of several layers has products.

    Balls are as long as they were.
    """
    if problem.family != _NETWORKS:
        return steps
    if objective(problem).irrational:
        return 1
    degree = 2 * int(dict(problem.data)["depth"]) - 1
    return steps if degree == 1 else power(degree, steps)
