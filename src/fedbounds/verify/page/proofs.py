"""Proofs on the page: per claim its steps as formulas, those that fail first, and what survives."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from fedbounds.vocabulary import ProofStatus

from . import steps
from .detail import Room
from .expressions import latex_of
from .formulas import SIGNS
from .mathml import element
from .numbers import count, listed
from .scripts import witness_script
from .summary import anchor, short_id

Record = dict[str, Any]

_LONGEST = 300  # characters of a multiplier that is printed
_KINDS = ("step", "hypothesis", "fact", "condition", "square")
_PLACED = re.compile(r"( at \S+ = .*|, summed over .*)$")  # where a cited step is used


@dataclass(frozen=True)
class Use:
    """What a step uses, with its multiplier in each case of the chart, or in all."""

    kind: str
    name: Markup
    link: str
    times: tuple[Markup, ...]


@dataclass(frozen=True)
class Instead:
    """What stands in place of a failing step."""

    words: str
    name: str = ""
    formula: Markup | None = None
    link: str = ""


@dataclass(frozen=True)
class StepView:
    """A step, ready to print.

    Attributes
    ----------
    local, mark : str
        Its own status, and the words for it together with what it rests on.
    rests, mended : tuple of (id, link)
        Unproved steps that it rests on; failing ones that were proved otherwise.
    summary : str
        How many premises of which kind it uses.
    sides, numbers
        Both sides, and the values that satisfy all that it cites and break it.
    """

    id: str
    place: str
    ours: bool
    local: str
    mark: str
    reason: str
    formula: Markup | None
    conditions: tuple[Markup, ...]
    assumptions: tuple[str, ...]
    rests: tuple[tuple[str, str], ...]
    mended: tuple[tuple[str, str], ...]
    summary: str
    uses: tuple[Use, ...]
    chart: tuple[Markup, ...]
    sides: tuple[str, str]
    numbers: tuple[tuple[Markup, str], ...]
    measured: str
    survivors: tuple[Instead, ...]
    path: str
    script: str


@dataclass(frozen=True)
class ProofView:
    """The proof of a claim: steps that fail, that are open, and all of them by reading."""

    status: str
    meaning: str
    counted: str
    failed: tuple[StepView, ...]
    open: tuple[StepView, ...]
    missing: tuple[str, ...]
    chains: tuple[tuple[str, tuple[StepView, ...]], ...]


@dataclass(frozen=True)
class Source:
    """Where views come from: all proofs, the result folder, and the room there is."""

    proofs: Mapping[str, Record]
    folder: Path | None
    room: Room
    claims: Mapping[tuple[str, str], str] = field(default_factory=dict)


def source_of(document: Record, folder: Path | None, room: Room) -> Source:
    """The proofs of a document, with the claim of every step by paper and id."""
    proofs = document["proofs"]
    if proofs:
        from fedbounds.theory.proof.library import papers

        papers()  # their notation is known once they are loaded
    shown = document["claims"]
    claims = {
        (key.partition("/")[0], step["id"]): key
        for key, row in steps.claims_of(proofs).items()
        for step in row["steps"]
        if key in shown
    }
    return Source(proofs, folder, room, claims)


def proof_view(source: Source, claim_id: str, headline: str) -> ProofView | None:
    """The proof of a claim, ``headline`` the reading that decides; None if none was replayed."""
    row = source.proofs.get(claim_id)
    if row is None:
        return None
    own = row["steps"]
    readings = dict.fromkeys([headline, *(step["reading"] or headline for step in own)])
    views = [(step["reading"] or headline, step_view(source, claim_id, step)) for step in own]
    chains = [(name, tuple(v for r, v in views if r == name)) for name in readings]
    shown = {id(step): view for step, (_, view) in zip(own, views, strict=True)}
    return ProofView(
        status=row["status"],
        meaning=steps.MEANING[ProofStatus(row["status"])],
        counted=_counted(own),
        failed=tuple(shown[id(step)] for step in steps.failing(own)),
        open=tuple(shown[id(step)] for step in steps.unsettled(own)),
        missing=tuple(steps.missing_parts(row)),
        chains=tuple(chain for chain in chains if chain[1]),
    )


def _counted(own: Sequence[Record]) -> str:
    resting = sum(1 for step in own if step["local"] == steps.PROVED and not step["inherited"])
    text = listed(steps.by_local(steps.counted(own)))
    return f"{text} ({resting} of these from steps that are not)" if resting else text


def step_view(source: Source, claim_id: str, step: Record) -> StepView:
    """One step of a claim, or with an empty claim one that is taken as given."""
    paper = claim_id.partition("/")[0]
    fails = step["local"] in steps.FAILS
    whole = source.room is not Room.FINDINGS
    left, right = steps.sides(step)
    return StepView(
        id=step["id"],
        place=step["place"],
        ours=step["source"] == steps.OURS,
        local=step["local"],
        mark=steps.mark(step),
        reason=step["reason"],
        formula=_formula(step) if whole or not steps.holds(step) else None,
        conditions=tuple(_expression(text) for text in step["conditions"]),
        assumptions=tuple(step["assumptions"]),
        rests=tuple(_linked(source, paper, claim_id, name) for name in step["missing"]),
        mended=tuple(
            _linked(source, paper, claim_id, name)
            for name in step["failed"]
            if name not in step["missing"]
        ),
        summary=_summary(step["by"]),
        uses=tuple(_use(source, paper, claim_id, use) for use in step["by"]) if whole else (),
        chart=tuple(map(_assigned, step["chart"]))
        if step["certificate"] and _multiplied(source)
        else (),
        sides=(_minus(left), _minus(right)),
        numbers=tuple((_expression(name), _minus(value)) for name, value in steps.values(step)),
        measured=steps.evaluated(step),
        survivors=tuple(_survivors(source, claim_id, step)) if fails else (),
        path=step["witness"] or "",
        script=witness_script(source.folder, step["witness"]) if fails else "",
    )


def _multiplied(source: Source) -> bool:
    return source.room is Room.ALL


@cache
def _math(latex: str) -> Markup:
    return Markup(element(latex))


def _formula(step: Record) -> Markup:
    return _math(f"{step['left']} {SIGNS[step['relation']]} {step['right']}")


def _expression(text: str) -> Markup:
    """MathML of a certificate's text; as it is where it is no expression."""
    latex = latex_of(text)
    return escape(text) if latex is None else _math(latex)


def _assigned(text: str) -> Markup:
    """A parameter in terms of its new variable; words where a chart has two branches."""
    latex = latex_of(text.replace(" = ", " == "))
    return escape(text) if latex is None else _math(latex)


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _linked(source: Source, paper: str, claim_id: str, name: str) -> tuple[str, str]:
    """An id with a link to its claim, where that is another one on the page."""
    found = source.claims.get((paper, name), claim_id)
    return name, anchor(found) if found != claim_id else ""


def _summary(uses: Iterable[Record]) -> str:
    kinds = [use["kind"] for use in uses]
    plurals = {"hypothesis": "hypotheses"}
    found = [
        count(kinds.count(kind), kind, plurals.get(kind, "")) for kind in _KINDS if kind in kinds
    ]
    return listed(found) if found else ""


def _use(source: Source, paper: str, claim_id: str, use: Record) -> Use:
    kind, name, link = use["kind"], escape(use["name"]), ""
    if kind == "square":
        latex = latex_of(use["name"])
        name = name if latex is None else _math(rf"\mathbb E\|{latex}\|^2")
    elif kind == "step":
        _, link = _linked(source, paper, claim_id, _PLACED.sub("", use["name"]))
    elif kind == "fact":
        name = _expression(use["name"])
    elif kind == "condition":
        text, mark, how = use["name"].partition(", squared")
        name = _expression(text) + mark + how
    elif kind == "hypothesis":
        name = escape("of the induction")
    times = tuple(map(_times, _merged(use["times"]))) if _multiplied(source) else ()
    return Use(kind, name, link, times)


def _merged(times: Sequence[str]) -> Sequence[str]:
    """One multiplier where all cases have the same."""
    return times[:1] if len(set(times)) == 1 else times


def _times(text: str) -> Markup:
    if len(text) > _LONGEST:
        return Markup('<span class="quiet">a long one, in results.json</span>')
    return _expression(text)


def _survivors(source: Source, claim_id: str, step: Record) -> Iterable[Instead]:
    for found in steps.survivors(claim_id, step, source.proofs):
        if found.step is not None:
            yield Instead(found.words, found.step["id"], _formula(found.step))
        elif found.claim:
            link = anchor(found.claim) if found.claim in source.claims.values() else ""
            yield Instead(found.words, short_id(found.claim), link=link)
        else:
            yield Instead(found.words)


def given_views(source: Source) -> list[tuple[str, tuple[StepView, ...]]]:
    """Per paper the definitions and assumptions that its proofs take as given."""
    found = steps.given_of(source.proofs).items()
    return [(key, tuple(step_view(source, key, step) for step in own)) for key, own in found]
