"""What the page says in sentences, every number of it counted in the results document."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory import catalogue
from fedbounds.vocabulary import ProofStatus, Standing, StatementStatus, Verdict

from .numbers import count, listed
from .standings import MEANING

Record = dict[str, Any]

SIZES = ("n", "m", "K", "T")
VERDICTS = (
    Verdict.VIOLATED,
    Verdict.NOT_VIOLATED,
    Verdict.UNDECIDED,
    Verdict.DIVERGED,
    Verdict.OUTSIDE,
    Verdict.NOT_APPLICABLE,
)
_FEW = 6  # at most so many claims are named on a command line


def judged_claims(document: Record) -> list[Record]:
    """Claims that were judged, in the order of their paper; each has at least one reading."""
    found = []
    for claim in in_order(document):
        if claim["readings"] or claim["standing"] not in (None, Standing.OPEN):
            whole = _whole(claim)
            readings = [whole | reading for reading in claim["readings"]] or [whole]
            found.append({"readings_differ": False, "best": None} | claim | {"readings": readings})
    return found


def _whole(claim: Record) -> Record:
    """A claim as its one reading, nothing measured; what a reading does not tell is as here."""
    return {
        "name": "as stated",
        "ambiguity": "",
        "statement": claim["statement"],
        "untested": [],
        "open_candidates": 0,
        "tightness": None,
        "least_relative_gap": None,
        "power": None,
        "uninformative": None,
        "counts": {},
        "coverage": {"corners": [], "instances": 0, "methods": {}, "ranges": {}},
        "witness": None,
    }


def in_order(document: Record) -> list[Record]:
    """All claims in the order of the catalogue; ids that it does not know come last."""
    known = [claim_id for key in papers(document) for claim_id in _known(key)]
    place = {claim_id: index for index, claim_id in enumerate(known)}
    return sorted(document["claims"].values(), key=lambda c: place.get(c["id"], len(known)))


def short_id(claim_id: str) -> str:
    """The id without its paper."""
    return claim_id.rpartition("/")[2]


def anchor(claim_id: str) -> str:
    """Name of a claim's place on the page."""
    return "claim-" + re.sub(r"[^A-Za-z0-9.]+", "-", claim_id)


def sizes(row: Record) -> str:
    """Sizes of a record's instance: "n = 3, m = 1, T = 1"."""
    found = row["parameters"]
    return ", ".join(f"{name} = {found[name]}" for name in SIZES if name in found)


def power(reading: Record) -> Any:
    """The power of a reading; None for one that is refuted, where it would say nothing."""
    return None if _refuted(reading) else reading["power"]


def papers(document: Record) -> list[str]:
    """Keys of the papers the claims belong to, in the order of the document."""
    return list(dict.fromkeys(claim_id.partition("/")[0] for claim_id in document["claims"]))


def sentences(document: Record) -> list[str]:
    """Three sentences: what was judged, what is refuted, and what is weakest."""
    judged = judged_claims(document)
    if not judged:
        return ["No claim was judged.", "Nothing is refuted.", "Nothing is undecided."]
    return [_first(document, judged), _second(judged), _third(document, judged)]


def _first(document: Record, judged: Sequence[Record]) -> str:
    rows = document["results"]
    planned = {row["problem"]["instance"] for row in rows if not row["witness"]}
    witnesses = sum(1 for row in rows if row["witness"])
    also = f" and {count(witnesses, 'witness', 'witnesses')}" if witnesses else ""
    standings = Counter(claim["standing"] for claim in judged)
    words = [f"{standings[word]} {word}" for word in Standing if standings[word]]
    verb = "was" if len(judged) == 1 else "were"
    return (
        f"{count(len(judged), 'claim')} {verb} judged on {count(len(planned), 'instance')}{also}, "
        f"which makes {count(len(rows), 'record')}: {listed(words)}."
    )


def _second(judged: Sequence[Record]) -> str:
    headline = [claim for claim in judged if _refuted(claim["readings"][0])]
    others = [claim for claim in judged if any(map(_refuted, claim["readings"][1:]))]
    parts = []
    if headline:
        found = listed(f"{short_id(claim['id'])} ({claim['source']})" for claim in headline)
        parts.append(f"the headline reading of {found} is refuted")
    if others:
        found = listed(f"{short_id(claim['id'])} ({_ambiguities(claim)})" for claim in others)
        parts.append(f"an alternative reading of {found} is refuted, while {_what_stands(others)}")
    text = "; ".join(parts) or "no reading is refuted"
    return f"{text[0].upper()}{text[1:]}."


def _ambiguities(claim: Record) -> str:
    return listed(r["ambiguity"] or r["name"] for r in claim["readings"][1:] if _refuted(r))


def _what_stands(claims: Sequence[Record]) -> str:
    statements = [claim["readings"][0]["statement"] for claim in claims]
    survived = statements.count(StatementStatus.SURVIVED)
    if len(claims) == 1:
        return f"its headline reading {'survived' if survived else 'did not survive'}"
    if survived == len(claims):
        return "their headline readings survived"
    return f"{survived} of their {len(claims)} headline readings survived"


def _refuted(reading: Record) -> bool:
    return bool(reading["statement"] == StatementStatus.REFUTED)


def _third(document: Record, judged: Sequence[Record]) -> str:
    undecided = Counter(
        row["claim"] for row in document["results"] if row["verdict"] == Verdict.UNDECIDED
    )
    total = sum(undecided.values())
    parts = []
    if all(claim["paper_proof"] == ProofStatus.OPEN for claim in judged):
        parts.append("no proof was replayed")
    if total:
        (most, number_of), *_ = undecided.most_common(1)
        verb = "is" if total == 1 else "are"
        parts.append(
            f"{count(total, 'record')} {verb} undecided, {number_of} of them on {short_id(most)}"
        )
    else:
        parts.append("no record is undecided")
    measured = [claim for claim in judged if claim["readings"][0]["counts"]]
    if measured:
        least = min(measured, key=_instances)
        parts.append(
            f"the claim examined on the fewest instances is {short_id(least['id'])} "
            f"({_instances(least)})"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _instances(claim: Record) -> int:
    return int(claim["readings"][0]["coverage"]["instances"])


def titles(document: Record) -> list[tuple[str, str]]:
    """Title and authors of each paper; of one this version does not know, its key."""
    found = []
    for key in papers(document):
        try:
            paper = catalogue.paper(key)
        except FedboundsError:
            found.append((key, ""))
        else:
            found.append((paper.title, listed(paper.authors)))
    return found


def command(document: Record) -> str:
    """The command that computes the document again."""
    run = document["run"]
    names: list[str] = []
    for key in papers(document):
        own = [claim_id for claim_id in document["claims"] if claim_id.partition("/")[0] == key]
        names += own if len(own) <= _FEW and set(own) < set(_known(key)) else [key]
    options = {"quick": ["--quick"], "thorough": ["--thorough"]}.get(run["profile"], [])
    options += [f"--seed {run['seed']}"] if run["seed"] else []
    return " ".join(["fedbounds verify", *names, *options])


def _known(key: str) -> list[str]:
    """Ids of a paper's claims in their order; none if the paper is not known."""
    try:
        return [entry.id for entry in catalogue.paper(key).entries]
    except FedboundsError:
        return []


@dataclass(frozen=True)
class MethodView:
    """How numbers were obtained: the premise its records state, and what came of it."""

    name: str
    premises: tuple[str, ...]
    verdicts: dict[str, int]


def methods(records: Iterable[Record]) -> list[MethodView]:
    """One entry per method of evidence, most used first."""
    rows = list(records)
    used = Counter(row["evidence"]["method"] for row in rows)
    found = []
    for name, _ in used.most_common():
        own = [row for row in rows if row["evidence"]["method"] == name]
        premises = tuple(dict.fromkeys(row["evidence"]["premise"] for row in own))
        counted = Counter(row["verdict"] for row in own)
        verdicts = {verdict.value: counted[verdict] for verdict in VERDICTS if counted[verdict]}
        found.append(MethodView(name, premises, verdicts))
    return found


def standings(document: Record) -> list[tuple[str, str, int]]:
    """Each standing that occurs among judged claims: word, meaning, how often."""
    counted = Counter(claim["standing"] for claim in judged_claims(document))
    return [(word.value, MEANING[word], counted[word]) for word in Standing if counted[word]]
