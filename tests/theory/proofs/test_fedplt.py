"""The partial-training paper's proofs: what is proved, planted errors, and steps on numbers."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from each import each
from fedplt_oracle import COUNTS, ETA, FREE, MASKS, SCALE, W_0, plain

from fedbounds.theory.checker.data import Premise, Scope, Statement, Theory
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.fedplt.proofs.book import book
from fedbounds.theory.fedplt.proofs.scopes import ROUND, SCOPES, STEP, UNBIASED_STEP
from fedbounds.theory.fedplt.setups import run_of
from fedbounds.theory.fedplt.symbols import A_22, V_W, F_att, F_bar, Gamma, Lambda, psi_max
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import encoded_claims
from fedbounds.theory.language.setups import Setup
from fedbounds.theory.language.symbols import L, eta, sigma2, t, tau
from fedbounds.theory.proof.language import Written, cited
from fedbounds.theory.proof.library import replayed
from fedbounds.theory.proof.replay import Local, Replayed, certified
from fedbounds.theory.proof.text import text
from fedbounds.verify.setups.found import view_of
from fedbounds.verify.setups.steps import Judged, least_on

UNBIASED = SCOPES[UNBIASED_STEP]


def steps() -> tuple[Replayed, ...]:
    return replayed("fedplt")


@cache
def by_name() -> dict[tuple[str, str], Replayed]:
    return {(step.written.id, step.written.source): step for step in steps()}


def step_of(name: str, source: str = "paper") -> Written:
    return by_name()[name, source].written


@cache
def earlier(name: str) -> dict[str, Statement]:
    """The statements written before a step."""
    found: dict[str, Statement] = {}
    for step in steps():
        if step.written.id == name:
            return found
        found[step.written.id] = step.written.statement
    raise KeyError(name)


def proves(step: Written, theory: Theory | None = None) -> bool:
    try:
        certified(theory or book().theory, step, earlier(step.id))
    except Refused:
        return False
    return True


# ---- what is proved

# displays that no certificate is claimed for: everything else is provable
FAILING = {
    "update-identity:SGD", "update-identity:FGD", "alignment-interpretation:better, both negative",
    "alignment-interpretation:worse, both negative", "A3-zero:round",
    "A1-term:b, dependent clients", "A2.2-part1:d", "A2.2-part2:a", "A2.2-part2: rho",
    "A2.2-part2: rho, one client", "A2.2-part3:as printed", "A2.2-part3:c_k", "A2-grouped",
    "A2.4-gap:F_k^* on the left", "A2.4:free", "global-is-average:W", "global-is-average:direction",
    "global-is-average:round", "local-divergence:c", "local-divergence: c, summed",
    "local-divergence:virtual", "recursion: simplified notation", "decaying-step-induction",
    "decaying-step: at t = 1", "decaying-step: at t = 0, any C", "decaying-step:any C",
    "A1-term:d, round", "A1-term:e, round", "A2.1:d, round", "alignment-identity:sign",
    "alignment-identity:sign, any mask", "constant-step:unrolled, any step",
    "decaying-step-reduced:algorithm", "A2.2-part2:d, free psi", "nu:sign, free psi",
    "recursion:round, free psi",
}  # fmt: skip


def test_every_other_step_has_a_certificate() -> None:
    failing = {s.written.id for s in steps() if s.local not in (Local.PROVED, Local.GIVEN)}
    assert failing <= FAILING
    assert {s.written.id for s in steps()} >= FAILING


def test_our_corrections_rest_on_nothing_unproved() -> None:
    ours = [s for s in steps() if "corrected" in s.written.id]
    assert len(ours) >= 12
    assert all(s.written.source == "ours" and s.inherited for s in ours)


def test_what_rests_on_a_failing_step_says_so() -> None:
    (recursion,) = (s for s in steps() if s.written.id == "recursion:round")
    assert recursion.local is Local.PROVED
    assert "recursion: simplified notation" in recursion.missing
    assert {"local-divergence: c, summed", "global-is-average:direction"} <= set(recursion.missing)
    (rate,) = (s for s in steps() if s.written.id == "decaying-step:C of the base case")
    assert rate.missing == ("decaying-step-induction",)


def test_first_readings_rest_on_the_recursion_as_it_was_shown() -> None:
    """Of the algorithm: what supposes the recursion is a reading of its own."""
    for claim in ("constant-step", "decaying-step-reduced", "decaying-step-base", "decaying-step"):
        first = claim_of(f"fedplt/{claim}").readings[0]
        own = [
            s for s in steps() if s.written.claim == f"fedplt/{claim}"
            and s.written.reading == first.name
        ]  # fmt: skip
        assert not any("asm recursion" in name for s in own for name in rests_on(s.written))
        failed = {name for s in own for name in s.failed}
        assert {"recursion: simplified notation", "A2.2-part2:a"} <= failed, claim


def rests_on(step: Written) -> set[str]:
    """Ids of all steps that a step rests on, directly or not."""
    found: set[str] = set()
    waiting = list(cited(step))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [x for s in steps() if s.written.id == name for x in cited(s.written)]
    return found


def test_every_part_of_every_claim_is_a_step() -> None:
    written = {(s.written.claim, s.written.part) for s in steps() if s.written.reading}
    parts = {(c.id, part.name) for c in encoded_claims("fedplt") for part in c.parts}
    assert parts <= written
    assert len(parts) >= 60


# ---- planted errors


def with_right(step: Written, right: Any) -> Written:
    return replace(step, statement=replace(step.statement, right=text(right)))


def without(step: Written, *names: str) -> Written:
    """A step that does not cite these."""

    def cites(use: Any) -> bool:
        return (use.name if isinstance(use, Premise) else use) in names

    assert any(cites(use) for use in step.uses)
    return replace(step, uses=tuple(use for use in step.uses if not cites(use)))


def unassuming(step: Written, word: str) -> Written:
    left = tuple(a for a in step.statement.assumptions if word not in a)
    assert len(left) < len(step.statement.assumptions)
    return replace(step, statement=replace(step.statement, assumptions=left))


def unconditional(step: Written, number: int) -> Written:
    kept = tuple(c for i, c in enumerate(step.statement.conditions) if i != number)
    return replace(step, statement=replace(step.statement, conditions=kept))


def scoped(**changes: Any) -> Theory:
    theory = book().theory
    return replace(theory, scopes=theory.scopes | {UNBIASED_STEP: replace(UNBIASED, **changes)})


def planted() -> Iterator[Any]:
    norm = step_of("A2.1:d")
    yield "constant halved", with_right(norm, norm.right / 2), None
    gap = step_of("A2.4-gap:regrouped")
    yield "gap without F*", with_right(gap, gap.right - F_bar(t)), None
    relax = step_of("gamma-relax:sum")
    yield "turned", replace(relax, statement=replace(relax.statement, relation=">=")), None
    noise = step_of("A1-term:e")
    yield "independence dropped", without(noise, "A1-term:b"), None
    yield "masking dropped", without(noise, "A1-term:c"), None
    split = step_of("A2-expansion")
    yield "cross term forgotten", with_right(split, split.right - A_22(t)), None
    cross = step_of("A3-zero:A_3")
    late = ("past", "xi", "k")
    atoms = tuple((n, late if n == "pmg" else d) for n, d in UNBIASED.atoms)
    yield "gradients that see the samples", cross, scoped(atoms=atoms)
    centred = tuple(row for row in UNBIASED.centred if row[0] != "pmn")
    yield "noise with a mean", cross, scoped(centred=centred)
    yield (
        "alignment unsaid",
        unassuming(step_of("A2.2-part2/corrected", "ours"), "compensated"),
        None,
    )
    yield "smoothness unsaid", unassuming(step_of("A2.4-substituted"), "smooth"), None
    values = step_of("A2.4:equal")
    yield "attenuation unsaid", unassuming(values, "attenuation"), None
    for number in range(4):
        yield f"condition {number} dropped", unconditional(values, number), None
    yield "half the heterogeneity", with_right(values, values.right - L * eta**2 * Lambda), None
    yield "half the divergence", with_right(values, values.right - V_W(t) / 2), None
    local = step_of("local-divergence:b")
    yield "tau for its square", with_right(local, local.right / tau), None
    single = step_of("recursion:one local step/corrected", "ours")
    yield "more local steps", unassuming(single, "one local step"), None
    less = single.right - eta**2 * sigma2 * psi_max**2 * Gamma / 2
    yield "half the noise", with_right(single, less), None
    jensen = step_of("jensen-distance")
    yield "average unsaid", without(jensen, "global-is-average:direction"), None
    floor = step_of("constant-step:floor, given")
    yield "half the floor", with_right(floor, floor.right.subs(eta, eta / 2)), None
    rate = step_of("decaying-step/corrected", "ours")
    yield "any start", unconditional(rate, 0), None
    yield "no lower limit of C", replace(unconditional(rate, 1), chart=()), None
    part3 = step_of("A2.2-part3/corrected", "ours")
    yield "L for 2L", with_right(part3, part3.right.subs(F_att(t), F_att(t) / 2)), None


@each("name, step, theory", planted, lambda row: row[0])
def test_a_planted_error_is_refused(name: str, step: Written, theory: Theory | None) -> None:
    assert proves(next(s.written for s in steps() if s.written.id == step.id and s.certificate))
    assert not proves(step, theory)


# ---- on numbers: three clients, one of two coordinates each or both


@cache
def instance(n: int, scope: str) -> Judged:
    run = run_of(
        plain(n).hessian, plain(n).linear, MASKS[n], W_0, eta=ETA, noise=SCALE, weights=COUNTS[:n],
        tau=2 if (n, scope) == (2, ROUND) else 1,
        **({"models": FREE[:n], "common": 0} if scope == STEP else {}),
    )  # fmt: skip
    setup = Setup("fedplt", "one step" if scope == STEP else "rounds", run)
    view = view_of(setup)
    return Judged(setup, view)


def gap(step: Replayed, scope: str, n: int) -> float | None:
    """(right - left) / size on an instance; None where the step has what it does not."""
    return least_on(step.written, instance(n, scope))


@pytest.mark.parametrize(("scope", "least"), [(STEP, 30), (ROUND, 5)])
@pytest.mark.parametrize("n", [2, 3])
def test_what_is_given_or_proved_holds_on_numbers(scope: str, least: int, n: int) -> None:
    """Masks are not empty, so that alpha is 1; steps under conditions are left out."""
    known = [s for s in steps() if s.inherited and not s.written.conditions]
    shown = [s for s in known if s.written.scope in ("", scope)]
    assumed = ("alignment", "local steps", "one local step")
    shown = [s for s in shown if not any(w in str(s.written.statement) for w in assumed)]
    found = {s.written.id: gap(s, scope, n) for s in shown}
    held = {name: value for name, value in found.items() if value is not None}
    assert len(held) >= least
    assert {name: value for name, value in held.items() if value < -1e-13} == {}


def test_steps_that_fail_fail_on_numbers() -> None:
    """The average and the average's distance, the cross term of a round."""
    for name, scope in (
        ("global-is-average:W", STEP),
        ("A3-zero:round", ROUND),
        ("global-is-average:round", ROUND),
    ):
        value = gap(by_name()[name, "paper"], scope, 2)
        assert value is not None
        assert value < -1e-9


def test_a_wrong_definition_would_be_seen() -> None:
    step = by_name()[f"asm psi from below ({STEP})", "paper"]
    turned = replace(step, written=replace(step.written, relation="<="))
    value = gap(turned, STEP, 3)
    assert value is not None
    assert value < -1e-9


def test_scopes_name_only_declared_sources() -> None:
    for scope in book().theory.scopes.values():
        assert isinstance(scope, Scope)
        assert {s for _, depends in scope.atoms for s in depends} <= set(scope.sources)
