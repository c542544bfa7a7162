"""Theories and steps as plain JSON data, and back."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from .data import (
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
from .errors import Refused
from .shapes import fits

Data = Mapping[str, Any]
VERSION = 2  # of the format; docs/certificates.md says what it is


def book_data(theory: Theory, rows: Iterable[Data]) -> dict[str, Any]:
    """A theory with its steps, each as of `step_data`, and a hash that shows a later edit."""
    plain = theory_data(theory)
    return {"version": VERSION, "hash": hash_of(plain), "theory": plain, "steps": list(rows)}


def hash_of(theory: Any) -> str:
    """The hash of a theory as plain data."""
    text = json.dumps(theory, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def theory_data(theory: Theory) -> dict[str, Any]:
    """A theory as plain data."""
    return {
        "symbols": dict(theory.symbols),
        "quantities": dict(theory.quantities),
        "per_client": sorted(theory.per_client),
        "per_step": sorted(theory.per_step),
        "scopes": {name: _plain(asdict(scope)) for name, scope in theory.scopes.items()},
        "always": _plain(theory.always),
        "absent": [_plain(asdict(block)) for block in theory.absent],
    }


def step_data(step: Step) -> dict[str, Any]:
    """A step with its certificate as plain data."""
    found: dict[str, Any] = _plain(asdict(step))
    return found


def theory_of(data: Data) -> Theory:
    """The inverse of `theory_data`."""
    found = Theory(
        symbols=dict(sorted(data["symbols"].items())),  # an order that no writer changes
        quantities=dict(data["quantities"]),
        per_client=frozenset(data["per_client"]),
        per_step=frozenset(data["per_step"]),
        scopes={name: _scope(scope) for name, scope in data["scopes"].items()},
        always=tuple(tuple(c) for c in data["always"]),
        absent=tuple(Absent(**_frozen(block)) for block in data.get("absent", ())),
    )
    if not fits(found, Theory):
        raise TypeError("a theory has text, signs and tuples of these where its fields say so")
    return found


def _scope(data: Data) -> Scope:
    plain = {name: value for name, value in data.items() if name != "needs"}
    needs = tuple(Need(**_frozen(need)) for need in data["needs"])
    return Scope(**_frozen(plain), needs=needs)


def step_of(data: Data) -> Step:
    """The inverse of `step_data`."""
    try:
        statement = Statement(**_frozen(data["statement"]))
        found = Step(data["id"], statement, _certificate(data["certificate"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise Refused(f"no step of a proof: {error}") from error
    if not fits(found, Step):
        raise Refused(f"no step of a proof: {data!r:.200}")
    return found


def _certificate(data: Data) -> Certificate:
    plain = {k: v for k, v in data.items() if k not in ("chart", "premises", "squares", "base")}
    return Certificate(
        chart=tuple(Assignment(**_frozen(a)) for a in data["chart"]),
        premises=tuple(Premise(**_frozen(p)) for p in data["premises"]),
        squares=tuple(Square(**_frozen(s)) for s in data["squares"]),
        base=None if data["base"] is None else _certificate(data["base"]),
        **plain,
    )


def _frozen(data: Data) -> dict[str, Any]:
    return {name: _tuples(value) for name, value in data.items()}


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, tuple | list) else value
