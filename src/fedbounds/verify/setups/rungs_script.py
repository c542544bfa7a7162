"""Scripts of ladders: second moments of every outcome of a round, repeated, settled, or expanded.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.claims import Part
from fedbounds.theory.proof.vectors import sq
from fedbounds.theory.setups import Ending, Ladder, Settled, Setup, Slope, View
from fedbounds.theory.symbols import T

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import arguments_of_init, takes
from ..measure.norms import norm_of
from ..measure.subject import Subject
from ..measure.trace import rules_of, subject_of
from ..script_asserts import broken
from ..script_check import agrees
from ..script_code import QUOTED, TEMPLATES, UNQUOTED, code, wrapped
from .found import defined, view_of
from .program import (
    Program,
    broken_by,
    check_size,
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

_HELPER = {"Ending": "ended", "Settled": "settled", "Slope": "slope"}


@script_of.register
def _script(ladder: Ladder, judgement: Any, part: Part, numbers: Numbers) -> str:
    outcome = next(one for one in judgement.outcomes if one.part == part.name)
    if part.assumptions or part.conditions:
        raise FedboundsError("no script of a ladder asserts premises")
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
    if rules_of(first.run, view):
        raise FedboundsError("scripts of ladders have equal rounds")
    check_size(replace(subject, rounds=1))
    own = Definitions(
        view.shown, defined(first, view, subject), view.quantities, {}, lambda _: False,
        lambda _: True,
    )  # fmt: skip
    asked = sorted(part.quantities)
    lines, uses = _lines(ladder, own, asked)
    spaces = spaces_of(Program(subject, first.run, own), one_round(subject)[0])
    body = [
        *_numbers(ladder),
        *spaces,
        "",
        "T, q = 1, {" + ", ".join(f'"{name}": []' for name in asked) + "}",
        "for p, R in rungs:",
        *(f"    {line}" for line in [*begun(subject), *lines]),
        "",
        f"T, t = {len(ladder.setups)}, {at}",
    ]
    return rendered((first,), [own], body, uses, judgement, part, outcome)


def rendered(
    setups: Sequence[Setup],
    every: Sequence[Definitions],
    body: Sequence[str],
    uses: Collection[str],
    judgement: Any,
    part: Part,
    outcome: Any,
) -> str:
    """A program of set-ups that differ in their draws and steps at most, with its own lines."""
    subjects = [subject_of(setup.run, view_of(setup)) for setup in setups]
    first, *others = (subject.algorithm for subject in subjects)
    seen = set[str]().union(*(own.vectors for own in every))
    unseen = set[str]().union(*(_unseen(subject) for subject in subjects)) - seen
    more = [function for own in others for function in (own.init, own.draw, own.step)]
    functions = quoted(first, unseen, more)
    kind, problem = problem_lines(
        setups[0].run.problem, " ".join([functions, *body]), smoothness_of(subjects[0])
    )
    helpers = set[str]().union(*(own.helpers for own in every))
    return TEMPLATES.get_template("rungs.py.j2").render(
        docstring=heading(judgement),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        functions=functions,
        init="begin",
        draw="draw_of" if others else first.draw.__name__,
        step="step_of" if others else first.step.__name__,
        begins="",
        sees=takes(first.step, 5),
        stays=False,
        changing=[],
        sources=source_lines(" ".join([functions, *body]), silent_in(subjects[0])),
        helpers=[line for name, x in HELPERS.items() if name in helpers for line in x],
        kind=kind,
        problem=problem,
        uses=uses,
        body=body,
        sides="\n".join([wrapped("left", code(part.left)), wrapped("right", code(part.right))]),
        numbers_told=numbers_told(outcome),
        relation=part.relation.value,
        broken=broken_by(part),
    )


def begun(subject: Subject) -> list[str]:
    """What makes a state of the start ``w``, in one row."""
    init, arguments = subject.algorithm.init.__name__, arguments_of_init(subject.algorithm)
    drawn = ("", ", random := Random()", ", random := Random(), p")[arguments - 2]
    silent = ["assert not random.odds"] if drawn else []
    return [f"first = {init}(problem, w[None]{drawn})", *silent, "start = flat(first)[0]"]


def _unseen(subject: Subject) -> set[str]:
    return one_round(subject)[1] | {*subject.shown.may}


def _lines(ladder: Ladder, own: Definitions, asked: Sequence[str]) -> tuple[list[str], set[str]]:
    """What is made of every rung, and the functions that make it."""
    seen, forms, uses, lines = rungs_of(ladder), dict[str, str](), set[str](), list[str]()
    given = {*dict(ladder.setups[0].run.parameters)}
    view = view_of(ladder.setups[0])
    for name in asked:
        degree = partial(_degree, ladder)
        norm = _norm(seen.series[name], view)
        if norm is None:
            text = of_rung(seen.series[name], forms, uses, given, degree)
        else:
            more, text = _of_norm(ladder, norm, own, settles=isinstance(seen.series[name], Settled))
            lines += more
            uses |= {"norms", "settled" if "settled(" in text else "ended"}
        lines.append(f'q["{name}"].append({text})')
    return [*made(forms, own, view), *lines], uses


def _norm(series: sp.Expr, view: View) -> sp.Expr | None:
    """v, where all that is asked for is the mean of the norm of v."""
    if not isinstance(series, Ending | Settled) or not isinstance(series.args[0], AppliedUndef):
        return None
    return norm_of(view.quantities[series.args[0].func.__name__])


def _of_norm(
    ladder: Ladder, v: sp.Expr, own: Definitions, *, settles: bool
) -> tuple[list[str], str]:
    """What is made of every rung, and the mean of a norm: listed, or as far as moments tell it."""
    square, entries = own.side(sq(v)), code(v)
    if not settles and rung_of(ladder.setups[0], floats=False).few:
        return [], f"listed(lambda: dot({entries}, {entries}), R)"
    end = "settled({})" if settles else "ended({}, R)"
    size = len(ladder.setups[0].run.start)
    lines = [
        f"N = form(lambda: {square})",
        f"M = [form(lambda: given(({entries})[..., [k]]).item()) for k in range({size})]",
    ]
    return lines, f"within({end.format('N')}, [{end.format('F')} for F in M])"


def made(forms: Mapping[str, str], own: Definitions, view: View) -> list[str]:
    """Quantities as forms."""
    return [
        f"{place} = form(lambda: {own.side(view.quantities[name])})"
        for name, place in forms.items()
    ]


def of_rung(
    expression: sp.Expr,
    forms: dict[str, str],
    uses: set[str],
    given: Collection[str],
    degree: Callable[[str], int],
) -> str:
    """Python for a number of a rung, in ends of quantities, rounds, and given parameters."""
    names: dict[sp.Basic, sp.Symbol] = {}
    texts: dict[str, str] = {}
    for node in sorted(expression.atoms(*OF_ENDS), key=str):
        quantity, helper = node.args[0].func.__name__, _HELPER[type(node).__name__]
        place = forms.setdefault(quantity, f"F_{len(forms) + 1}")
        uses.add(helper)
        if isinstance(node, Ending):
            call = f"ended({place}, R)"
        elif isinstance(node, Slope):
            parameter = node.args[1].name
            call = f'slope({place}, "{parameter}", {degree(parameter)})'
        else:
            call = f"settled({place})"
        symbol = sp.Symbol(f"end_{len(texts)}")
        names[node], texts[symbol.name] = symbol, call
    plain = expression.xreplace(names)
    for symbol in plain.free_symbols - set(names.values()):
        if symbol != T and symbol.name not in given:
            raise FedboundsError(f"no script for {symbol} of a rung")
        texts[symbol.name] = "Q(R)" if symbol == T else f'Q(p["{symbol.name}"])'
    return substituted(str(plain), texts)


def substituted(text: str, texts: Mapping[str, str]) -> str:
    """Python for every name."""
    for name, own in texts.items():
        text = own if text == name else text.replace(name, own)
    return text


def _degree(ladder: Ladder, parameter: str) -> int:
    """Of second moments after a round in a parameter: the largest of all rungs."""
    every = (rung_of(setup, floats=False) for setup in ladder.setups)
    return max(rung.degree(parameter) for rung in every)


def _numbers(ladder: Ladder) -> list[str]:
    """The start, and the parameters and rounds of every rung."""
    found = [f"w = exact({nested(ladder.setups[0].run.start)})", "rungs = ["]
    for setup in ladder.setups:
        named = (f'"{name}": {number_in(value)}' for name, value in setup.run.parameters)
        found += broken(f"    ({{{', '.join(named)}}}, {setup.run.rounds}),")
    return [*found, "]"]
