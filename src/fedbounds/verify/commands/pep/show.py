"""What `fedbounds worst` prints, and the same as plain data."""

from collections.abc import Iterator
from typing import Any

from flint import arb

from fedbounds.vocabulary import Provenance

from ...setups.instance_file import to_data
from .formulate import ORIGIN_START
from .worst import Worst, conclusion

_READABLE = 24  # characters of an exact number
_SHOWN = ("n", "m", "K", "T", "gamma", "eta_u", "eta_v", "L", "F_0", "b^2", "B_0", "G_0")


def lines(found: Worst) -> Iterator[str]:
    """The interval, where its ends come from, and what follows."""
    asked = found.asked
    part = f", part {asked.part.name}" if asked.part.name else ""
    yield f"{asked.claim.id}{part}: {asked.part.left} <= {asked.part.right}"
    yield "  " + ", ".join(f"{name}={value}" for name, value in _named(found).items())
    yield f"  {_blocks(found)}; full gradients; mean over all sets of m participants"
    for name, value, provenance, how in _rows(found):
        yield f"  {name:<22} {value:<26} {provenance:<10} {how}"
    yield f"  {conclusion(found)}"
    if not found.tight:
        yield (
            "  the solver's problem may lie above the worst case: several clients' mean, or two "
            "blocks, are restrained at the visited points only"
        )
    if found.certificate is not None:
        yield f"  given: {'; '.join(_origins(found))}"


def as_data(found: Worst) -> dict[str, Any]:
    """Plain data: exact values as "p/q"."""
    asked = found.asked
    return {
        "claim": asked.claim.id,
        "reading": asked.reading.name,
        "part": asked.part.name,
        "parameters": _named(found),
        "blocks": _blocks(found),
        "interval": [
            {"end": name, "value": value, "provenance": provenance, "how": how}
            for name, value, provenance, how in _rows(found)
        ],
        "tight": found.tight,
        "conclusion": conclusion(found),
        "given": _origins(found),
        "instance": None if found.reached is None else to_data(found.reached.instance),
        "certificate": found.steps,
    }


def _rows(found: Worst) -> Iterator[tuple[str, str, str, str]]:
    reached, solved, certificate = found.reached, found.solved, found.certificate
    if reached is not None:
        how = f"{reached.instance.name}, {reached.evaluations} evaluations"
        yield "our families reach", _number(reached.left), Provenance.EXACT.value, how
    if solved is not None:
        how = f"PEPit, primal {solved.primal:.9g}, dual {solved.dual:.9g}" + (
            "" if solved.accurate else "; the solver calls it inaccurate"
        )
        yield "all functions, solver", f"{solved.dual:.9g}", Provenance.ESTIMATE.value, how
    else:
        how = "PEPit finds no finite value"
        yield "all functions, solver", "unbounded", Provenance.ESTIMATE.value, how
    if certificate is not None:
        accepted = (
            "accepted by the checker" if found.refused is None else f"refused: {found.refused}"
        )
        how = (
            f"{len(certificate.multipliers)} rational multipliers, "
            f"{len(certificate.squares)} squares; {accepted}"
        )
        provenance = Provenance.CERTIFIED if found.refused is None else Provenance.ESTIMATE
        yield "all functions, at most", _number(certificate.bound), provenance.value, how
    elif solved is not None:
        how = "no rounding of the multipliers is a proof; the estimate remains"
        yield "all functions, at most", "-", "-", how
    provenance = Provenance.CERTIFIED if isinstance(found.right, arb) else Provenance.EXACT
    yield "the claim's bound", _number(found.right), provenance.value, "right side at these numbers"


def _number(value: Any) -> str:
    """Exact where that is readable, else in nine digits."""
    if isinstance(value, arb):
        return value.str(9)
    text = str(value)
    return text if len(text) <= _READABLE // 2 else f"{int(value.p) / int(value.q):.9g}"


def _named(found: Worst) -> dict[str, str]:
    asked = found.asked
    used = {*("n", "m", "K", "T", "gamma", "eta_u", "eta_v"), *asked.setting.constants}
    return {name: str(asked.numbers[name]) for name in _SHOWN if name in used}


def _blocks(found: Worst) -> str:
    setting = found.asked.setting
    if setting.shared and setting.personal:
        return "both blocks"
    return "shared block only" if setting.shared else "personal block only"


def _origins(found: Worst) -> list[str]:
    if found.certificate is None:
        return []
    every = (found.problem.inequalities[at].origin for at, _ in found.certificate.multipliers)
    return sorted({origin for origin in every if origin != ORIGIN_START})
