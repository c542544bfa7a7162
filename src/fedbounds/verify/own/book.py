"""The proofs of a user's theory as a book, and conditions that contradict each other."""

import ast
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import combinations, product

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Assignment, Certificate, Comparison, Premise, Step
from fedbounds.theory.checker.data import Statement as Stated
from fedbounds.theory.checker.data import Theory as Spoken
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.text import parsed
from fedbounds.theory.language.claims import Condition, Part
from fedbounds.theory.language.symbols import SHARED, L, d_u, f, m, mu, n
from fedbounds.theory.proof.language import (
    Book,
    Written,
    above,
    below,
    cite,
    condition,
    equal,
    fact,
)
from fedbounds.theory.proof.replay import certified, check_citations
from fedbounds.theory.proof.search import UNKNOWN
from fedbounds.theory.proof.text import comparisons, statement_of, text, theory_of

from .declare import Theory
from .statements import CONDITIONS, STEP, StatedPart, Statement, Use, step_of
from .vocabulary import mu_PL

HYPOTHESIS = Premise("hypothesis", "hypothesis", ("?",))
_RELATIONS = {"<=": sp.Le, ">=": sp.Ge, "==": sp.Eq, "<": sp.Lt, ">": sp.Gt}
_MOST_TRIED = 6  # symbols of which two values each are tried
_SMALL = sp.Rational(1, 1000)
_IN_CHART = {"<=": below, ">=": above, "==": equal, "<": below, ">": above}


def spoken(theory: Theory) -> Spoken:
    """Shared symbols and those of the theory, and what their meanings imply: mu <= L, m <= n."""
    sampled = ((text(m), "<=", text(n)),) if "m" in theory.parameters else ()
    one_block = not any(problem.personal_dimension for problem, _ in theory.problems)
    # of blocks L is the largest norm of one, which the whole Hessian may exceed
    below_L = (mu, mu_PL) if one_block else (mu,)
    always = (*sampled, *((text(of), "<=", text(L)) for of in below_L))
    known = theory_of(theory.glossary, {}, frozenset(), frozenset(), always)
    return replace(
        known,
        absent=(),  # own algorithms have no blocks whose steps are tied
        quantities={**known.quantities, f.__name__: True},  # the gap above an infimum
        symbols={**known.symbols, **({d_u.name: "integer"} if one_block else {})},
    )


def book_of(theory: Theory) -> Book:
    """Every given and every proof, in the order of the file."""
    # what the suite measures itself is a squared norm, or a gap above an infimum
    meant = frozenset(SHARED.quantities)
    book = Book(theory.key, spoken(theory), glossary=theory.glossary, meant=meant)
    for statement in theory.statements:
        if statement.given:
            _given(book, statement)
            _refuse_unread(book, statement)
            continue
        for one in statement.parts:
            if one.proof is not None:
                _proved(book, statement, one)
    check_citations(book)
    return book


def _given(book: Book, statement: Statement) -> None:
    (one,), entry = statement.parts, statement.claim.entry
    part, name = one.part, entry.id.partition("/")[2]
    book.steps.append(
        Written(
            f"asm {name}",
            _as_typed(one),
            part.left,
            part.relation.value,
            part.right,
            (),
            rule="given",
            claim=entry.id,
            reading=statement.claim.readings[0].name,
            origin=entry.statement,
            place=entry.place,
            conditions=part.conditions,
            assumptions=part.assumptions,
        )
    )


def _refuse_unread(book: Book, statement: Statement) -> None:
    """Raise, with its line, for a given that the checker cannot read."""
    added = book.steps[-1]
    certificate = Certificate("given", origin=added.origin)
    try:
        check(book.theory, Step(added.id, added.statement, certificate), {})
    except Refused as error:
        raise FedboundsError(f"{statement.line}: {error}") from error


def _as_typed(one: StatedPart) -> Stated:
    """What is proved is what was typed: SymPy cancels b2/b2, the checker does not."""
    typed = one.typed
    sides = (typed.left_text, typed.right_text)
    left, right = sides[::-1] if typed.relation == ">=" else sides
    return replace(statement_of(one.part), left=left, right=right)


def _of_mean(one: StatedPart) -> Stated:
    """A least round is at most their mean: of a minimum this is proved, and the claim follows."""
    found = _as_typed(one)
    match parsed(found.left):
        case ast.Call(func=ast.Name(id="Min_t"), args=[inside]) if one.part.relation == "<=":
            return replace(found, left=f"Mean_t({ast.unparse(inside)})")
    return found


def _proved(book: Book, statement: Statement, one: StatedPart) -> None:
    """The part's step, in the first chart in which it is certified, or else the first."""
    earlier = {s.id: s.statement for s in book.steps}
    written = [_written(book, statement, one, chart) for chart in _charts(one)]
    book.steps.append(next((w for w in written if _certifies(book, w, earlier)), written[0]))


def _certifies(book: Book, written: Written, earlier: dict[str, Stated]) -> bool:
    try:
        certified(book.theory, written, earlier)
    except Refused:
        return False
    return True


def _written(
    book: Book, statement: Statement, one: StatedPart, chart: tuple[Assignment, ...]
) -> Written:
    part, entry, proof = one.part, statement.claim.entry, one.proof
    assert proof is not None
    known = {s.id for s in book.steps}
    placed = {(assignment.name, assignment.bound) for assignment in chart}
    induction = proof.by == "induction"
    uses: list[Use] = [HYPOTHESIS] if induction else []
    for use in proof.uses:
        if use == CONDITIONS:
            left = (c for c in part.conditions if (text(c.left), text(c.right)) not in placed)
            uses.extend(condition(c) for c in left)
        elif isinstance(use, str):
            uses.append(_step(use, known))
        elif isinstance(use, Premise) and use.kind == STEP:
            uses.append(replace(use, name=_step(use.name, known)))
        else:
            uses.append(use)
    uses.extend(_extremes(part))
    return Written(
        step_of(entry.id.partition("/")[2], part.name),
        _of_mean(one),
        part.left,
        part.relation.value,
        part.right,
        tuple(uses),
        chart,
        rule="induction" if induction else "combine",
        claim=entry.id,
        part=part.name,
        reading=statement.reading_of(part.name),
        variable="t" if induction else "",
        base=tuple(_at_start(uses, part.first_round)) if induction else (),
        place=entry.place,
        conditions=part.conditions,
        assumptions=part.assumptions,
    )


def _at_start(uses: Sequence[Use], first: int) -> Iterator[Use]:
    """What the start of an induction may use: all but the hypothesis, and rounds before it."""
    for use in uses:
        if use == HYPOTHESIS:
            continue
        yield use
        if first and isinstance(use, str):
            yield cite(use, at={"t": first - 1})


def _extremes(part: Part) -> Iterator[Premise]:
    """That each of several numbers is at most their maximum, and at least their minimum."""
    for kind, name in ((sp.Max, "largest"), (sp.Min, "least")):
        every = {of for side in (part.left, part.right) for of in side.atoms(kind)}
        for of in sorted(every, key=str):
            for own in of.args:
                yield fact(name, own, *(x for x in of.args if x != own))


def _step(name: str, known: Set[str]) -> str:
    return f"asm {name}" if f"asm {name}" in known else name


def _charts(one: StatedPart) -> Iterator[tuple[Assignment, ...]]:
    """Parameters in terms of the slack of their conditions, with n above m and without."""
    proof, part = one.proof, one.part
    placed: dict[str, Assignment] = {}
    if proof is not None and CONDITIONS in proof.uses:
        for chosen in _placements(part.conditions):
            placed.setdefault(chosen.name, chosen)
    own = tuple(placed.values())
    implied = [x for x in _implied(part) if not {x.name, x.bound} & placed.keys()]
    for count in range(len(implied), -1, -1):
        yield from ((*some, *own) for some in combinations(implied, count))


def _placements(conditions: tuple[Condition, ...]) -> Iterator[Assignment]:
    """What conditions with a symbol alone on their left make of it."""
    for of in conditions:
        if of.left.is_Symbol and of.left not in of.right.free_symbols:
            yield _IN_CHART[of.relation](of.left, of.right)


def _implied(part: Part) -> tuple[Assignment, ...]:
    """n above m and L above mu, where both are spoken of."""
    spoken_of = {name for side in _sides(part) for name in map(str, side.free_symbols)}
    pairs = ((n, m), (L, mu), (L, mu_PL))
    return tuple(above(*pair) for pair in pairs if set(map(str, pair)) <= spoken_of)


def _sides(part: Part) -> list[sp.Expr]:
    return [part.left, part.right, *(s for c in part.conditions for s in (c.left, c.right))]


def refuse_contradiction(theory: Theory, statement: Statement) -> None:
    """Raise if the conditions of a claim's part prove 1 <= 0: no run could meet them.

    Raises
    ------
    FedboundsError
        With the line of the claim.
    """
    for part in statement.claim.parts:
        conditions = part.conditions
        false = [str(c) for c in conditions if _is_false(c)]
        if false or (conditions and _contradict(theory, part)):
            shown = " and ".join(false or [str(c) for c in conditions])
            raise FedboundsError(
                f"{statement.line}: the conditions of {step_of(statement.claim.id, part.name)} "
                f"contradict each other: {shown}"
            )


def _is_false(of: Condition) -> bool:
    return bool(_RELATIONS[of.relation](of.left, of.right) == sp.false)


def _contradict(theory: Theory, part: Part) -> bool:
    """Whether some chart shows it; that none does is no proof that the conditions can be met."""
    known, conditions = spoken(theory), part.conditions
    if _are_met_somewhere(conditions, known.always):
        return False
    absurd = Stated("1", "<=", "0", tuple(comparisons(conditions)))
    always = tuple(Premise("condition", "", (UNKNOWN,), one) for one in known.always)
    premises = (*(condition(c) for c in conditions), *always)
    implied = _implied(part)
    own = [(one,) for one in _placements(conditions)] if implied or len(conditions) > 1 else []
    for chart in [*product([(), implied], [(), *own])]:
        step = Written(
            "contradiction", absurd, sp.S.One, "<=", sp.S.Zero, premises, _joined(*chart),
            conditions=conditions,
        )  # fmt: skip
        try:
            certified(known, step, {})
        except Refused:
            continue
        return True
    return False


def _are_met_somewhere(conditions: Sequence[Condition], always: Sequence[Comparison]) -> bool:
    """Whether one of a few points meets them all, so that nothing absurd follows from them."""
    sides = [side for c in conditions for side in (c.left, c.right)]
    symbols = sorted(set().union(*(side.free_symbols for side in sides)), key=str)
    if len(symbols) > _MOST_TRIED or any(side.atoms(AppliedUndef) for side in sides):
        return False
    names = {str(symbol): symbol for symbol in symbols}
    ordered = [(names[x], sign, names[y]) for x, sign, y in always if {x, y} <= names.keys()]
    held = [*((c.left, c.relation, c.right) for c in conditions), *ordered]
    for values in product(*((1, 2) if x.is_integer else (1, _SMALL) for x in symbols)):
        at = dict(zip(symbols, values, strict=True))
        if all(_holds(x.subs(at), sign, y.subs(at)) for x, sign, y in held):
            return True
    return False


def _holds(left: sp.Expr, sign: str, right: sp.Expr) -> bool:
    """Of numbers; of what has no real value it does not."""
    return bool(left.is_real and right.is_real and _RELATIONS[sign](left, right) == sp.true)


def _joined(implied: tuple[Assignment, ...], own: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
    placed = {assignment.name for assignment in own}
    return (*(one for one in implied if one.name not in placed), *own)
