"""A broken own claim as a program without us: the user's functions, the problem, every outcome.

It needs NumPy, because the user's functions do. It is kept only if it runs by itself and prints
the gap that was judged.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import sympy as sp

from fedbounds.errors import FedboundsError
from fedbounds.problems import FederatedQuadratic
from fedbounds.problems.linear import rational
from fedbounds.theory.checker.names import identifier
from fedbounds.theory.claims import Condition, Part
from fedbounds.theory.symbols import RunOperator, T, t
from fedbounds.vocabulary import Assumption

from ..case import script_of
from ..evaluate import Numbers
from ..measure.contract import takes
from ..measure.enumerated import paths
from ..measure.sources import TooManyError
from ..script_asserts import told
from ..script_check import agrees
from ..script_code import QUOTED, TEMPLATES, UNQUOTED, assigned, code, wrapped
from .declare import Theory
from .known import subject_of, theory_of
from .script_premises import ASSUMED, COMPUTED
from .setup import OwnRun

_SOURCES = {
    "participants": (
        "def participants(self, n, m):",
        "    every = list(combinations(range(n), m))",
        "    return self.pick([[int(i in s) for i in range(n)] for s in every])",
    ),
    "participants_with_replacement": (
        "def participants_with_replacement(self, n, m):",
        "    every = list(product(range(n), repeat=m))",
        "    return self.pick([[s.count(i) for i in range(n)] for s in every])",
    ),
    "signs": (
        "def signs(self, *shape):",
        "    every = list(product((-1, 1), repeat=int(np.prod(shape))))",
        "    return self.pick(every).reshape(1, *shape)",
    ),
    "bernoulli": (
        "def bernoulli(self, x, *shape):",
        "    every = list(product((0, 1), repeat=int(np.prod(shape))))",
        "    odds = [Q(x) ** sum(r) * (1 - Q(x)) ** (len(r) - sum(r)) for r in every]",
        "    return self.pick(every, odds).reshape(1, *shape)",
    ),
    "index": (
        "def index(self, count):",
        "    return self.pick(range(count), made=np.array)",
    ),
    "permutation": (
        "def permutation(self, count):",
        "    return self.pick(list(permutations(range(count))), made=np.array)",
    ),
    "noise": (
        "def noise(self, problem, steps):",
        "    return self.signs(n, steps, d) * problem.noise_scale",
    ),
}
_SILENT = (
    "def noise(self, problem, steps):",
    "    return _exact(np.zeros((1, n, steps, d), int))",
)
_STANDARD = {
    "D_W": 'lambda p, s: _square(s["x"] - p.minimiser)',
    "G_u": 'lambda p, s: _square(p.full_gradient(s["x"]))',
    "B": 'lambda p, s: _square(p.gradient(s["x"])).sum(axis=1)',
    "f": 'lambda p, s: p.value(s["x"]).sum(axis=1) / n - {infimum}',
}
# names of the script itself; a symbol of that name gets an underscore
_TAKEN = frozenset(
    {"q", "rows", "t", "d", "h", "H", "p", "s", "z", "r", "c", "Q", "start", "problem", "Random"}
    | {"Count", "measured", "every", "drawn", "moves", "random", "probe", "name", "value"}
    | {"init", "draw", "step", "left", "right", "state", "chance", "new", "old", "bound"}
    | {"positive", "plus", "noises", "begun"}
)


@script_of.register
def _script(setup: OwnRun, judgement: Any, part: Part, numbers: Numbers) -> str:
    theory = theory_of(setup.theory)
    outcome = judgement.deciding
    run = _shortest(setup, part, outcome.at)
    text = _written(run, theory, judgement, part, numbers)
    if not agrees(text, outcome.gap):
        raise FedboundsError("the functions do not run outside their file, or give another gap")
    return text


def _shortest(setup: OwnRun, part: Part, at: int | None) -> OwnRun:
    """The run as far as it shows the gap, its outcomes enumerated.

    Raises
    ------
    FedboundsError
        If there are too many.
    """
    of_a_run = T in part.left.free_symbols | part.right.free_symbols or any(
        side.has(RunOperator) for side in (part.left, part.right)
    )
    run = replace(setup, rounds=setup.rounds if at is None or of_a_run else at + 1)
    try:
        paths(subject_of(run))
    except TooManyError as error:
        raise FedboundsError(f"{error}: too many for a script") from error
    return run


def _written(setup: OwnRun, theory: Theory, judgement: Any, part: Part, numbers: Numbers) -> str:
    if not isinstance(setup.problem, FederatedQuadratic):
        raise FedboundsError("no script is written for objectives of one's own")
    if setup.problem.personal_dimension:
        raise FedboundsError("no script is written for problems with personal blocks")
    problem, names = setup.problem, sorted(part.quantities)
    file = theory.line.rpartition(":")[0]
    source = Path(file).read_text(encoding="utf-8")
    functions = _functions(source)
    asked = {a: lines for a, lines in ASSUMED.items() if a in part.assumptions}
    if problem.minimiser is None:
        asked.pop(Assumption.BOUNDED_BELOW, None)
    wanted = part.constants | {x for x in ("L", "mu") if any(_says(x, y) for y in asked.values())}
    computed = {name: line for name, line in COMPUTED.items() if name in wanted}
    known = {
        name: numbers.constants[name]
        for name in sorted(wanted - computed.keys())
        if name not in ("n", "T", "t") and name in numbers.constants
    }
    infimum = problem.infimum()
    measured = [
        (name, _measured(name, theory).replace("{infimum}", _fraction(infimum)))
        for name in names
        if name != "Du_2"
    ]
    noisy = bool(problem.noise.scale_u)
    used = {name for name in _SOURCES if f".{name}(" in functions}
    used |= {"noise"} if Assumption.UNBIASED in asked else set()
    used |= {"signs"} if noisy and "noise" in used else set()
    table = _SOURCES if noisy else {**_SOURCES, "noise": _SILENT}
    minimiser = problem.minimiser
    return TEMPLATES.get_template("own.py.j2").render(
        claim=judgement.claim.id,
        file=Path(file).name,
        functions=functions,
        hessian=_nested(problem.hessian),
        linear=_nested(problem.linear),
        start=_nested(setup.start),
        values=assigned({_own_name(k): rational(v) for k, v in known.items()}) if known else "",
        rounds=setup.rounds,
        sees=takes(theory.algorithm.step, 5),
        begins=takes(theory.algorithm.init, 3),
        noise=_quoted(problem.noise.scale_u),
        minimiser="None" if minimiser is None else f"_exact({_nested(minimiser)})",
        sources=[line for name in table if name in used for line in table[name]],
        parameters=_parameters(setup),
        measured=wrapped("measured", "{" + ", ".join(f'"{k}": {v}' for k, v in measured) + "}"),
        quoted=QUOTED,
        unquoted=UNQUOTED,
        names=names,
        computed=list(computed.values()),
        premises=told(part.assumptions, list(map(_renamed, part.conditions)), asked),
        at=judgement.deciding.at or 0,
        left=wrapped("left", _side(part.left)),
        right=wrapped("right", _side(part.right)),
    )


def _functions(source: str) -> str:
    """Imports other than ours, functions, and constants, as they stand in the file."""
    kept = []
    for node in ast.parse(source).body:
        ours = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fedbounds")
        plain = isinstance(node, ast.Assign) and _is_literal(node.value)
        imported = isinstance(node, ast.Import | ast.ImportFrom) and not ours
        if isinstance(node, ast.FunctionDef) or plain or imported:
            kept.append(ast.get_source_segment(source, node) or "")
    return "\n\n".join(kept)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _measured(name: str, theory: Theory) -> str:
    own = theory.quantities.get(name)
    if own is None and name in _STANDARD:
        return _STANDARD[name]
    if name in theory.definitions:
        raise FedboundsError(f"the quantity {name} is a definition; a script needs a function")
    found = getattr(own, "__name__", "<lambda>")
    if found == "<lambda>":
        raise FedboundsError(f"the quantity {name} is a lambda; a script needs a named function")
    return f"lambda problem, s: {found}(problem, s, p)" if own and takes(own, 3) else found


def _own_name(name: str) -> str:
    """A symbol's name in the script."""
    typed = identifier(name)
    return f"{typed}_" if typed in _TAKEN else typed


def _says(name: str, lines: Sequence[str]) -> bool:
    return re.search(rf"\b{name}\b", " ".join(lines)) is not None


def _in_script(side: sp.Expr) -> sp.Expr:
    return side.xreplace({s: sp.Symbol(_own_name(s.name)) for s in side.free_symbols if s != t})


def _renamed(condition: Condition) -> Condition:
    left, right = _in_script(condition.left), _in_script(condition.right)
    return replace(condition, left=left, right=right)


def _side(side: sp.Expr) -> str:
    return code(_in_script(side))


def _parameters(setup: OwnRun) -> str:
    rows = [f'"{name}": {_number(value)}' for name, value in setup.values]
    return "{" + ", ".join([*rows, '"t": Count(t)']) + "}"


def _number(value: Any) -> str:
    if isinstance(value, tuple):
        return f"_exact([{', '.join(map(_quoted, value))}])"
    number = rational(value)
    return f"Count({number})" if number.q == 1 else f'Q("{number}")'


def _fraction(value: Any) -> str:
    return "0" if value is None else f'Q("{rational(value)}")'


def _quoted(value: Any) -> str:
    return f'"{rational(value)}"'


def _nested(array: Any) -> str:
    if getattr(array, "ndim", 0) == 0:
        number = rational(array)
        return str(number) if number.q == 1 else f'"{number}"'
    return "[" + ", ".join(_nested(row) for row in array) + "]"
