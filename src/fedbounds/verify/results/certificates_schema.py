"""The published schema of certificates: ``python -m fedbounds.verify.results.certificates_schema``.

It is made of the dataclasses that the checker reads, and of its closed lists; what a document
means is said in ``docs/certificates.md``.
"""

import json
from collections.abc import Iterable
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from fedbounds.theory.checker.data import (
    Absent,
    Assignment,
    Certificate,
    Need,
    Premise,
    Scope,
    Square,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.files import VERSION
from fedbounds.theory.checker.names import SIGNS

Schema = dict[str, Any]
ASSIGNMENTS = ("above", "below", "equal", "integer", "root", "scaled", "solve", "split")
OVER = ("", "t", "i", "ik")
PREMISES = ("step", "fact", "condition", "hypothesis")
RELATIONS = ("<=", ">=", "==")
RULES = ("given", "combine", "induction", "unroll", "root")
VARIABLES = ("power", "sqrt", "Max", "Min")
_CLOSED: dict[tuple[type, str], Schema] = {
    (Assignment, "kind"): {"enum": list(ASSIGNMENTS)},
    (Certificate, "rule"): {"enum": list(RULES)},
    (Premise, "kind"): {"enum": list(PREMISES)},
    (Premise, "over"): {"enum": list(OVER)},
    (Statement, "first"): {"enum": [0, 1]},
    (Statement, "relation"): {"enum": list(RELATIONS)},
    (Theory, "symbols"): {"type": "object", "additionalProperties": {"enum": list(SIGNS)}},
}
_TEXT: Schema = {"type": "string"}
_TERM = r"-?[0-9]+(/[0-9]+)?(\*[A-Za-z_][A-Za-z0-9_]*(\*\*[0-9]+)?)*"
_POLYNOMIAL: Schema = {"type": "string", "pattern": rf"^{_TERM}( \+ {_TERM})*$"}
_FACTOR = r"_d[0-9]+(\*\*[0-9]+)?"
_DENOMINATOR: Schema = {"type": "string", "pattern": rf"^{_FACTOR}(\*{_FACTOR})*$"}


def schema() -> Schema:
    """A JSON Schema of ``proofs.json``, and of a file that ``fedbounds certificates`` writes."""
    classes = (Absent, Assignment, Certificate, Need, Premise, Scope, Square, Statement, Theory)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Certificates of fedbounds, version {VERSION}",
        "description": "A book of proofs per paper, or per file of a user.",
        "type": "object",
        "additionalProperties": _ref("Book"),
        "$defs": {
            "Book": _object(
                {
                    "version": {"const": VERSION},
                    "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                    "theory": _ref("Theory"),
                    "steps": _list(_ref("Step")),
                }
            ),
            "Step": _step(),
            **{one.__name__: _fields(one) for one in classes},
            **_expanded(),
        },
    }


def published() -> str:
    """The schema as text."""
    return json.dumps(schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _step() -> Schema:
    fields = {name: _of(Step, name, hint) for name, hint in get_type_hints(Step).items()}
    fields["certificate"] = {"anyOf": [fields["certificate"], {"type": "null"}]}
    fields |= {"claim": _TEXT, "expanded": _ref("Expanded")}
    return _object(fields, optional=("expanded",))


def _expanded() -> dict[str, Schema]:
    """What is multiplied out: per branch of a combination, an unrolling, a root, an induction."""
    value = {"type": "object", "additionalProperties": _ref("Quotient")}
    rows, quotient = _list(_ref("Branch")), _ref("Quotient")
    kind = {"enum": list(VARIABLES)}
    degree = {"type": "integer", "minimum": 2}
    used = _object({"times": value, "difference": value})
    whole = {
        "factors": _list(_POLYNOMIAL),
        "variables": _list(
            _object({"is": kind, "of": _list(quotient), "positive": {"type": "boolean"}})
        ),
        "roots": _list(_object({"of": quotient, "degree": degree, "root": quotient})),
        "parameters": value,
        "remainder": value,
    }
    combined = {
        "gap": value,
        "premises": _list({"anyOf": [used, {"type": "null"}]}),
        "squares": _list(_object({"times": value, "square": value})),
        "under": value,
    }
    unrolled = dict.fromkeys(("factor", "added", "bound", "claimed"), value)
    size = {"minItems": 2, "maxItems": 2}
    pair = {"type": "array", "prefixItems": [_POLYNOMIAL, _DENOMINATOR]} | size
    return {
        "Quotient": {"anyOf": [_POLYNOMIAL, pair]},
        "Branch": {
            "anyOf": [
                _object(whole | combined, optional=("under",)),
                _object(whole | unrolled),
            ]
        },
        "Expanded": {
            "anyOf": [
                _object({"branches": rows}),
                _object({"base": rows, "next": rows}),
                _object({}),
            ]
        },
    }


def _fields(one: type) -> Schema:
    return _object({name: _of(one, name, hint) for name, hint in get_type_hints(one).items()})


def _of(one: type, name: str, hint: Any) -> Schema:
    return _CLOSED.get((one, name)) or _shape(hint)


def _shape(hint: Any) -> Schema:
    inside = get_args(hint)
    match get_origin(hint):
        case origin if origin is tuple and inside[-1] is not Ellipsis:
            size = {"minItems": len(inside), "maxItems": len(inside)}
            return {"type": "array", "prefixItems": list(map(_shape, inside))} | size
        case origin if origin in (tuple, frozenset):
            return _list(_shape(inside[0]))
        case origin if origin is dict:
            return {"type": "object", "additionalProperties": _shape(inside[1])}
        case origin if origin is UnionType:
            return {"anyOf": list(map(_shape, inside))}
    if isinstance(hint, type) and is_dataclass(hint):
        return _ref(hint.__name__)
    kinds = {str: "string", int: "integer", bool: "boolean", type(None): "null"}
    return {"type": kinds[hint]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(each: Schema) -> Schema:
    return {"type": "array", "items": each}


def _object(fields: dict[str, Schema], optional: Iterable[str] = ()) -> Schema:
    required = sorted(fields.keys() - set(optional))
    kind = {"type": "object", "additionalProperties": False}
    return kind | {"properties": fields, "required": required}


if __name__ == "__main__":
    print(published(), end="")
