"""The names of one theory: what each stands for, how it is written, and its sign.

A constant is a SymPy symbol named by its `Constant` or parameter word, so that a value is found by
name. A quantity is a SymPy function of the round. Names belong to a theory: what one theory
declares changes nothing in another, and what is declared can no longer be changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import sympy as sp

from fedbounds.errors import FedboundsError

from ..checker.names import fault_of, identifier


@dataclass(frozen=True)
class Meaning:
    """What a symbol stands for, and its paper's notation in LaTeX."""

    text: str
    latex: str


@dataclass(frozen=True, eq=False)
class Glossary:
    """Names of constants and quantities, and of the vectors that proofs speak of.

    Attributes
    ----------
    meanings : mapping from name to Meaning
        Of all of them, in the order in which they are declared.
    constants : mapping from name to symbol
        Constants of a problem, and parameters; the other names are quantities.
    signed : frozenset of str
        Quantities that may be negative; the others are sums of squares, or rates.
    vectors : mapping from name to LaTeX
        Vectors and sources of randomness.
    left : frozenset of str
        Quantities that say what is left to go: they are 0 at a minimiser.
    rates : frozenset of str
        Quantities that are factors per round, best seen by what they have less than 1.
    varying : frozenset of str
        Counts that each round has its own of, such as the number of its clients: they may stand
        in coefficients.
    indices : mapping from name to words
        Sources of vectors that nobody draws, and what a mean over each is one over: "clients i".

    Raises
    ------
    FedboundsError
        If a name cannot be read, or two names are typed the same way.
    """

    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    constants: Mapping[str, sp.Symbol] = field(default_factory=dict)
    signed: frozenset[str] = frozenset()
    vectors: Mapping[str, str] = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    rates: frozenset[str] = frozenset()
    varying: frozenset[str] = frozenset()
    indices: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("meanings", "constants", "vectors", "indices"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        typed: dict[str, str] = {}
        for name in self.meanings:
            fault = fault_of(identifier(name))
            if fault is not None:
                raise FedboundsError(f"name {name!r}: {fault}")
            other = typed.setdefault(identifier(name), name)
            if other != name:
                raise FedboundsError(f"{name!r} and {other!r} are both typed {identifier(name)!r}")

    @property
    def notation(self) -> dict[str, str]:
        """LaTeX of every constant and vector, by the name that the checker reads."""
        own = {identifier(name): self.meanings[name].latex for name in self.constants}
        return {**self.vectors, **own}

    @property
    def quantities(self) -> frozenset[str]:
        """Names of the measured quantities."""
        return frozenset(self.meanings.keys() - self.constants.keys())

    def __or__(self, other: "Glossary") -> "Glossary":
        """Both; a name that each has is an error, unless they say the same of it."""
        for name in self.meanings.keys() & other.meanings.keys():
            if self._said(name) != other._said(name):
                raise FedboundsError(
                    f"{name!r} has another meaning already: {self.meanings[name].text}"
                )
        return Glossary(
            {**self.meanings, **other.meanings},
            {**self.constants, **other.constants},
            self.signed | other.signed,
            {**self.vectors, **other.vectors},
            self.left | other.left,
            self.rates | other.rates,
            self.varying | other.varying,
            {**self.indices, **other.indices},
        )

    def _said(self, name: str) -> tuple[Meaning, sp.Symbol | None, tuple[bool, ...]]:
        flags = tuple(name in own for own in (self.signed, self.left, self.rates, self.varying))
        return self.meanings[name], self.constants.get(name), flags


class Draft:
    """Collects the names that a module declares; `closed` ends it.

    Raises
    ------
    FedboundsError
        For a name that is declared twice, or after the end.
    """

    def __init__(self) -> None:
        self._meanings: dict[str, Meaning] = {}
        self._constants: dict[str, sp.Symbol] = {}
        self._flags = Glossary()
        self._open = True

    def symbol(self, name: str, text: str, latex: str, **assumptions: bool) -> sp.Symbol:
        """A constant or a parameter."""
        self._enter(str(name), Meaning(text, latex))
        return self._constants.setdefault(str(name), sp.Symbol(str(name), **assumptions))

    def quantity(
        self,
        name: str,
        text: str,
        latex: str,
        *,
        signed: bool = False,
        left: bool = False,
        rate: bool = False,
        varying: bool = False,
    ) -> type[sp.Function]:
        """A measured quantity; see `Glossary` for what may be said of it."""
        self._enter(str(name), Meaning(text, latex))
        own, none = frozenset({str(name)}), frozenset[str]()
        self._flags |= Glossary(
            signed=own if signed else none,
            left=own if left else none,
            rates=own if rate else none,
            varying=own if varying else none,
        )
        function: type[sp.Function] = sp.Function(str(name), real=True)
        return function

    def closed(self) -> Glossary:
        """What was declared; nothing can be added any more."""
        self._open = False
        return Glossary(self._meanings, self._constants) | self._flags

    def _enter(self, name: str, meaning: Meaning) -> None:
        if not self._open or name in self._meanings:
            raise FedboundsError(f"{name!r} is declared twice, or after its module's names closed")
        self._meanings[name] = meaning
