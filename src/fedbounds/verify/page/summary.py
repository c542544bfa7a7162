"""What a results document says of a whole run: claims, methods, standings, the command."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.theory.language import catalogue
from fedbounds.vocabulary import Standing, StatementStatus, Verdict

from .numbers import count, listed
from .standings import MEANING

Record = dict[str, Any]

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
        if is_judged(claim):
            whole = unread(claim)
            readings = [whole | reading for reading in claim["readings"]] or [whole]
            found.append({"readings_differ": False} | claim | {"readings": readings})
    return found


def is_judged(claim: Record) -> bool:
    """Whether anything was said of a claim: then it has a page."""
    return bool(claim["readings"] or claim["standing"] not in (None, Standing.OPEN))


def unread(claim: Record) -> Record:
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
        "tightest": None,
        "idle": 0,
        "equal_parts": [],
        "equal_everywhere": False,
        "uninformative": None,
        "counts": {},
        "refused": {},
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
    return claim_id.partition("/")[2]


def anchor(claim_id: str) -> str:
    """Name of a claim's page, and of its place where it has none; no two ids have the same.

    Examples
    --------
    >>> anchor("fedplt/A2-bound/corrected"), anchor("me/my_rate")
    ('claim-fedplt-A2-bound+corrected', 'claim-me-my_rate')
    """
    paper, slash, name = claim_id.partition("/")
    return f"claim-{_safely(paper, '')}{slash and '-'}{_safely(name, '-')}"


def _safely(text: str, more: str) -> str:
    """As part of the name of a file: a slash as a plus, other rare characters as their numbers."""
    rare = re.compile(f"[^A-Za-z0-9._/{more}]")
    return rare.sub(lambda found: f"~{ord(found[0]):x}~", text).replace("/", "+")


def power(reading: Record) -> Any:
    """The power of a reading; None for one that is refuted, where it would say nothing."""
    return None if is_refuted(reading) else reading["power"]


def papers(document: Record) -> list[str]:
    """Keys of the papers the claims belong to, in the order of the document."""
    return list(dict.fromkeys(claim_id.partition("/")[0] for claim_id in document["claims"]))


def is_refuted(reading: Record) -> bool:
    """Whether an exact violation of the reading is known."""
    return bool(reading["statement"] == StatementStatus.REFUTED)


def equality_words(reading: Record) -> str:
    """Which parts of a reading are equalities wherever they were examined."""
    amount = reading["coverage"]["instances"]
    where = "the one instance" if amount == 1 else f"all {amount} instances"
    text = f"both sides are equal on {where} examined"
    if reading["equal_everywhere"]:
        return f"{text}: nothing tells them apart"
    return f"{text}, in {listed([name or 'the only part' for name in reading['equal_parts']])}"


def counted(reading: Record) -> str:
    """Verdicts of a reading's records, each with how many there are."""
    return ", ".join(f"{amount} {word}" for word, amount in reading["counts"].items())


def idle_words(amount: int) -> str:
    """What is left out of tightness."""
    cases = count(amount, "case")
    return f"left out of tightness: {cases} in which both sides are the same initial value at t = 0"


def forever_words(amount: int) -> str:
    """What closed forms show."""
    return f"holds for all T on {count(amount, 'planned run')}"


def unresolved_words(amount: int) -> str:
    """What no word is said of."""
    cases = count(amount, "case")
    return f"not resolved: {cases}, rounds or clients of undecided records, whose gap has no sign"


def titles(document: Record) -> list[tuple[str, str, str]]:
    """Key, title and authors of each paper; of one this version does not know, its key alone."""
    found = []
    for key in papers(document):
        try:
            paper = catalogue.paper(key)
        except FedboundsError:
            found.append((key, key, ""))
        else:
            found.append((key, paper.title, listed(paper.authors)))
    return found


def typed(claim: Record) -> str:
    """What to type for a claim: its id; for one of a user's file, that file and its name.

    Examples
    --------
    >>> typed({"id": "me/rate", "place": "my_theorem.py:12"})
    'my_theorem.py::rate'
    """
    file, suffix, line = claim["place"].rpartition(".py:")
    if suffix and line.isdigit():
        return f"{file}.py::{claim['id'].partition('/')[2]}"
    return str(claim["id"])


def named(document: Record, text: str) -> str:
    """The id of a claim of a document, which may be named as it is typed; other text as it is."""
    found = [claim_id for claim_id, claim in document["claims"].items() if typed(claim) == text]
    return found[0] if found else text


def command(document: Record) -> str:
    """The command that computes the document again."""
    names: list[str] = []
    claims = document["claims"]
    for key in papers(document):
        own = [claim_id for claim_id in claims if claim_id.partition("/")[0] == key]
        files = {typed(claims[claim_id]).partition("::")[0] for claim_id in own}
        if files.isdisjoint(own):
            names += sorted(files)
            continue
        names += own if len(own) <= _FEW and set(own) < set(_known(key)) else [key]
    return verify_again(names, document)


def verify_again(names: Iterable[str], document: Record) -> str:
    """The command that judges these claims as the document did; it is safe to paste."""
    run = document["run"]
    options = {"quick": ["--quick"], "thorough": ["--thorough"]}.get(run["profile"], [])
    options += ["--seed", str(run["seed"])] if run["seed"] else []
    options += ["--device", run["device"]] if run["device"] != "cpu" else []
    return shlex.join(["fedbounds", "verify", *names, *options])


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
