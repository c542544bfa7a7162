"""The identity of a certificate, multiplied out in every branch, as plain data.

With it a checker needs no search, no factors and no common divisors: what is divided by is a
product of listed factors, and every root is given. What is written is said in
``docs/certificates.md``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .charts import Branch
from .check import (
    Pieces,
    Unrolled,
    own_times,
    pieces,
    remainder,
    tangents,
    under_root,
    unrolled,
    with_variables,
)
from .data import Certificate, Statement, Step, Theory
from .errors import Refused
from .ratios import Polynomial, Ratio, Ring
from .values import Value

Data = dict[str, Any]


def expanded(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> Data:
    """The branches of a certificate that the checker accepts, by the part they belong to.

    Parameters
    ----------
    theory, step, earlier
        As for `check`, which has accepted them.

    Returns
    -------
    dict of list
        ``branches`` for a combination, an unrolling and a root; ``base`` and ``next`` for an
        induction; nothing for what is given.
    """
    statement, certificate = step.statement, step.certificate
    match certificate.rule:
        case "combine":
            return {"branches": _combined(theory, statement, certificate, earlier)}
        case "induction":
            assert certificate.base is not None
            x = certificate.variable
            start = str(statement.first) if x == "t" else "0"
            base = _combined(theory, statement, certificate.base, earlier, {x: start})
            at = {x: f"{x}+1"}
            rest = _combined(theory, statement, certificate, earlier, at, statement)
            return {"base": base, "next": rest}
        case "root":
            wide, tangent = tangents(theory, statement)
            return {"branches": _combined(wide, tangent, certificate, earlier, under=statement)}
        case "unroll":
            return {"branches": [_unrolled(one) for one in unrolled(theory, step, earlier)]}
    return {}


def _combined(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
    at: Mapping[str, str] | None = None,
    hypothesis: Statement | None = None,
    under: Statement | None = None,
) -> list[Data]:
    def read(powers: dict[str, bool]) -> list[Data]:
        every = pieces(theory, statement, certificate, earlier, at or {}, hypothesis, powers)
        rows = []
        for number, found in enumerate(every):
            left = remainder(theory, statement, certificate, found, number).value
            used = _used(certificate, found, number)
            root = None if under is None else under_root(found.branch, under)
            shown = _Shown.of(found.branch)
            row = shown.head() | {"gap": shown.value(found.gap)} | used(shown)
            row["remainder"] = shown.value(left)
            rows.append(row if root is None else row | {"under": shown.value(root)})
        return rows

    return with_variables(read)


def _used(certificate: Certificate, found: Pieces, number: int) -> Callable[["_Shown"], Data]:
    """Multipliers and differences, read before anything is shown."""
    reader = found.branch.reader
    premises, squares = [], []
    for premise, piece in zip(certificate.premises, found.premises, strict=True):
        times = reader.read(own_times(premise.times, number))
        premises.append((times, piece.value) if times.terms else None)
    for square, value in zip(certificate.squares, found.squares, strict=True):
        squares.append((reader.read(own_times(square.times, number)), value))

    def shown(how: "_Shown") -> Data:
        return {
            "premises": [
                None
                if one is None
                else {"times": how.value(one[0]), "difference": how.value(one[1])}
                for one in premises
            ],
            "squares": [{"times": how.value(a), "square": how.value(b)} for a, b in squares],
        }

    return shown


def _unrolled(found: Unrolled) -> Data:
    shown = _Shown.of(found.branch)
    names = ("factor", "added", "bound", "claimed")
    every = {name: shown.value(getattr(found, name)) for name in names}
    return shown.head() | every | {"remainder": shown.value(found.claimed - found.bound)}


@dataclass(frozen=True)
class _Shown:
    """How the quotients of one branch are written.

    Attributes
    ----------
    names : dict from a variable of the ring to how it is written
    factors : the polynomials of which every denominator is a product
    """

    branch: Branch
    names: Mapping[str, str]
    factors: tuple[Polynomial, ...]

    @staticmethod
    def of(branch: Branch) -> "_Shown":
        ring = branch.reader.ring
        opened = {name: f"_v{number}" for number, name in enumerate(ring.notes.opened)}
        names = {name: opened.get(name, name) for name in ring.names}
        return _Shown(branch, names, _factors(ring))

    def head(self) -> Data:
        """Factors, further variables, roots and parameters."""
        ring = self.branch.reader.ring
        variables = [
            {
                "is": kind,
                "of": [self.quotient(one) for one in of],
                "positive": name in ring.positive,
            }
            for name, (kind, of) in ring.notes.opened.items()
        ]
        roots = [
            {"of": self.quotient(of), "degree": degree, "root": self.quotient(root)}
            for of, degree, root in ring.notes.roots
        ]
        different = {str(row): row for row in roots}
        parameters = self.branch.reader.parameters
        return {
            "factors": [self._polynomial(one) for one in self.factors],
            "variables": variables,
            "roots": [different[key] for key in sorted(different)],
            "parameters": {name: self.quotient(one) for name, one in parameters.items()},
        }

    def value(self, value: Value) -> Data:
        """Quantities with their coefficients."""
        return {key: self.quotient(value.terms[key]) for key in sorted(value.terms)}

    def quotient(self, ratio: Ratio) -> str | list[str]:
        """A numerator; with the denominator, where there is one."""
        powers, rest = [], ratio.below
        for number, factor in enumerate(self.factors):
            power, rest = _divided(rest, factor)
            if power:
                powers.append(f"_d{number}" + (f"**{power}" if power > 1 else ""))
        if not rest.is_constant():
            raise Refused(f"the denominator of {ratio} is no product of what was divided by")
        above = self._polynomial(ratio.above / rest.leading_coefficient())
        return [above, "*".join(powers)] if powers else above

    def _polynomial(self, polynomial: Polynomial) -> str:
        names = [self.names[name] for name in self.branch.reader.ring.names]
        terms = [
            "*".join([str(coefficient), *_powers(names, powers)])
            for powers, coefficient in polynomial.terms()
        ]
        return " + ".join(terms) or "0"


def _powers(names: Iterable[str], powers: Iterable[int]) -> Iterator[str]:
    for name, power in zip(names, powers, strict=True):
        if power:
            yield name if power == 1 else f"{name}**{power}"


def _divided(polynomial: Polynomial, factor: Polynomial) -> tuple[int, Polynomial]:
    """How often a factor divides a polynomial, and what is left."""
    power = 0
    while True:
        quotient, rest = divmod(polynomial, factor)
        if not rest.is_zero():
            return power, polynomial
        power, polynomial = power + 1, quotient


def _factors(ring: Ring) -> tuple[Polynomial, ...]:
    """Positive polynomials of which every divisor is a product: large ones first."""
    found: dict[str, Polynomial] = {}
    for divisor in {str(one): one for one in ring.notes.divisors}.values():
        for factor in _split(ring, divisor):
            found.setdefault(str(factor), factor)
    return tuple(sorted(found.values(), key=lambda one: (-one.total_degree(), str(one))))


def _split(ring: Ring, divisor: Polynomial) -> Iterator[Polynomial]:
    """The irreducible factors, where each is positive; else the polynomial as it stands."""
    _, factors = divisor.factor()
    monic = [factor / factor.leading_coefficient() for factor, _ in factors]
    if all(ring.sign(factor) == 1 for factor in monic):
        yield from monic
    else:
        yield divisor / divisor.leading_coefficient()
