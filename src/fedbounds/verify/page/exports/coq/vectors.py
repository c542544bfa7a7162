"""Inner products of random vectors: multiplied out, and reduced by the tower rule."""

import ast
from collections.abc import Iterator

from fedbounds.theory.checker.data import Scope
from fedbounds.theory.checker.expressions import Reader

from .branch import Script, name_atoms
from .errors import Withheld
from .scopes import mask, name_in, of_scope, space_of, supposed
from .terms import Terms

Kept = frozenset[str]


def product_of(script: Script, node: ast.Call, text: str, reader: Reader, terms: Terms) -> None:
    """An equation between an inner product and its value in the keys of a scope."""
    scope, name = terms.theory.scopes[terms.scope], f"A'{len(script.equal)}"
    left, right = node.args[0], node.args[-1]
    value = reader.read(ast.unparse(node))
    name_atoms(script, list(value.terms), terms)
    first, second = (list(dict.fromkeys(_reached(scope, one, None))) for one in (left, right))
    cut, bare, pairs = list[str](), list[str](), list[str]()
    for atom, given in dict.fromkeys((*first, *second)):
        fact = _term(script, terms, scope, atom, given)
        (bare if given is None else cut).append(fact)
    for a in first:
        for b in second:
            pairs.append(_pair(script, terms, scope, a, b))
    shown = script.quotients().value(value)
    name = f"A'{len(script.equal)}"
    script.say(f"assert ({name} : {text} = {shown}).")
    lines = ["spread", *_rewriting(cut), *_rewriting(bare), "bilinear"]
    lines += _rewriting(list(dict.fromkeys(pairs)))
    script.say(f"{{ {'; '.join(lines)}; {script.rewrite()}same. }}")
    script.equal.append((text, shown, name))


def _rewriting(names: list[str]) -> list[str]:
    return [f"rewrite {', '.join(f'?{name}' for name in names)}"] if names else []


def _reached(scope: Scope, node: ast.expr, kept: Kept | None) -> Iterator[tuple[str, Kept | None]]:
    """The atoms in a vector, each with the sources that are given; None where all are."""
    atoms = {name for name, _ in scope.atoms}
    match node:
        case ast.Name(id=name) if name in atoms:
            yield name, kept
        case ast.Call(func=ast.Name(id="given"), args=[inner, *sources]):
            own = frozenset(ast.unparse(one) for one in sources)
            yield from _reached(scope, inner, own if kept is None else kept & own)
        case ast.Call(func=ast.Name(id="present")):
            raise Withheld("participants drawn without replacement")
        case ast.Call():
            return
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _reached(scope, child, kept)


def _sources(scope: Scope, atom: str, given: Kept | None) -> Kept:
    own = frozenset(dict(scope.atoms)[atom])
    return own if given is None else own & given


def _term(script: Script, terms: Terms, scope: Scope, atom: str, given: Kept | None) -> str:
    """The name of an equation between a vector, given some sources, and its own name."""
    fact = ("given", atom, given)
    if fact in script.facts:
        return script.facts[fact]
    own = _vector(script, terms, scope, atom, _sources(scope, atom, given))
    name, space = f"X'{len(script.facts)}", space_of(terms.theory, terms.scope)
    text = of_scope(terms.theory, terms.scope, atom)
    if given is None:
        script.say(f"assert ({name} : {text} = {own}).")
        script.say(f"{{ rewrite <- Z'{own}. symmetry. {_hypothesis(terms, 'depends', atom)}. }}")
    else:
        kept, depends = mask(scope, given), mask(scope, frozenset(dict(scope.atoms)[atom]))
        script.say(f"assert ({name} : mean {space} {kept} {text} = {own}).")
        script.say(
            f"{{ rewrite <- Z'{own}. apply (kept {space} {kept} {depends}); "
            f"[{_hypothesis(terms, 'depends', atom)} | reflexivity]. }}"
        )
    script.facts[fact] = name
    return name


def _hypothesis(terms: Terms, kind: str, atom: str) -> str:
    """What a scope says of a vector, under what it supposes."""
    needs = list(supposed(terms.theory, terms.scope, atom))
    under = sum(len(need.assumptions) + len(need.conditions) for need in needs)
    name = f"{kind}_{name_in(terms.theory, terms.scope, atom)}"
    return f"apply {name}" + "; assumption" * bool(under)


def _vector(script: Script, terms: Terms, scope: Scope, atom: str, sources: Kept) -> str:
    """The name of E[atom | sources]."""
    fact = ("vector", atom, sources)
    if fact not in script.facts:
        name, space = f"e'{len(script.facts)}", space_of(terms.theory, terms.scope)
        text = of_scope(terms.theory, terms.scope, atom)
        script.say(
            f"destruct (named_vec (mean {space} {mask(scope, sources)} {text})) "
            f"as [{name} Z'{name}]."
        )
        script.facts[fact] = name
    return script.facts[fact]


def _pair(
    script: Script,
    terms: Terms,
    scope: Scope,
    a: tuple[str, Kept | None],
    b: tuple[str, Kept | None],
) -> str:
    """The name of the equation of an inner product of two named vectors."""
    x, y = _sources(scope, *a), _sources(scope, *b)
    fact = ("pair", (a[0], x), (b[0], y))
    if fact in script.facts:
        return script.facts[fact]
    left, right = _vector(script, terms, scope, a[0], x), _vector(script, terms, scope, b[0], y)
    space, both, centred = space_of(terms.theory, terms.scope), x & y, dict(scope.centred)
    name = f"Y'{len(script.facts)}"
    lost = [z for z, one in (("l", a[0]), ("r", b[0])) if centred.get(one, "") not in ("", *both)]
    back = f"rewrite <- Z'{left}, <- Z'{right}."
    if left == right:
        back = f"rewrite <- Z'{left}."
    if lost:
        atom = a[0] if lost[0] == "l" else b[0]
        others = mask(scope, frozenset(scope.sources) - {centred[atom]})
        script.say(f"assert ({name} : ip {space} {left} {right} = 0).")
        script.say(
            f"{{ {back} apply (centred_{lost[0]} {space} _ _ {others}); "
            f"[{_hypothesis(terms, 'centred', atom)} | reflexivity]. }}"
        )
    else:
        key = f"<{'|'.join(sorted((a[0], b[0])))}|{','.join(sorted(both))}>"
        name_atoms(script, [key], terms)
        known = next(row[2] for row in script.equal if row[1] == script.atoms[key])
        turned = "rewrite ip_sym. " if a[0] > b[0] else ""
        script.say(f"assert ({name} : ip {space} {left} {right} = {script.atoms[key]}).")
        script.say(f"{{ {back} {turned}rewrite ip_mean. exact {known}. }}")
    script.facts[fact] = name
    return name
