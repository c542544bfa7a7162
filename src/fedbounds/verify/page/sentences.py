"""The sentences that come first, every number of them counted in the results document."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fedbounds.vocabulary import Kind, Source, Standing, StatementStatus
from fedbounds.vocabulary import Verdict as V

from . import steps
from .numbers import count, listed
from .rows import is_witness, planned_instances
from .summary import is_refuted, judged_claims, short_id

Record = dict[str, Any]

_NAMED = 12  # at most so many claims are named in a sentence
_VERBS = {  # of one step, and of several
    steps.FALSE: ("is false", "are false"),
    steps.DOES_NOT_FOLLOW: ("does not follow", "do not follow"),
    steps.OPEN: ("is open", "are open"),
    steps.PROVED: ("is proved", "are proved"),
}
_RUN = (Kind.IDENTITY, Kind.INEQUALITY, Kind.SCALING, Kind.ORDERING)


def sentences(document: Record) -> list[str]:
    """What was judged, what is refuted, which proofs hold, and what is weakest."""
    judged = judged_claims(document)
    if not judged:
        return ["No claim was judged.", "Nothing is refuted.", "Nothing is undecided."]
    replayed = [_proofs(document["proofs"])] if document["proofs"] else []
    return [_first(document, judged), _second(judged), *replayed, _last(document, judged)]


def _first(document: Record, judged: Sequence[Record]) -> str:
    rows = document["results"]
    witnesses = sum(map(is_witness, rows))
    also = f" and {count(witnesses, 'witness', 'witnesses')}" if witnesses else ""
    standings = Counter(claim["standing"] for claim in judged)
    words = [f"{standings[word]} {word}" for word in Standing if standings[word]]
    verb = "was" if len(judged) == 1 else "were"
    return (
        f"{count(len(judged), 'claim')} {verb} judged, with {count(len(rows), 'record')} on "
        f"{count(planned_instances(rows), 'instance')}{also}: {listed(words)}."
    )


def _second(judged: Sequence[Record]) -> str:
    headline = [claim for claim in judged if is_refuted(claim["readings"][0])]
    others = [
        claim
        for claim in judged
        if claim not in headline and any(map(is_refuted, claim["readings"][1:]))
    ]
    parts = []
    if headline:
        verb = "is" if len(headline) == 1 else "are"
        parts.append(f"refuted in the headline reading {verb} {_named(headline)}")
    if others:
        verb = "is" if len(others) == 1 else "are"
        only = "only " if headline else ""
        parts.append(
            f"{count(len(others), 'more claim') if headline else count(len(others), 'claim')} "
            f"{verb} refuted {only}in an alternative reading ({_ambiguities(others)}), while "
            f"{_what_stands(others)}"
        )
    text = "; ".join(parts) or "no reading is refuted"
    return f"{text[0].upper()}{text[1:]}."


def _named(claims: Sequence[Record]) -> str:
    """Claims by short id, with their source where it is not the authors' own text."""
    names = [
        short_id(claim["id"])
        + (f" ({claim['source']})" if claim["source"] != Source.VERBATIM else "")
        for claim in claims
    ]
    left_out = len(names) - _NAMED
    return listed([*names[:_NAMED], f"{left_out} more"] if left_out > 0 else names)


def _ambiguities(claims: Sequence[Record]) -> str:
    """How many claims each ambiguity concerns: "amb-2 in 5 and amb-9 in 3"."""
    counted: Counter[str] = Counter()
    for claim in claims:
        counted.update({r["ambiguity"] for r in claim["readings"][1:] if is_refuted(r)})
    unnamed = counted.pop("", 0)
    parts = [f"{name} in {amount}" for name, amount in counted.most_common()]
    return listed([*parts, f"one without a number in {unnamed}"] if unnamed else parts)


def _what_stands(claims: Sequence[Record]) -> str:
    statements = [claim["readings"][0]["statement"] for claim in claims]
    survived = statements.count(StatementStatus.SURVIVED)
    if len(claims) == 1:
        return f"its headline reading {'survived' if survived else 'did not survive'}"
    if survived == len(claims):
        return "their headline readings survived"
    return f"{survived} of their {len(claims)} headline readings survived"


def _proofs(proofs: Record) -> str:
    """How many proofs hold, and which steps fail."""
    found = steps.counts(proofs)
    total = sum(found.claims.values())
    if not total:
        return "No proof of these claims is written."
    verb = "was" if total == 1 else "were"
    own = steps.headline_steps(proofs)
    told = [_told(word, own) for word in _VERBS if any(s["local"] == word for s in own)]
    text = (
        f"{count(total, 'proof')} {verb} replayed: {listed(steps.by_status(found.claims))}; of "
        f"{count(len(own), 'step')} {listed(told)}"
    )
    if also := steps.elsewhere(found):
        text += f"; {also}"
    return f"{text}."


def _told(word: str, own: Sequence[Record]) -> str:
    """Steps of one status: "2 do not follow (lem-3.4: line 2 and lem-3.5)"."""
    names = [step["id"] for step in own if step["local"] == word]
    text = f"{len(names)} {_VERBS[word][len(names) > 1]}"
    if word in steps.FAILS:
        left_out = len(names) - _NAMED
        text += f" ({listed([*names[:_NAMED], f'{left_out} more'] if left_out > 0 else names)})"
    return text


def _last(document: Record, judged: Sequence[Record]) -> str:
    rows = document["results"]
    undecided = Counter(row["claim"] for row in rows if row["verdict"] == V.UNDECIDED)
    total = sum(undecided.values())
    parts = []
    if not document["proofs"]:
        parts.append("no proof was replayed")
    if total:
        (most, number_of), *_ = undecided.most_common(1)
        verb = "is" if total == 1 else "are"
        parts.append(
            f"{count(total, 'record')} {verb} undecided, {number_of} of them on {short_id(most)}"
        )
    else:
        parts.append("no record is undecided")
    vague = sum(1 for claim in judged if claim["readings"][0]["uninformative"])
    if vague:
        verb = "never beats" if vague == 1 else "never beat"
        parts.append(f"{count(vague, 'bound')} {verb} the trivial one where examined")
    equal = [claim for claim in judged if claim["readings"][0]["equal_everywhere"]]
    if equal:
        parts.append(f"both sides are equal wherever they were examined in {_named(equal)}")
    measured = [c for c in judged if c["kind"] in _RUN and c["readings"][0]["counts"]]
    if measured:
        least = min(map(_instances, measured))
        thin = [claim for claim in measured if _instances(claim) == least]
        verb = "was" if len(thin) == 1 else "were"
        parts.append(f"{_named(thin)} {verb} examined least, on {count(least, 'instance')}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _instances(claim: Record) -> int:
    return int(claim["readings"][0]["coverage"]["instances"])
