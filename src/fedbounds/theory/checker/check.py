"""Does a certificate prove its step?"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from .charts import Branch, branches, refuse_foreign, weaker
from .data import Absent, Certificate, Comparison, Premise, Scope, Statement, Step, Theory
from .errors import Refused
from .expressions import NewVariable, Reader
from .facts import fact_of
from .keys import Affine, affine_of, of_vectors, over_clients, over_rounds
from .names import refuse_names, refuse_unknown
from .needs import every_part, refuse_unmet
from .text import parsed, words
from .values import CONSTANT, Value
from .vectors import is_norm, is_square

_Read = TypeVar("_Read")
_SUMS = ("Sum_t(", "Sum_i(", "Sum_ik(")
TANGENT = "any_d"  # where the tangents of a root are taken: any positive number


@dataclass(frozen=True)
class Remainder:
    """What is left of right - left in one branch, and whether it is not negative.

    ``used`` has the positions of the premises whose multipliers are not zero.
    """

    branch: Branch
    value: Value
    ok: bool
    offending: tuple[str, ...]
    used: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Piece:
    """The difference of a premise's sides; or why the premise cannot be used."""

    value: Value
    equality: bool
    error: Refused | None = None


@dataclass(frozen=True)
class Pieces:
    """What a certificate combines in one branch, before multipliers."""

    branch: Branch
    gap: Value
    premises: tuple[Piece, ...]
    squares: tuple[Value, ...]


def check(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> None:
    """Raise `Refused` unless the certificate proves the step from earlier ones."""
    try:
        _check(theory, step, earlier)
    except RecursionError as error:
        raise Refused(f"{step.id}: an expression is too deep") from error


def _check(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> None:
    _refuse_malformed(theory, step.statement)
    for certificate in every_part(step.certificate):
        refuse_names(theory, certificate.scope)
        _refuse_algorithm(theory, certificate.scope, step.statement)
    refuse_unknown(theory, step.statement)
    refuse_unmet(theory, step)
    match step.certificate.rule:
        case "given":
            if not step.certificate.origin:
                raise Refused(f"{step.id}: a given statement without an origin")
            _refuse_scope(step.statement, step.certificate)
            _refuse_unknown_steps(step, earlier)
        case "combine":
            found = remainders(theory, step.statement, step.certificate, earlier)
            _refuse_negative(step.id, found)
            _refuse_idle(step.id, step.certificate, found)
        case "induction":
            _induction(theory, step, earlier)
        case "unroll":
            unrolled(theory, step, earlier)
        case "root":
            _root(theory, step, earlier)
        case rule:
            raise Refused(f"{step.id}: unknown rule {rule!r}")


def _refuse_malformed(theory: Theory, statement: Statement) -> None:
    if statement.relation not in ("<=", ">=", "=="):
        raise Refused(f"unknown relation {statement.relation!r}")
    if statement.first not in (0, 1):
        raise Refused(f"a statement from round {statement.first}, neither 0 nor 1")
    for condition in statement.conditions:
        refuse_foreign(theory, condition)
    _refuse_algorithm(theory, statement.scope, statement)


def _refuse_scope(statement: Statement, certificate: Certificate) -> None:
    if statement.scope not in ("", certificate.scope):
        raise Refused(f"a statement of {statement.scope!r} is proved in {certificate.scope!r}")


def _refuse_algorithm(theory: Theory, scope: str, statement: Statement) -> None:
    """What an algorithm's updates give is claimed of the runs of this algorithm only."""
    if scope and scope not in theory.scopes:
        raise Refused(f"unknown scope {scope!r}")
    if scope and theory.scopes[scope].algorithm not in ("", statement.algorithm):
        raise Refused(f"the vectors of {scope!r} are those of another algorithm")


def _refuse_unknown_steps(step: Step, earlier: Mapping[str, Statement]) -> None:
    """A given statement may restate a theorem, whose status it inherits."""
    for premise in step.certificate.premises:
        if premise.kind != "step" or premise.name not in earlier:
            raise Refused(f"{step.id} restates {premise.name!r}, which is no earlier step")


def _refuse_idle(name: str, certificate: Certificate, found: list[Remainder]) -> None:
    """A step that is cited is used: its multiplier is not zero in every branch."""
    used = {number for remainder in found for number in remainder.used}
    for number, premise in enumerate(certificate.premises):
        if premise.kind == "step" and number not in used:
            raise Refused(f"{name} cites {premise.name}, and its multiplier is zero")


def _refuse_negative(name: str, found: list[Remainder]) -> None:
    for number, remainder in enumerate(found):
        if not remainder.ok:
            raise Refused(
                f"{name}, branch {number}: the remainder may be negative in "
                f"{', '.join(remainder.offending)}"
            )


def remainders(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
    at: Mapping[str, str] | None = None,
    hypothesis: Statement | None = None,
) -> list[Remainder]:
    """right - left less what the certificate takes from premises and squares, per branch."""

    def read(powers: dict[str, bool]) -> list[Remainder]:
        every = pieces(theory, statement, certificate, earlier, at or {}, hypothesis, powers)
        return [
            remainder(theory, statement, certificate, found, number)
            for number, found in enumerate(every)
        ]

    return with_variables(read)


def with_variables(read: Callable[[dict[str, bool]], _Read]) -> _Read:
    """What is read once there is a variable for every power and root that it meets."""
    powers: dict[str, bool] = {}
    while True:
        try:
            return read(powers)
        except NewVariable as found:
            powers[found.name] = found.positive


def remainder(
    theory: Theory, statement: Statement, certificate: Certificate, found: Pieces, number: int
) -> Remainder:
    """right - left less what the certificate takes in one branch."""
    reader, exact, rest = found.branch.reader, statement.relation == "==", found.gap
    used = set()
    for at, (premise, piece) in enumerate(zip(certificate.premises, found.premises, strict=True)):
        times = reader.read(own_times(premise.times, number))
        if not times.terms:  # the branch does not use it
            continue
        used.add(at)
        if piece.error is not None:
            raise piece.error
        if not piece.equality:
            if exact:
                raise Refused(f"an equality from the inequality {premise.name}")
            _refuse_sign(theory, times, f"the multiplier of {premise.name}")
        rest = rest - times * piece.value
    for square, value in zip(certificate.squares, found.squares, strict=True):
        if exact:
            raise Refused("an equality from a square")
        times = reader.read(own_times(square.times, number))
        _refuse_sign(theory, times, f"the multiplier of the square of {square.vector}")
        rest = rest - times * value
    bad = tuple(_offending(theory, rest, exact))
    return Remainder(found.branch, rest, not bad, bad, frozenset(used))


def pieces(
    theory: Theory,
    statement: Statement,
    certificate: Certificate,
    earlier: Mapping[str, Statement],
    at: Mapping[str, str],
    hypothesis: Statement | None,
    powers: dict[str, bool],
) -> Iterator[Pieces]:
    """The differences that a certificate combines, per branch of its chart."""
    _refuse_scope(statement, certificate)
    scope = theory.scopes[certificate.scope] if certificate.scope else None
    _refuse_algorithm(theory, certificate.scope, statement)
    absent = [] if scope else _absent(theory, statement)
    first = 0 if {"Sum_t", "Mean_t"} & words(statement.left, statement.right) else statement.first
    every = branches(theory, scope, statement.conditions, certificate.chart, powers, absent, first)
    for found in every:  # in the chart itself they say what is in which branch
        branch = replace(found, reader=replace(found.reader, open_extremes=True))
        cited = []
        for premise in certificate.premises:
            try:
                piece = _premise(
                    theory, statement, certificate.scope, branch, premise, earlier, hypothesis
                )
            except Refused as error:
                piece = Piece(Value(branch.reader.ring, {}), False, error)
            cited.append(piece)
        yield Pieces(
            branch=branch,
            gap=_gap(_shifted(branch.reader, at), statement),
            premises=tuple(cited),
            squares=tuple(branch.reader.square(s.vector) for s in certificate.squares),
        )


def _absent(theory: Theory, statement: Statement) -> list[Absent]:
    """Blocks of dimension 0, with the parameters that the statement does not name."""
    sides = (statement.left, statement.relation, statement.right)
    named = words(*(side for c in (sides, *statement.conditions) for side in c[::2]))
    found = [
        replace(block, free=tuple(name for name in block.free if name not in named))
        for block in theory.absent
        if (block.dimension, "==", "0") in statement.conditions
    ]
    if len(found) > 1:
        raise Refused("no block is left")
    return found


def own_times(times: tuple[str, ...], branch: int) -> str:
    """The multiplier of a branch, of one for each or one for all."""
    if len(times) != 1 and branch >= len(times):
        raise Refused(f"{len(times)} multipliers for more branches")
    return times[0] if len(times) == 1 else times[branch]


def _gap(reader: Reader, statement: Statement) -> Value:
    """The difference of a statement's sides, which mean the same under every chart."""
    return _difference(reader.stating(vectors=bool(statement.scope)), statement)


def _difference(reader: Reader, statement: Statement) -> Value:
    left, right = reader.read(statement.left), reader.read(statement.right)
    return left - right if statement.relation == ">=" else right - left


def _shifted(reader: Reader, at: Mapping[str, str]) -> Reader:
    return replace(reader, index={name: affine_of(text) for name, text in at.items()})


def _premise(
    theory: Theory,
    target: Statement,
    scope: str,
    branch: Branch,
    premise: Premise,
    earlier: Mapping[str, Statement],
    hypothesis: Statement | None,
) -> Piece:
    """The difference of a premise's sides, and whether it is an equality."""
    reader = branch.reader
    if premise.kind == "condition":
        left, relation, right = _condition(branch, premise)
        return Piece(_gap(reader, Statement(left, relation, right)), relation == "==")
    if premise.kind == "hypothesis":
        if hypothesis is None:
            raise Refused("a hypothesis outside an induction")
        return Piece(_gap(reader, hypothesis), hypothesis.relation == "==")
    if premise.kind == "fact":
        cited = fact_of(theory.scopes[scope] if scope else Scope(), premise)
    elif premise.kind == "step":
        if premise.name not in earlier:
            raise Refused(f"{premise.name!r} is no earlier step")
        cited = earlier[premise.name]
        _refuse_malformed(theory, cited)
        if premise.arguments:
            cited = _tangent(cited, premise)
    else:
        raise Refused(f"unknown premise {premise.kind!r}")
    if cited.scope not in ("", scope):
        raise Refused(f"{premise.name} speaks of the vectors of {cited.scope!r}")
    if cited.algorithm not in ("", target.algorithm):
        raise Refused(f"{premise.name} is claimed of {cited.algorithm} only")
    missing = set(cited.assumptions) - set(target.assumptions)
    if not scope:
        missing -= {a for block in _absent(theory, target) for a in block.assumptions}
    if missing:
        raise Refused(f"{premise.name} assumes {', '.join(sorted(missing))}")
    at = dict(premise.at)
    _refuse_round(target, cited, premise, at)
    _refuse_late(reader, premise, at)
    inner = _shifted(reader, at)
    if premise.kind == "step" and premise.arguments and not _is_positive(inner, premise):
        raise Refused(f"the tangent of {premise.name} is at what may not be positive")
    for condition in cited.conditions:
        if not implied(branch, inner, condition):
            raise Refused(f"{premise.name} needs {' '.join(condition)}")
    gap = _difference(inner, cited) if premise.kind == "fact" else _gap(inner, cited)
    if at and any(of_vectors(key) for key in gap.terms):
        raise Refused(f"{premise.name} speaks of the vectors of another round")
    return Piece(_summed(reader, gap, cited, premise, theory), cited.relation == "==")


def _refuse_round(
    target: Statement, cited: Statement, premise: Premise, at: Mapping[str, str]
) -> None:
    """A premise holds for rounds ``first`` to T - 1, and for steps 0 to K - 1, only."""
    if len(at) < len(premise.at):
        raise Refused(f"{premise.name} is used at two rounds or steps: {premise.at}")
    if set(at) - {"t", "k"}:
        raise Refused(f"{premise.name} is used at other parameters: {sorted(at)}")
    if at.get("k", "k") not in ("k", "0"):
        raise Refused(f"{premise.name} is not claimed at step {at['k']}")
    if (premise.over == "t" and "t" in at) or (premise.over == "ik" and "k" in at):
        raise Refused(f"{premise.name} at {at}, and summed over the same")
    if premise.over == "t":
        return
    where: Affine = affine_of(at.get("t", "t"))
    start = where.get("", 0) + (target.first if where.get("t") else 0)
    beyond = where.get("t", 0) not in (0, 1) or (where.get("t") and where.get("", 0) > 0)
    if start < cited.first or beyond or set(where) - {"t", ""}:
        raise Refused(f"{premise.name} is not claimed at round {at.get('t', 't')}")


def _refuse_late(reader: Reader, premise: Premise, at: Mapping[str, str]) -> None:
    """A given round is one of 0 to T - 1, of which there may be one only."""
    where = affine_of(at.get("t", "t"))
    last = reader.read("T").plain() - reader.ring.number(where.get("", 0) + 1)
    if "t" not in where and where.get("", 0) and not last.nonnegative():
        raise Refused(f"{premise.name} is not claimed at round {at['t']}, which there may not be")


def _summed(
    reader: Reader, gap: Value, cited: Statement, premise: Premise, theory: Theory
) -> Value:
    match premise.over:
        case "":
            return gap
        case "t":
            if cited.first == 0:
                reader.refuse_sum()
            return over_rounds(gap, cited.first, reader.read("T"))
        case "i" | "ik" as axes:
            steps = reader.read("K") if axes == "ik" else None
            return over_clients(gap, theory.per_client, theory.per_step, reader.read("n"), steps)
    raise Refused(f"unknown sum over {premise.over!r}")


def _condition(branch: Branch, premise: Premise) -> Comparison:
    """A condition by its position, weakened or squared as the arguments ask."""
    squared = premise.name.endswith(" squared")
    at, _, which = premise.name.removesuffix(" squared").partition(" ")
    left, relation, right = _numbered(branch.conditions, at)
    if which:
        options = tuple(weaker(branch.reader, ((left, relation, right),)))
        left, relation, right = _numbered(options, which)
    if squared:
        for side in (left, right):
            if not branch.reader.ratio(side).nonnegative():
                raise Refused(f"{side} may be negative")
        return f"({left})**2", relation, f"({right})**2"
    return left, relation, right


def _numbered(every: tuple[Comparison, ...], number: str) -> Comparison:
    if number not in map(str, range(len(every))):
        raise Refused(f"there is no condition {number:.20}")
    return every[int(number)]


def implied(branch: Branch, inner: Reader, condition: Comparison) -> bool:
    """Whether a cited step's condition holds wherever the target's conditions do."""
    left, relation, right = condition
    for a, r, b in weaker(branch.reader, branch.conditions):
        if r == relation and _same(a, left) and _same(b, right):
            return True
    match relation, parsed(right):
        case (">=", ast.Call(func=ast.Name(id="Max"), args=arguments)) | (
            "<=",
            ast.Call(func=ast.Name(id="Min"), args=arguments),
        ):
            every = (ast.unparse(argument) for argument in arguments)
            return all(implied(branch, inner, (left, relation, argument)) for argument in every)
    gap = (inner.read(right) - inner.read(left)).plain()
    if relation == "==":
        return gap.is_zero()
    return (gap if relation == "<=" else -gap).nonnegative()


def _same(first: str, second: str) -> bool:
    return ast.unparse(parsed(first)) == ast.unparse(parsed(second))


def _refuse_sign(theory: Theory, value: Value, what: str) -> None:
    bad = list(_offending(theory, value, exact=False))
    if bad:
        raise Refused(f"{what} may be negative in {', '.join(bad)}")


def _offending(theory: Theory, value: Value, exact: bool) -> Iterator[str]:
    """Names of the quantities whose coefficient spoils the sign."""
    for name, ratio in value.terms.items():
        if ratio.is_zero():
            continue
        if exact or not nonnegative(theory, name) or not ratio.nonnegative():
            yield name or "the constant part"


def nonnegative(theory: Theory, key: str) -> bool:
    """Whether a quantity can never be negative."""
    for prefix in _SUMS:
        if key.startswith(prefix):
            return nonnegative(theory, key.removeprefix(prefix).removesuffix(")"))
    if key == CONSTANT or is_square(key) or is_norm(key):
        return True
    return theory.quantities.get(key.partition("(")[0], False)


def _induction(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> None:
    """The statement at 0; and at x + 1, from itself at x."""
    certificate, statement = step.certificate, step.statement
    if certificate.base is None or certificate.variable not in ("t", "k"):
        raise Refused(f"{step.id}: an induction needs a base and a variable, t or k")
    x = certificate.variable
    if theory.symbols.get(x) != "index":
        raise Refused(f"{step.id}: {x} is no index")
    if statement.scope:
        raise Refused(f"{step.id}: an induction over the vectors of one round or step")
    start = str(statement.first) if x == "t" else "0"
    base = remainders(theory, statement, certificate.base, earlier, {x: start})
    _refuse_negative(f"{step.id} at {x} = {start}", base)
    _refuse_idle(step.id, certificate.base, base)
    next_ = remainders(theory, statement, certificate, earlier, {x: f"{x}+1"}, hypothesis=statement)
    _refuse_negative(f"{step.id} from {x} to {x} + 1", next_)
    _refuse_idle(step.id, certificate, next_)


def _root(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> None:
    """X <= sqrt(B), from X <= d/2 + B/(2 d) for every d > 0, of which nothing else speaks.

    The least of these, for B > 0 at d = sqrt(B), is the root; for B = 0 they tend to 0.
    """
    statement, certificate = step.statement, step.certificate
    told = [earlier[p.name] for p in certificate.premises if p.name in earlier]
    if any(TANGENT in repr(one) for one in (theory, statement, *told)):
        raise Refused(f"{step.id}: {TANGENT} is spoken of elsewhere")
    if certificate.base is not None or any(a.name == TANGENT for a in certificate.chart):
        raise Refused(f"{step.id}: {TANGENT} is any positive number, and nothing else")
    wide, tangent = tangents(theory, statement)
    found = remainders(wide, tangent, certificate, earlier)
    _refuse_negative(step.id, found)
    _refuse_idle(step.id, certificate, found)
    for one in found:
        _refuse_sign(theory, under_root(one.branch, statement), "what is under the root")


def tangents(theory: Theory, statement: Statement) -> tuple[Theory, Statement]:
    """The theory with any_d, and what a statement with a root says there."""
    wide = replace(theory, symbols=theory.symbols | {TANGENT: "positive"})
    return wide, _at(statement, TANGENT)


def under_root(branch: Branch, statement: Statement) -> Value:
    """B of X <= sqrt(B), in one branch."""
    return branch.reader.stating(vectors=bool(statement.scope)).read(_inside(statement))


def _inside(statement: Statement) -> str:
    """B of X <= sqrt(B)."""
    match statement.relation, parsed(statement.right):
        case "<=", ast.Call(func=ast.Name(id="sqrt"), args=[inside], keywords=[]):
            return ast.unparse(inside)
    raise Refused(f"{statement.right} bounds by no root")


def _at(statement: Statement, point: str) -> Statement:
    """X <= d/2 + B/(2 d), of X <= sqrt(B), which says so for every d > 0: a tangent of the root."""
    return replace(statement, right=f"({point})/2 + ({_inside(statement)})/(2*({point}))")


def _tangent(cited: Statement, premise: Premise) -> Statement:
    """A step that bounds by a root, at a positive number: what it says there has no root."""
    if len(premise.arguments) != 1:
        raise Refused(f"the tangent of {premise.name} is at one number")
    return _at(cited, ast.unparse(parsed(premise.arguments[0])))


def _is_positive(reader: Reader, premise: Premise) -> bool:
    return all(reader.ratio(point).positive() for point in premise.arguments)


@dataclass(frozen=True)
class Unrolled:
    """A recursion in one branch: its factor, what it adds, and what it gives and is claimed."""

    branch: Branch
    factor: Value
    added: Value
    bound: Value
    claimed: Value


def unrolled(theory: Theory, step: Step, earlier: Mapping[str, Statement]) -> list[Unrolled]:
    """Sum_t x(t) <= S(T) x(0) + S(T - 1) Sum_t y(t), from x(t+1) <= r x(t) + y(t), r > 1, y >= 0.

    The recursion may also be claimed of x(t), from round 1.
    By induction x(t) <= r^t x(0) + sum over s < t of r^(t-1-s) y(s); sum over t, exchange the
    sums; S(N) = 1 + r + ... + r^(N-1).
    """
    premises, name = step.certificate.premises, step.certificate.variable
    _refuse_scope(step.statement, step.certificate)
    if [p.kind for p in premises] != ["step"] or premises[0].name not in earlier:
        raise Refused(f"{step.id}: an unrolling needs one premise, an earlier step")
    if premises[0].at or premises[0].over:
        raise Refused(f"{step.id}: a recursion is unrolled as it stands")
    if name not in theory.quantities:
        raise Refused(f"undeclared quantity {name!r}")
    cited = earlier[premises[0].name]
    _refuse_malformed(theory, cited)
    conditions, chart = step.statement.conditions, step.certificate.chart

    def read(powers: dict[str, bool]) -> list[Unrolled]:
        every = branches(theory, None, conditions, chart, powers)
        return [_unrolled(theory, step, branch, cited) for branch in every]

    return with_variables(read)


def _unrolled(theory: Theory, step: Step, branch: Branch, cited: Statement) -> Unrolled:
    reader, ratio = branch.reader.stating(vectors=False), step.certificate.origin
    name = step.certificate.variable
    after = cited.left == f"{name}(t + 1)" and cited.first == 0
    at = {} if after else {"t": "t + 1"}
    if not (after or (cited.left == f"{name}(t)" and cited.first == 1)) or cited.relation != "<=":
        raise Refused(f"{step.id}: the recursion does not bound {name} in the next round")
    for condition in cited.conditions:
        if not implied(branch, reader, condition):
            raise Refused(f"the recursion needs {' '.join(condition)}")
    if set(cited.assumptions) - set(step.statement.assumptions):
        raise Refused("the recursion has further assumptions")
    if cited.algorithm not in ("", step.statement.algorithm):
        raise Refused("the recursion is that of another algorithm")
    factor = reader.ratio(ratio)
    if factor.has("t") or not (factor - reader.ring.number(1)).positive():
        raise Refused(f"{ratio} is not shown to exceed 1, the same in every round")
    added = _shifted(reader, at).read(cited.right) - reader.read(f"({ratio})*{name}(t)")
    _refuse_sign(theory, added, "what the recursion adds")
    if any(key.startswith(f"{name}(") for key in added.terms):
        raise Refused(f"{step.id}: the recursion's factor is not {ratio}")
    first = f"((({ratio})**T - 1)/(({ratio}) - 1))"
    second = f"((({ratio})**(T - 1) - 1)/(({ratio}) - 1))"
    total = over_rounds(added, 0, reader.read("T"))
    bound = reader.read(f"{first}*{name}(0)") + reader.read(second) * total
    claimed = reader.read(step.statement.right)
    if step.statement.left != f"Sum_t({name}(t))" or step.statement.relation != "<=":
        raise Refused(f"{step.id} is not about the sum of {name}(t)")
    _refuse_sign(theory, claimed - bound, "the bound claimed, less the one unrolled,")
    return Unrolled(branch, Value.of(factor), added, bound, claimed)
