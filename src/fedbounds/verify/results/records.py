"""Records: one JSON object per (claim, reading, instance).

Reals have 17 significant digits, exact values are "p/q", nothing is NaN. Times and the host stand
under ``run.timing`` only, so that two runs compare byte for byte without it and the digest.
"""

import hashlib
import json
from typing import Any

from fedbounds.theory.language.claims import read
from fedbounds.vocabulary import Method, Verdict

from ..decide.case import Case, constants_of, found, parameters_of
from ..decide.judgement import Judgement
from ..decide.part import Outcome
from ..decide.plain import plain
from ..decide.shares import Share

SCHEMA = 4
DIGEST = "digest"  # of all else in a file: it shows an edit, and keeps nobody from making another

_PREMISE = {
    Method.RATIONAL: "exact rational arithmetic, every outcome of the randomness",
    Method.MOMENTS: "exact second moments in float64, with a proved bound of its rounding",
    Method.BALLS: "expectations in balls of 128 bits or more that contain the numbers",
    Method.ENUMERATION: "every outcome of the randomness in float64, where nothing is firm",
    Method.CONFIDENCE: "independent starts are counted; Clopper and Pearson's bound at level 1e-6",
    Method.SAMPLING: "bounded noise gives a certified range; empirical Bernstein interval",
}


def dumps(data: Any) -> str:
    """Canonical JSON text on one line: sorted keys, shortest round-trip reals, no NaN."""
    return json.dumps(data, sort_keys=True, allow_nan=False, ensure_ascii=False) + "\n"


def sealed(data: dict[str, Any]) -> str:
    """The text of a file: the data, and a digest of the text without one."""
    bare = dumps(data | {DIGEST: ""})
    return bare.replace(_seal(""), _seal(hashlib.sha256(bare.encode()).hexdigest()), 1)


def is_sealed(told: str, text: bytes) -> bool:
    """Whether a file that tells this digest is as it was written."""
    bare = text.replace(_seal(told).encode(), _seal("").encode(), 1)
    return hashlib.sha256(bare).hexdigest() == told


def _seal(digest: str) -> str:
    return f'"{DIGEST}": "{digest}"'


def describe_problem(case: Case) -> dict[str, Any]:
    """The family, its name and how many clients it has."""
    clients = found(case).parameters.get("n")
    return {
        "family": found(case).family,
        "instance": case.name,
        "clients": None if clients is None else int(clients),
    }


def no_instance(claim_id: str, reading: str, key: str, evaluations: int) -> dict[str, Any]:
    """The record of a search that found no set-up to which a reading applies: it is counted."""
    return {
        "key": key,
        "claim": claim_id,
        "reading": reading,
        "verdict": Verdict.NOT_APPLICABLE.value,
        "reason": f"a search of {evaluations} evaluations found no set-up to which it applies",
        "parts": [],
    }


def record(
    judgement: Judgement, key: str, slack: tuple[Share, ...] = (), witness: str | None = None
) -> dict[str, Any]:
    """The record of one judgement."""
    instance, deciding = judgement.instance, judgement.deciding
    method = found(instance).method or instance.method
    parts = read(judgement.claim, judgement.reading)
    return {
        "key": key,
        "claim": judgement.claim.id,
        "reading": judgement.reading.name,
        "ambiguity": judgement.reading.ambiguity,
        "problem": describe_problem(instance),
        "algorithm": instance.algorithm_name,
        "parameters": {name: plain(value) for name, value in parameters_of(instance).items()},
        "constants": {
            name.value: {
                "value": plain(c.value),
                "provenance": c.provenance.value,
                "side": c.side.value,
            }
            for name, c in constants_of(instance).items()
        },
        "verdict": judgement.verdict.value,
        "evidence": {
            "method": method.value,
            "level": deciding.level,
            "replicas": deciding.replicas,
            "premise": _PREMISE[method],
            "replay": deciding.replayed or None,
        },
        **_numbers(deciding),
        "at": {
            "part": deciding.part,
            "round": deciding.at,
            "client": deciding.client,
            "step": deciding.step,
        },
        "reason": deciding.reason,
        "parts": [
            {
                "part": outcome.part,
                "relation": part.relation.value,
                "verdict": outcome.verdict.value,
                "reason": outcome.reason,
                "round": outcome.at,
                "rounds": outcome.rounds,
                "equal": outcome.equal,
                "idle": outcome.idle,
                "beats_trivial": outcome.beats_trivial,
                "candidate": outcome.candidate,
                "replay": outcome.replayed or None,
                **_numbers(outcome),
                **_unresolved(outcome),
            }
            for part, outcome in zip(parts, judgement.outcomes, strict=True)
        ],
        "slack": [{"name": s.name, "amount": s.amount, "share": s.share} for s in slack],
        "witness": witness,
    }


def _unresolved(outcome: Outcome) -> dict[str, Any]:
    """In how many cases no sign is known, and since when; nothing where it is in all."""
    if not outcome.unresolved:
        return {}
    return {"unresolved": outcome.unresolved, "since": outcome.since}


def _numbers(outcome: Outcome) -> dict[str, Any]:
    return {
        "left": plain(outcome.left),
        "right": plain(outcome.right),
        "gap": plain(outcome.gap),
        "relative_gap": plain(outcome.relative_gap),
        "tightness": plain(outcome.tightness),
    }
