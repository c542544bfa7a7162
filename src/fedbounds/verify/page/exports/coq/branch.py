"""The proof of one branch of a chart: names for what is measured, and one identity."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import fmpq

from fedbounds.theory.checker.check import nonnegative
from fedbounds.theory.checker.expressions import Reader
from fedbounds.theory.checker.keys import affine_of, parts
from fedbounds.theory.checker.ratios import Ratio
from fedbounds.theory.checker.text import parsed
from fedbounds.theory.checker.values import CONSTANT, Value

from .errors import Withheld
from .quotients import Quotients
from .scopes import mask, of_scope, space_of
from .terms import Terms, constant, identifier

_PRODUCTS = ("sq", "ip")
_SPECIAL = ("sqrt", "Max", "Min", "Sum_t", "Mean_t", "Sum_i", "Sum_ik", "Sum")


@dataclass
class Script:
    """The lines of a proof while it is written.

    Attributes
    ----------
    lines : list of str
    equal : list of triples (what, as what, name of the hypothesis)
        Larger expressions after those in them.
    parameters : list of pairs (name, hypothesis)
    atoms, further : dict to names in Coq
    """

    reader: Reader
    lines: list[str] = field(default_factory=list)
    equal: list[tuple[str, str, str]] = field(default_factory=list)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    atoms: dict[str, str] = field(default_factory=dict)
    further: dict[str, str] = field(default_factory=dict)
    facts: dict[object, str] = field(default_factory=dict)

    def say(self, line: str) -> None:
        self.lines.append(line)

    def quotients(self) -> Quotients:
        return Quotients(self.reader.ring, self.further, self.atoms)

    def rewrite(self, *texts: str) -> str:
        """The tactic that replaces all that has a name, from the outside in, in the goal."""
        names = [f"?{name}" for _, _, name in reversed(self.equal)]
        names += [f"?{name}" for _, name in self.parameters]
        return f"rewrite {', '.join(names)}; " if names else ""

    def names(self) -> str:
        """The tactic that replaces what is measured by its names."""
        known = [f"?{name}" for _, _, name in reversed(self.equal) if name.startswith(("N'", "M'"))]
        return f"rewrite {', '.join(known)}; " if known else ""

    def show(self, what: str, tactic: str, name: str) -> None:
        self.say(f"assert ({name} : {what}).")
        self.say(f"{{ {tactic} }}")


def name_atoms(script: Script, keys: Iterator[str] | list[str], terms: Terms) -> None:
    """A name for every quantity of a branch, with its sign."""
    theory = script.reader.theory
    for key in keys:
        if key == CONSTANT or key in script.atoms:
            continue
        number = len(script.atoms)
        name, known, sign = f"q'{number}", f"N'{number}", f"P'q{number}"
        text = key_text(key, replace(terms, index={}))
        if nonnegative(theory, key):
            how = "(ip_nonneg _ _)" if key.startswith("<") else "ltac:(signs)"
            script.say(f"destruct (named_nonneg {text} {how}) as [{name} [{known} {sign}]].")
        else:
            script.say(f"destruct (named {text}) as [{name} {known}].")
        script.atoms[key] = name
        script.equal.append((text, name, known))
        short = _contracted(key, Terms(theory))
        if short:  # rewriting leaves f for fun t => f t
            script.say(f"assert (M'{number} : {short} = {name}) by exact {known}.")
            script.equal.append((short, name, f"M'{number}"))


def _contracted(key: str, terms: Terms) -> str:
    """A sum of a quantity of its last argument alone, without naming the argument."""
    for prefix, index in (("Sum_t(", "t"), ("Sum_ik(", "k")):
        found = parts(key.removeprefix(prefix)[:-1]) if key.startswith(prefix) else None
        if found is None or found[1][-1] != index:
            continue
        own = key_text(key.removeprefix(prefix)[:-1], terms)[1:-1].rpartition(" ")[0]
        own = f"({own})" if " " in own else own
        return f"(sum T {own})" if index == "t" else f"(sum n (fun i => sum K {own}))"
    return ""


def open_all(script: Script) -> None:
    """A name for every root, power and maximum that is no expression in parameters."""
    for opened in script.reader.ring.notes.opened:
        _open(script, opened)


def key_text(key: str, terms: Terms) -> str:
    """A key as a term of Coq."""
    for prefix in ("Sum_t(", "Sum_ik(", "Sum_i("):
        if key.startswith(prefix):
            inner = key_text(key.removeprefix(prefix)[:-1], terms)
            match prefix:
                case "Sum_t(":
                    return f"(sum T (fun t => {inner}))"
                case "Sum_i(":
                    return f"(sum n (fun i => {inner}))"
            return f"(sum n (fun i => sum K (fun k => {inner})))"
    if key.startswith("value "):
        return of_scope(terms.theory, terms.scope, key.removeprefix("value "))
    if key.startswith("<"):
        return _product_text(key, terms)
    found = parts(key)
    if found is None:
        raise Withheld(f"no term for {key}")
    name, arguments = found
    client = ["i"] if name in terms.theory.per_client | terms.theory.per_step else []
    own = [terms.text(_written(one)) for one in arguments if one]
    return f"({' '.join([identifier(name), *client, *own])})"


def _product_text(key: str, terms: Terms) -> str:
    """The inner product of two vectors, given what both depend on."""
    first, second, *rest = key[1:-1].split("|")
    if not rest:
        raise Withheld("the mean of a norm")
    scope, space = terms.theory.scopes[terms.scope], space_of(terms.theory, terms.scope)
    kept = mask(scope, set(rest[0].split(",")))
    left, right = (of_scope(terms.theory, terms.scope, one) for one in (first, second))
    return f"(ip {space} (mean {space} {kept} {left}) (mean {space} {kept} {right}))"


def _written(affine: str) -> str:
    found = affine_of(affine)
    ordered = [(n, f) for n, f in sorted(found.items(), key=lambda row: (not row[0], row[0]))]
    ordered = sorted(ordered, key=lambda row: row[1] < 0)
    text = ""
    for name, factor in ordered:
        size = abs(factor)
        one = str(size) if not name else name if size == 1 else f"{size}*{name}"
        if text:
            text = f"{text} {'-' if factor < 0 else '+'} {one}"
        else:
            text = f"-{one}" if factor < 0 else one
    return text or "0"


def name_specials(script: Script, expression: str, reader: Reader, terms: Terms) -> None:
    """An equation for every root, maximum, power and sum in an expression."""
    for node in _specials(parsed(terms.atomic(expression)), reader):
        text = terms.term(node)
        if any(text == known for known, _, _ in script.equal):
            continue
        value = reader.read(ast.unparse(node))
        name_atoms(script, list(value.terms), terms)
        name = f"A'{len(script.equal)}"
        _equation(script, node, text, value, reader, terms, name)


def _specials(node: ast.AST, reader: Reader) -> Iterator[ast.expr]:
    """Inner ones first."""
    inside: Iterator[ast.AST] = ast.iter_child_nodes(node)
    match node:
        case ast.Call(func=ast.Name(id="Sum_t" | "Mean_t" | "Sum_i" | "Sum_ik" | "Sum")):
            inside = iter(())
        case ast.Call(func=ast.Name(id=name)) if name in reader.theory.quantities:
            inside = iter(())
    for inner in inside:
        yield from _specials(inner, reader)
    match node:
        case ast.Call(func=ast.Name(id=name)) if (
            name in _SPECIAL or name in _PRODUCTS or name in reader.theory.quantities
        ):
            yield node
        case ast.BinOp(op=ast.Pow(), right=right):
            exponent = constant(right)
            if exponent is None or exponent.denominator != 1:
                yield node


def _equation(
    script: Script,
    node: ast.expr,
    text: str,
    value: Value,
    reader: Reader,
    terms: Terms,
    name: str,
) -> None:
    """An equation between a node and its value in the branch, proved by what the node is."""
    theory = reader.theory
    match node:
        case ast.Call(func=ast.Name(id=called)) if called in theory.quantities:
            (key,) = value.terms
            known = next(row for row in script.equal if row[1] == script.atoms[key])
            if known[0] == text:
                return
            script.say(f"assert ({name} : {text} = {script.atoms[key]}).")
            script.say(f"{{ rewrite <- {known[2]}. f_equal; ring. }}")
            script.equal.append((text, script.atoms[key], name))
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner]):
            _root(script, text, value.plain(), reader.ratio(ast.unparse(inner)), name)
        case ast.Call(func=ast.Name(id="sq" | "ip")):
            from .vectors import product_of

            product_of(script, node, text, reader, terms)
        case ast.BinOp(op=ast.Pow()):
            _power(script, text, node, value.plain(), reader, name)
        case ast.Call(func=ast.Name(id="Max" | "Min" as kind), args=arguments):
            _extreme(script, kind, text, value.plain(), arguments, reader, terms, name)
        case ast.Call(func=ast.Name(id="Sum_t" | "Mean_t" | "Sum_i" | "Sum_ik" as kind)):
            from .sums import sum_of

            summed, over = ast.unparse(node.args[0]), kind.rpartition("_")[2]
            whole = text if kind != "Mean_t" else terms.term(_sum_t(node.args[0]))
            sum_of(script, summed, over, reader, terms, whole)
        case ast.Call(func=ast.Name(id="Sum"), args=[ast.BinOp(left=base), ast.Tuple(elts=ends)]):
            _geometric(script, text, base, ends[2], reader, terms, name)
        case _:
            raise Withheld(f"no equation for {text}")


def _sum_t(inner: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("Sum_t"), [inner], [])


def _geometric(
    script: Script,
    text: str,
    base: ast.expr,
    last: ast.expr,
    reader: Reader,
    terms: Terms,
    name: str,
) -> None:
    """The sum of q^r for r from 0 to N."""
    after = ast.BinOp(last, ast.Add(), ast.Constant(1))
    power = ast.BinOp(base, ast.Pow(), after)
    name_specials(script, ast.unparse(power), reader, terms)
    q = terms.term(base)
    name = f"A'{len(script.equal)}"
    shown = f"((pw {q} ({terms.term(last)} + 1) - 1) / ({q} - 1))"
    script.say(f"assert ({name} : {text} = {shown}).")
    value = script.quotients().ratio(reader.ratio(ast.unparse(base)))
    less = script.quotients().ratio(reader.ratio(ast.unparse(base)) - reader.ring.number(1))
    script.say("{ apply sum_powers; [wholes | | ].")
    script.say(f"  {{ replace {q} with {value} by ({script.rewrite()}same). pos. }}")
    script.say(f"  {{ assert ({q} - 1 = {less}) by ({script.rewrite()}same).")
    script.say(f"    assert ({less} <> 0) by nonzero. lra. }} }}")
    script.equal.append((text, shown, name))


def _further(script: Script, ratio: Ratio, kind: str) -> str | None:
    """The further variable that a quotient is, if it is one and new to the script."""
    for name, (is_, _) in script.reader.ring.notes.opened.items():
        if is_ == kind and ratio == script.reader.ring.variable(name):
            return name
    return None


def _root(script: Script, text: str, root: Ratio, inside: Ratio, name: str) -> None:
    quotients = script.quotients()
    opened = _further(script, root, "sqrt")
    if opened is not None:
        _open(script, opened)
        own = script.further[opened]
        tactic = f"rewrite <- D'{own}. f_equal; {script.rewrite()}same."
        script.show(f"{text} = {own}", tactic, name)
        script.equal.append((text, own, name))
        return
    shown = quotients.ratio(root)
    tactic = f"apply sqrt_is; [pos | {script.rewrite()}same]."
    script.show(f"{text} = {shown}", tactic, name)
    script.equal.append((text, shown, name))


def _open(script: Script, opened: str) -> None:
    """A name for a further variable, that stands for a root, a power, a maximum."""
    if opened in script.further:
        return
    kind, of = script.reader.ring.notes.opened[opened]
    quotients = script.quotients()
    for one in of:
        for other in script.reader.ring.notes.opened:
            if other != opened and one.above.degrees()[script.reader.ring.names.index(other)]:
                _open(script, other)
    own = f"v'{len(script.further)}"
    given = [quotients.ratio(one) for one in of]
    match kind:
        case "sqrt":
            what = f"(sqrt {given[0]})"
        case "power":
            what = f"(pw {given[0]} {given[1]})"
        case _:
            what = _nested("Rmax" if kind == "Max" else "Rmin", given)
    positive = opened in script.reader.ring.positive
    lemma = "named_pos" if positive else "named_nonneg"
    script.say(f"destruct ({lemma} {what} ltac:(pos)) as [{own} [D'{own} P'{own}]].")
    script.further[opened] = own


def _nested(name: str, given: list[str]) -> str:
    return given[0] if len(given) == 1 else f"({name} {given[0]} {_nested(name, given[1:])})"


def _power(
    script: Script, text: str, node: ast.BinOp, value: Ratio, reader: Reader, name: str
) -> None:
    base = reader.ratio(ast.unparse(node.left))
    exponent = reader.ratio(ast.unparse(node.right))
    quotients = script.quotients()
    shown = quotients.ratio(base)
    if exponent.above.is_constant() and exponent.below.is_constant():
        given = constant(node.right)
        number = _rational(exponent)
        if given is None and number.denominator == 1 and number >= 0:
            own = f"({shown} ^ {number})"
            tactic = (
                f"apply pw_whole; [pos | {script.rewrite()}same | {script.rewrite()}simpl; same]."
            )
            script.show(f"{text} = {own}", tactic, name)
            script.equal.append((text, own, name))
            return
        if given is None or given < 0:
            raise Withheld("a power with a negative exponent that is no integer")
        root = base.power(fmpq(1, given.denominator))
        own = quotients.ratio(root)
        p, q = given.numerator, given.denominator
        goals = f"pos | lia | lia | {script.rewrite()}same | simpl; lra"
        tactic = f"apply pw_root with (q := {q}%nat); [{goals}]."
        script.show(f"{text} = {own} ^ {p}", tactic, name)
        script.equal.append((text, f"{own} ^ {p}", name))
        return
    for opened, (kind, of) in reader.ring.notes.opened.items():
        if kind != "power" or of[0] != base:
            continue
        rest = exponent - of[1]
        if rest.above.is_constant() and rest.below.is_constant():
            _open(script, opened)
            own, whole = script.further[opened], int(_rational(rest))
            r = quotients.ratio(of[1])
            strict = base.positive()
            lemma = "pw_up" if whole >= 0 else "pw_down"
            if not strict:
                raise Withheld("a power of what may be 0")
            operator = "*" if whole >= 0 else "/"
            target = f"{own} {operator} {shown} ^ {abs(whole)}"
            args = f"(X := {shown}) (r := {r}) (j := {abs(whole)}%nat)"
            tactic = (
                f"rewrite <- D'{own}. apply {lemma} with {args}; "
                f"[pos | {script.rewrite()}same | {script.rewrite()}simpl; same]."
            )
            script.show(f"{text} = {target}", tactic, name)
            script.equal.append((text, f"({target})", name))
            return
    raise Withheld("a power")


def _rational(ratio: Ratio) -> Fraction:
    above = ratio.above.coeffs()
    value = (above[0] if above else 0) / ratio.below.coeffs()[0]
    return Fraction(int(value.p), int(value.q))


def _extreme(
    script: Script,
    kind: str,
    text: str,
    value: Ratio,
    arguments: list[ast.expr],
    reader: Reader,
    terms: Terms,
    name: str,
) -> None:
    """A maximum of what compares is one of its arguments."""
    opened = _further(script, value, kind)
    if opened is not None:
        raise Withheld("a maximum of what does not compare")
    quotients = script.quotients()
    every = [reader.ratio(ast.unparse(one)) for one in arguments]
    gaps = [value - one if kind == "Max" else one - value for one in every]
    if not all(gap.nonnegative() for gap in gaps):
        raise Withheld("a maximum of what does not compare")
    best, each = quotients.ratio(value), [quotients.ratio(gap) for gap in gaps]
    script.say(f"assert ({name} : {text} = {best}).")
    script.say(f"{{ {script.rewrite()}apply Rle_antisym.")
    if kind == "Max":
        script.say("  - repeat apply Rmax_lub.")
        for gap in each:
            script.say(f"    + apply le_by with {gap}; [same | pos].")
        script.say(f"  - {_reach('Rmax_l', 'Rmax_r', gaps)}")
    else:
        script.say(f"  - {_reach('Rmin_l', 'Rmin_r', gaps)}")
        script.say("  - repeat apply Rmin_glb.")
        for gap in each:
            script.say(f"    + apply le_by with {gap}; [same | pos].")
    script.say("}")
    script.equal.append((text, best, name))


def _reach(left: str, right: str, gaps: list[Ratio]) -> str:
    """From the argument that is the extreme to the extreme of all."""
    place = next(j for j, gap in enumerate(gaps) if gap.is_zero())
    down = (
        f"eapply Rle_trans; [ | apply {right}]; "
        if left == "Rmax_l"
        else f"eapply Rle_trans; [apply {right} | ]; "
    )
    steps = down * place
    last = place == len(gaps) - 1
    if last:
        return steps + "right; same."
    if left == "Rmax_l":
        return steps + f"eapply Rle_trans; [ | apply {left}]; right; same."
    return steps + f"eapply Rle_trans; [apply {left} | ]; right; same."
