"""Names of quantities at rounds and steps: "E_ik(t-1,k)"; shifting them and summing over them."""

import re

from .errors import Refused
from .ratios import Ratio
from .values import CONSTANT, Value

Affine = dict[str, int]  # index variable to coefficient, "" to the constant
_APPLIED = re.compile(r"^(\w+)\((.*)\)$")


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
    """The inverse of `affine_text`."""
    found: Affine = {}
    for sign, factor, name in re.findall(r"([+-]?)(\d*)([A-Za-z_]\w*)?", text):
        if factor or name:
            value = int(f"{sign}{factor or 1}")
            found[name] = found.get(name, 0) + value
    return found


def applied(name: str, arguments: list[Affine]) -> str:
    """The key of a quantity."""
    return f"{name}({','.join(affine_text(a) for a in arguments)})"


def parts(key: str) -> tuple[str, list[str]] | None:
    """Name and arguments of a quantity's key; None for constants, products and sums."""
    found = _APPLIED.match(key)
    if found is None or key.startswith("<") or "(" in found[2]:
        return None
    return found[1], found[2].split(",")


def over_rounds(value: Value, first: int, horizon: Value) -> Value:
    """Sum over t from ``first`` (0 or 1) to T - 1; ``horizon`` is T."""
    ring = value.ring
    total = Value(ring, {})
    for key, ratio in value.terms.items():
        if _depends(ratio, "t"):
            raise Refused("a coefficient depends on the round that is summed over")
        weight = Value.of(ratio)
        found = parts(key)
        at = None if found is None else affine_of(found[1][0])
        if at is None or "t" not in at:
            if key.startswith("<"):
                raise Refused("a product of vectors cannot be summed over rounds")
            count = horizon - Value.of(ring.number(first))
            total = total + (weight * count) * _named(value, key)
            continue
        assert found is not None
        shift = at.get("", 0)
        if at["t"] != 1 or set(at) - {"t", ""} or len(found[1]) != 1:
            raise Refused(f"{key} cannot be summed over rounds")
        name = found[0]
        total = total + weight * Value.quantity(ring, f"Sum_t({name}(t))")
        total = total + weight * _boundary(value, name, first + shift, shift)
    return total


def _depends(ratio: Ratio, index: str) -> bool:
    """Whether an index occurs, by itself or in a power's exponent."""
    word = re.compile(rf"\b{index}\b")
    return any(word.search(name) and ratio.has(name) for name in ratio.ring.names)


def _boundary(value: Value, name: str, start: int, shift: int) -> Value:
    """Sum of q(t) over t from start to T - 1 + shift, less that from 0 to T - 1."""
    ring = value.ring
    found = Value(ring, {})
    for t in range(start):
        found = found - Value.quantity(ring, f"{name}({t})")
    for extra in range(shift):
        found = found + Value.quantity(ring, applied(name, [{"T": 1, "": extra}]))
    for missing in range(1, -shift + 1):
        found = found - Value.quantity(ring, applied(name, [{"T": 1, "": -missing}]))
    if start < 0:
        raise Refused(f"{name} before round 0")
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
        if _depends(ratio, "k"):
            raise Refused("a coefficient depends on the step that is summed over")
        weight, found = Value.of(ratio), parts(key)
        name = None if found is None else found[0]
        if key.startswith("<"):
            raise Refused("a product of vectors cannot be summed over clients")
        if name in per_step:
            assert found is not None
            if steps is None or found[1][-1] != "k":
                raise Refused(f"{key} cannot be summed over clients and steps")
            total = total + weight * Value.quantity(ring, f"Sum_ik({key})")
        elif name in per_client:
            own = weight * Value.quantity(ring, f"Sum_i({key})")
            total = total + (own if steps is None else own * steps)
        else:
            total = total + weight * each * _named(value, key)
    return total


def _named(value: Value, key: str) -> Value:
    one = value.ring.number(1)
    return Value.of(one) if key == CONSTANT else Value(value.ring, {key: one})
