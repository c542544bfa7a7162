"""Names of quantities at rounds and steps: "E_ik(t-1,k)"; shifting them and summing over them."""

import re

from .errors import Refused
from .values import CONSTANT, Value

Affine = dict[str, int]  # index variable to coefficient, "" to the constant
_APPLIED = re.compile(r"^(\w+)\((.*)\)$")
_NUMBER = r"\d{1,4}"  # a shift by more is counted round by round, and stands nowhere
_TERM = rf"(?:({_NUMBER})\*?)?([A-Za-z_]\w*)|({_NUMBER})"
_SIGNED_TERM = re.compile(rf"([+-]?)(?:{_TERM})")
_AFFINE = re.compile(rf"[+-]?(?:{_TERM})(?:[+-](?:{_TERM}))*")
_BOUND = {"Sum_t": "t", "Sum_i": "", "Sum_ik": "k"}


def affine_text(affine: Affine) -> str:
    """Such as "t-1", "0", "T"."""
    text = ""
    for name in sorted(affine):
        factor = affine[name]
        if name and factor:
            text += f"{'+' if factor > 0 else '-'}{'' if abs(factor) == 1 else abs(factor)}{name}"
    constant = affine.get("", 0)
    if constant or not text:
        text += f"{constant:+d}"
    return text.removeprefix("+")


def affine_of(text: str) -> Affine:
    """The inverse of `affine_text`; spaces around signs are allowed, and 2*t for 2t."""
    compact = re.sub(r"\s*([+-])\s*", r"\1", text.strip())
    if not _AFFINE.fullmatch(compact):
        raise Refused(f"{text!r} is no round or step")
    found: Affine = {}
    for sign, factor, name, constant in _SIGNED_TERM.findall(compact):
        found[name] = found.get(name, 0) + int(f"{sign}{factor or constant or 1}")
    return {name: factor for name, factor in found.items() if factor}


def applied(name: str, arguments: list[Affine]) -> str:
    """The key of a quantity."""
    return f"{name}({','.join(affine_text(a) for a in arguments)})"


def parts(key: str) -> tuple[str, list[str]] | None:
    """Name and arguments of a quantity's key; None for constants, products and sums."""
    found = _APPLIED.match(key)
    if found is None or key.startswith("<") or "(" in found[2]:
        return None
    return found[1], found[2].split(",")


def of_vectors(key: str) -> bool:
    """Whether a key speaks of the vectors of a scope: a product, or a value of the objective."""
    return key.startswith(("<", "value "))


def mentions(key: str, index: str) -> bool:
    """Whether a quantity, or a sum of one, depends on an index variable."""
    inner = key
    while parts(inner) is None and inner != CONSTANT:
        prefix, _, rest = inner.partition("(")
        if prefix not in _BOUND:
            raise Refused(f"{key} cannot be summed")
        if _BOUND[prefix] == index:
            return False
        inner = rest.removesuffix(")")
    found = parts(inner)
    return found is not None and any(index in affine_of(a) for a in found[1] if a)


def over_rounds(value: Value, first: int, horizon: Value) -> Value:
    """Sum over t from ``first`` (0 or 1) to T - 1; ``horizon`` is T, and at T = 1 it has t = 0."""
    ring = value.ring
    single = (horizon - Value.of(ring.number(1))).plain().is_zero()
    total = Value(ring, {})
    if first not in (0, 1):
        raise Refused(f"a sum over rounds from {first}")
    for key, ratio in value.terms.items():
        if "t" in ring.names and ratio.has("t"):
            raise Refused("a coefficient depends on the round that is summed over")
        if of_vectors(key):
            raise Refused("a product of vectors cannot be summed over rounds")
        weight = Value.of(ratio)
        if not mentions(key, "t"):
            count = horizon - Value.of(ring.number(first))
            total = total + (weight * count) * _named(value, key)
            continue
        found = parts(key)
        if found is None or len(found[1]) != 1:
            raise Refused(f"{key} cannot be summed over rounds")
        name, at = found[0], affine_of(found[1][0])
        shift = at.get("", 0)
        if at["t"] != 1 or set(at) - {"t", ""}:
            raise Refused(f"{key} cannot be summed over rounds")
        every = f"{name}(0)" if single else f"Sum_t({name}(t))"
        total = total + weight * Value.quantity(ring, every)
        total = total + weight * _boundary(value, name, first + shift, shift)
    return total


def _boundary(value: Value, name: str, start: int, shift: int) -> Value:
    """Sum of q(t) over t from start to T - 1 + shift, less that from 0 to T - 1."""
    ring = value.ring
    found = Value(ring, {})
    if start < 0:
        raise Refused(f"{name} before round 0")
    for t in range(start):
        found = found - Value.quantity(ring, f"{name}({t})")
    for extra in range(shift):
        found = found + Value.quantity(ring, applied(name, [{"T": 1, "": extra}]))
    for missing in range(1, -shift + 1):
        found = found - Value.quantity(ring, applied(name, [{"T": 1, "": -missing}]))
    return found


def over_clients(
    value: Value,
    per_client: frozenset[str],
    per_step: frozenset[str],
    clients: Value,
    steps: Value | None,
) -> Value:
    """Sum over clients; and over local steps too, if ``steps`` is given."""
    ring = value.ring
    total = Value(ring, {})
    each = clients if steps is None else clients * steps
    for key, ratio in value.terms.items():
        if "k" in ring.names and ratio.has("k"):
            raise Refused("a coefficient depends on the step that is summed over")
        if of_vectors(key):
            raise Refused("a product of vectors cannot be summed over clients")
        weight, found = Value.of(ratio), parts(key)
        name = None if found is None else found[0]
        if name in per_step:
            assert found is not None
            *before, last = found[1]
            if steps is None or last != "k" or any("k" in affine_of(a) for a in before):
                raise Refused(f"{key} cannot be summed over clients and steps")
            total = total + weight * Value.quantity(ring, f"Sum_ik({key})")
        elif mentions(key, "k") and steps is not None:
            raise Refused(f"{key} cannot be summed over clients and steps")
        elif name in per_client:
            own = weight * Value.quantity(ring, f"Sum_i({key})")
            total = total + (own if steps is None else own * steps)
        elif key.startswith("Sum_t(") and _inside(key) in per_client | per_step:
            raise Refused(f"{key} cannot be summed over clients")
        else:
            total = total + weight * each * _named(value, key)
    return total


def _inside(key: str) -> str:
    """The name of the quantity in a sum over rounds."""
    return key.removeprefix("Sum_t(").partition("(")[0]


def _named(value: Value, key: str) -> Value:
    one = value.ring.number(1)
    return Value.of(one) if key == CONSTANT else Value(value.ring, {key: one})
