"""What the records of a reading say of its two sides: where they are closest, where they are equal.

A record of the plan and one that a search found count alike: the tightest is the tightest of all.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from fedbounds.vocabulary import Method, Relation, Verdict

from ..decide.conditions import UNMEASURED

Record = dict[str, Any]

_EXAMINED = (Verdict.VIOLATED, Verdict.NOT_VIOLATED, Verdict.UNDECIDED)


def closeness(records: Sequence[Record]) -> Record:
    """Where both sides of a reading's inequalities are closest.

    Returns
    -------
    dict
        ``tightness``: largest left / right; ``power`` its inverse: a bound that many times
        smaller would have passed too. ``tightest``: the record that has it, or, where no part has
        one, the smallest relative gap; None for identities. ``idle``: cases left out of all this,
        equal at t = 0 by the initial value.
    """
    parts = list(_inequalities(records))
    ratios = [(row, part) for row, part in parts if part["tightness"] is not None]
    gaps = [(row, part) for row, part in parts if tells(part)]
    tightness = None
    if ratios:
        best = min(ratios, key=lambda pair: (-pair[1]["tightness"], *_simpler(pair[0])))
        tightness = best[1]["tightness"]
    elif gaps:
        best = min(gaps, key=lambda pair: (pair[1]["relative_gap"], *_simpler(pair[0])))
    return {
        "tightness": tightness,
        "power": _inverse(tightness) if tightness else None,
        "tightest": _told(*best) if ratios or gaps else None,
        "idle": sum(part["idle"] for _, part in parts),
    }


def is_examined(one: Record) -> bool:
    """Whether a record, or a part of one, was looked at; what no method measured was not."""
    return one["verdict"] in _EXAMINED and not is_unmeasured(one)


def is_unmeasured(one: Record) -> bool:
    """Whether a record, or a part of one, was planned, and no method measured it."""
    return bool(one["verdict"] == Verdict.UNDECIDED and one["reason"].startswith(UNMEASURED))


def tells(part: Record) -> bool:
    """Whether the relative gap of a part is that of a case which says something."""
    return part["relative_gap"] is not None and not 0 < part["idle"] == part["rounds"]


def equality(records: Sequence[Record]) -> Record:
    """Which inequalities are equalities on all that was examined.

    Returns
    -------
    dict
        ``equal_parts``: their names; both sides are equal in every case of every record, exactly
        in at least one, and to rounding in those in float64. ``equal_everywhere``: whether these
        are all inequalities of the reading.
    """
    found: dict[str, list[Record]] = {}
    for _, part in _inequalities(records):
        if is_examined(part):
            found.setdefault(part["part"], []).append(part)
    equal = sorted(name for name, own in found.items() if _is_equality(own))
    return {"equal_parts": equal, "equal_everywhere": bool(found) and len(equal) == len(found)}


def _is_equality(parts: Sequence[Record]) -> bool:
    """Float64 never decides on equality: a verdict of it is that of exact numbers."""
    decided = any(part["verdict"] == Verdict.NOT_VIOLATED for part in parts)
    return decided and all(0 < part["equal"] == part["rounds"] for part in parts)


def _inequalities(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    for row in records:
        for part in row["parts"]:
            if part["relation"] != Relation.EQUAL:
                yield row, part


def _simpler(row: Record) -> tuple[bool, str, str]:
    """Of two records as tight, the exact one is told; a key changes with the engine, a name not."""
    inexact = row["evidence"]["method"] != Method.RATIONAL
    return inexact, row["problem"]["instance"], row["key"]


def _told(row: Record, part: Record) -> Record:
    return {
        "key": row["key"],
        "part": part["part"],
        "round": part["round"],
        "tightness": part["tightness"],
        "relative_gap": part["relative_gap"],
        "instance": row["problem"]["instance"],
        "parameters": row["parameters"],
        "how": _how(row),
    }


def _how(row: Record) -> str:
    if "best" in row:
        return str(row["best"]["how"])
    return "small instances" if "instance" in row else "plan"


def _inverse(number: float) -> float | None:
    """None for one so small that a float has no inverse of it."""
    found = 1.0 / number
    return found if isfinite(found) else None
