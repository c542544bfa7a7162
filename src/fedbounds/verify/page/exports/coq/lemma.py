"""A proved step as a lemma: its statement from those that it cites."""

from dataclasses import dataclass, replace

from fedbounds.theory.checker.data import (
    Certificate,
    Scope,
    Statement,
    Step,
    Theory,
)
from fedbounds.theory.checker.facts import fact_of
from fedbounds.theory.checker.needs import every_part
from fedbounds.theory.checker.text import words

from .errors import Withheld
from .proof import Proof, fact_name
from .scopes import inlined, supposed
from .setting import Setting, applied
from .statements import (
    Variables,
    always,
    declared,
    everywhere,
    named_in,
    of_vectors,
    own_variables,
    proposition,
    variables,
)

_ASSUMED = (
    "infimum",
    "initial_gap",
    "smooth",
    "variance",
    "dissimilarity",
)  # facts that are an assumption's content
_PROVED = ("root_grows", "power_grows", "largest", "least")


@dataclass(frozen=True)
class Lemma:
    """A step for Coq.

    Attributes
    ----------
    name, step : str
    cites : tuple of str
        Ids of the steps that it needs, in order.
    about : Variables
    hypotheses : list of pairs (name, text)
        Signs, conditions that hold everywhere, facts; then cited statements.
    conclusion : str
    proof : tuple of str
    """

    name: str
    step: str
    cites: tuple[str, ...]
    about: Variables
    hypotheses: tuple[tuple[str, str], ...]
    conclusion: str
    proof: tuple[str, ...]

    def text(self, theory: Theory) -> str:
        """As Coq reads it."""
        lines = [f"Lemma {self.name} : forall {self.about.binders(theory)},"]
        lines += [f"  forall ({name} : {what})," for name, what in self.hypotheses]
        lines += [f"  {self.conclusion}.", "Proof."]
        return "\n".join([*lines, *(f"  {line}" for line in self.proof), "Qed."]) + "\n"


def lemma_of(setting: Setting, step: Step, name: str) -> Lemma:
    """The lemma of a proved step.

    Raises
    ------
    Withheld
        With the reason, where it is not written.
    """
    theory, statement, certificate = setting.theory, step.statement, step.certificate
    cited = _cited(setting, certificate)
    about = own_variables(theory, statement)
    for one in cited.values():
        about = about.union(own_variables(theory, one), theory)
    about = about.union(_of_certificate(theory, certificate), theory)
    about = about.union(_needed(theory, about), theory)
    facts = _facts(theory, certificate)
    for fact in facts.values():
        about = about.union(own_variables(theory, fact), theory)
    held = always(theory, about)
    hypotheses = [
        *declared(theory, about),
        *of_vectors(theory, about),
        *((f"always_{place}", everywhere(theory, one)) for place, one in held),
        *((key, f"{proposition(theory, fact)}") for key, fact in facts.items()),
        *((f"by_{setting.names[one]}", applied(setting, one, theory)) for one in cited),
    ]
    writer = Proof(
        setting, statement, certificate, about, dict(held), tuple(cited), setting.names[step.id]
    )
    match certificate.rule:
        case "combine":
            proof = writer.combined()
        case "induction":
            proof = writer.induced()
        case rule:
            raise Withheld(f"the rule {rule}")
    return Lemma(
        name,
        step.id,
        tuple(cited),
        about,
        tuple(hypotheses),
        applied(setting, step.id, theory),
        tuple(proof),
    )


def _cited(setting: Setting, certificate: Certificate) -> dict[str, Statement]:
    found: dict[str, Statement] = {}
    for part in every_part(certificate):
        for premise in part.premises:
            if premise.kind == "step":
                found[premise.name] = setting.earlier[premise.name]
    return found


def _facts(theory: Theory, certificate: Certificate) -> dict[str, Statement]:
    """Facts that an assumption says; others are proved, or the step is withheld."""
    found: dict[str, Statement] = {}
    for part in every_part(certificate):
        for premise in part.premises:
            if premise.kind != "fact":
                continue
            if premise.name in _ASSUMED:
                scope = theory.scopes[part.scope] if part.scope else Scope()
                said = fact_of(scope, premise)
                named = bool(part.scope) and premise.name not in ("infimum", "initial_gap")
                found[fact_name(premise)] = replace(said, scope=part.scope if named else "")
            elif premise.name not in _PROVED:
                raise Withheld(f"the fact {premise.name}")
    return found


def _of_certificate(theory: Theory, certificate: Certificate) -> Variables:
    named: set[str] = set()
    scoped: list[tuple[str, str]] = []
    for part in every_part(certificate):
        if part.scope:
            named |= {"T", "K", "n"}
            vectors = [inlined(theory, part.scope, one.vector) for one in part.squares]
            scoped += [(part.scope, one) for one in named_in(theory, part.scope, vectors)]
            named |= words(*vectors, *(text for one in part.squares for text in one.times))
        for one in part.chart:
            named |= {one.name} | words(*(text for text in (one.bound, one.of) if text))
        for premise in part.premises:
            named |= words(*premise.times, *premise.arguments)
            if premise.over:
                named |= {"T"} if premise.over == "t" else {"n", "K"}
            named |= words(*(text for _, text in premise.at)) - {"t", "k"}
    return variables(theory, {name.rstrip("_") for name in named}, (), scoped)


def _needed(theory: Theory, about: Variables) -> Variables:
    """What the vectors of a lemma suppose."""
    needs = [one for scope, name in about.scoped for one in supposed(theory, scope, name)]
    named = words(*(side for need in needs for c in need.conditions for side in c[::2]))
    return variables(theory, named, {a for need in needs for a in need.assumptions})
