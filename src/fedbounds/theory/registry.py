"""Encoded claims by id; a paper's modules are imported when first asked for."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Kind

from .beside import PlannedBeside, Sides
from .catalogue import PAPERS, Entry, entry, paper
from .choices import PlannedChoice
from .claims import Claim
from .contenders import Contender
from .contributed import contributed
from .drawn import Drawn
from .glossary import Glossary
from .planted import Bound, WrongClaim, WrongProblem, WrongProof, WrongRule
from .setups import Alone, Displayed, Planned, PlannedLadder, Rungs, View
from .sought import Sought
from .worst_cases import WorstCases


@cache
def _module_claims(paper_key: str, module: str) -> dict[str, Any]:
    loaded = import_module(f"fedbounds.theory.{paper_key}.{module}")
    return {claim.entry.id: claim for claim in loaded.CLAIMS}


def encoded(found: Entry) -> Any:
    """The claim of a catalogue entry, of whatever kind; an error if it is not encoded yet."""
    if not found.module:
        if found.kind is Kind.DEFINITION:
            raise FedboundsError(f"{found.id} is a definition: not judged")
        raise FedboundsError(
            f"{found.id} is open: not encoded yet; `fedbounds list {found.paper}` "
            "shows which claims are"
        )
    other = contributed(found.paper)
    claims = _module_claims(found.paper, found.module) if other is None else other.claims
    return claims[found.id]


def claim(claim_id: str) -> Claim:
    """The claim of an id that has parts: formulas that runs or parameters can break.

    Raises
    ------
    FedboundsError
        If the claim is of another kind, or not encoded.
    """
    found = encoded(entry(claim_id))
    if not isinstance(found, Claim):
        raise FedboundsError(
            f"{claim_id} is {type(found).__name__}, without a formula for runs to break"
        )
    return found


def views(theory: str) -> Mapping[str, View]:
    """What is seen of the runs of a theory, by name; none if it has no ``views`` yet.

    Raises
    ------
    FedboundsError
        If it is neither a paper nor loaded: stored data never loads one.
    """
    other = contributed(theory)
    if other is not None:
        return other.views
    if theory not in PAPERS:
        raise FedboundsError(
            f"the theory {theory!r} is not loaded; name its file on the command line"
        )
    return _views(theory)


@cache
def _views(theory: str) -> Mapping[str, View]:
    if find_spec(f"fedbounds.theory.{paper(theory).key}.views") is None:
        return {}
    found: Mapping[str, View] = import_module(f"fedbounds.theory.{theory}.views").VIEWS
    if _there(theory, "examined"):
        found = {**found, **import_module(f"fedbounds.theory.{theory}.examined").VIEWS}
    return found


@cache
def rungs(theory: str) -> Mapping[str, Rungs]:
    """What is seen of ladders of a theory's runs, by name; none if its ``views`` have none."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.views") is None:
        return {}
    found: Mapping[str, Rungs] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.views"), "RUNGS", None)
    return found or {}


@cache
def sides(theory: str) -> Mapping[str, Sides]:
    """What is seen of a theory's set-ups side by side, by name; none if its ``views`` have none."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.views") is None:
        return {}
    found: Mapping[str, Sides] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.views"), "SIDES", None)
    return found or {}


def setups(theory: str) -> tuple[Planned, ...]:
    """The set-ups on which a theory's claims are judged; none if it has no ``setups`` yet."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.setups") is None:
        return ()
    found: tuple[Planned, ...] = import_module(f"fedbounds.theory.{theory}.setups").PLANNED
    return found


def drawn(theory: str) -> tuple[Drawn, ...]:
    """Set-ups and ladders of random numbers beside those; none if no module has ``DRAWN``."""
    names = (name for name in ("random_setups", "run_ladders") if _there(theory, name))
    every = (import_module(f"fedbounds.theory.{theory}.{name}") for name in names)
    return tuple(one for module in every for one in getattr(module, "DRAWN", ()))


def contenders() -> dict[str, Contender]:
    """Who contends, of all papers, by name."""
    papers = (name for name in PAPERS if _there(name, "contenders"))
    every = (import_module(f"fedbounds.theory.{name}.contenders") for name in papers)
    return {one.name: one for module in every for one in module.CONTENDERS}


def worst_cases(theory: str) -> WorstCases | None:
    """Of which runs of a paper the worst case is asked; None if it has no ``worst_cases``."""
    if contributed(theory) is not None or not _there(theory, "worst_cases"):
        return None
    found: WorstCases = import_module(f"fedbounds.theory.{theory}.worst_cases").WORST_CASES
    return found


@cache
def sought(theory: str) -> tuple[Sought, ...]:
    """Among which set-ups a theory's claims are searched; none if it has no ``sought``."""
    if contributed(theory) is not None or not _there(theory, "sought"):
        return ()
    found: tuple[Sought, ...] = import_module(f"fedbounds.theory.{theory}.sought").SOUGHT
    return found


def ladders(theory: str) -> tuple[PlannedLadder, ...]:
    """The ladders on which a theory's claims are judged; none if its ``setups`` have none."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.setups") is None:
        return ()
    found: tuple[PlannedLadder, ...] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.setups"), "LADDERS", None)
    return found or ()


def choices(theory: str) -> tuple[PlannedChoice, ...]:
    """The choices of parameters on which claims are judged; none if its ``setups`` have none."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.setups") is None:
        return ()
    found: tuple[PlannedChoice, ...] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.setups"), "CHOICES", None)
    return found or ()


def besides(theory: str) -> tuple[PlannedBeside, ...]:
    """The set-ups side by side on which claims are judged; none if its ``setups`` have none."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.setups") is None:
        return ()
    found: tuple[PlannedBeside, ...] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.setups"), "BESIDES", None)
    return found or ()


def displayed(theory: str) -> Mapping[str, Displayed]:
    """What is shown beside the claims of a theory, by claim; nothing if it has no ``ladders``."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.ladders") is None:
        return {}
    found: Mapping[str, Displayed] | None
    found = getattr(import_module(f"fedbounds.theory.{theory}.ladders"), "SHOWN", None)
    return found or {}


def planted(theory: str) -> tuple[WrongProof, ...]:
    """The errors that a theory plants in its proofs; none if it has no ``planted``."""
    if find_spec(f"fedbounds.theory.{paper(theory).key}.planted") is None:
        return ()
    found: tuple[WrongProof, ...] = import_module(f"fedbounds.theory.{theory}.planted").PLANTED
    return found


def planted_claims(theory: str) -> tuple[WrongClaim, ...]:
    """The errors that a theory plants in its claims; none if its ``planted`` has none."""
    found: tuple[WrongClaim, ...] = _planted(theory, "CLAIMS")
    return found


def planted_rules(theory: str) -> tuple[WrongRule, ...]:
    """The errors that a theory plants in algorithms; none if its ``planted`` has none."""
    found: tuple[WrongRule, ...] = _planted(theory, "RULES")
    return found


def planted_problems(theory: str) -> tuple[WrongProblem, ...]:
    """The errors that a theory plants in problems; none if its ``planted`` has none."""
    found: tuple[WrongProblem, ...] = _planted(theory, "PROBLEMS")
    return found


def planted_bounds(theory: str) -> tuple[Bound, ...]:
    """Bounds of a theory that errors of judgement are tried on; none if it names none."""
    found: tuple[Bound, ...] = _planted(theory, "BOUNDS")
    return found


def _planted(theory: str, name: str) -> tuple[Any, ...]:
    if not _there(theory, "planted"):
        return ()
    return getattr(import_module(f"fedbounds.theory.{theory}.planted"), name, None) or ()


def examined(theory: str) -> tuple[Planned | Alone, ...]:
    """On what assumptions and claims in words are examined; none if it has no ``examined``."""
    if contributed(theory) is not None or not _there(theory, "examined"):
        return ()
    found: tuple[Planned | Alone, ...]
    found = import_module(f"fedbounds.theory.{theory}.examined").EXAMINED
    return found


def _there(theory: str, module: str) -> bool:
    return find_spec(f"fedbounds.theory.{paper(theory).key}.{module}") is not None


def glossary(paper_key: str) -> Glossary:
    """The names that a paper's claims, or those of a contribution, speak of."""
    other = contributed(paper_key)
    if other is not None:
        return other.glossary
    found: Glossary = import_module(f"fedbounds.theory.{paper(paper_key).key}.glossary").GLOSSARY
    return found


def encoded_claims(paper_key: str) -> tuple[Claim, ...]:
    """Every claim of a paper that has parts, in sheet order."""
    every = (encoded(found) for found in paper(paper_key).entries if found.module)
    return tuple(found for found in every if isinstance(found, Claim))
