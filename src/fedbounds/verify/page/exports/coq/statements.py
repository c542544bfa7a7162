"""A statement as a proposition of Coq, with all that it is said of."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fedbounds.theory.checker.data import Comparison, Statement, Theory
from fedbounds.theory.checker.text import parsed, words

from .scopes import inlined, mask, name_in, of_scope, space_of, supposed
from .terms import Terms, identifier

_BOUND = {"Sum_t": {"t"}, "Mean_t": {"t"}, "Sum_i": {"i"}, "Sum_ik": {"i", "k"}}
_LAST = {"t": "T", "k": "K", "i": "n"}


@dataclass(frozen=True)
class Variables:
    """What a proposition is about: parameters, quantities and assumptions, in a fixed order."""

    symbols: tuple[str, ...]
    quantities: tuple[str, ...]
    assumptions: tuple[str, ...] = ()
    scoped: tuple[tuple[str, str], ...] = ()  # vectors and values, with their scopes

    def binders(self, theory: Theory) -> str:
        """As they are bound."""
        found = []
        plain = [identifier(s) for s in self.symbols if theory.symbols[s] != "varying"]
        varying = [identifier(s) for s in self.symbols if theory.symbols[s] == "varying"]
        if plain:
            found.append(f"({' '.join(plain)} : R)")
        if varying:
            found.append(f"({' '.join(varying)} : R -> R)")
        for name in self.quantities:
            kind = ["R", "R", "R", "R", "R"]
            arity = arity_of(theory, name)
            found.append(f"({identifier(name)} : {' -> '.join(kind[: arity + 1])})")
        for scope in self.scopes():
            found.append(f"({space_of(theory, scope)} : space)")
            values = {row[0] for row in theory.scopes[scope].values}
            for sort, wanted in (("vec", False), ("R", True)):
                own = [n for s, n in self.scoped if s == scope and (n in values) is wanted]
                if own:
                    named = " ".join(name_in(theory, scope, one) for one in own)
                    found.append(f"({named} : R -> R -> R -> {sort})")
        if self.assumptions:
            found.append(f"({' '.join(map(assumption, self.assumptions))} : Prop)")
        return " ".join(found)

    def scopes(self) -> list[str]:
        """Those whose vectors are among them."""
        return sorted({scope for scope, _ in self.scoped})

    def arguments(self, theory: Theory) -> str:
        """As they are given."""
        own = [*map(identifier, (*self.symbols, *self.quantities))]
        for scope in self.scopes():
            own.append(space_of(theory, scope))
            values = {row[0] for row in theory.scopes[scope].values}
            for wanted in (False, True):
                own += [
                    name_in(theory, s, n)
                    for s, n in self.scoped
                    if s == scope and (n in values) is wanted
                ]
        return " ".join([*own, *map(assumption, self.assumptions)])

    def union(self, other: "Variables", theory: Theory) -> "Variables":
        """Those of both."""
        return variables(
            theory,
            {*self.symbols, *self.quantities, *other.symbols, *other.quantities},
            {*self.assumptions, *other.assumptions},
            {*self.scoped, *other.scoped},
        )


def arity_of(theory: Theory, name: str) -> int:
    """How many arguments a quantity has in Coq: the client first, if it has its own for each."""
    return theory_arities(theory).get(name, 1) + (name in theory.per_client | theory.per_step)


def theory_arities(theory: Theory) -> dict[str, int]:
    """Arguments of the quantities with a step."""
    return {name: 2 for name in theory.per_step}


def assumption(text: str) -> str:
    """An assumption's name in Coq."""
    return "assume_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in text)


def variables(
    theory: Theory,
    named: Iterable[str],
    assumptions: Iterable[str] = (),
    scoped: Iterable[tuple[str, str]] = (),
) -> Variables:
    """Of the names in a text, those of parameters and quantities, in the order of the theory."""
    names = set(named)
    own = [s for s, sign in theory.symbols.items() if s in names and sign != "index"]
    return Variables(
        tuple(sorted(own, key=lambda s: theory.symbols[s] == "varying")),
        tuple(q for q in theory.quantities if q in names),
        tuple(sorted(set(assumptions))),
        tuple(sorted(set(scoped))),
    )


def indices_of(theory: Theory, statement: Statement) -> tuple[str, ...]:
    """Which of t, k and the client i a statement is said of: in a scope, of all."""
    if statement.scope:
        return ("t", "i", "k")
    return indices(theory, statement.left, statement.right)


def indices(theory: Theory, *sides: str) -> tuple[str, ...]:
    """Which of t, k and the client i occur freely."""
    found: set[str] = set().union(*(_free(theory, parsed(side)) for side in sides))
    return tuple(one for one in "tik" if one in found)


def _free(theory: Theory, node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name):
            return {name} & {"t", "k"}
        case ast.Call(func=ast.Name(id=name), args=arguments):
            found = set().union(*(_free(theory, argument) for argument in arguments))
            found |= {"i"} if name in theory.per_client | theory.per_step else set()
            return found - _BOUND.get(name, set())
    return set().union(*(_free(theory, inner) for inner in ast.iter_child_nodes(node)))


def own_variables(theory: Theory, statement: Statement) -> Variables:
    """Those of a statement, with the counts that bound its indices and its sums."""
    sides = tuple(
        inlined(theory, statement.scope, side) for side in (statement.left, statement.right)
    )
    named = words(*sides, *(s for c in statement.conditions for s in c[::2]))
    named |= {_LAST[one] for one in indices_of(theory, statement)}
    sums = {"Sum_t": "T", "Mean_t": "T", "Sum_i": "n", "Sum_ik": "nK"}
    named |= {c for name, counts in sums.items() if name in named for c in counts}
    scoped = [(statement.scope, one) for one in named_in(theory, statement.scope, sides)]
    return variables(theory, named, statement.assumptions, scoped)


def named_in(theory: Theory, scope: str, texts: Iterable[str]) -> list[str]:
    """The vectors and values of a scope that texts name, once nothing is derived."""
    if not scope:
        return []
    own, named = theory.scopes[scope], words(*texts)
    every = [name for name, _ in own.atoms] + [row[0] for row in own.values]
    return [name for name in every if name in named]


def comparison(terms: Terms, found: Comparison) -> str:
    """A comparison; x >= y is written y <= x."""
    low, relation, high = oriented(found)
    return f"{terms.text(low)} {relation} {terms.text(high)}"


def is_varying(theory: Theory, found: Comparison) -> bool:
    """Whether a condition is about a count that each round has its own of."""
    return any(theory.symbols.get(name) == "varying" for name in words(found[0], found[2]))


def everywhere(theory: Theory, found: Comparison) -> str:
    """A condition that holds everywhere, in every round."""
    binder = "forall t : R, " if is_varying(theory, found) else ""
    return binder + comparison(Terms(theory), found)


def oriented(found: Comparison) -> Comparison:
    """A comparison with <= or =."""
    left, relation, right = found
    if relation == ">=":
        return right, "<=", left
    return left, "=" if relation == "==" else "<=", right


def sides(statement: Statement) -> Comparison:
    """What a statement compares."""
    return statement.left, statement.relation, statement.right


def ranges(theory: Theory, statement: Statement) -> list[tuple[str, list[str]]]:
    """Of each index of a statement: its name, and between what it runs."""
    found = []
    for name in indices_of(theory, statement):
        first = str(statement.first) if name == "t" else "0"
        found.append(
            (name, [f"whole {name}", f"{first} <= {name}", f"{name} <= {_LAST[name]} - 1"])
        )
    return found


def proposition(theory: Theory, statement: Statement) -> str:
    """What a statement says of its variables."""
    terms = Terms(theory, scope=statement.scope)
    lines = [f"{assumption(one)} ->" for one in statement.assumptions]
    lines += [f"{comparison(terms, one)} ->" for one in statement.conditions]
    for name, between in ranges(theory, statement):
        lines += [f"forall {name} : R, " + " ".join(f"{one} ->" for one in between)]
    return "\n  ".join([*lines, comparison(terms, sides(statement))])


def declared(theory: Theory, found: Variables) -> list[tuple[str, str]]:
    """Names and texts of the signs that a theory declares of these variables."""
    rows = []
    for name in found.symbols:
        own = identifier(name)
        match theory.symbols[name]:
            case "integer":
                rows.append((f"sign_{name}", f"count {own}"))
            case "positive":
                rows.append((f"sign_{name}", f"0 < {own}"))
            case "nonnegative":
                rows.append((f"sign_{name}", f"0 <= {own}"))
            case "varying":
                rows.append((f"sign_{name}", f"forall t : R, count ({own} t)"))
    for name in found.quantities:
        if theory.quantities[name]:
            given = [f"x{number}" for number in range(arity_of(theory, name))]
            at = " ".join([identifier(name), *given])
            binder = f"forall {' '.join(given)} : R, " if given else ""
            rows.append((f"sign_{name}", f"{binder}0 <= {at}"))
    return rows


def of_vectors(theory: Theory, found: Variables) -> list[tuple[str, str]]:
    """What a scope says of its vectors: on what each depends, and whose mean vanishes."""
    rows = []
    for scope, name in found.scoped:
        own, space = theory.scopes[scope], space_of(theory, scope)
        if name not in dict(own.atoms):
            continue
        needs = list(supposed(theory, scope, name))
        under = [f"{assumption(a)} -> " for need in needs for a in need.assumptions]
        under += [f"{comparison(Terms(theory), c)} -> " for need in needs for c in need.conditions]
        start, text = "".join(under) + "forall t k i : R, ", of_scope(theory, scope, name)
        at = name_in(theory, scope, name)
        kept = mask(own, set(dict(own.atoms)[name]))
        rows.append((f"depends_{at}", f"{start}mean {space} {kept} {text} = {text}"))
        if name in dict(own.centred):
            others = mask(own, set(own.sources) - {dict(own.centred)[name]})
            rows.append((f"centred_{at}", f"{start}mean {space} {others} {text} = vzero"))
    return rows


def always(theory: Theory, found: Variables) -> list[tuple[int, Comparison]]:
    """Conditions that hold everywhere of these parameters, with their places."""
    known = set(found.symbols)
    return [
        (place, one)
        for place, one in enumerate(theory.always)
        if words(one[0], one[2]) - {"sqrt", "Max", "Min", "log"} <= known
    ]


def conditions(theory: Theory, statement: Statement) -> Sequence[Comparison]:
    """In the order in which certificates count them."""
    return (*theory.always, *statement.conditions)
