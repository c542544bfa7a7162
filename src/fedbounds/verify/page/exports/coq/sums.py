"""Sums over rounds, clients and steps: linear, counted where nothing changes, shifted."""

import ast
from collections.abc import Mapping
from dataclasses import replace

from fedbounds.theory.checker.expressions import Reader
from fedbounds.theory.checker.keys import affine_of, mentions, parts
from fedbounds.theory.checker.text import parsed
from fedbounds.theory.checker.values import CONSTANT, Value

from .branch import Script, key_text, name_atoms, name_specials
from .errors import Withheld
from .terms import Terms


def sum_of(
    script: Script, inner: str, over: str, reader: Reader, terms: Terms, text: str, first: int = 0
) -> None:
    """An equation between a sum and its value; ``text`` is the sum as it is written.

    Parameters
    ----------
    over : "t", "i" or "ik"
    first : of a sum over rounds, 0 or 1; from 1 on, its index is t + 1 and it has T - 1 terms
    """
    bound = set(over)
    inside = replace(reader, index={n: a for n, a in reader.index.items() if n not in bound})
    outside = Terms(terms.theory, {n: a for n, a in terms.index.items() if n not in bound})
    value = inside.read(inner)
    for node in _fixed(parsed(inner), bound, reader):
        name_specials(script, ast.unparse(node), inside, outside)
    plain = Terms(reader.theory)
    fixed, moving = [], []
    for key, ratio in value.terms.items():
        if key == CONSTANT or not _moves(script, key, over):
            name_atoms(script, [key], plain)
            own = script.quotients().value(Value(value.ring, {key: ratio}))
            fixed.append(own)
        else:
            moving.append((script.quotients().ratio(ratio), key))
    body, total = _body(script, fixed, moving, over, first)
    name = f"A'{len(script.equal)}"
    opener = {"t": "intro t", "i": "intro i", "ik": "intro i; apply sum_ext; intro k"}[over]
    script.say(f"assert ({name} : {text} = {total}).")
    script.say(f"{{ transitivity {_written(over, body, first)}.")
    script.say(f"  {{ apply sum_ext; {opener}; {script.rewrite()}same. }}")
    script.say(f"  sum_terms; {script.names()}ring. }}")
    script.equal.append((text, total, name))


def _fixed(node: ast.AST, bound: set[str], reader: Reader) -> list[ast.expr]:
    """The largest expressions in which nothing changes, of those that are not plain."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    clients = reader.theory.per_client | reader.theory.per_step
    moves = names & bound or ("i" in bound and names & clients)
    if not moves and isinstance(node, ast.Call | ast.BinOp):
        return [node]
    if isinstance(node, ast.Call):
        return []
    return [found for inner in ast.iter_child_nodes(node) for found in _fixed(inner, bound, reader)]


def _moves(script: Script, key: str, over: str) -> bool:
    found = parts(key)
    theory = script.reader.theory
    if over == "t":
        return mentions(key, "t")
    if found is None:
        return False
    return found[0] in theory.per_client | theory.per_step


def sum_text(terms: Terms, inner: str, over: str, first: int) -> str:
    """A sum as a term: from round 1 on its index is t + 1."""
    own = {n: a for n, a in terms.index.items() if n not in set(over)}
    body = Terms(terms.theory, own)
    return _written(over, _next(body, inner) if first else body.text(inner), first)


def _written(over: str, body: str, first: int) -> str:
    match over:
        case "t":
            return f"(sum {'(T - 1)' if first else 'T'} (fun t => {body}))"
        case "i":
            return f"(sum n (fun i => {body}))"
    return f"(sum n (fun i => sum K (fun k => {body})))"


def _next(terms: Terms, inner: str) -> str:
    index: Mapping[str, ast.expr] = {**terms.index, "t": parsed("t + 1")}
    return Terms(terms.theory, index).text(inner)


def _body(
    script: Script, fixed: list[str], moving: list[tuple[str, str]], over: str, first: int
) -> tuple[str, str]:
    """What is summed, term by term; and the sum."""
    rows, totals = [], []
    constant = f"({' + '.join(fixed)})" if fixed else "0"
    count = {"t": "(T - 1)" if first else "T", "i": "n", "ik": "(n * K)"}[over]
    rows.append(constant)
    totals.append(f"({count} * {constant})")
    plain = Terms(script.reader.theory)
    for factor, key in moving:
        rows.append(f"{factor} * {_shifted(script, key, over, first)}")
        totals.append(f"{factor} * {_total(script, key, over, first, plain)}")
    return " + ".join(rows), f"({' + '.join(totals)})"


def _shifted(script: Script, key: str, over: str, first: int) -> str:
    plain = Terms(script.reader.theory)
    if over == "t" and first:
        found = parts(key)
        assert found is not None
        at = affine_of(found[1][0])
        shift = at.get("", 0) + 1
        return key_text(f"{found[0]}({_round(shift)})", plain)
    return key_text(key, plain)


def _round(shift: int) -> str:
    return "t" if not shift else f"t{shift:+d}"


def _total(script: Script, key: str, over: str, first: int, plain: Terms) -> str:
    found = parts(key)
    if found is None:
        raise Withheld("a sum of sums")
    if over == "ik" and found[0] in script.reader.theory.per_step:
        return _named(script, f"Sum_ik({key})", plain)
    if over in ("i", "ik"):
        own = _named(script, f"Sum_i({key})", plain)
        return own if over == "i" else f"(K * {own})"
    if len(found[1]) != 1:
        raise Withheld("a sum of sums")
    at = affine_of(found[1][0])
    shift = at.get("", 0) + first
    every = _named(script, f"Sum_t({found[0]}(t))", plain)
    if first == 0:
        match shift:
            case 0:
                return every
            case 1:
                ends = [_named(script, f"{found[0]}({one})", plain) for one in ("0", "T")]
                return f"({every} - {ends[0]} + {ends[1]})"
    else:
        match shift:
            case 0:
                return f"({every} - {_named(script, f'{found[0]}(T-1)', plain)})"
            case 1:
                return f"({every} - {_named(script, f'{found[0]}(0)', plain)})"
    raise Withheld("a sum shifted by more than a round")


def _named(script: Script, key: str, plain: Terms) -> str:
    name_atoms(script, [key], plain)
    return script.atoms[key]
