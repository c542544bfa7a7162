"""Replay a book: fill in multipliers, check every step, and say which rest on unproved ones."""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

import sympy as sp
from sympy.core.function import AppliedUndef

from fedbounds.errors import FedboundsError, unknown_name
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Premise, Square, Statement, Step, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.recheck import cited as named
from fedbounds.theory.checker.signs import sign_of, signs_taken, told_apart
from fedbounds.theory.language.symbols import t

from .language import CORRECTED, Book, Written, cited
from .multipliers import Kept, filled, kept_by, lacks, name_of
from .refute import breaking_numbers
from .search import UNKNOWN, ZERO, complete


class Local(StrEnum):
    """What the machinery says of a step, given what it cites."""

    GIVEN = "given"  # a definition, or an assumption
    PROVED = "proved"
    DOES_NOT_FOLLOW = "does not follow"  # numbers satisfy what it cites, and break it
    FALSE = "false"  # the algorithm breaks it inside the claim's assumptions
    OPEN = "open"


@dataclass(frozen=True)
class Replayed:
    """A step with its status.

    Attributes
    ----------
    written : Written
    local : Local
    reason : str
        Why it is not proved; empty if it is.
    certificate : Certificate or None
    missing : tuple of str
        Unproved steps that it rests on, directly or not; `inherited` if there are none.
    failed : tuple of str
        Steps of the paper that it rests on and whose own proof failed, proved otherwise or not;
        those in whose place it cites a line of ours too.
    supposed : bool
        Whether it is taken as given and is no definition.
    givens : tuple of str
        What it rests on, directly or not, that is taken as given: itself included; and the signs
        that are declared and follow from no definition.
    signs : tuple of str
        Quantities whose declared sign its own certificate uses.
    numbers : tuple of pairs, or None
        Values that satisfy all that it cites, and break it.
    """

    written: Written
    local: Local
    reason: str
    certificate: Certificate | None
    missing: tuple[str, ...]
    failed: tuple[str, ...] = ()
    numbers: tuple[tuple[str, str], ...] | None = None
    supposed: bool = False
    givens: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()

    @property
    def inherited(self) -> bool:
        """Whether it is proved and so is every ancestor."""
        return self.local in (Local.PROVED, Local.GIVEN) and not self.missing

    @property
    def step(self) -> Step:
        """For the checker, which accepts proved steps only."""
        assert self.certificate is not None
        return Step(self.written.id, self.written.statement, self.certificate)


@dataclass(eq=False)
class Replays:
    """A book whose steps are replayed when they are asked for, each once.

    Attributes
    ----------
    book : Book
    kept : mapping, or None
        Multipliers that are tried before any are searched; None for those of the book's theory.

    Raises
    ------
    FedboundsError
        For a citation of an unknown step, or of one that comes later.
    """

    book: Book
    kept: Kept | None = None

    def __post_init__(self) -> None:
        check_citations(self.book)
        book = self.book
        self._kept = kept_by(book.paper) if self.kept is None else self.kept
        given = [w.rule == "given" and not w.claim for w in book.steps]
        statements = [written.statement for written in book.steps]
        self._supposed, shown = told_apart(book.theory, statements, given)
        self._shown = replace(shown, quantities=shown.quantities | dict.fromkeys(book.meant, True))
        self._known = dict[int, Replayed]()

    def every(self) -> tuple[Replayed, ...]:
        """Every step in order, and the signs that they take."""
        return self.of([written.id for written in self.book.steps])

    def of(self, names: Iterable[str]) -> tuple[Replayed, ...]:
        """These steps and all that they may rest on, or stand in the place of; and their signs."""
        wanted = needed(self.book, names)
        found = [self._at(i) for i, w in enumerate(self.book.steps) if w.id in wanted]
        asked = (name for name in self.book.theory.quantities if sign_of(name) in wanted)
        signs = dict.fromkeys([*(name for step in found for name in step.signs), *asked])
        return inherit([*found, *(_sign(self.book, name) for name in signs)])

    def _at(self, place: int) -> Replayed:
        if place not in self._known:
            self._known[place] = self._replayed(place)
        return self._known[place]

    def _replayed(self, place: int) -> Replayed:
        theory, written = self.book.theory, self.book.steps[place]
        earlier = {other.id: other.statement for other in self.book.steps[:place]}
        # a given that is a claim itself is measured, and defines nothing
        taken = self._supposed[place] or (written.rule == "given" and bool(written.claim))
        found = _replayed(theory, written, earlier, self._kept)
        step = replace(found, supposed=taken)
        if step.local is not Local.PROVED:
            return step
        return replace(step, signs=signs_taken(theory, self._shown, step.step, earlier))


def needed(book: Book, names: Iterable[str]) -> set[str]:
    """Ids of these steps, of all that they cite, and of the lines in whose place ours are cited."""
    uses: dict[str, set[str]] = {}
    for written in book.steps:
        uses.setdefault(written.id, set()).update(cited(written))
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())  # a sign is no step of the book
            if name.endswith(CORRECTED):
                printed = name.removesuffix(CORRECTED)
                waiting += [other for other in uses if _is_of(other, printed)]
    return found


def _is_of(name: str, printed: str) -> bool:
    """Whether a step is this one, or of one of its parts."""
    return name == printed or name.startswith(f"{printed}:")


def replay(book: Book) -> tuple[Replayed, ...]:
    """Every step in order.

    Raises
    ------
    FedboundsError
        For a citation of an unknown step, or of one that comes later.
    """
    return Replays(book).every()


def _sign(book: Book, name: str) -> Replayed:
    """A sign that is only declared, as a given statement, of the quantity as the book has it."""
    sides = (side for step in book.steps for side in (step.left, step.right))
    calls = (call for side in sides for call in side.atoms(AppliedUndef))
    found = {call for call in calls if call.func.__name__ == name}
    plain = sp.Function(name, real=True)(t)
    left = min(found, key=lambda call: (t not in call.args, str(call)), default=plain)
    statement = Statement(str(left), ">=", "0")
    written = Written(
        sign_of(name), statement, left, ">=", sp.Integer(0), (), rule="given", origin="declared"
    )
    return Replayed(
        written, Local.GIVEN, "", Certificate("given", origin="declared"), (), supposed=True
    )


def marked_false(steps: Iterable[Replayed], false: Set[str]) -> tuple[Replayed, ...]:
    """The steps, the unproved ones of these ids false: an exact instance breaks them.

    A proof of the same statement stays proved, so that the contradiction shows.
    """
    return inherit(
        replace(step, local=Local.FALSE)
        if step.written.id in false and step.local is not Local.PROVED
        else step
        for step in steps
    )


def marked_doubtful(steps: Iterable[Replayed], doubtful: Set[str]) -> tuple[Replayed, ...]:
    """What is given and may be violated on a run, which waits for an exact replay, is open."""
    return inherit(
        replace(step, local=Local.OPEN, reason="taken as given, and in doubt on a run")
        if step.local is Local.GIVEN and step.written.id in doubtful
        else step
        for step in steps
    )


def rests_on(step: Replayed) -> tuple[str, ...]:
    """Ids of the steps that its certificate uses, or that it cites where there is none."""
    uses = cited(step.written) if step.certificate is None else named(step.certificate)
    return tuple(dict.fromkeys(uses))


def rested_on(steps: Sequence[Replayed], names: Iterable[str]) -> set[str]:
    """Ids of these steps, and of all that they rest on, or stand in the place of."""
    uses: dict[str, set[str]] = {}
    for step in steps:
        more = [*_replaced(step, steps), *map(sign_of, step.signs)]
        uses.setdefault(step.written.id, set()).update(rests_on(step), more)
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses[name]
    return found


def inherit(steps: Iterable[Replayed]) -> tuple[Replayed, ...]:
    """What every step rests on: what is not proved, what the paper does not prove, what is given.

    Of two proofs of one statement that one counts which rests on fewer unproved steps, then on
    fewer givens.
    """
    every = list(steps)
    known: dict[str, _Rests] = {}
    found = []
    for step in every:
        rests = [known[use] for use in rests_on(step)]
        holds = step.local in (Local.PROVED, Local.GIVEN)
        name = step.written.id
        missing = _union(one.missing for one in rests)
        failed = _union((*(one.failed for one in rests), _replaced(step, every)))
        own = (*((name,) if step.supposed else ()), *map(sign_of, step.signs))
        givens = _union((own, *(one.givens for one in rests)))
        found.append(replace(step, missing=missing, failed=failed, givens=givens))
        if not holds:
            missing, failed = (name,), (*failed, name)
        one = _Rests(missing, failed, givens)
        if name in known:
            # what failed is told of the paper's own proof, which comes first
            one = replace(min(known[name], one, key=_weight), failed=known[name].failed)
        known[name] = one
    return tuple(found)


@dataclass(frozen=True)
class _Rests:
    """What a statement rests on, itself included."""

    missing: tuple[str, ...]
    failed: tuple[str, ...]
    givens: tuple[str, ...]


def _weight(one: _Rests) -> tuple[int, int]:
    return len(one.missing), len(one.givens)


def _union(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _replaced(step: Replayed, every: Sequence[Replayed]) -> list[str]:
    """The paper's lines without a proof in whose place a step cites our corrected one."""
    corrected = (use for use in rests_on(step) if use.endswith(CORRECTED))
    printed = tuple(use.removesuffix(CORRECTED) for use in corrected)
    return [
        other.written.id
        for other in every
        if printed
        and other.written.source == "paper"
        and other.local not in (Local.PROVED, Local.GIVEN)
        and any(_is_of(other.written.id, p) for p in printed)
    ]


def check_citations(book: Book) -> None:
    """Raise for an unknown citation, a later one, and a circular chain."""
    every = [written.id for written in book.steps]
    seen: set[str] = set()
    for written in book.steps:
        for name in cited(written):
            if name not in every:
                raise unknown_name(f"step cited by {written.id!r}", name, every)
            if name == written.id and name not in seen:
                raise FedboundsError(f"step {written.id!r} cites itself")
            if name not in seen:
                chain = _chain(book, name, written.id)
                if chain:
                    raise FedboundsError(f"circular chain: {' <- '.join([written.id, *chain])}")
                raise FedboundsError(f"step {written.id!r} cites {name!r}, which comes later")
        seen.add(written.id)


def _chain(book: Book, start: str, end: str) -> list[str]:
    """Steps by which ``start`` rests on ``end``; empty if it does not."""
    uses = {written.id: list(cited(written)) for written in book.steps}
    paths, done = [[start]], set()
    while paths:
        path = paths.pop()
        for name in uses.get(path[-1], ()):
            if name == end:
                return [*path, end]
            if name not in done:
                done.add(name)
                paths.append([*path, name])
    return []


def _replayed(
    theory: Theory, written: Written, earlier: Mapping[str, Statement], kept: Kept
) -> Replayed:
    if written.rule == "given":
        restated = tuple(Premise("step", name, ("1",)) for name in cited(written))
        certificate = Certificate(
            "given", premises=restated, origin=written.origin, scope=written.scope
        )
        check(theory, Step(written.id, written.statement, certificate), earlier)
        return Replayed(written, Local.GIVEN, "", certificate, ())
    try:
        certificate = certified(theory, written, earlier, kept)
    except Refused as error:
        numbers = breaking_numbers(theory, written.statement, draft(theory, written), earlier)
        local = Local.OPEN if numbers is None else Local.DOES_NOT_FOLLOW
        return Replayed(written, local, str(error), None, (), numbers=numbers)
    return Replayed(written, Local.PROVED, "", certificate, ())


def certified(
    theory: Theory, written: Written, earlier: Mapping[str, Statement], kept: Kept | None = None
) -> Certificate:
    """A certificate that the checker accepts, with kept multipliers if it accepts these.

    Raises
    ------
    Refused
        If none was found.
    """
    first = whole_draft(theory, written)
    times = (kept or {}).get(name_of(written.id, written.statement, first, earlier))
    if times and len(times) == lacks(first):
        with suppress(Refused):
            return _accepted(theory, written, filled(first, times), earlier)
    return _accepted(theory, written, searched(theory, written, earlier), earlier)


def _accepted(
    theory: Theory, written: Written, found: Certificate, earlier: Mapping[str, Statement]
) -> Certificate:
    certificate = without_idle(found)
    check(theory, Step(written.id, written.statement, certificate), earlier)
    return certificate


def searched(theory: Theory, written: Written, earlier: Mapping[str, Statement]) -> Certificate:
    """The whole draft with every unknown multiplier filled in; not checked."""
    first, statement = whole_draft(theory, written), written.statement
    if first.rule in ("unroll", "root"):  # every multiplier of which is written
        return first
    if first.base is None:
        return complete(theory, statement, first, earlier)
    x = first.variable
    base = complete(theory, statement, first.base, earlier, {x: str(statement.first)})
    then = complete(theory, statement, first, earlier, {x: f"{x}+1"}, statement)
    return replace(then, base=base)


def without_idle(certificate: Certificate) -> Certificate:
    """Without the cited steps for which every multiplier that was found is zero."""
    base = certificate.base
    premises = (
        p for p in certificate.premises if p.kind != "step" or any(x != ZERO for x in p.times)
    )
    return replace(
        certificate, premises=tuple(premises), base=None if base is None else without_idle(base)
    )


def whole_draft(theory: Theory, written: Written) -> Certificate:
    """All that a step's rule asks for, with the multipliers that are not known yet."""
    first = draft(theory, written)
    match written.rule:
        case "induction":
            base = _draft(theory, written, written.base)
            return replace(first, rule="induction", variable=written.variable, base=base)
        case "unroll":
            origin = written.origin
            return replace(first, rule="unroll", variable=written.variable, origin=origin)
        case "root":
            return replace(first, rule="root")
    return first


def draft(theory: Theory, written: Written) -> Certificate:
    """What a step uses, with the multipliers that are not known yet."""
    return _draft(theory, written, written.uses)


def _draft(
    theory: Theory, written: Written, uses: tuple["str | Premise | Square", ...]
) -> Certificate:
    premises, squares = [], []
    for use in uses:
        match use:
            case str():
                premises.append(Premise("step", use, (UNKNOWN,)))
            case Premise(kind="condition"):
                premises.append(_located(theory, written, use))
            case Premise():
                premises.append(use)
            case Square():
                squares.append(use)
    return Certificate("combine", written.chart, tuple(premises), tuple(squares), written.scope)


def _located(theory: Theory, written: Written, use: Premise) -> Premise:
    """A condition by its position, as the checker wants it."""
    every = (*theory.always, *written.statement.conditions)
    wanted = use.arguments
    if wanted not in every:
        raise Refused(f"{written.id} has no condition {' '.join(wanted)}")
    return Premise(
        "condition",
        f"{every.index(wanted)} {use.name}".strip(),
        use.times,
    )
