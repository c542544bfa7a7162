"""What the proofs of a results document say: which steps fail, what survives, how many hold.

Plain functions on the rows of ``document["proofs"]``; shared by the page and the terminal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fedbounds.vocabulary import ProofStatus

from .numbers import count, listed, number

Record = dict[str, Any]

PROVED, GIVEN, OPEN = "proved", "given", "open"
FALSE, DOES_NOT_FOLLOW = "false", "does not follow"
FAILS = (FALSE, DOES_NOT_FOLLOW)
OURS = "ours"
CORRECTED = "/corrected"
_LONGEST = 200  # characters of a reason

MEANING = {
    ProofStatus.PROVED: "every step of the paper's proof is proved, and all that it rests on",
    ProofStatus.PROVED_BY_SOLVER: "as proved, but some step rests on a solver alone",
    ProofStatus.PROVED_OTHERWISE: "the statement is proved, not by the paper's steps alone",
    ProofStatus.CONDITIONAL: "every part is proved, from suppositions that are named below",
    ProofStatus.GAP: "a step fails, or one that it rests on; the statement is not proved",
    ProofStatus.CONTRADICTORY: "its premises contradict each other",
    ProofStatus.OPEN: "no complete proof, and nothing against one",
}
COMPLETE = (
    ProofStatus.PROVED,
    ProofStatus.PROVED_BY_SOLVER,
    ProofStatus.PROVED_OTHERWISE,
    ProofStatus.CONDITIONAL,
)


def claims_of(proofs: Mapping[str, Record]) -> dict[str, Record]:
    """The rows of claims, without those of papers."""
    return {key: row for key, row in proofs.items() if "/" in key}


def given_of(proofs: Mapping[str, Record]) -> dict[str, list[Record]]:
    """Per paper the statements that are taken as given; none without them."""
    found = {key: row["steps"] for key, row in proofs.items() if "/" not in key}
    return {key: steps for key, steps in found.items() if steps}


def every_step(proofs: Mapping[str, Record]) -> Iterator[Record]:
    """All steps, given statements too."""
    return (s for key, row in proofs.items() for s in row["steps"] if _own(s, key))


def _own(step: Record, key: str) -> bool:
    """Whether a step proves this claim itself, or is taken as given; not a correction of it."""
    return step["claim"] in (key, "")


@dataclass(frozen=True)
class Supposed:
    """What a proof takes as given beyond definitions, and which of it no run measured."""

    names: tuple[str, ...]
    unmeasured: tuple[str, ...]

    @property
    def words(self) -> str:
        """Such as "3 givens, 1 of them measured nowhere"."""
        found = count(len(self.names), "given")
        if not self.unmeasured:
            return f"{found}, measured on runs" if self.names else found
        if len(self.unmeasured) == len(self.names):
            return f"{found}, measured nowhere"
        return f"{found}, {len(self.unmeasured)} of them measured nowhere"


def supposed(claim_id: str, row: Record, proofs: Mapping[str, Record]) -> Supposed:
    """What the proof of a claim rests on that is neither a definition nor proved."""
    names = tuple(row.get("givens", ()))
    paper = claim_id.partition("/")[0]
    own = (s for key, r in proofs.items() if key.partition("/")[0] == paper for s in r["steps"])
    seen = {step["id"] for step in own if step["measured"] is not None}
    return Supposed(names, tuple(name for name in names if name not in seen))


def failing(row: Record) -> list[Record]:
    """Steps of the headline reading first; of each, false ones before those that do not follow."""
    found = [step for step in row["steps"] if step["local"] in FAILS]
    return sorted(found, key=lambda s: (alternative(row, s) != "", FAILS.index(s["local"])))


def fails(row: Record) -> bool:
    """Whether a step of the headline reading fails."""
    return any(not alternative(row, step) for step in failing(row))


def alternative(row: Record, step: Record) -> str:
    """The reading of an unproved step, where it is not the headline's; else empty."""
    if step["local"] not in (*FAILS, OPEN) or step["source"] == OURS:
        return ""
    named = row["open"] if step["local"] == OPEN else row["failed"]
    return "" if step["id"] in named else str(step["reading"])


def reason(step: Record) -> str:
    """Why a step is not proved, without its name, and not at any length."""
    text = str(step["reason"]).removeprefix(f"{step['id']}, ")
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0] + " …"


def unsettled(steps: Iterable[Record]) -> list[Record]:
    """Steps without proof, and without anything against one."""
    return [step for step in steps if step["local"] == OPEN]


def holds(step: Record) -> bool:
    """Whether a step is proved and so is all that it rests on."""
    return bool(step["local"] in (PROVED, GIVEN) and step["inherited"])


def mark(step: Record) -> str:
    """Both axes of a step in words: what is said of itself, and of what it rests on."""
    local = str(step["local"])
    if local == PROVED and not step["inherited"]:
        return "proved, from steps that are not"
    return local


def missing_parts(row: Record) -> list[str]:
    """Parts of the claim for which no step is written."""
    return [name for name in row["open"] if name.startswith("part ")]


@dataclass(frozen=True)
class Survivor:
    """What stands in place of a failing step: in words, and the step or claim that says it."""

    words: str
    step: Record | None = None
    claim: str = ""


def survivors(claim_id: str, failed: Record, proofs: Mapping[str, Record]) -> list[Survivor]:
    """Proved statements in place of a failing step; empty if there is none."""
    row, name, title = proofs[claim_id], failed["id"], claim_id.partition("/")[2]
    if alternative(row, failed) and row["status"] in COMPLETE:
        return [Survivor(f"the headline reading is {row['status']}")]
    standing = [step for step in row["steps"] if step is not failed and holds(step)]
    again = any(step["id"] == name for step in standing)
    found = [Survivor("its statement is proved otherwise")] if again else []
    own = [step for step in standing if step["id"].startswith(name + CORRECTED)]
    found += [Survivor("proved with a correction", step) for step in own]
    every = [step for step in standing if step["id"].startswith(title + CORRECTED)]
    whole = [step for step in every if step["id"] == title + CORRECTED]
    if not found:
        found += [Survivor("the claim, corrected", step) for step in whole or every]
    mended = claim_id + CORRECTED
    if mended in proofs and proofs[mended]["status"] in COMPLETE:
        told = next((one.step for one in found if one.step in whole), None)
        found = [one for one in found if one.step is None or one.step is not told]
        found.append(Survivor("the corrected claim is proved", told, mended))
    if not found and row["status"] == ProofStatus.PROVED_OTHERWISE:
        found.append(Survivor("the claim is proved otherwise"))
    return found


def evaluated(step: Record) -> str:
    """What the running algorithms show of a step, in words; empty if it was not evaluated.

    Of what is supposed it is said that no run measured it.
    """
    seen = step["measured"]
    if seen is None:
        return "measured nowhere" if step["supposed"] else ""
    where = f"on {count(seen['instances'], 'instance')}"
    if step["relation"] == "==":
        size = number(abs(seen["least"]), 2)
        return f"{where} the sides differ by at most {size} of their terms' size"
    gap = "right − left" if step["relation"] == "<=" else "left − right"
    return f"{where} {gap} is at least {number(seen['least'], 2)} of its terms' size"


def sides(step: Record) -> tuple[str, str]:
    """Both sides of a step at the numbers that break it; empty if they are not told."""
    numbers = step["numbers"] or {}
    return numbers.get("left", ""), numbers.get("right", "")


SIGNS = (
    "a vector is given at each outcome where it is not 0, with independent fair signs such as "
    "xi[1,1] and past[2,1]"
)


def values(step: Record) -> list[tuple[str, str]]:
    """The numbers themselves: ("K", "2"), ("hu", "[i=1, k=0: 3 - 3 xi[1,1]]")."""
    found = []
    for name, value in (step["numbers"] or {}).items():
        if name not in ("left", "right"):
            text = value.replace("+ -", "- ")
            found.append((name, f"[{text}]" if ":" in text else text))
    return found


@dataclass(frozen=True)
class Counts:
    """Numbers over all proofs of a document.

    Attributes
    ----------
    steps : Counter
        Steps of headline readings, and corrections, by their own status.
    elsewhere : Counter
        Steps of alternative readings that are not proved.
    resting : int
        Proved steps that rest on one that is not.
    """

    claims: Counter[str]
    steps: Counter[str]
    elsewhere: Counter[str]
    resting: int
    certificates: int
    given: int
    supposed: int
    unmeasured: int
    evaluated: int
    instances: int


def counts(proofs: Mapping[str, Record]) -> Counts:
    """Claims by status of their proof, steps by their own status, what was evaluated."""
    rows = list(claims_of(proofs).values())
    told = list(_told(proofs))
    own = [step for step, reading in told if not reading]
    seen = [step["measured"] for step in every_step(proofs) if step["measured"] is not None]
    given = [step for steps in given_of(proofs).values() for step in steps]
    taken = [step for step in given if step["supposed"]]
    return Counts(
        claims=Counter(row["status"] for row in rows),
        steps=counted(own),
        elsewhere=counted(step for step, reading in told if reading),
        resting=sum(1 for step in own if step["local"] == PROVED and not step["inherited"]),
        certificates=sum(1 for step in own if step["certificate"]),
        given=len(given),
        supposed=len(taken),
        unmeasured=sum(1 for step in taken if step["measured"] is None),
        evaluated=len(seen),
        instances=sum(row["instances"] for row in seen),
    )


def _told(proofs: Mapping[str, Record]) -> Iterator[tuple[Record, str]]:
    """Every step of a claim once, and its reading where that is an alternative one.

    A claim's row shows the steps of its correction too, which is a claim of its own.
    """
    for key, row in claims_of(proofs).items():
        yield from ((step, alternative(row, step)) for step in row["steps"] if _own(step, key))


def headline_steps(proofs: Mapping[str, Record]) -> list[Record]:
    """The steps that `counts` tells of: none of an alternative reading that is not proved."""
    return [step for step, reading in _told(proofs) if not reading]


def elsewhere(found: Counts) -> str:
    """What is not proved in alternative readings, in words; empty if all is."""
    told = listed(by_local(found.elsewhere)) if found.elsewhere else ""
    return f"in alternative readings {told}" if told else ""


def counted(steps: Iterable[Record]) -> Counter[str]:
    """Steps by what is said of themselves."""
    return Counter(step["local"] for step in steps)


def by_status(found: Counter[str]) -> list[str]:
    """Claims counted by the status of their proof: "4 proved", "1 gap"."""
    return [f"{found[word]} {word.value}" for word in ProofStatus if found[word]]


def by_local(found: Counter[str]) -> list[str]:
    """Steps counted by what is said of themselves, failing ones first."""
    several = {DOES_NOT_FOLLOW: "do not follow"}
    words = [word for word in (*FAILS, OPEN, PROVED, GIVEN) if found[word]]
    return [f"{found[x]} {several.get(x, x) if found[x] > 1 else x}" for x in words]


def accepted_by(own: Iterable[Record]) -> str:
    """Who accepted how many of these steps, of which certificates are held, and what was not."""
    said = {step["id"]: step["accepted"] for step in own if "accepted" in step}
    if not said:
        return ""
    told = [f"first checker ({len(said)} of {count(len(said), 'step')})"]
    others = []
    for who, name in (("second", "second checker"), ("coq", "Coq")):
        every = Counter(row[who] for row in said.values())
        told.append(f"{name} ({every.pop('accepted', 0)})")
        others += [f"{name}: {number} {why}" for why, number in sorted(every.items())]
    return "; ".join([f"accepted by: {', '.join(told)}", *others])
