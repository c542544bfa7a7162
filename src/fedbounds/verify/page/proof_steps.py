"""A step of a proof, ready to print: its formula, status, premises, and what survives it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from fedbounds.vocabulary import SIGNS

from . import steps
from .addresses import Addresses
from .expressions import latex_of
from .mathml import element
from .numbers import count, listed
from .plain import plain
from .scripts import script_link
from .summary import short_id

Record = dict[str, Any]

_LONGEST = 300  # characters of a multiplier that is printed
_KINDS = ("step", "hypothesis", "fact", "condition", "square")
_PLACED = re.compile(r"( at \S+ = .*|, summed over .*)$")  # where a cited step is used


@dataclass(frozen=True)
class Source:
    """Where views come from: all proofs, the result folder, and where claims are told.

    Attributes
    ----------
    claims : mapping from paper and step id to the claim in the document
    """

    proofs: Mapping[str, Record]
    folder: Path | None
    addresses: Addresses
    claims: Mapping[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True)
class Use:
    """What a step uses, with its multiplier in each branch of the chart, or in all."""

    kind: str
    name: str
    link: str
    times: tuple[str, ...]


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
    alternative : str
        Its reading, where that is not the headline's.
    terms : tuple of str
        Its conditions and assumptions in words.
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
    alternative: str
    reason: str
    formula: Markup
    terms: tuple[str, ...]
    rests: tuple[tuple[str, str], ...]
    mended: tuple[tuple[str, str], ...]
    summary: str
    uses: tuple[Use, ...]
    chart: tuple[str, ...]
    sides: tuple[str, str]
    numbers: tuple[tuple[str, str], ...]
    measured: str
    supposed: bool
    survivors: tuple[Instead, ...]
    path: str
    script: str  # a link


def step_view(source: Source, claim_id: str, step: Record) -> StepView:
    """One step of a claim; of a paper, one that is taken as given."""
    paper, row = claim_id.partition("/")[0], source.proofs[claim_id]
    multiplied = bool(step["certificate"])
    left, right = steps.sides(step)
    return StepView(
        id=step["id"],
        place=step["place"],
        ours=step["source"] == steps.OURS,
        local=step["local"],
        mark=steps.mark(step),
        alternative=steps.alternative(row, step),
        reason=steps.reason(step),
        formula=formula(step),
        terms=terms(paper, step),
        rests=tuple(_linked(source, paper, claim_id, name) for name in step["missing"]),
        mended=tuple(
            _linked(source, paper, claim_id, name)
            for name in step["failed"]
            if name not in step["missing"]
        ),
        summary=_summary(step["by"]),
        uses=tuple(_use(source, claim_id, use, multiplied) for use in step["by"]),
        chart=tuple(_inline(paper, text.replace(" = ", " == ")) for text in step["chart"])
        if multiplied
        else (),
        sides=(_minus(left), _minus(right)),
        numbers=tuple((_inline(paper, name), _minus(value)) for name, value in steps.values(step)),
        measured=steps.evaluated(step),
        supposed=step["supposed"],
        survivors=tuple(_survivors(source, claim_id, step)) if step["local"] in steps.FAILS else (),
        path=step["witness"] or "",
        script=script_link(source.folder, step["witness"]),
    )


def terms(paper: str, step: Record) -> tuple[str, ...]:
    """Conditions and assumptions in words."""
    conditions = [_inline(paper, text) for text in step["conditions"]]
    found = [f"if {', '.join(conditions)}"] if conditions else []
    found += [f"assuming: {', '.join(step['assumptions'])}"] if step["assumptions"] else []
    return tuple(found)


def formula(step: Record) -> Markup:
    """Both sides and the sign between them."""
    return Markup(element(f"{step['left']} {SIGNS[step['relation']]} {step['right']}"))


def _inline(paper: str, text: str) -> str:
    """A certificate's text in the paper's letters; as it is where it is no expression."""
    latex = latex_of(text, paper)
    return text.replace(" == ", " = ") if latex is None else plain(latex)


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _linked(source: Source, paper: str, claim_id: str, name: str) -> tuple[str, str]:
    """An id with a link to its claim, where that is another one."""
    found = source.claims.get((paper, name), claim_id)
    return name, source.addresses.from_claim(found) if found != claim_id else ""


def _summary(uses: Iterable[Record]) -> str:
    kinds = [use["kind"] for use in uses]
    plurals = {"hypothesis": "hypotheses"}
    found = [count(kinds.count(k), k, plurals.get(k, "")) for k in _KINDS if k in kinds]
    return listed(found) if found else ""


def _use(source: Source, claim_id: str, use: Record, multiplied: bool) -> Use:
    kind, name, link = use["kind"], use["name"], ""
    paper = claim_id.partition("/")[0]
    if kind == "square":
        name = f"𝔼‖{_inline(paper, name)}‖²"
    elif kind == "step":
        _, link = _linked(source, paper, claim_id, _PLACED.sub("", name))
    elif kind == "condition":
        text, mark, how = name.partition(", squared")
        name = _inline(paper, text) + mark + how
    else:
        name = "of the induction" if kind == "hypothesis" else _inline(paper, name)
    times = tuple(_times(paper, text) for text in _merged(use["times"])) if multiplied else ()
    return Use(kind, name, link, times)


def _merged(times: Sequence[str]) -> Sequence[str]:
    """One multiplier where all branches have the same."""
    return times[:1] if len(set(times)) == 1 else times


def _times(paper: str, text: str) -> str:
    return "a long one, in results.json" if len(text) > _LONGEST else _inline(paper, text)


def _survivors(source: Source, claim_id: str, step: Record) -> Iterable[Instead]:
    for found in steps.survivors(claim_id, step, source.proofs):
        name = short_id(found.claim) if found.step is None else str(found.step["id"])
        yield Instead(
            found.words,
            name,
            None if found.step is None else formula(found.step),
            source.addresses.from_claim(found.claim),
        )
