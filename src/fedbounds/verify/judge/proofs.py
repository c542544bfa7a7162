"""Proofs in the results: the status of every step, and of every claim's proof."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fedbounds.theory.checker.data import Assignment, Comparison, Premise, Square
from fedbounds.theory.language.claims import Claim, Reading, read
from fedbounds.theory.language.contributed import Contribution, contributed, declared
from fedbounds.theory.language.formula import to_latex
from fedbounds.theory.proof.averages import indexed
from fedbounds.theory.proof.language import OURS, Written
from fedbounds.theory.proof.library import book_of, has_book, names_of, replayed
from fedbounds.theory.proof.replay import (
    Local,
    Replayed,
    marked_doubtful,
    marked_false,
    rested_on,
)
from fedbounds.theory.proof.search import ZERO
from fedbounds.theory.proof.status import ClaimProof, is_of, proof_of
from fedbounds.vocabulary import Verdict

from .seen import Seen, evaluated
from .standing import signed_gap

Record = dict[str, Any]


@dataclass(frozen=True)
class Proofs:
    """The replayed steps of the papers of a run.

    Attributes
    ----------
    steps : dict from paper to its steps
    seen : dict from paper to what the running algorithms show of its steps
    witnesses : dict from (paper, step id) to a script
    always : dict from paper to the conditions that hold throughout
    """

    steps: dict[str, tuple[Replayed, ...]]
    seen: dict[str, dict[str, Seen]]
    witnesses: dict[tuple[str, str], str]
    always: dict[str, tuple[Comparison, ...]]

    def of(self, claim: Claim) -> ClaimProof:
        """Of a claim; without a book of proofs it is open."""
        return proof_of(claim, self.steps.get(claim.entry.paper, ()))

    def proves(self, claim: Claim, reading: Reading) -> bool:
        """Whether all parts of a reading are proved, by whatever steps."""
        every = self.steps.get(claim.entry.paper, ())
        named = [s for s in every if s.written.claim == claim.id and s.written.reading]
        own = [[s for s in named if is_of(s, claim, reading, x)] for x in read(claim, reading)]
        settled = {s.written.id for s in named if s.inherited}
        return all(steps and {s.written.id for s in steps} <= settled for steps in own)


NOTHING_PROVED = Proofs({}, {}, {}, {})


@cache
def _seen_so_far(paper: str, _of: Contribution | None) -> dict[str, Seen | None]:
    """Of steps by id, which a process evaluates once; a theory of one's own may change."""
    return {}


def seen_of(paper: str, names: Sequence[str]) -> dict[str, Seen]:
    """What the running algorithms show of these steps of a paper."""
    known = _seen_so_far(paper, contributed(paper))
    if missing := {*names} - known.keys():
        own = replayed(paper, missing)
        found = evaluated([s for s in own if s.written.id in missing], paper)
        known |= {name: found.get(name) for name in missing}
    return {name: seen for name in names if (seen := known[name]) is not None}


def prove(
    chosen: Sequence[str], seen: Callable[[str, Sequence[str]], dict[str, Seen]] = seen_of
) -> Proofs:
    """Replay proofs, and evaluate every step on the running algorithms.

    Parameters
    ----------
    chosen : sequence of str
        Claims, by their ids, and papers whose claims are meant all. The steps are those on which
        these rest.
    seen : function of a paper and of ids of its steps
        What was seen of them; it may look up what it kept.

    Raises
    ------
    ConflictError
        If a proved step is broken on a run.
    """
    keys = dict.fromkeys(name.partition("/")[0] for name in chosen)
    steps = {key: asked(key, chosen) for key in keys if has_book(key)}
    own = {
        key: seen(key, list(dict.fromkeys(s.written.id for s in every)))
        for key, every in steps.items()
    }
    return Proofs(steps, own, {}, {key: book_of(key).theory.always for key in steps})


def asked(paper: str, chosen: Sequence[str]) -> tuple[Replayed, ...]:
    """The steps on which what is chosen rests; all, where every claim is chosen."""
    own = [written for written in book_of(paper).steps if written.claim]
    ids = [w.id for w in own if any(x in (paper, w.claim) or proves(w, x) for x in chosen)]
    if len(ids) == len(own):
        return replayed(paper)
    steps = replayed(paper, ids)
    wanted = rested_on(steps, ids)
    return tuple(step for step in steps if step.written.id in wanted)


def chain_of(claim: Claim) -> Record | None:
    """The steps of a claim's proof, replayed and not measured; None without a proof."""
    key = claim.entry.paper
    if not has_book(key):
        return None
    proofs = Proofs({key: asked(key, [claim.id])}, {}, {}, {key: book_of(key).theory.always})
    return _rows_of(proofs, [claim]).get(claim.id)


def with_measurements(
    proofs: Proofs, records: Sequence[Record], witnesses: Mapping[tuple[str, str], Record]
) -> Proofs:
    """Unproved steps that are parts of claims which an exact instance breaks are false.

    What a user's theory takes as given is a claim: it is measured like any other, and open where
    an instance leaves it in doubt.
    """
    seen = [
        (part, (row["claim"], row["reading"], part["part"]))
        for row in records
        for part in row["parts"]
    ]
    broken = {names for part, names in seen if part["verdict"] == Verdict.VIOLATED}
    doubtful = {names for part, names in seen if part["candidate"]}
    firm: dict[tuple[str, str, str], list[float]] = {}
    for part, names in seen:
        if part["verdict"] == Verdict.NOT_VIOLATED and part["relative_gap"] is not None:
            firm.setdefault(names, []).append(signed_gap(part))
    steps, scripts = {}, dict(proofs.witnesses)
    shown = {paper: dict(own) for paper, own in proofs.seen.items()}
    for paper, own in proofs.steps.items():
        false = {s.written.id for s in own if _names(s) in broken and s.local is not Local.PROVED}
        given = [s for s in own if s.local is Local.GIVEN and s.written.claim]
        doubts = {s.written.id for s in given if _names(s) in doubtful}
        steps[paper] = marked_doubtful(marked_false(own, false), doubts)
        for step in given:
            if gaps := firm.get(_names(step)):
                shown.setdefault(paper, {})[step.written.id] = Seen(len(gaps), min(gaps))
        if declared(paper) is not None:  # every run refuses what is negative, see `setups.tried`
            own_rows = (row for row in records if row["claim"].startswith(f"{paper}/"))
            runs = len({row["problem"]["instance"] for row in own_rows})
            signs = (s.written.id for s in own if s.local is Local.GIVEN and not s.written.claim)
            shown.setdefault(paper, {}).update({name: Seen(runs, 0.0) for name in signs if runs})
        for step in own:
            row = witnesses.get((step.written.claim, step.written.reading))
            if step.written.id in false and row is not None and row["witness"]:
                scripts[paper, step.written.id] = row["witness"]
    return replace(proofs, steps=steps, seen=shown, witnesses=scripts)


def _names(step: Replayed) -> tuple[str, str, str]:
    return step.written.claim, step.written.reading, step.written.part


def proves(written: Written, claim_id: str) -> bool:
    """Whether a step is of the proof of a claim, the paper's or ours."""
    names = (claim_id, *(claim_id + suffix for suffix in OURS))
    return written.claim in names and written.rule != "given"


def proof_rows(proofs: Proofs, claims: Sequence[Claim]) -> dict[str, Record]:
    """Per claim: how its proof stands, and its steps; per paper: what is taken as given."""
    rows: dict[str, Record] = {}
    for paper, own in proofs.steps.items():
        given = [s for s in own if not s.written.claim or s.written.rule == "given"]
        rows[paper] = {
            "status": None,
            "failed": [s.written.id for s in given if s.local is Local.FALSE],
            "open": [],
            "steps": [_row(proofs, paper, s) for s in given],
        }
    return rows | _rows_of(proofs, claims)


def _rows_of(proofs: Proofs, claims: Sequence[Claim]) -> dict[str, Record]:
    """Of claims alone."""
    rows: dict[str, Record] = {}
    for claim in claims:
        paper = claim.entry.paper
        steps = [s for s in proofs.steps.get(paper, ()) if proves(s.written, claim.id)]
        if steps:
            found = proofs.of(claim)
            rows[claim.id] = {
                "status": found.status.value,
                "failed": list(found.failed),
                "open": list(found.open),
                "ours": list(found.ours),
                "givens": list(found.givens),
                "steps": [_row(proofs, paper, s) for s in steps],
            }
    return rows


def _row(proofs: Proofs, paper: str, step: Replayed) -> Record:
    written, names = step.written, names_of(paper)
    seen = proofs.seen.get(paper, {}).get(written.id)
    scope = book_of(paper).theory.scopes.get(written.scope)
    left, right = (indexed(side, scope, names.indices) for side in (written.left, written.right))
    return {
        "id": written.id,
        "claim": written.claim,
        "part": written.part,
        "reading": written.reading,
        "source": written.source,
        "place": written.place or (written.origin if written.rule == "given" else ""),
        "rule": written.rule,
        "local": step.local.value,
        "inherited": step.inherited,
        "reason": step.reason,
        "missing": list(step.missing),
        "failed": list(step.failed),
        "supposed": step.supposed,
        "givens": list(step.givens),
        "left": to_latex(left, names),
        "relation": written.relation,
        "right": to_latex(right, names),
        "conditions": [str(condition) for condition in written.conditions],
        "assumptions": list(map(str, written.assumptions)),
        "chart": [_assigned(assignment) for assignment in written.chart],
        "by": _by(step, proofs.always[paper]),
        "certificate": None if step.certificate is None else step.certificate.rule,
        "numbers": None if step.numbers is None else dict(sorted(step.numbers)),
        "witness": proofs.witnesses.get((paper, written.id)),
        "measured": None if seen is None else {"instances": seen.instances, "least": seen.least},
    }


def _assigned(assignment: Assignment) -> str:
    """A parameter in terms of its new variable."""
    y, bound = f"{assignment.name}_", assignment.bound
    forms = {
        "above": f"{bound} + {y}",
        "below": f"({bound})/(1 + {y})",
        "equal": bound,
        "root": f"{y}**{bound}",
        "solve": bound,
    }
    if assignment.kind in forms:
        return f"{assignment.name} = {forms[assignment.kind]}"
    return f"two branches at {assignment.name} = {bound}"


def _by(step: Replayed, always: Sequence[Comparison]) -> list[Record]:
    """What a step uses, with the multipliers of its certificate where it has one."""
    conditions = (*always, *step.written.statement.conditions)
    if step.certificate is None:
        return [_use(use, conditions) for use in step.written.uses]
    entries: list[Premise | Square] = [*step.certificate.premises, *step.certificate.squares]
    used = [use for use in entries if any(times != ZERO for times in use.times)]
    return [_use(use, conditions) for use in used]


def _use(use: str | Premise | Square, conditions: Sequence[Comparison]) -> Record:
    match use:
        case str():
            return {"kind": "step", "name": use, "times": []}
        case Square():
            return {"kind": "square", "name": use.vector, "times": list(use.times)}
    shown = use.name
    if use.kind == "condition" and not use.arguments:
        position, *how = use.name.split()
        shown = " ".join(conditions[int(position)]) + (", squared" if "squared" in how else "")
    if use.arguments:
        shown += f"({', '.join(use.arguments)})"
    if use.at:
        shown += " at " + ", ".join(f"{name} = {value}" for name, value in use.at)
    if use.over:
        shown += f", summed over {', '.join(use.over)}"
    return {"kind": use.kind, "name": shown, "times": list(use.times)}
