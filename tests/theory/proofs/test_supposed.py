"""What the papers' proofs suppose: no vector and no given statement without a word of its own.

A derived vector is one by definition, for the reason that is told here, or its scope says what it
needs; so does the scope of every noise that vanishes on average. A given statement has an
assumption, or is a definition, or needs none for the reason told.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fedbounds.facts import Fact
from fedbounds.theory.checker.check import check
from fedbounds.theory.checker.data import Certificate, Need, Scope, Statement, Step
from fedbounds.theory.checker.errors import Refused
from fedbounds.theory.checker.needs import needs_of
from fedbounds.theory.fedplt import assumed as fedplt
from fedbounds.theory.language.claims import Condition
from fedbounds.theory.language.registry import claim
from fedbounds.theory.language.symbols import B, K, t
from fedbounds.theory.proof.language import Book
from fedbounds.theory.proof.library import book_of, replayed
from fedbounds.theory.proof.replay import Local
from fedbounds.theory.proof.text import need
from fedbounds.theory.proof.vectors import sq, vectors
from fedbounds.theory.submodel import assumed as submodel

PAPERS = ("personalization", "fedplt", "submodel")
SAMPLED = "the steps that the algorithm takes"
MEAN = "a mean, by definition"
SUM = "a sum, a difference or a multiple, by definition"

# names, or names with their scope where another scope's vector of that name needs something
DEFINED = {
    "personalization": {
        SAMPLED: (
            "u1", "v1", "up", "vp", "al1", "be1", "last_u", "last_v", "dv (memory of Scaffold-P)",
            *(f"{d} (iterates of {name})" for d in ("du", "dv") for name in
              ("FedAvg-P", "Scaffold-P")),
        ),
        "the increment as the paper states it": ("fu", "fv"),
        MEAN: ("di", "ci", "c", "d", "gu"),
        "where the algorithm begins": (
            "uh (first local step)", "vh (first local step)", "al (first round of Scaffold-P)",
            "be (first round of Scaffold-P)",
        ),
    },
    "fedplt": {
        SAMPLED: (
            "D", "Db", "Wn", "W1",
            *(f"Wk ({name})" for name in
              ("a round", "a round, unbiased noise", "a client's round")),
        ),
        SUM: ("Ub", "mUb", "aUb", "delta", "mdelta", "adelta", "smdelta", "sadelta"),
    },
    "submodel": {
        SAMPLED: ("y (a masked round)", "w_next", "my_next", "cy_next"),
        MEAN: ("pr", "size_i", "Hz"),
        SUM: (
            "Um", "wf", "g_mask", "m_off", "m_diag", "m_slope", "full (a point, quadratics)",
            "full_opt", "y (a round and its virtual iterates)",
        ),
    },
}  # fmt: skip

NORMS = "the triangle inequality and projections, of any vectors"
ENTRIES = "entries of a mask are 0 or 1"
CAUCHY = "sums of any vectors: Cauchy-Schwarz, the mean of k^2"
NAMES = "what a number or a quantity stands for"
LARGEST = "a supremum is at least what it is of"
MINIMAL = "a minimiser of a differentiable function over a convex set"
SIGN = "a sign that follows from assumptions, and is only declared"
NUMBERS = "an inequality between numbers, under its condition"

UNASSUMED = {
    "personalization": {
        "a second definition of a sum": ("sum lags",),
    },
    "fedplt": {
        "entries of psi lie between its least and its largest, and are at least 1": (
            "psi", "psi of the mean gradient", "psi of the mean noise", "psi from below",
            "psi at least 1",
        ),
        ENTRIES: (
            "projection", "masking", "masking of gradients", "masking of noise",
            "masking of noise, shares squared",
        ),
        "shares lie between 0 and 1, and F_k is at least F_k*": ("shares", "shares of gaps"),
        NAMES: (
            "norm_g", "norm_x", "cos_g", "cos_m", "weighted distance",
            "recursion with equality", "Gamma_2",
        ),
        SIGN: ("of F_glob",),
        "a point that we choose": ("W for 5", "W for 6"),
    },
    "submodel": {
        "a quantity by another name, a mean of numbers": (
            "G_m", "rho_bar",
        ),
        "a value at the start": ("start of coupled runs",),
        SIGN: ("of D_br", "of Hz_x", "of L_Fp"),
        "by induction over the steps of 'a local step'": (
            "kept entries", "last iterates", "other entries",
        ),
        ENTRIES: (
            "entries of m o v", "entries of m o r", "entries of m o u", "moved", "moved, v",
            "moved, r", "complement", "still", "separate entries", "masked twice",
        ),
        "the least and the largest coverage of a coordinate": (
            "least coverage, v", "least coverage, r", "largest coverage, v", "largest coverage, r",
        ),
        MINIMAL: (
            "w*(p) against w*(p')", "w*(p') against w*(p)", "w*(p) against w*",
            "w* against w*(p)", "optimality",
        ),
        NAMES: ("p_dist", "p_dist_2", "one", "Phi", "Z_ex at 0", "Z_ex at t", "Z_ex at t + 1",
                "Z_ex at T", "L_Fp", "squares"),
        LARGEST: ("nu2", "B2", "B_M2", "Definition 2", "Definition 3", "G_pair", "largest"),
        CAUCHY: ("sum of drifts", "sum of starts", "own steps"),
        NUMBERS: ("log_T", "no spread", "inv_R", "ln_R", "ln2_R2", "above", "below"),
        NORMS: ("projection", "server", "equal points have equal projections",
                "summation by parts"),
        "the algorithm draws: masks by client, indices by step, a permutation by epoch": (
            "masks at x", "masks at x*", "sample drawn", "every permutation",
        ),
    },
}  # fmt: skip


def told(table: dict[str, tuple[str, ...]]) -> list[str]:
    return [name for names in table.values() for name in names]


def directly(scope: Scope) -> dict[str, list[Need]]:
    """What a scope says of its vectors, apart from what they are derived from."""
    found: dict[str, list[Need]] = {}
    for need_ in scope.needs:
        for name in need_.vectors:
            found.setdefault(name, []).append(need_)
    return found


@pytest.mark.parametrize("paper", PAPERS)
def test_every_derived_vector_is_one_by_definition_or_brings_its_needs(paper: str) -> None:
    reasons, seen, silent = told(DEFINED[paper]), set(), []
    for where, scope in book_of(paper).theory.scopes.items():
        for name, _ in scope.derived:
            said = {name, f"{name} ({where})"} & set(reasons)
            seen |= said
            if not said and name not in directly(scope):
                silent.append(f"{name} ({where})")
    assert silent == []
    assert sorted(seen) == sorted(reasons)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_vanishing_mean_is_an_assumption(paper: str) -> None:
    scopes = book_of(paper).theory.scopes.values()
    centred = [(scope, name) for scope in scopes for name, _ in scope.centred]
    assert centred
    for scope, name in centred:
        assert any(need_.assumptions for need_ in directly(scope)[name])


@pytest.mark.parametrize("paper", PAPERS)
def test_needs_speak_of_vectors_that_there_are(paper: str) -> None:
    own = {"fedplt": vars(fedplt), "submodel": vars(submodel)}.get(paper, {})
    words = {*Fact, *(word for name, word in own.items() if name.isupper())}
    for scope in book_of(paper).theory.scopes.values():
        vectors = {name for name, _ in (*scope.atoms, *scope.derived)}
        for need_ in scope.needs:
            assert set(need_.vectors) <= vectors
            assert set(need_.assumptions) <= words
            assert need_.assumptions or need_.conditions


@pytest.mark.parametrize("paper", PAPERS)
def test_a_given_without_assumption_is_a_definition_or_says_why_it_needs_none(paper: str) -> None:
    reasons = told(UNASSUMED[paper])
    found = [
        one.written.id.removesuffix(f" ({one.written.scope})").partition(" ")[2]
        for one in replayed(paper)
        if one.supposed and not one.written.statement.assumptions
    ]
    assert sorted(set(found) - set(reasons)) == []
    assert sorted(set(reasons) - set(found)) == []


# ---- what is left out is refused


def stripped() -> Iterator[tuple[str, Step, str]]:
    """Every proved step whose own vectors need assumptions, without one of these."""
    for paper in PAPERS:
        theory = book_of(paper).theory
        for one in replayed(paper):
            if one.local is not Local.PROVED:
                continue
            for _, need_ in needs_of(theory, one.step):
                for word in need_.assumptions:
                    kept = tuple(a for a in one.written.statement.assumptions if a != word)
                    yield paper, replace(one.step, statement=with_(one.step, kept)), word


def with_(step: Step, assumptions: tuple[str, ...]) -> Statement:
    return replace(step.statement, assumptions=assumptions)


def test_no_step_is_proved_without_what_its_vectors_need() -> None:
    tried = 0
    for paper, step, word in stripped():
        tried += 1
        with pytest.raises(Refused, match=re.escape(word)):
            check(book_of(paper).theory, step, {})
    assert tried >= 60


def again(paper: str, name: str, dropped: str, conditions: bool = False) -> None:
    """Check a step's own certificate once more, without one of its premises."""
    steps = replayed(paper)
    (one,) = (s for s in steps if s.written.id == name and s.local is Local.PROVED)
    statement, earlier = one.written.statement, {s.written.id: s.written.statement for s in steps}
    check(book_of(paper).theory, one.step, earlier)
    if conditions:
        less = tuple(c for c in statement.conditions if " ".join(c) != dropped)
        assert len(less) < len(statement.conditions)
        statement = replace(statement, conditions=less)
    else:
        assert dropped in statement.assumptions
        statement = with_(one.step, tuple(a for a in statement.assumptions if a != dropped))
    check(book_of(paper).theory, replace(one.step, statement=statement), earlier)


MASKS = "claim-variance:masks, vanishes/corrected"
NEEDED = (
    *(
        ("submodel", MASKS, word)
        for word in (
            Fact.QUADRATIC, submodel.KEPT, submodel.BERNOULLI, submodel.EQUAL_KEEP,
        )
    ),
    ("submodel", "stat-random:c", Fact.QUADRATIC),
    ("submodel", "stat-random:c", submodel.BERNOULLI),
    ("submodel", "stat-random:a, squares", submodel.EQUAL_KEEP),
    ("submodel", "lem-mask-gap:d", submodel.KEPT),
    ("submodel", "lem-2-quad:closed form", Fact.STRONGLY_CONVEX),
    ("submodel", "claim-stationary:equal p, w = 0/corrected", submodel.EQUAL_KEEP),
    ("submodel", "lem-4:i", Fact.NOISE),
    ("submodel", "lem-9:recursion", submodel.EPOCH_PROJECTION),
    ("submodel", "lem-11:convex", submodel.EPOCH_PROJECTION),
    ("submodel", "claim-recover:no mask variance", submodel.KEPT),
    ("submodel", "thm-6:a, sub-model", submodel.COVERAGE),
    ("submodel", "thm-5: b, after T rounds", submodel.INDEPENDENT_SAMPLES),
    ("fedplt", "A3-zero:A_3", Fact.NOISE),
    ("fedplt", "A2.2-part2:b", fedplt.ALIGNED),
    ("fedplt", "update-identity:FGD/corrected", Fact.NOISELESS),
    ("fedplt", "local-divergence:virtual/corrected", fedplt.VIRTUAL),
    ("personalization", "eq-A.2: line 3", Fact.NOISE),
    ("personalization", "eq-A.10/corrected", Fact.NOISE),
)  # fmt: skip


@pytest.mark.parametrize(("paper", "name", "word"), NEEDED)
def test_a_certificate_is_refused_without_an_assumption(paper: str, name: str, word: str) -> None:
    with pytest.raises(Refused, match=re.escape(str(word))):
        again(paper, name, str(word))


@pytest.mark.parametrize(
    ("paper", "name", "condition"),
    [
        ("submodel", "claim-rate:distance", "R_least >= 3"),
        ("submodel", "claim-rate:distance", "20*L*log_R <= R_least*mu*p_mean"),
        ("personalization", "eq-A.3: line 1", "gamma == eta_u*gamma_u"),
        ("personalization", "eq-A.10/corrected", "gamma == eta_v*gamma_v"),
        ("fedplt", "A2.4-gap: summed", "2*L*alpha_k**2*eta*psi_max**2 <= psi_min*rho_min"),
    ],
)
def test_a_certificate_is_refused_without_a_condition(
    paper: str, name: str, condition: str
) -> None:
    with pytest.raises(Refused, match=re.escape(condition)):
        again(paper, name, condition, conditions=True)


def test_the_printed_bound_on_the_mask_variance_is_not_certified() -> None:
    """The paper says nothing of quadratic clients, whose constant C_w is."""
    steps = replayed("submodel")
    (one,) = (s for s in steps if s.written.id == MASKS)
    printed = claim("submodel/claim-variance").part("masks, vanishes")
    words = tuple(map(str, printed.assumptions))
    assert Fact.QUADRATIC not in words
    earlier = {s.written.id: s.written.statement for s in steps}
    step = replace(one.step, statement=with_(one.step, words))
    with pytest.raises(Refused, match="quadratic clients"):
        check(book_of("submodel").theory, step, earlier)


# ---- a given statement is written with what its vectors need


def test_a_given_statement_carries_what_its_vectors_need() -> None:
    several = Condition(K, ">=", 2)
    scope = Scope(
        sources=("past",),
        atoms=(("x", ("past",)), ("free", ())),
        derived=(("y", "2*x"),),
        needs=(need(("x",), Fact.QUADRATIC), need(("free",), under=(several,))),
    )
    theory = replace(book_of("submodel").theory, scopes={"own": scope})
    book, (y, free) = Book("submodel", theory), vectors({"y": "y", "free": "z"})
    book.define("B", B(t), sq(y), "a definition", "own")
    book.suppose("smaller", sq(y), 1, "a fact", [Fact.SMOOTH], scope="own")
    book.suppose("one", sq(free), 1, "a fact", scope="own", conditions=[several])
    definition, smaller, one = book.steps
    assert definition.assumptions == (Fact.QUADRATIC,)
    assert smaller.statement.assumptions == ("smooth", "quadratic clients")
    assert (one.assumptions, one.statement.conditions) == ((), (("K", ">=", "2"),))
    for step in book.steps:
        certificate = Certificate("given", origin=step.origin, scope="own")
        check(theory, Step(step.id, step.statement, certificate), {})
    silent = Step("one", replace(one.statement, conditions=()), certificate)
    with pytest.raises(Refused, match="K >= 2"):
        check(theory, silent, {})
