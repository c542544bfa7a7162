"""Rows of premises: which steps use each, whether the proof and the claim hold without it."""

from collections.abc import Iterator, Sequence
from typing import Any

from fedbounds.theory.language.claims import Claim, Part
from fedbounds.theory.proof.premises import Need, needs, shown
from fedbounds.theory.proof.text import comparisons

from ...page.numbers import count
from .proved import NO_PROOF, Proof
from .row import Row
from .used import used
from .witnessed import Dropped, Survey


def premise_rows(claim: Claim, part: Part, proof: Proof | None, seen: Survey) -> Iterator[Row]:
    found = {} if proof is None else _needs(proof)
    for dropped in seen.dropped:
        if dropped.part is not part:
            continue
        conditions = {str(c): tuple(comparisons((c,))) for c in part.conditions}
        texts = conditions.get(dropped.premise, (dropped.premise,))
        uses = () if proof is None else tuple(used(proof, one) for one in texts)
        proved, why = _needed(proof, found, texts)
        word = "violated without it" if dropped.broken_by else proved or "no proof"
        yield Row(
            claim=claim.id,
            part=part.name,
            kind="condition" if dropped.premise in conditions else "assumption",
            printed=dropped.premise,
            where="premise",
            times="",
            says=word,
            proved=proved,
            proved_by=why,
            excluded="violated" if dropped.broken_by else "",
            excluded_by=_outside(dropped),
            directly=tuple(dict.fromkeys(name for use in uses for name in use.directly)),
            through=tuple(dict.fromkeys(name for use in uses for name in use.through)),
        )


def _needed(
    proof: Proof | None, found: dict[tuple[str, str], Need], texts: Sequence[Any]
) -> tuple[str, str]:
    """Whether the proof needs a premise, which may be several comparisons, and how that is known.

    Of several proofs for one algorithm one will do.
    """
    if proof is None:
        return "", NO_PROOF
    reasons = []
    for steps in proof.own:
        own = [[found.get((s.written.id, shown(one))) for one in texts] for s in steps]
        if any(need is None for needs_of in own for need in needs_of):
            return "", "not a premise of the step"
        needed = [[need for need in needs_of if need and need.needed] for needs_of in own]
        if all(needed):
            reasons += [_why(need) for need in needed[0]]
    if reasons:
        return "no proof without it", "; ".join(reasons)
    if len(texts) > 1:
        return "not decided", "exact: certificates without one half of it, none without both"
    return "proved without it", "exact: certificate without it"


def _outside(dropped: Dropped) -> str:
    """What exact instances say that meet all other premises and not this one."""
    if dropped.broken_by:
        return f"exact rationals: {dropped.broken_by}"
    if not dropped.admitted:
        return "no exact instance of ours lies outside it alone"
    return f"no violation in {count(dropped.admitted, 'exact instance')} outside it"


def _needs(proof: Proof) -> dict[tuple[str, str], Need]:
    """What happens without each premise, by step and text of the premise."""
    found = needs(proof.book, list(proof.steps.values()), proof.names)
    return {(need.step, need.premise): need for need in found}


def _why(need: Need) -> str:
    told = f"breaks at {need.where}: {need.reason}"
    if need.numbers:
        told += "; broken without it at " + ", ".join(f"{k} = {v}" for k, v in need.numbers)
    return told
