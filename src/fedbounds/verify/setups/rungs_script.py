"""Scripts of ladders: second moments of every outcome of a round, repeated, settled, or expanded.

A script is kept only if it runs by itself and prints the gap that was judged.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, prod
from typing import Any

import sympy as sp
from flint import fmpq
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.claims import Part
from fedbounds.theory.language.setups import Ending, Ladder, Pace, Settled, Setup, Slope, View
from fedbounds.theory.language.symbols import T, constants_in, n
from fedbounds.theory.proof.vectors import sq

from ..decide.case import script_of
from ..measure.contract import arguments_of_init, drawn_by, takes
from ..measure.evaluate import Numbers
from ..measure.norms import norm_of
from ..measure.random import sources_of
from ..measure.subject import Subject
from ..measure.trace import rules_of, subject_of
from ..measure.twins import is_noise
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
from .script_asserts import broken, not_checked, packed
from .script_code import HELPERS, Definitions, named
from .script_lines_of import QUOTED, TEMPLATES, UNQUOTED, code, nested, wrapped
from .script_parts import problem_lines, source_lines
from .script_shorter import kept
from .script_source import quoted

_MOST_OUTCOMES = 4096
# every second moment of a round rests on two moments of signs alone
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
        text = _written(replace(ladder, setups=setups), judgement, part, outcome, at, numbers)
        found = kept(text, outcome.gap)
        if found is not None:
            return found
    raise FedboundsError("the script that is written does not run, or gives another gap")


def _fewest(ladder: Ladder, part: Part, at: int) -> Iterator[tuple[tuple[Setup, ...], int]]:
    """The two rungs that may show the gap; then all."""
    every = ladder.setups
    yield (every[at : at + 2], 0) if part.compares_neighbours else ((every[0], every[-1]), 0)
    yield every, at


def _written(
    ladder: Ladder, judgement: Any, part: Part, outcome: Any, at: int, numbers: Numbers
) -> str:
    """The program's text.

    Raises
    ------
    FedboundsError
        If none can be written; the message says why.
    """
    first = ladder.setups[0]
    view = view_of(first)
    subject = subject_of(first.run, view)
    asked = sorted(part.quantities)
    limits = not any(rungs_of(ladder).series[x].has(Ending, Slope) for x in asked)
    if rules_of(first.run, view):
        raise FedboundsError("scripts of ladders have equal rounds")
    if any((x.view, x.run.problem) != (first.view, first.run.problem) for x in ladder.setups):
        raise FedboundsError("scripts of ladders are of one algorithm on one problem")
    for setup in ladder.setups:
        _check_size(subject_of(setup.run, view))
    own = Definitions(
        view.shown, defined(first, view, subject), view.quantities, {}, lambda _: False,
        lambda _: True,
    )  # fmt: skip
    lines, uses = _lines(ladder, own, asked)
    spaces = spaces_of(Program(subject, first.run, own), one_round(subject)[0])
    body = [
        *_numbers(ladder),
        *spaces,
        "",
        "T, q = 1, {" + ", ".join(f'"{name}": []' for name in asked) + "}",
        *not_checked(map(str, part.assumptions)),
        "for p, R in rungs:",
        *(
            f"    {line}"
            for line in [*_conditions(ladder, part), *begun(subject, limits=limits), *lines]
        ),
        "",
        f"T, t = {len(ladder.setups)}, {at}",
        *_constants(part, numbers),
    ]
    return rendered((first,), [own], body, uses, judgement, part, outcome, few=True)


def rendered(
    setups: Sequence[Setup],
    every: Sequence[Definitions],
    body: Sequence[str],
    uses: Collection[str],
    judgement: Any,
    part: Part,
    outcome: Any,
    *,
    few: bool = False,
) -> str:
    """A program of set-ups that differ in their draws and steps at most, with its own lines.

    Parameters
    ----------
    few : bool
        Whether few signs stand for all.
    """
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
    along = subjects[0].problem.noise_along is not None
    sources = source_lines(" ".join([functions, *body]), silent_in(subjects[0]), along=along)
    return TEMPLATES.get_template("rungs.py.j2").render(
        docstring=heading(judgement),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        functions=functions,
        init="begin",
        draw="draw_of" if others else first.draw.__name__,
        step="step_of" if others else first.step.__name__,
        begins="",
        single=False,
        follows=False,
        sees=takes(first.step, 5),
        stays=False,
        changing=[],
        sources=[_SIGNS if few and "def signs(" in own[0] else own for own in sources],
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


def begun(subject: Subject, *, limits: bool = False) -> list[str]:
    """What makes a state of the start ``w``, in one row; on what it draws, no limit rests."""
    init, arguments = subject.algorithm.init.__name__, arguments_of_init(subject.algorithm)
    drawn = ("", ", random := Random()", ", random := Random(), p")[arguments - 2]
    silent = ["assert not random.odds"] if drawn and not limits else []
    return [f"first = {init}(problem, w[None]{drawn})", *silent, "start = flat(first)[0]"]


def _check_size(subject: Subject) -> None:
    """Raise if a round has too many outcomes, of signs those that stand for them."""
    p = subject.parameters()
    every = sources_of(
        lambda random: drawn_by(subject.algorithm, random, subject.problem, p), subject.exact
    )
    counts = (min(x.count or inf, 2 * prod(x.shape) + 1) if is_noise(x) else x.count for x in every)
    if (found := prod(x or inf for x in counts)) > _MOST_OUTCOMES:
        raise FedboundsError(f"{found} outcomes of a round: too many for a script")


def _conditions(ladder: Ladder, part: Part) -> list[str]:
    """What a part asks of every rung."""
    own = _given(ladder)
    sides = ((_named(x.left, own), x.relation, _named(x.right, own)) for x in part.conditions)
    return [f"assert {left} {relation} {right}" for left, relation, right in sides]


def _constants(part: Part, numbers: Numbers) -> list[str]:
    """Numbers of a part's sides that all rungs have alike."""
    found = []
    for name in sorted(constants_in(part.gap) - {n.name, T.name}):
        if type(value := numbers.constants[name]) is not fmpq:
            raise FedboundsError(f"no script for {name}, which is no rational number")
        found.append(f'{named(name, {})} = Q("{value}")')
    return packed(found)


def _given(ladder: Ladder) -> dict[str, str]:
    """Python for numbers of a rung that are not measured."""
    first = ladder.setups[0]
    found = {n.name: "n", **{x: f'p["{x}"]' for x, _ in first.run.parameters}}
    for name, is_ in view_of(first).constants.items():
        if isinstance(is_, sp.Expr) and {x.name for x in is_.free_symbols} <= found.keys():
            text = _named(is_, found)
            found[name] = text if is_.is_Symbol else f"({text})"
    return found


def _named(plain: sp.Expr, texts: Mapping[str, str]) -> str:
    """Python for an expression in these names."""
    for symbol in sorted(plain.free_symbols, key=str):
        if symbol.name not in texts:
            raise FedboundsError(f"no script for {symbol} of a rung")
    return substituted(code(plain), texts)


def _unseen(subject: Subject) -> set[str]:
    return one_round(subject)[1] | {*subject.shown.may}


def _lines(ladder: Ladder, own: Definitions, asked: Sequence[str]) -> tuple[list[str], set[str]]:
    """What is made of every rung, and the functions that make it."""
    seen, forms, uses, lines = rungs_of(ladder), dict[str, str](), set[str](), list[str]()
    given, view = _given(ladder), view_of(ladder.setups[0])
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
    given: Mapping[str, str],
    degree: Callable[[str], int],
) -> str:
    """Python for a number of a rung, in ends of quantities, rounds, and given parameters."""
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
            call = f'slope({place}, "{parameter}", {degree(parameter)})'
        else:
            call = f"settled({place})"
        symbol = sp.Symbol(f"end_{len(texts)}")
        names[node], texts[symbol.name] = symbol, call
    return _named(expression.xreplace(names), {T.name: "R", **given, **texts})


def substituted(text: str, texts: Mapping[str, str]) -> str:
    """Python for every name."""
    return re.sub(r"[A-Za-z_]\w*", lambda found: texts.get(found[0], found[0]), text)


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
