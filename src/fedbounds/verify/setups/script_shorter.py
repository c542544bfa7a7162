"""Scripts without what their numbers do not use: the same program, as far as one run of it tells.

A test of a branch that comes out one way whenever it is asked leaves that branch alone; functions
that nobody calls any more go, and those that are one expression stand where they are called.
Asserts, and helping functions that check something, are left as they are. A shorter script is kept
only if both sides are the same numbers, of the same kind.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from typing import Any

from .script_branches import CLASSES, SEEN, Folded, may_be_quick, watched
from .script_check import CLOSE, agrees, tells
from .script_counts import Counts, copied, shape, uses, walk
from .script_inline import is_quoted, is_text, put_together, side_by_side, without_names
from .script_lines_of import WIDTH
from .script_output import output_of, run_here
from .script_rationals import as_plain
from .script_slice import Filled
from .script_source import narrowed

_TOLD = """
for x in (left, right):  # Python prints as many hexadecimal digits as there are
    print(type(x).__name__, [f"{y:x}" for y in x.as_integer_ratio()]
          if type(x).__name__ == "Fraction" else x, end=" ")
"""
_OF_SCRIPTS = {"fractions", "itertools", "math", "numpy", "types"}  # what they import by themselves
_LONG = 60  # characters of an expression that may stand in several places


def kept(text: str, gap: Any, close: float = CLOSE) -> str | None:
    """A script, as short as it shows the same numbers; None if it does not run or show the gap."""
    tree = _Script(text).tree
    imported = _imported(tree)
    if imported - _OF_SCRIPTS and not agrees(text, gap, close):
        return None  # what it asks of other modules may be otherwise in a process of its own
    for quick in (True, False) if may_be_quick(tree, imported) else (False,):
        ran = run_here(watched(tree, quick=quick))
        if ran is not None and tells(ran[1], gap, close):
            shorter = _shorter(text, ran[0], gap, close)
            if shorter is not None:
                return shorter
    return text if agrees(text, gap, close) else None


def _shorter(text: str, names: dict[str, Any], gap: Any, close: float) -> str | None:
    """As a watched run tells; None if the sides are not the same then."""
    whole = _Script(text)
    Folded(names[SEEN]).visit(whole.tree)
    _settle(whole.tree)
    shorter = whole.text()
    _without_counts(whole.tree)
    sides = "".join(_told(as_plain(names[side])) for side in ("left", "right"))
    for found in dict.fromkeys((whole.text(), shorter)):
        output = output_of(f"{found}\n{_TOLD}")
        if tells(output, gap, close) and output is not None and output.splitlines()[-1] == sides:
            return found
    return None


def _told(side: Any) -> str:
    """As `_TOLD` has it."""
    exact = [f"{y:x}" for y in side.as_integer_ratio()] if isinstance(side, Fraction) else side
    return f"{type(side).__name__} {exact} "


def _imported(tree: ast.Module) -> set[str]:
    """Modules that a script asks for."""
    every = list(walk(tree))
    named = {x.module or "" for x in every if isinstance(x, ast.ImportFrom)}
    return named | {own.name for x in every if isinstance(x, ast.Import) for own in x.names}


# ---- what is left then


def _settle(tree: ast.Module, changed: set[ast.stmt] | None = None) -> None:
    """Leave out what nothing uses any more, and put small functions where they are called.

    ``changed`` are statements that changed since this was done; None: it never was.
    """
    _Namespace().visit(tree)
    looked_at = _looked_at(tree)
    counts, fresh = Counts(), set(tree.body) if changed is None else changed
    while True:
        if looked_at is not None:
            _without_entries(tree, looked_at, counts)
        for top in tree.body:
            if top in fresh:
                _shorten(top, looked_at, counts)
        _without_unread(tree, counts)
        _drop_unused(tree, counts)
        _put_in_place(tree, counts)
        put_together(tree, counts)
        fresh = counts.changed()
        if not fresh:
            break
    _drop_parameters(tree)
    for top in tree.body:
        if is_quoted(top) and isinstance(top, ast.FunctionDef):
            side_by_side(top)
    read = uses(tree).read
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            node.names = [x for x in node.names if read[x.asname or x.name]]
    tree.body = [x for x in tree.body if not isinstance(x, ast.ImportFrom) or x.names]


def _shorten(top: ast.stmt, looked_at: set[str] | None, counts: Counts) -> None:
    """What can be done to a statement of the module by itself."""
    for function in _functions(top):
        function.body = _until_return(function.body)
        if is_quoted(top):
            without_names(function)
    counts.forget(top)
    if looked_at is not None and "see" in counts.of(top).called:
        before = shape(top)
        _Shown(looked_at).visit(top)
        if shape(top) != before:
            counts.changes(top)


def _functions(top: ast.stmt) -> list[ast.FunctionDef]:
    inside = top.body if isinstance(top, ast.ClassDef) else [top]
    return [x for x in inside if isinstance(x, ast.FunctionDef)]


def _until_return(body: list[ast.stmt]) -> list[ast.stmt]:
    """What comes behind a return is not reached."""
    at = next((at for at, x in enumerate(body) if isinstance(x, ast.Return)), len(body))
    return body[: at + 1] or [ast.Pass()]


class _Namespace(ast.NodeTransformer):
    """A script has NumPy alone: names of an array namespace mean it."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        kept, self._names = self._names, set()
        self.generic_visit(node)
        self._names = kept
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        (target, *_), value = node.targets, node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=True))
        else:
            pairs = [(target, value)]
        for name, own in pairs:
            if isinstance(name, ast.Name) and isinstance(own, ast.Name) and own.id == "np":
                self._names.add(name.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of_problem = isinstance(node.value, ast.Name) and node.value.id == "problem"
        return ast.Name("np", ast.Load()) if of_problem and node.attr == "xp" else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        named = isinstance(node.func, ast.Attribute) and node.func.attr == "array_namespace"
        return ast.Name("np", ast.Load()) if named else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        plain = isinstance(node.ctx, ast.Load) and node.id in self._names
        return ast.Name("np", ast.Load()) if plain else node


def _looked_at(tree: ast.Module) -> set[str] | None:
    """Names of the vectors that are looked at, if any; None where no list tells."""
    found = [
        x.value for x in tree.body
        if isinstance(x, ast.Assign) and isinstance(x.value, ast.Dict) and _makes(x, "axes")
    ]  # fmt: skip
    if not found and any(_makes(x, "calls") for x in tree.body):
        return None
    keys = (key for own in found for key in own.keys)
    return {str(key.value) for key in keys if isinstance(key, ast.Constant)}


class _Shown(ast.NodeTransformer):
    """Without what is shown and not looked at."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            return node
        if call.func.id == "see":
            call.keywords = [x for x in call.keywords if x.arg is None or x.arg in self._names]
            return node if call.args or call.keywords else None
        return node


def _without_entries(tree: ast.Module, names: set[str], counts: Counts) -> None:
    """What is shown and not looked at, of functions that return what is shown and nothing else."""
    shown = Counter(
        name for top in tree.body if counts.of(top).called["see"] for name in _shown_by(top)
    )
    read = counts.total(tree).read
    for top in tree.body:
        if not isinstance(top, ast.FunctionDef) or not 0 < shown[top.name] == read[top.name]:
            continue
        own = _expression(top)
        if not is_quoted(top) or not isinstance(own, ast.Dict) or None in own.keys:
            continue
        pairs = list(zip(own.keys, own.values, strict=True))
        kept = [(x, y) for x, y in pairs if isinstance(x, ast.Constant) and x.value in names]
        if len(kept) < len(pairs):
            own.keys, own.values = [x for x, _ in kept], [y for _, y in kept]
            counts.changes(top)
        if not kept:
            for caller in [x for x in tree.body if counts.of(x).called[top.name]]:
                Filled({top.name}).visit(caller)
                counts.changes(caller)


def _shown_by(top: ast.stmt) -> Iterator[str]:
    """Functions whose dicts are shown whole."""
    for node in walk(top):
        match node:
            case ast.Call(func=ast.Name(id="see"), keywords=own):
                yield from (
                    x.value.func.id for x in own
                    if not x.arg and isinstance(x.value, ast.Call)
                    and isinstance(x.value.func, ast.Name)
                )  # fmt: skip


def _drop_unused(tree: ast.Module, counts: Counts) -> None:
    """Functions, classes, methods and plain values that nothing reads."""
    loads, tops = counts.total(tree).read, set(tree.body)

    def used(node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if node.name.startswith("__"):
                return True
            within = counts.of(node) if node in tops else uses(node)
            return loads[node.name] > within.read[node.name]
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            plain = all(map(_is_plain, _values(node.value)))
            if plain and all(isinstance(x, ast.Name) for x in names):
                return any(loads[x.id] for x in names if isinstance(x, ast.Name))
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                return target.value.id not in ("self", "problem") or loads[target.attr] > 0
        return True

    for top in [x for x in tree.body if not used(x)]:
        tree.body.remove(top)
        counts.changes(top)
    for top in tree.body:
        if isinstance(top, ast.ClassDef) and top.name in CLASSES:
            for body in (top.body, *(x.body for x in _functions(top))):
                for one in [x for x in body if not used(x)]:
                    body.remove(one)
                    counts.changes(top)
                body[:] = body or [ast.Pass()]


def _without_unread(tree: ast.Module, counts: Counts) -> None:
    """Draws that a run makes for a step that does not look at them."""
    runs = [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name == "run"]
    steps = {x.name: x for x in tree.body if isinstance(x, ast.FunctionDef) and is_quoted(x)}
    for top in runs:
        for call in [x for x in walk(top) if isinstance(x, ast.Call)]:
            if not (isinstance(call.func, ast.Name) and call.func.id in steps):
                continue
            step = steps[call.func.id]
            for at, (own, given) in enumerate(zip(step.args.args, call.args, strict=False)):
                made = "Random" in uses(given).called
                if made and not counts.of(step).read[own.arg]:
                    call.args[at] = ast.Dict([], [])
                    counts.changes(top)


def _drop_parameters(tree: ast.Module) -> None:
    """Parameters of the algorithm that are not asked for by their name."""
    texts = Counter(x.value for x in walk(tree) if isinstance(x, ast.Constant))
    for node in tree.body:
        if isinstance(node, ast.Assign) and _makes(node, "p") and isinstance(node.value, ast.Dict):
            own = node.value
            keys = [key.value if isinstance(key, ast.Constant) else None for key in own.keys]
            kept = [at for at, key in enumerate(keys) if key is None or texts[key] > 1]
            own.keys, own.values = [own.keys[i] for i in kept], [own.values[i] for i in kept]


def _is_plain(value: ast.expr) -> bool:
    """Whether to make it changes nothing, and checks nothing."""
    names = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    return isinstance(value, ast.Lambda | ast.Constant) or (
        names and value.func.id == "SimpleNamespace"  # type: ignore[attr-defined]
    )


def _values(value: ast.expr) -> list[ast.expr]:
    return list(value.elts) if isinstance(value, ast.Tuple) else [value]


# ---- functions that are one expression


def _put_in_place(tree: ast.Module, counts: Counts) -> None:
    """One function, the last that can be: one may stand in another."""
    every = counts.total(tree)
    for top in reversed(tree.body):
        if not (isinstance(top, ast.FunctionDef) and is_quoted(top)):
            continue
        own, often = _expression(top), every.called[top.name]
        if own is None or every.read[top.name] != often or not often:
            continue
        if often == 1 or len(ast.unparse(own)) <= _LONG:
            in_place = _InPlace(top.name, [x.arg for x in top.args.args], own)
            for caller in [x for x in tree.body if counts.of(x).called[top.name]]:
                in_place.done = False
                in_place.visit(caller)
                if in_place.done:
                    counts.changes(caller)
            return


def _expression(function: ast.FunctionDef) -> ast.expr | None:
    """What a function is, where it is one expression of its arguments."""
    body = [x for x in function.body if not is_text(x)]
    plain = function.args
    others = plain.vararg or plain.kwarg or plain.kwonlyargs or plain.posonlyargs or plain.defaults
    if others or function.decorator_list or len(body) != 1 or not isinstance(body[0], ast.Return):
        return None
    own = body[0].value
    calls_itself = own is not None and function.name in uses(own).read
    return None if calls_itself else own


class _InPlace(ast.NodeTransformer):
    """With an expression in place of calls of a function, if arguments are short or stand once."""

    def __init__(self, name: str, names: list[str], own: ast.expr) -> None:
        self.done = False
        self._name, self._names, self._own = name, names, own
        self._times = Counter(x.id for x in walk(own) if isinstance(x, ast.Name))
        self._bound = {
            x.id for x in walk(own) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
        } | {x.arg for x in walk(own) if isinstance(x, ast.arg)}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id == self._name):
            return node
        if node.keywords or len(node.args) != len(self._names):
            return node
        given = dict(zip(self._names, node.args, strict=True))
        inside = {x.id for arg in node.args for x in walk(arg) if isinstance(x, ast.Name)}
        lazy = any(isinstance(x, ast.Lambda) for x in walk(self._own))
        short = all(
            isinstance(arg, ast.Name | ast.Constant)
            or (self._times[name] == 1 and not self._bound)
            or (isinstance(arg, ast.Subscript) and isinstance(arg.value, ast.Name))
            for name, arg in given.items()
        )
        if inside & self._bound or self._bound & set(self._names) or not short or lazy:
            return node
        self.done = True
        found: ast.AST = _Replaced(given).visit(copied(self._own))
        return found


class _Replaced(ast.NodeTransformer):
    """With expressions in place of names."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        plain = isinstance(node.ctx, ast.Load) and node.id in self._given
        return copied(self._given[node.id]) if plain else node


# ---- text


class _Script:
    """A script as statements, each with the text that it had.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        lines = text.splitlines()
        comments = _comments(text)
        end, within = 0, False
        self._was = dict[int, tuple[object, str]]()
        self._before = dict[int, list[str]]()
        self._behind = dict[int, str]()
        for node in self.tree.body:
            alone = [x for x in lines[end : node.lineno - 1] if x.startswith("#")]
            within = (within or any("quoted" in x for x in alone)) and not any(
                "how every outcome" in x for x in alone
            )
            node.quoted = within  # type: ignore[attr-defined]
            first = max(node.lineno - 1, end)  # several statements may be in one line
            end = node.end_lineno or node.lineno
            self._was[id(node)] = shape(node), "\n".join(lines[first:end])
            self._before[id(node)] = alone
            self._behind[id(node)] = comments.get(node.lineno, "")
        self._after = [x for x in lines[end:] if x.startswith("#")]

    def text(self) -> str:
        """As it is now."""
        for node in walk(self.tree):
            if getattr(node, "body", None) == [] and node is not self.tree:
                node.body = [ast.Pass()]
        found, before = list[str](), None
        kept = {id(x) for x in self.tree.body}
        pending = list[str]()
        for number, alone in self._before.items():
            pending += alone
            if number not in kept:
                continue
            node = next(x for x in self.tree.body if id(x) == number)
            own = self._lines(node)
            large = is_quoted(node) and isinstance(node, ast.FunctionDef)
            if found and (large or before or pending):
                found.append("")
            found += [*pending, *own]
            before, pending = large, []
        return "\n".join([*found, *pending, *self._after, ""])

    def _lines(self, node: ast.stmt) -> list[str]:
        dumped, text = self._was[id(node)]
        if shape(node) == dumped and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            return text.splitlines()
        if shape(node) == dumped and not is_quoted(node):
            return [x for x in text.splitlines() if x.strip()]
        plain = copy(node)
        said = _without_text(plain)
        own = _double(ast.unparse(ast.fix_missing_locations(plain))).splitlines()
        lines = narrowed("\n".join(map(_in_brackets, own))).splitlines()
        comment = self._behind[id(node)] or (f"# {said[:1].lower()}{said[1:]}" if said else "")
        if comment and len(lines[0]) + 2 + len(comment) <= WIDTH:
            lines[0] += f"  {comment}"
        return [x for x in lines if x.strip()]


def _double(text: str) -> str:
    """With the quotes that scripts have."""
    found = re.sub(r"'([^'\"\n\\]*)'", r'"\1"', text)
    try:
        same = shape(ast.parse(found)) == shape(ast.parse(text))
    except SyntaxError:
        return text
    return found if same else text


def _in_brackets(line: str) -> str:
    """A long line, so that it can be broken."""
    if len(line) <= WIDTH:
        return line
    found = re.fullmatch(r"(\s*)(return|[\w', \[\]]+ =) (.*)", line)
    return line if found is None else f"{found[1]}{found[2]} ({found[3]})"


def _without_text(node: ast.stmt) -> str:
    """The first line of what a function says of itself, which is taken from it."""
    if not isinstance(node, ast.FunctionDef) or not is_text(node.body[0]):
        return ""
    said = ast.get_docstring(node) or ""
    node.body = node.body[1:] or [ast.Pass()]
    return said.splitlines()[0].rstrip(".")


def _comments(text: str) -> dict[int, str]:
    """By line, those behind code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        token.start[0]: token.string
        for token in tokens
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip()
    }


# ---- counts


class _Plain(ast.NodeTransformer):
    """Whole numbers as they are: where nothing divides two of them, that is the same."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        counts = isinstance(node.func, ast.Name) and node.func.id == "Count"
        return node.args[0] if counts else node


def _without_counts(tree: ast.Module) -> None:
    tops = [x for x in tree.body if getattr(x, "name", "") != "Count"]
    tree.body = [x for x in tops if not _makes(x, "counted")]
    before = {top: shape(top) for top in tree.body}
    _Plain().visit(tree)
    _settle(tree, {top for top in tree.body if shape(top) != before.get(top)})


def _makes(node: ast.stmt, name: str) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Name) and target.id == name
