"""Re-check a book of proofs as data: which certificates hold, and what each theorem rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .check import check
from .data import Certificate, Statement, Step, Theory
from .errors import Refused
from .expand import expanded
from .files import VERSION, hash_of, step_of, theory_of
from .signs import sign_of, signs_taken, told_apart


@dataclass(frozen=True)
class Rechecked:
    """One statement of a book.

    Attributes
    ----------
    id, claim : str
        The step, and the claim of which it is a part; empty for an inner line.
    refused : str
        Why its certificate is not accepted; empty if it is, or if it has none.
    given : bool
        Whether it is not proved but taken as given.
    givens : tuple of str
        What it rests on that is supposed: given statements that are no definitions, itself
        included, and signs that are only declared ("sign of X").
    missing : tuple of str
        Statements that it rests on without an accepted certificate, itself included.
    assumptions : tuple of str
        Under which it is claimed.
    """

    id: str
    claim: str
    refused: str
    given: bool
    givens: tuple[str, ...]
    missing: tuple[str, ...]
    assumptions: tuple[str, ...]


def recheck(data: Mapping[str, Any]) -> tuple[Rechecked, ...]:
    """Every statement of a book in order, each checked from earlier ones.

    Raises
    ------
    Refused
        If it is no book, or one of another version, or its theory is not the one whose hash it
        carries.
    """
    theory, rows = _read(data)
    try:
        return _every(theory, rows)
    except RecursionError as error:
        raise Refused("an expression is too deep") from error


def multiplied_out(data: Mapping[str, Any]) -> dict[str, Any]:
    """A book whose accepted certificates carry their identities: see `expanded`.

    Raises
    ------
    Refused
        As `recheck` does.
    """
    accepted = [not one.refused for one in recheck(data)]
    return with_identities(data, accepted)


def with_identities(data: Mapping[str, Any], accepted: Iterable[bool]) -> dict[str, Any]:
    """A book in which these of its certificates carry their identities; nothing is checked.

    Raises
    ------
    Refused
        If it is no book, or a certificate does not say what it is to be multiplied out from.
    """
    theory, rows = _read(data)
    earlier: dict[str, Statement] = {}
    found = []
    for row, good in zip(rows, accepted, strict=True):
        step = _step(row)
        if row["certificate"] is not None and good:
            row = {**row, "expanded": expanded(theory, step, _others(step, earlier))}
        found.append(row)
        earlier.setdefault(step.id, step.statement)
    return {**data, "steps": found}


def _read(data: Mapping[str, Any]) -> tuple[Theory, list[Any]]:
    """The theory and the rows of a book."""
    version = data.get("version") if isinstance(data, Mapping) else None
    if version != VERSION or type(version) is not int:
        raise Refused(
            f"a book of version {version!r:.20} of the format, and this program reads {VERSION}: "
            "write the file anew with `fedbounds prove`"
        )
    try:
        theory, rows = theory_of(data["theory"]), list(data["steps"])
        told = data["hash"]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Refused(f"no book of proofs: {type(error).__name__} {error}") from error
    found = hash_of(data["theory"])
    if told != found:
        raise Refused(f"its theory was edited: the file says {told}, and its text gives {found}")
    return theory, rows


def _every(theory: Theory, rows: Sequence[Any]) -> tuple[Rechecked, ...]:
    earlier: dict[str, Statement] = {}
    known: dict[str, Rechecked] = {}
    steps = [_step(row) for row in rows]
    given = [step.certificate.rule == "given" for step in steps]
    # what is a claim itself is measured, and defines nothing
    claimed = [bool(row.get("claim")) for row in rows]
    says = [g and not c for g, c in zip(given, claimed, strict=True)]
    supposed, shown = told_apart(theory, [step.statement for step in steps], says)
    supposed = [s or (g and c) for s, g, c in zip(supposed, given, claimed, strict=True)]
    every = []
    for row, step, own in zip(rows, steps, supposed, strict=True):
        every.append(_rechecked(theory, shown, row, step, own, earlier, known))
        earlier.setdefault(step.id, step.statement)
        known[step.id] = min(
            (known.get(step.id, every[-1]), every[-1]),
            key=lambda one: (len(one.missing), len(one.givens)),
        )
    return tuple(every)


def refusals(data: Mapping[str, Any]) -> dict[str, str]:
    """Ids of the statements whose certificates are not accepted, with the reason."""
    return {one.id: one.refused for one in recheck(data) if one.refused}


def cited(certificate: Certificate | None) -> tuple[str, ...]:
    """Ids of the steps that a certificate names, those of an induction's base too."""
    found: dict[str, None] = {}
    while certificate is not None:
        found |= dict.fromkeys(p.name for p in certificate.premises if p.kind == "step")
        certificate = certificate.base
    return tuple(found)


def _rechecked(
    theory: Theory,
    shown: Theory,
    row: Mapping[str, Any],
    step: Step,
    supposed: bool,
    earlier: Mapping[str, Statement],
    known: Mapping[str, Rechecked],
) -> Rechecked:
    proved = row["certificate"] is not None
    refused = _refusal(theory, step, earlier, row) if proved else ""
    holds = proved and not refused
    own = [step.id] if supposed else []
    if holds:
        own += map(sign_of, signs_taken(theory, shown, step, _others(step, earlier)))
    lacking = () if holds else (step.id,)
    rests = [known[name] for name in cited(step.certificate) if name in known]
    return Rechecked(
        id=step.id,
        claim=str(row.get("claim", "")),
        refused=refused,
        given=step.certificate.rule == "given",
        givens=tuple(dict.fromkeys((*own, *(g for one in rests for g in one.givens)))),
        missing=tuple(dict.fromkeys((*lacking, *(m for one in rests for m in one.missing)))),
        assumptions=step.statement.assumptions,
    )


def _others(step: Step, earlier: Mapping[str, Statement]) -> dict[str, Statement]:
    """A step does not rest on itself."""
    return {name: s for name, s in earlier.items() if name != step.id}


def _refusal(
    theory: Theory, step: Step, earlier: Mapping[str, Statement], row: Mapping[str, Any]
) -> str:
    """Why a certificate is not accepted; empty if it is."""
    if earlier.get(step.id, step.statement) != step.statement:
        return "another statement of the same name"
    others = _others(step, earlier)
    try:
        check(theory, step, others)
        if "expanded" in row and row["expanded"] != expanded(theory, step, others):
            return "its identity, multiplied out, is not the one that it carries"
    except Refused as error:
        return str(error)
    return ""


_NOTHING: dict[str, Any] = {
    "chart": [],
    "premises": [],
    "squares": [],
    "rule": "none",
    "base": None,
}


def _step(row: Any) -> Step:
    if not isinstance(row, Mapping) or "certificate" not in row:
        raise Refused(f"no step of a proof: {row!r:.200}")
    return step_of(row if row["certificate"] is not None else {**row, "certificate": _NOTHING})
