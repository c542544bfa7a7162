"""What one instance says about a claim that needs no plan of runs."""

from dataclasses import dataclass, field
from typing import Any

from fedbounds.vocabulary import Method, Relation, Verdict

Record = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """What one instance says about one part of one reading.

    Attributes
    ----------
    reading, part, instance : str
    verdict : Verdict
    reason : str
    family : str
        What was looked at.
    method : Method
    premise : str
        What makes the verdict firm.
    parameters, extra : dict
        Plain JSON values.
    relation : Relation
        Of the two sides, where it has any.
    script : str
        A standalone program that shows a violation; empty if there is none.
    """

    reading: str
    part: str
    instance: str
    verdict: Verdict
    reason: str
    family: str
    method: Method
    premise: str
    parameters: Record = field(default_factory=dict)
    extra: Record = field(default_factory=dict)
    relation: Relation = Relation.AT_MOST
    script: str = ""
