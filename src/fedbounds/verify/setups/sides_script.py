"""Scripts of set-ups side by side: every side by its moments, in one program.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.beside import Beside, Passed, Reached, Side, Sides
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Ending, Says, Where
from fedbounds.theory.language.symbols import T, constants_in

from ..decide.case import script_of
from ..measure.enumerated import one_state
from ..measure.evaluate import Numbers
from ..measure.trace import rules_of, subject_of
from .plan import outcomes_of
from .program import Program, check_size, constants_of, number_in, one_round, premises, spaces_of
from .rungs import Rung
from .rungs_script import begun, made, of_rung, rendered, substituted
from .script import given_numbers, is_known
from .script_asserts import broken
from .script_code import Definitions
from .script_lines_of import code, nested
from .script_shorter import kept
from .sides import measured, sides_of

_MOST = 200_000  # outcomes of a round, times entries of its matrix


@dataclass
class _Lines:
    """Lines that give numbers a name, each number once."""

    prefix: str
    lines: list[str] = field(default_factory=list)
    known: dict[Any, str] = field(default_factory=dict)

    def named(self, what: Any, make: Callable[[], str], before: Sequence[str] = ()) -> str:
        """The name of a number, which stands after lines that it needs."""
        if what not in self.known:
            value = make()
            name = f"{self.prefix}_{len(self.known) + 1}"
            self.lines += [*before, f"{name} = {value}"]
            self.known[what] = name
        return self.known[what]


@dataclass(eq=False)
class _Text:
    """What is written of one side.

    Attributes
    ----------
    rung : Rung
    own : Definitions
    numbers : _Lines
        What is made of the forms.
    forms : mapping from quantity to name
    uses : set of str
        Functions that make them, of all sides.
    """

    rung: Rung
    own: Definitions
    numbers: _Lines
    uses: set[str]
    forms: dict[str, str] = field(default_factory=dict)

    def number(self, expression: sp.Expr, *, ending: bool) -> str:
        """The name of a number of the set-up; ``ending``: of a quantity after the last round."""

        def made() -> str:
            asked = Ending(expression) if ending else expression
            if asked.atoms(AppliedUndef):
                return of_rung(asked, self.forms, self.uses, {}, lambda _: 0)
            return self.own.side(asked.subs(T, self.rung.setup.run.rounds))

        return self.numbers.named((expression, ending), made)

    def series(self, expression: sp.Expr) -> str:
        """The name of a list of a quantity in all rounds."""

        def made() -> str:
            text = of_rung(Ending(expression), self.forms, self.uses, {}, lambda _: 0)
            return f"[{text[: text.rindex(',')]}, t) for t in range(R + 1)]"

        return self.numbers.named((expression, "all"), made)


@script_of.register
def _script(given: Beside, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    if outcome.at is not None:
        raise FedboundsError("scripts of set-ups side by side show their last rounds and limits")
    text = _written(given, sides_of(given), judgement, part, outcome)
    found = kept(text, outcome.gap)
    if found is None:
        raise FedboundsError("the script that is written does not run, or gives another gap")
    return found


def _written(given: Beside, seen: Sides, judgement: Any, part: Part, outcome: Any) -> str:
    uses, levels = set[str](), _Lines("at_level")
    every = {name: _text(name, rung, uses) for name, rung in measured(given, seen).items()}
    last, ends = max(setup.run.rounds for setup in given.setups), list[str]()
    for name in sorted(part.quantities):
        text = _sides(
            seen.series[name], lambda node: _side(node, every).number(node.args[1], ending=True)
        )
        ends.append(f'q["{name}"] = {{{last}: {text}}}')
    for name in sorted(constants_in(part.gap) & seen.constants.keys()):
        found = seen.constants[name]
        for says in found.holds if isinstance(found, Where) else ():
            ends.append(_assert(says, every, levels))
        value = found.value if isinstance(found, Where) else found
        ends.append(f"{code(sp.Symbol(name))} = {_constant(value, every, levels)}")
    shown = {name: text for name, text in every.items() if text.forms}
    for says in seen.requires:
        nodes = says.left.atoms(Side) | says.right.atoms(Side)
        if {node.args[0].name for node in nodes} <= shown.keys():
            ends.append(_assert(says, every, levels))
    body = [*broken(f"w = exact({nested(given.setups[0].run.start)})"), "T, q = 1, {}"]
    for at, (name, side) in enumerate(shown.items()):
        body += ["", f"# ---- {name}", *_body(side, part if at == 0 else None)]
    ends = [line for own in [*levels.lines, *dict.fromkeys(ends)] for line in broken(own)]
    setups, own = zip(*((text.rung.setup, text.own) for text in shown.values()), strict=True)
    return rendered(setups, own, [*body, "", *ends, f"T = {last}"], uses, judgement, part, outcome)


def _text(name: str, rung: Rung, uses: set[str]) -> _Text:
    setup, view, known = rung.setup, rung.view, rung.known
    subject = subject_of(setup.run, view)
    if rules_of(setup.run, view):
        raise FedboundsError("scripts side by side have equal rounds")
    check_size(replace(subject, rounds=1))
    numbers = sum(rows.size for rows in one_state(subject).values())
    if outcomes_of(subject) * (numbers + 1) ** 4 > _MOST:
        raise FedboundsError(f"{numbers} numbers of a state: too many for a script")
    defined = Definitions(
        view.shown, known.constants, view.quantities, given_numbers(setup, known),
        lambda _: False, partial(is_known, known),
    )  # fmt: skip
    return _Text(rung, defined, _Lines(name), uses)


def _assert(says: Says, every: Mapping[str, _Text], levels: _Lines) -> str:
    left, right = (_constant(side, every, levels) for side in (says.left, says.right))
    return f"assert {left} {says.relation} {right}"


def _constant(expression: sp.Expr, every: Mapping[str, _Text], levels: _Lines) -> str:
    """Python for a number; ``levels`` have those of the rounds in which something is reached."""
    names = {
        node: sp.Symbol(_at_level(node, every, levels))
        for node in sorted(expression.atoms(Reached, Passed), key=str)
    }
    plain = expression.xreplace(names)
    return _sides(plain, lambda node: _side(node, every).number(node.args[1], ending=False))


def _at_level(node: Any, every: Mapping[str, _Text], levels: _Lines) -> str:
    value, falling = (
        _sides(side, lambda own: f"{_side(own, every).series(own.args[1])}[t]")
        for side in node.args[:2]
    )
    level = _constant(node.args[2], every, levels)
    lines = [f"t = next(t for t in range(R + 1) if {falling} <= {level})"]
    if isinstance(node, Passed):
        lines.append(f"t -= t > 0 and {falling} != {level}")
    return levels.named(node, lambda: value, lines)


def _sides(expression: sp.Expr, number: Callable[[Any], str]) -> str:
    """Python for an expression, with that for what it has of every side."""
    names, texts = dict[sp.Basic, sp.Symbol](), dict[str, str]()
    for node in sorted(expression.atoms(Side), key=str):
        names[node] = sp.Symbol(f"side_{len(names)}")
        texts[names[node].name] = number(node)
    return substituted(code(expression.xreplace(names)), texts)


def _side(node: Any, every: Mapping[str, _Text]) -> _Text:
    return every[node.args[0].name]


def _body(side: _Text, part: Part | None) -> list[str]:
    """A side's run, with the premises of a part where it shows them, and its numbers."""
    setup, view, own = side.rung.setup, side.rung.view, side.own
    subject = subject_of(setup.run, view)
    program = Program(
        subject, setup.run, own, requires=view.requires, assumptions=view.assumptions
    )  # fmt: skip
    facts = list[str]()
    if part is not None:
        facts = premises(program, part)
    for says in view.requires:
        own.held(says)
    forms = made(side.forms, own, view)
    named = ", ".join(f'"{name}": {number_in(value)}' for name, value in setup.run.parameters)
    draws = f"{subject.algorithm.draw.__name__}, {subject.algorithm.step.__name__}"
    return [
        *broken(f"p = {{{named}}}"),
        f"R, draw_of, step_of = {setup.run.rounds}, {draws}",
        *spaces_of(program, one_round(subject)[0]),
        *begun(subject),
        "rounds = run(1)",
        *constants_of(own),
        *own.lines,
        *facts,
        *forms,
        *side.numbers.lines,
    ]
