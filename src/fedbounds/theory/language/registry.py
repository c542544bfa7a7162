"""Encoded claims by id; a paper's modules are imported when first asked for."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fedbounds.errors import FedboundsError
from fedbounds.vocabulary import Kind

from .beside import PlannedBeside, Sides
from .catalogue import PAPERS, Entry, entry, keys, package_of, paper
from .choices import PlannedChoice
from .claims import Claim
from .contenders import Contender
from .contests import Displayed
from .contributed import contributed, declared
from .drawn import Drawn
from .glossary import Glossary
from .neighbours import COMMON, Neighbours
from .planted import Bound, WrongClaim, WrongProblem, WrongProof, WrongRule
from .setups import Alone, Planned, PlannedLadder, Rungs, View
from .sought import Sought
from .starts import Event, PlannedStarts
from .worst_cases import WorstCases


@cache  # what a package has does not change
def _module(package: str, name: str) -> Any:
    """A module of a paper's folder; None if there is none."""
    path = f"{package}.{name}"
    return import_module(path) if package and find_spec(path) is not None else None


def _named(theory: str, module: str, name: str) -> Any:
    """What a module of a theory has under a name; an empty tuple if there is no such thing."""
    return getattr(_module(package_of(theory), module), name, None) or ()


@cache
def _module_claims(package: str, module: str) -> dict[str, Any]:
    loaded = import_module(f"{package}.{module}")
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
    other = declared(found.paper)
    if other is not None:
        return other.claims[found.id]
    return _module_claims(package_of(found.paper), found.module)[found.id]


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
    if other is None and theory not in PAPERS:
        raise FedboundsError(
            f"the theory {theory!r} is not loaded; name its file on the command line"
        )
    return _views(package_of(theory)) if other is None or other.package else other.views


@cache
def _views(package: str) -> Mapping[str, View]:
    found: dict[str, View] = {}
    for module in (_module(package, name) for name in ("views", "examined")):
        if module is not None and not hasattr(module, "VIEWS"):
            raise FedboundsError(f"{module.__file__} has no VIEWS; expected a dict of views")
        found |= {} if module is None else module.VIEWS
    return found


def rungs(theory: str) -> Mapping[str, Rungs]:
    """What is seen of ladders of a theory's runs, by name; none if its ``views`` have none."""
    return dict(_named(theory, "views", "RUNGS"))


def sides(theory: str) -> Mapping[str, Sides]:
    """What is seen of a theory's set-ups side by side, by name; none if its ``views`` have none."""
    return dict(_named(theory, "views", "SIDES"))


def setups(theory: str) -> tuple[Planned, ...]:
    """The set-ups on which a theory's claims are judged; none if it has no ``setups`` yet."""
    return tuple(_named(theory, "setups", "PLANNED"))


def drawn(theory: str) -> tuple[Drawn, ...]:
    """Set-ups and ladders of random numbers beside those; none if no module has ``DRAWN``."""
    modules = ("random_setups", "run_ladders")
    return tuple(one for module in modules for one in _named(theory, module, "DRAWN"))


def contenders() -> dict[str, Contender]:
    """Who contends, of all theories, by name."""
    every = (one for theory in keys() for one in _named(theory, "contenders", "CONTENDERS"))
    return {one.name: one for one in every}


def worst_cases(theory: str) -> WorstCases | None:
    """Of which runs of a theory the worst case is asked; None if it has no ``worst_cases``."""
    found: WorstCases | None = _named(theory, "worst_cases", "WORST_CASES") or None
    return found


def sought(theory: str) -> tuple[Sought, ...]:
    """Among which set-ups a theory's claims are searched; none if it has no ``sought``."""
    own = declared(theory)
    if own is not None:
        return own.sought() if own.sought is not None else ()
    return tuple(_named(theory, "sought", "SOUGHT"))


def ladders(theory: str) -> tuple[PlannedLadder, ...]:
    """The ladders on which a theory's claims are judged; none if its ``setups`` have none."""
    return tuple(_named(theory, "setups", "LADDERS"))


def choices(theory: str) -> tuple[PlannedChoice, ...]:
    """The choices of parameters on which claims are judged; none if its ``setups`` have none."""
    return tuple(_named(theory, "setups", "CHOICES"))


def events(theory: str) -> Mapping[str, Event]:
    """What is said of a theory's random starts, by name; none if its ``views`` have none."""
    return dict(_named(theory, "views", "EVENTS"))


def starts(theory: str) -> tuple[PlannedStarts, ...]:
    """The random starts on which claims are judged; none if its ``setups`` have none."""
    return tuple(_named(theory, "setups", "STARTS"))


def besides(theory: str) -> tuple[PlannedBeside, ...]:
    """The set-ups side by side on which claims are judged; none if its ``setups`` have none."""
    return tuple(_named(theory, "setups", "BESIDES"))


def displayed(theory: str) -> Mapping[str, Displayed]:
    """What is shown beside the claims of a theory, by claim; nothing if it has no ``ladders``."""
    return dict(_named(theory, "ladders", "SHOWN"))


def planted(theory: str) -> tuple[WrongProof, ...]:
    """The errors that a theory plants in its proofs; none if it has no ``planted``."""
    return tuple(_named(theory, "planted", "PLANTED"))


def planted_claims(theory: str) -> tuple[WrongClaim, ...]:
    """The errors that a theory plants in its claims; none if its ``planted`` has none."""
    return tuple(_named(theory, "planted", "CLAIMS"))


def planted_rules(theory: str) -> tuple[WrongRule, ...]:
    """The errors that a theory plants in algorithms; none if its ``planted`` has none."""
    return tuple(_named(theory, "planted", "RULES"))


def planted_problems(theory: str) -> tuple[WrongProblem, ...]:
    """The errors that a theory plants in problems; none if its ``planted`` has none."""
    return tuple(_named(theory, "planted", "PROBLEMS"))


def planted_bounds(theory: str) -> tuple[Bound, ...]:
    """Bounds of a theory that errors of judgement are tried on; none if it names none."""
    return tuple(_named(theory, "planted", "BOUNDS"))


def neighbours(theory: str) -> Neighbours:
    """The names that are taken for one another, those of all theories first."""
    return (*COMMON, *_named(theory, "neighbours", "NEIGHBOURS"))


def examined(theory: str) -> tuple[Planned | Alone, ...]:
    """On what assumptions and claims in words are examined; none if it has no ``examined``."""
    return tuple(_named(theory, "examined", "EXAMINED"))


def glossary(paper_key: str) -> Glossary:
    """The names that a paper's claims, or those of a contribution, speak of."""
    other = declared(paper_key)
    if other is not None:
        return other.glossary
    found: Glossary = import_module(f"{package_of(paper_key)}.glossary").GLOSSARY
    return found


def encoded_claims(paper_key: str) -> tuple[Claim, ...]:
    """Every claim of a paper that has parts, in sheet order."""
    every = (encoded(found) for found in paper(paper_key).entries if found.module)
    return tuple(found for found in every if isinstance(found, Claim))
