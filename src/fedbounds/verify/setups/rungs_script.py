"""Scripts of ladders: second moments of every outcome of a round, repeated, settled, or expanded.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, prod
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Part
from fedbounds.theory.setups import Ending, Ladder, Pace, Setup, Slope
from fedbounds.theory.symbols import T, n

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import arguments_of_init, drawn_by, takes
from ..measure.random import sources_of
from ..measure.subject import Subject
from ..measure.trace import rules_of, subject_of
from ..measure.twins import is_noise
from ..script_asserts import broken, not_checked
from ..script_check import agrees
from ..script_code import QUOTED, TEMPLATES, UNQUOTED, code, wrapped
from .found import defined, view_of
from .program import (
    Program,
    broken_by,
    heading,
    number_in,
    numbers_told,
    one_round,
    silent_in,
    smoothness_of,
    spaces_of,
)
from .rungs import OF_ENDS, rung_of, rungs_of
from .script_code import HELPERS, Definitions
from .script_parts import nested, problem_lines, source_lines
from .script_source import quoted

_MOST_OUTCOMES = 4096
# every second moment of a round rests on these two moments of signs alone
_SIGNS = (
    "def signs(self, *shape):  # others of mean 0 and variance 1: a round is affine in them",
    "    c, units = isqrt(prod(shape) - 1) + 1, np.eye(prod(shape), dtype=int)",
    "    if silent:",
    "        return self.pick([0 * units[0]]).reshape(1, *shape)",
    "    odds = [Q(1, 2 * c * c)] * (2 * len(units)) + [1 - Q(len(units), c * c)]",
    "    return self.pick([*c * units, *-c * units, 0 * units[0]], odds).reshape(1, *shape)",
)
_HELPER = {"Ending": "ended", "Settled": "settled", "Slope": "slope"}


@script_of.register
def _script(ladder: Ladder, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    for setups, at in _fewest(ladder, part, outcome.at or 0):
        text = _written(replace(ladder, setups=setups), judgement, part, outcome, at)
        if agrees(text, outcome.gap):
            return text
    raise FedboundsError("the script that is written does not run, or gives another gap")


def _fewest(ladder: Ladder, part: Part, at: int) -> Iterator[tuple[tuple[Setup, ...], int]]:
    """The two rungs that may show the gap; then all."""
    every = ladder.setups
    yield (every[at : at + 2], 0) if part.compares_neighbours else ((every[0], every[-1]), 0)
    yield every, at


def _written(ladder: Ladder, judgement: Any, part: Part, outcome: Any, at: int) -> str:
    """The program's text.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    first = ladder.setups[0]
    view = view_of(first)
    subject = subject_of(first.run, view)
    draws, asked = arguments_of_init(subject.algorithm) > 2, sorted(part.quantities)
    series = [rungs_of(ladder).series[name] for name in asked]
    if rules_of(first.run, view) or (draws and any(x.has(Ending, Slope) for x in series)):
        raise FedboundsError("scripts of ladders have equal rounds from a start that is given")
    if any((x.view, x.run.problem) != (first.view, first.run.problem) for x in ladder.setups):
        raise FedboundsError("scripts of ladders are of one algorithm on one problem")
    for setup in ladder.setups:
        _check_size(subject_of(setup.run, view))
    own = Definitions(
        view.shown, defined(first, view, subject), view.quantities, {}, lambda _: False,
        lambda _: True,
    )  # fmt: skip
    lines, uses = _lines(ladder, own, asked)
    sides = [wrapped("left", code(part.left)), wrapped("right", code(part.right))]
    program = Program(subject, first.run, own)
    arrays, shown = one_round(subject)
    unseen = shown | {*subject.shown.may}
    functions = quoted(subject.algorithm, unseen - own.vectors)
    sources = source_lines(functions, silent_in(subject))
    kind, problem = problem_lines(
        first.run.problem, " ".join([functions, *lines]), smoothness_of(subject)
    )
    return TEMPLATES.get_template("rungs.py.j2").render(
        docstring=heading(judgement),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        functions=functions,
        init="begun" if draws else subject.algorithm.init.__name__,
        begun=subject.algorithm.init.__name__,
        given=("", "Random()", "Random(), p")[arguments_of_init(subject.algorithm) - 2],
        draw=subject.algorithm.draw.__name__,
        step=subject.algorithm.step.__name__,
        begins="",
        sees=takes(subject.algorithm.step, 5),
        stays=False,
        changing=[],
        sources=[_SIGNS if "def signs(" in own[0] else own for own in sources],
        helpers=[line for name, x in HELPERS.items() if name in own.helpers for line in x],
        kind=kind,
        problem=problem,
        numbers=_numbers(ladder),
        spaces=spaces_of(program, arrays),
        uses=uses,
        series="{" + ", ".join(f'"{name}": []' for name in asked) + "}",
        definitions=[*_conditions(ladder, part), *lines],
        premises=not_checked(x.value for x in part.assumptions),
        count=len(ladder.setups),
        at=at,
        sides="\n".join(sides),
        numbers_told=numbers_told(outcome),
        relation=part.relation.value,
        broken=broken_by(part),
    )


def _check_size(subject: Subject) -> None:
    """Raise if a round has too many outcomes, of signs those that stand for them."""
    p = subject.parameters()
    every = sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )
    counts = (min(x.count or inf, 2 * prod(x.shape) + 1) if is_noise(x) else x.count for x in every)
    if (found := prod(x or inf for x in counts)) > _MOST_OUTCOMES:
        raise FedboundsError(f"{found} outcomes of a round: too many for a script")


def _lines(ladder: Ladder, own: Definitions, asked: Sequence[str]) -> tuple[list[str], set[str]]:
    """What is made of every rung, and the functions that make it."""
    seen, forms, uses, lines = rungs_of(ladder), dict[str, str](), set[str](), list[str]()
    view = view_of(ladder.setups[0])
    for name in asked:
        text = _of_rung(ladder, seen.series[name], forms, uses)
        lines.append(f'q["{name}"].append({text})')
    made = [
        f"{place} = form(lambda: {own.side(view.quantities[name])})"
        for name, place in forms.items()
    ]
    return [*made, *lines], uses


def _of_rung(ladder: Ladder, expression: sp.Expr, forms: dict[str, str], uses: set[str]) -> str:
    """Python for a number of a rung."""
    names: dict[sp.Basic, sp.Symbol] = {}
    texts: dict[str, str] = {}
    for node in sorted(expression.atoms(*OF_ENDS), key=str):
        if isinstance(node, Pace):
            raise FedboundsError(f"no script for {node} of a rung")
        quantity, helper = node.args[0].func.__name__, _HELPER[type(node).__name__]
        place = forms.setdefault(quantity, f"F_{len(forms) + 1}")
        uses.add(helper)
        if isinstance(node, Ending):
            call = f"ended({place}, R)"
        elif isinstance(node, Slope):
            parameter = node.args[1].name
            call = f'slope({place}, "{parameter}", {_degree(ladder, parameter)})'
        else:
            call = f"settled({place})"
        symbol = sp.Symbol(f"end_{len(texts)}")
        names[node], texts[symbol.name] = symbol, call
    return _named(ladder, expression.xreplace(names), texts)


def _conditions(ladder: Ladder, part: Part) -> list[str]:
    """What a part asks of every rung."""
    sides = ((_named(ladder, x.left), x.relation, _named(ladder, x.right)) for x in part.conditions)
    return [f"assert {left} {relation} {right}" for left, relation, right in sides]


def _named(ladder: Ladder, plain: sp.Expr, known: Mapping[str, str] | None = None) -> str:
    """Python, with constants of a rung as a script has them."""
    first = ladder.setups[0]
    given, constants = dict(first.run.parameters), view_of(first).constants
    texts = {T.name: "Q(R)", n.name: "Q(n)", **{x: f'Q(p["{x}"])' for x in given}, **(known or {})}
    for symbol in plain.free_symbols:
        if symbol.name not in texts and isinstance(constants.get(symbol.name), sp.Expr):
            plain = plain.xreplace({symbol: constants[symbol.name]})
    for symbol in plain.free_symbols:
        if symbol.name not in texts:
            raise FedboundsError(f"no script for {symbol} of a rung")
    return re.sub(r"[A-Za-z_]\w*", lambda found: texts.get(found[0], found[0]), code(plain))


def _degree(ladder: Ladder, parameter: str) -> int:
    """Of second moments after a round in a parameter: the largest of all rungs."""
    every = (rung_of(setup, floats=False) for setup in ladder.setups)
    return max(rung.degree(parameter) for rung in every)


def _numbers(ladder: Ladder) -> list[str]:
    """The start, and the parameters and rounds of every rung."""
    start = f"start = exact({nested(ladder.setups[0].run.start)})"
    found = [start, "rungs = ["]
    for setup in ladder.setups:
        named = (f'"{name}": {number_in(value)}' for name, value in setup.run.parameters)
        found += broken(f"    ({{{', '.join(named)}}}, {setup.run.rounds}),")
    return [*found, "]"]
