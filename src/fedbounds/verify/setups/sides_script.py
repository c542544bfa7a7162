"""Scripts of set-ups side by side: every side by its moments, in one program.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.beside import Beside, Side, Sides
from fedbounds.theory.claims import Part
from fedbounds.theory.setups import Ending
from fedbounds.theory.symbols import T, constants_in

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import arguments_of_init
from ..measure.trace import rules_of, subject_of
from ..script_asserts import broken
from ..script_check import agrees
from ..script_code import code
from .program import Program, check_size, constants_of, number_in, one_round, premises, spaces_of
from .rungs import Rung
from .rungs_script import made, of_rung, rendered, substituted
from .script import given_numbers, is_known
from .script_code import Definitions
from .script_parts import nested
from .sides import measured, sides_of


@dataclass(eq=False)
class _Text:
    """What is written of one side.

    Attributes
    ----------
    rung : Rung
    own : Definitions
    forms : mapping from quantity to name
    lines : list of str
        What is made of the forms.
    """

    rung: Rung
    own: Definitions
    forms: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


@script_of.register
def _script(given: Beside, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    if outcome.at is not None:
        raise FedboundsError("scripts of set-ups side by side show their last rounds and limits")
    text = _written(given, sides_of(given), judgement, part, outcome)
    if not agrees(text, outcome.gap):
        raise FedboundsError("the script that is written does not run, or gives another gap")
    return text


def _written(given: Beside, seen: Sides, judgement: Any, part: Part, outcome: Any) -> str:
    every = {name: _text(rung) for name, rung in measured(given, seen).items()}
    last, uses, ends = max(setup.run.rounds for setup in given.setups), set[str](), list[str]()
    for name in sorted(part.quantities):
        text = _sides(seen.series[name], every, uses, ending=True)
        ends.append(f'q["{name}"] = {{{last}: {text}}}')
    for name in sorted(constants_in(part.gap) & seen.constants.keys()):
        text = _sides(seen.constants[name], every, uses, ending=False)
        ends.append(f"{code(sp.Symbol(name))} = {text}")
    shown = {name: text for name, text in every.items() if text.forms}
    for says in seen.requires:
        sides = (says.left, says.right)
        if {node.args[0].name for side in sides for node in side.atoms(Side)} <= shown.keys():
            left, right = (_sides(side, every, uses, ending=False) for side in sides)
            ends.append(f"assert {left} {says.relation} {right}")
    body = [*broken(f"start = exact({nested(given.setups[0].run.start)})"), "T, q = 1, {}"]
    for at, (name, side) in enumerate(shown.items()):
        body += ["", f"# ---- {name}", *_body(side, part if at == 0 else None)]
    setups, own = zip(*((text.rung.setup, text.own) for text in shown.values()), strict=True)
    return rendered(setups, own, [*body, "", *ends, f"T = {last}"], uses, judgement, part, outcome)


def _text(rung: Rung) -> _Text:
    setup, view, known = rung.setup, rung.view, rung.known
    subject = subject_of(setup.run, view)
    if rules_of(setup.run, view) or arguments_of_init(subject.algorithm) > 2:
        raise FedboundsError("scripts side by side have equal rounds from a start that is given")
    check_size(replace(subject, rounds=1))
    defined = Definitions(
        view.shown, known.constants, view.quantities, given_numbers(setup, known),
        lambda _: False, partial(is_known, known),
    )  # fmt: skip
    return _Text(rung, defined)


def _sides(expression: sp.Expr, every: Mapping[str, _Text], uses: set[str], *, ending: bool) -> str:
    """Python for an expression in numbers of sides, each of which is made where its side is run."""
    names, texts = {}, {}
    for node in sorted(expression.atoms(Side), key=str):
        side = every[node.args[0].name]
        own = Ending(node.args[1]) if ending else node.args[1]
        symbol = sp.Symbol(f"{node.args[0].name}_{len(side.lines) + 1}")
        side.lines.append(f"{symbol.name} = {_number(own, side, uses)}")
        names[node], texts[symbol.name] = symbol, symbol.name
    return substituted(str(expression.xreplace(names)), texts)


def _number(expression: sp.Expr, side: _Text, uses: set[str]) -> str:
    if not expression.atoms(AppliedUndef):  # of the set-up alone
        return side.own.side(expression.subs(T, side.rung.setup.run.rounds))
    return of_rung(expression, side.forms, uses, (), lambda _: 0)


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
        "rounds = run(1)",
        *constants_of(own),
        *own.lines,
        *facts,
        *forms,
        *side.lines,
    ]
