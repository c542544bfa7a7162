"""What the names of a theory stand for: definitions that runs measure and proofs rewrite with."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.facts import Fact
from fedbounds.theory.language import registry
from fedbounds.theory.language.beside import Sides
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.setups import Rungs, Says, View, Where
from fedbounds.theory.language.standard import OF_BLOCKS, OF_WHOLE
from fedbounds.theory.language.starts import Event
from fedbounds.theory.language.symbols import VectorSymbol, k, t


@dataclass
class Meanings:
    """Of every name its definitions, each with the numbers of the views that have it."""

    said: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    speaks_of: dict[str, list[sp.Basic]] = field(default_factory=dict)

    def add(self, name: str, definition: Any, view: int, chosen: str = "") -> None:
        """One more definition of a name."""
        text = _text(definition) + (f" as {chosen!r}" if chosen else "")
        views = self.said.setdefault(name, {}).setdefault(text, [])
        if view not in views:
            views.append(view)
            self.speaks_of.setdefault(name, []).extend(_formulas(definition))


def _seen(theory: str) -> Iterator[tuple[str, View | Rungs | Sides | Event]]:
    """All that is looked at in a theory, in the order of its numbers."""
    yield from registry.views(theory).items()
    yield from registry.rungs(theory).items()
    yield from registry.sides(theory).items()
    yield from registry.events(theory).items()


def view_lines(theory: str) -> Iterator[str]:
    """What is run and looked at, by the number that definitions name."""
    for number, (name, seen) in enumerate(_seen(theory), start=1):
        algorithm = getattr(seen, "algorithm", "")
        said = (
            f"algorithm {algorithm}" if isinstance(algorithm, str) and algorithm else seen.told,
            *(f"only where {says}" for says in getattr(seen, "requires", ())),
        )
        yield f"v{number} {name}: {'; '.join(said)}"


def quantities(theory: str) -> Meanings:
    """Of quantities, constants and vectors that stand for others."""
    found = Meanings()
    for number, (_, seen) in enumerate(_seen(theory), start=1):
        match seen:
            case View():
                for one in _with_others(seen):
                    _of_view(found, one, number)
            case Rungs(series=series, first=first):
                _add_all(found, (series, first), number)
            case Sides(series=series, constants=constants):
                _add_all(found, (series, constants), number)
            case Event(says=says, failing=failing):
                found.add(failing.name, says, number)
    return found


def _add_all(found: Meanings, every: Iterable[Mapping[str, Any]], number: int) -> None:
    for own in every:
        for word, definition in own.items():
            found.add(word, definition, number)


def _with_others(view: View) -> Iterator[View]:
    yield view
    if view.besides is not None:
        yield from _with_others(view.besides)
    for other in view.variants.values():
        yield from _with_others(other)


def _of_view(found: Meanings, view: View, number: int) -> None:
    own = (view.shown.derived, view.quantities, view.functions, view.constants, view.changing)
    meant = {str(vector): definition for vector, definition in view.meant.items()}
    general = (OF_WHOLE, OF_BLOCKS) if view.tried else ()
    _add_all(found, (*own, meant, *general), number)
    for word, choices in view.choices.items():
        for choice, definition in choices.items():
            found.add(word, definition, number, choice)


def assumptions(theory: str) -> Meanings:
    """What assumptions say, where views define them."""
    found = Meanings()
    for number, (_, seen) in enumerate(_seen(theory), start=1):
        for one in _with_others(seen) if isinstance(seen, View) else ():
            _add_all(found, (one.assumptions, one.decided), number)
    return found


def assumption_line(name: str, found: Meanings) -> str:
    """What an assumption says, or who answers it."""
    said = _told(found.said.get(name, {}))
    if name in list(map(str, Fact)):
        said = "; ".join(filter(None, ("a fact that every problem answers", said)))
    return f"assumption {name}: {said or 'no view says what it is: nothing is judged under it'}"


def definition_line(name: str, found: Meanings, names: Glossary) -> str:
    """What a constant or quantity stands for, and what it is in each view."""
    meaning = names.meanings.get(name)
    told = "" if meaning is None else meaning.text
    symbol = names.constants.get(name)
    sign = "" if symbol is None else _sign(symbol)
    signed = " (of any sign)" if name in names.signed else ""
    said = _told(found.said.get(name, {}))
    return f"{name}{sign}{signed}: {told}{'; ' if told and said else ''}{said}"


def _sign(symbol: sp.Symbol) -> str:
    sign = " > 0" if symbol.is_positive else " >= 0" if symbol.is_nonnegative else " of any sign"
    return f"{sign}, whole" if symbol.is_integer else sign


def is_defined(name: str, right: Any, found: Meanings) -> bool:
    """Whether a definition of the name is this expression."""
    return _text(right) in found.said.get(name, {})


def _told(said: Mapping[str, list[int]]) -> str:
    """Each definition with the views that have it; a single one holds wherever there is any."""
    if len(said) == 1:
        return f"= {next(iter(said))}"
    return "; ".join(f"= {text} [{_ranges(views)}]" for text, views in said.items())


def _ranges(numbers: Sequence[int]) -> str:
    """Such as "v1-v3, v7"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"v{x[0]}" if len(x) == 1 else f"v{x[0]}-v{x[-1]}" for x in runs)


def _text(definition: Any) -> str:
    match definition:
        case Where(value=value, holds=holds):
            return f"{value} where {_text(holds)}"
        case Says():
            return str(definition)
        case tuple():
            return ", ".join(map(_text, definition)) or "of every run"
        case sp.Basic():
            return str(definition)
    return f"computed by {_named(definition)}"


def _named(function: Callable[..., Any]) -> str:
    inner = getattr(function, "func", function)
    return f"{inner.__module__}.{inner.__qualname__}"


def _formulas(definition: Any) -> list[sp.Basic]:
    match definition:
        case Where(value=value, holds=holds):
            return [value, *_formulas(holds)]
        case Says(left=left, right=right):
            return [sp.sympify(left, strict=True), sp.sympify(right, strict=True)]
        case tuple():
            return [x for one in definition for x in _formulas(one)]
        case sp.Basic():
            return [definition]
    return []


def names_in(expression: sp.Basic) -> dict[str, None]:
    """Names of symbols, quantities, factors and vectors, in order."""
    symbols = (s for s in expression.free_symbols if isinstance(s, sp.Symbol))
    applied = sorted({atom.func.__name__ for atom in expression.atoms(AppliedUndef)})
    own = sorted(symbol.name for symbol in symbols if symbol not in (t, k))
    return dict.fromkeys([*applied, *own])


def vectors_in(expression: sp.Basic) -> dict[str, str]:
    """Vectors with their notation."""
    found = sorted(expression.atoms(VectorSymbol), key=str)
    return {symbol.name: symbol.latex for symbol in found}
