"""Functions of a script that are called once stand where they are called; short values likewise.

What is quoted is deterministic and changes no argument: a value may be made where it is used, and
statements of a function may stand before the one that calls it.
"""

import ast
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache

from .script_counts import Counts, copied, shape, walk
from .script_slice import adding, living, speaks

_SHORT = 44  # characters of an expression that needs no name
_TWICE = 14  # likewise, of one that stands more often
_LINE = 90  # characters of names and their values
_APART = (ast.Lambda, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp, ast.IfExp)


def put_together(tree: ast.Module, counts: Counts) -> None:
    """One function that is called once and in one place, where it is called."""
    quoted = {x.name: x for x in tree.body if is_quoted(x) and isinstance(x, ast.FunctionDef)}
    times = counts.total(tree).named
    once = {name: x for name, x in quoted.items() if times[name] == 1}
    for caller in quoted.values():
        if not once.keys() & counts.of(caller).called.keys():
            continue
        for block in _blocks(caller):
            for at, statement in enumerate(block):
                call = _call_in(statement, once)
                if call is None:
                    continue
                callee = once[call.func.id]  # type: ignore[attr-defined]
                found = _body_of(callee, call, caller)
                if found is None or callee is caller:
                    continue
                body, value = found
                _Instead(call, value).visit(statement)
                block[at:at] = body
                tree.body.remove(callee)
                counts.changes(callee)
                counts.changes(caller)
                return


def is_quoted(node: ast.AST) -> bool:
    """Whether it is of the algorithm, not of what all scripts have."""
    return bool(getattr(node, "quoted", False))


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """Of statements that are run once when the function is called; those of loops are not."""
    assert isinstance(node, ast.FunctionDef)
    return [node.body]


def _call_in(statement: ast.stmt, once: Collection[str]) -> ast.Call | None:
    """The call of such a function that a statement surely makes, and makes once."""
    if not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
        return None
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _APART):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in once:
            return node
        waiting += ast.iter_child_nodes(node)
    return None


def _body_of(
    callee: ast.FunctionDef, call: ast.Call, caller: ast.FunctionDef
) -> tuple[list[ast.stmt], ast.expr] | None:
    """Its statements, and its value, in names that the caller does not have."""
    plain = callee.args
    returns = [x for x in walk(callee) if isinstance(x, ast.Return | ast.Yield)]
    body = [x for x in callee.body if not is_text(x)]
    inner = [x for x in walk(callee) if isinstance(x, ast.FunctionDef | ast.Nonlocal)][1:]
    own_returns = [y for x in inner for y in walk(x) if isinstance(y, ast.Return)]
    ends = bool(body) and isinstance(body[-1], ast.Return) and body[-1].value is not None
    if plain.vararg or plain.kwarg or plain.kwonlyargs or plain.posonlyargs or not ends:
        return None
    if len(returns) - len(own_returns) != 1 or any(isinstance(x, ast.Starred) for x in call.args):
        return None
    names = [x.arg for x in plain.args]
    given = dict(zip(names[len(names) - len(plain.defaults) :], plain.defaults, strict=True))
    given |= dict(zip(names, call.args, strict=False))
    given |= {x.arg: x.value for x in call.keywords if x.arg is not None}
    if set(given) != set(names) or len(call.args) > len(names):
        return None
    bound = _bound(callee) | set(names)
    taken = {x.id for x in walk(caller) if isinstance(x, ast.Name)} | _bound(caller)
    taken |= {x.arg for x in caller.args.args}
    changed = {x.id for x in walk(callee)
               if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}  # fmt: skip
    direct: dict[str, ast.expr] = {}
    first: list[ast.stmt] = []
    fresh = {name: _fresh(name, taken | bound) for name in bound & taken}
    for name in names:
        value = given[name]
        plainly = isinstance(value, ast.Name | ast.Constant) and name not in changed
        if plainly and not (isinstance(value, ast.Name) and value.id in changed - {name}):
            direct[name] = value
            fresh.pop(name, None)
        else:
            target = ast.Name(fresh.get(name, name), ast.Store())
            first.append(ast.Assign([target], value))
    renamed = [_Renamed(fresh, direct).visit(copied(x)) for x in body]
    last = renamed.pop()
    return [*first, *renamed], last.value


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bound(node: ast.AST) -> set[str]:
    """Names that are given a value inside, arguments of inner functions among them."""
    stored = {x.id for x in walk(node)
              if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}  # fmt: skip
    inner = [x for x in walk(node) if isinstance(x, ast.FunctionDef | ast.Lambda) and x != node]
    of_inner = {x.name for x in inner if isinstance(x, ast.FunctionDef)}
    return stored | of_inner | {x.arg for own in inner for x in own.args.args}


def _fresh(name: str, taken: set[str]) -> str:
    found = f"{name}_"
    while found in taken:
        found += "_"
    return found


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], given: dict[str, ast.expr]) -> None:
        self._names, self._given = names, given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._given and isinstance(node.ctx, ast.Load):
            return copied(self._given[node.id])
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._names.get(node.arg, node.arg))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._names.get(node.name, node.name)
        self.generic_visit(node)
        return node


class _Instead(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.expr) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        """The new one in place of the old one."""
        return self._new if node is self._old else super().generic_visit(node)


# ---- names of what is used once


def without_names(function: ast.FunctionDef) -> None:
    """Short values that are used once stand where they are used, and dicts are put together."""
    found = copied(_nameless(_Same(function)))
    function.body, function.args = found.body, found.args


class _Same:
    """A function that is equal to every other one of the same code."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = copied(function)
        self._shape = shape(function)
        self._hash = hash(self._shape)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._shape == other._shape


@lru_cache(maxsize=512)  # scripts of an algorithm quote the same functions
def _nameless(same: _Same) -> ast.FunctionDef:
    function, before = same.function, None
    while before != (before := shape(function)):
        _Merged().visit(function)
        _once_each(function)
        _apart(function)
        living(function)
        _one_less(function)
    return function


def _once_each(function: ast.FunctionDef) -> None:
    """Names that get a value again have another name before."""
    every = [x.id for x in walk(function) if isinstance(x, ast.Name)]
    stored = Counter(
        x.id for x in walk(function) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
    )
    for name in [x for x, times in stored.items() if times > 1]:
        places = [at for at, own in enumerate(function.body) if isinstance(own, ast.Assign)
                  and any(isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Store)
                          for target in own.targets for x in walk(target))]  # fmt: skip
        if len(places) != stored[name]:
            continue
        first, second = places[:2]
        other = {name: _fresh(name, {*every, *_bound(function)})}
        given = function.body[first]
        assert isinstance(given, ast.Assign)
        given.targets = [_Renamed(other, {}).visit(x) for x in given.targets]
        for own in function.body[first + 1 : second]:
            _Renamed(other, {}).visit(own)
        again = function.body[second]
        assert isinstance(again, ast.Assign)
        again.value = _Renamed(other, {}).visit(again.value)
        return


def _apart(function: ast.FunctionDef) -> None:
    """Of several names that get values at once, each by itself where that is the same."""
    found = list[ast.stmt]()
    for statement in function.body:
        pairs = _pairs(statement)
        names = {x.id for x, _ in pairs if isinstance(x, ast.Name)}
        reads = {x.id for _, v in pairs for x in walk(v) if isinstance(x, ast.Name)}
        if len(pairs) > 1 and len(names) == len(pairs) and not names & reads:
            found += [ast.Assign([target], value) for target, value in pairs]
        else:
            found.append(statement)
    function.body = found


def _pairs(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _one_less(function: ast.FunctionDef) -> None:
    """Without one name."""
    every = [x for x in walk(function) if isinstance(x, ast.Name)]
    stored = Counter(x.id for x in every if isinstance(x.ctx, ast.Store))
    loaded = Counter(x.id for x in every if isinstance(x.ctx, ast.Load))
    adds = adding(function)
    inside = [x for x in walk(function) if isinstance(x, _INSIDE) and x is not function]
    inner = {y.id for x in inside for y in walk(x) if isinstance(y, ast.Name)}
    for at, statement in enumerate(function.body):
        pairs = _pairs(statement)
        if len(pairs) != 1 or not isinstance(pairs[0][0], ast.Name):
            continue
        name, value = pairs[0][0].id, pairs[0][1]
        place = isinstance(value, ast.Subscript | ast.Attribute | ast.Name)
        if stored[name] != 1 or not (loaded[name] == 1 or place):
            continue
        size = len(ast.unparse(value))
        once = loaded[name] == 1 and (size <= _SHORT or isinstance(value, ast.Dict))
        often = size <= _TWICE and place
        if not (once or often):
            continue
        reads = {x.id for x in walk(value) if isinstance(x, ast.Name)}
        later = {x.id for own in function.body[at + 1 :] for x in walk(own)
                 if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}  # fmt: skip
        if reads & later:
            continue
        first = isinstance(value, ast.Dict) and _is_first(function, name)
        if (name in inner and not (often or first)) or speaks(value, adds):
            continue
        if isinstance(value, ast.List | ast.Lambda):
            continue
        for own in function.body[at + 1 :]:
            _Renamed({}, {name: value}).visit(own)
        del function.body[at]
        return


def side_by_side(function: ast.FunctionDef) -> None:
    """Short values that do not need each other get their names in one line."""
    found = list[ast.stmt]()
    for statement in function.body:
        before, own = (_pairs(found[-1]) if found else []), _pairs(statement)
        names = {x.id for x, _ in before if isinstance(x, ast.Name)}
        reads = {x.id for _, v in own for x in walk(v) if isinstance(x, ast.Name)}
        stored = {x.id for x, _ in own if isinstance(x, ast.Name)}
        every = [*before, *own]
        plain = before and own and all(isinstance(x, ast.Name) for x, _ in every)
        if plain and not names & reads and not names & stored:
            both = ast.Assign(
                [ast.Tuple([x for x, _ in every], ast.Store())],
                ast.Tuple([x for _, x in every], ast.Load()),
            )
            if len(ast.unparse(ast.fix_missing_locations(both))) <= _LINE:
                found[-1] = both
                continue
        found.append(statement)
    function.body = found


def _is_first(function: ast.FunctionDef, name: str) -> bool:
    """Whether it is used by what a comprehension goes through, once."""
    every = [x.generators[0].iter for x in walk(function) if isinstance(x, ast.DictComp)]
    return any(isinstance(y, ast.Name) and y.id == name for x in every for y in walk(x))


_INSIDE = (ast.For, ast.While, ast.FunctionDef, *_APART)


class _Merged(ast.NodeTransformer):
    """Dicts in dicts, dicts put together, and dicts of others' items, as one."""

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        pairs = list[tuple[ast.expr | None, ast.expr]]()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None and isinstance(value, ast.Dict):
                pairs += zip(value.keys, value.values, strict=True)
            else:
                pairs.append((key, value))
        node.keys, node.values = [key for key, _ in pairs], [value for _, value in pairs]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        both = isinstance(node.left, ast.Dict) and isinstance(node.right, ast.Dict)
        if both and isinstance(node.op, ast.BitOr):
            one, other = node.left, node.right
            assert isinstance(one, ast.Dict)
            assert isinstance(other, ast.Dict)
            return ast.Dict([*one.keys, *other.keys], [*one.values, *other.values])
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.DictComp(
                key=ast.Name(id=key),
                generators=[
                    ast.comprehension(
                        target=ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=own)]),
                        iter=ast.Call(func=ast.Attribute(value=ast.Dict() as every, attr="items")),
                        ifs=[],
                    )
                ],
            ) if key == name and all(isinstance(x, ast.Constant) for x in every.keys):
                values = [_Renamed({}, {own: x}).visit(copied(node.value)) for x in every.values]
                return ast.Dict(every.keys, values)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "see":
            node.keywords = [one for own in node.keywords for one in _keywords(own)]
        return node


def _keywords(one: ast.keyword) -> Sequence[ast.keyword]:
    own = one.value
    if one.arg is not None or not isinstance(own, ast.Dict):
        return [one]
    if any(not isinstance(key, ast.Constant) for key in own.keys):
        return [one]
    return [
        ast.keyword(key.value, value)  # type: ignore[union-attr]
        for key, value in zip(own.keys, own.values, strict=True)
    ]
