"""A long identity, quantity by quantity: its coefficients have names, and one equation each."""

from dataclasses import dataclass

from fedbounds.theory.checker.ratios import Ratio
from fedbounds.theory.checker.values import CONSTANT, Value

from .branch import Script


@dataclass(frozen=True)
class Used:
    """A premise: its place, the difference of its sides as text and value, and its multiplier."""

    place: int
    text: str
    times: Value
    value: Value
    equal: bool


@dataclass(frozen=True)
class Identity:
    """The difference of a statement's sides, and what it is made of."""

    text: str
    gap: Value
    used: tuple[Used, ...]
    rest: Value
    exact: bool


def by_keys(script: Script, found: Identity) -> None:
    """The lines after which nothing is left to be proved."""
    names: list[str] = []
    gap = _named(script, found.gap, "g", names)
    script.show(f"{found.text} = {_sum(script, gap)}", _multiplied(script, names), "G'")
    differences, times = [], []
    for one in found.used:
        own = _named(script, one.value, f"d{one.place}", names)
        what = f"{one.text} = {_sum(script, own)}"
        script.show(what, _multiplied(script, names), f"H'{one.place}")
        differences.append(own)
        signed = not (found.exact or one.equal)
        times.append(_one(script, one.times.plain(), f"t'{one.place}", names, signed))
    rest = _named(script, found.rest, "r", names, signed=True)
    keys = sorted({key for part in (gap, *differences, rest) for key in part})
    equations, parts = [], []
    for number, key in enumerate(keys):
        terms = [f"{t} * {d[key]}" for t, d in zip(times, differences, strict=True) if key in d]
        terms += [rest[key]] if key in rest else []
        left = f"({' + '.join(terms) or '0'} - {gap.get(key, '0')})"
        script.show(f"{left} = 0", _multiplied(script, names), f"J'{number}")
        equations.append(f"?J'{number}")
        parts.append(left if key == CONSTANT else f"{left} * {script.atoms[key]}")
    summands = [f"{t} * {one.text}" for t, one in zip(times, found.used, strict=True)]
    summands += [_sum(script, rest)] if rest else []
    script.say(f"apply {'eq_by' if found.exact else 'le_by'} with ({' + '.join(summands) or '0'}).")
    replaced = ", ".join(["G'", *(f"?H'{one.place}" for one in found.used)])
    whole = " + ".join([_sum(script, gap), *parts])
    script.say(f"{{ rewrite {replaced}. transitivity ({whole}).")
    script.say(f"  {{ rewrite {', '.join(equations)}; ring. }} ring. }}")
    proofs = [_proof(one, found.exact) for one in found.used]
    proofs += ["pos"] if rest else []
    joint = "sum_zero" if found.exact else "Rplus_le_le_0_compat"
    for proof in reversed(proofs[1:]):
        script.say(f"apply {joint}; [ | {proof}].")
    script.say(f"{proofs[0]}." if proofs else "lra.")


def _proof(one: Used, exact: bool) -> str:
    if exact:
        return f"apply times_eq; exact use_{one.place}"
    if one.equal:
        return f"apply times_eq_le; exact use_{one.place}"
    return f"apply times_le; [pos | exact use_{one.place}]"


def _named(
    script: Script, value: Value, prefix: str, names: list[str], signed: bool = False
) -> dict[str, str]:
    """A name for every coefficient of a value, by its quantity."""
    return {
        key: _one(script, value.terms[key], f"{prefix}'{number}", names, signed)
        for number, key in enumerate(sorted(value.terms))
    }


def _one(script: Script, ratio: Ratio, name: str, names: list[str], signed: bool) -> str:
    """A name for a quotient; a number is its own."""
    text = script.quotients().ratio(ratio)
    if ratio.above.is_constant() and ratio.below.is_constant():
        return text if text.startswith("(") else f"({text})"
    how = f"(named_nonneg {text} ltac:(pos))" if signed else f"(named {text})"
    known = f"[E'{name} P'{name}]" if signed else f"E'{name}"
    script.say(f"destruct {how} as [{name} {known}].")
    names.append(f"E'{name}")
    return name


def _sum(script: Script, value: dict[str, str]) -> str:
    rows = [c if k == CONSTANT else f"{c} * {script.atoms[k]}" for k, c in value.items()]
    return f"({' + '.join(rows)})" if rows else "0"


def _multiplied(script: Script, names: list[str]) -> str:
    """The tactic that puts quotients in place of their names, and compares."""
    back = f"rewrite {', '.join(f'<- ?{name}' for name in names)}; " if names else ""
    return f"{back}{script.rewrite()}same."
