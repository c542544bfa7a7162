"""A claim from what is given: its lemmas put together."""

from collections.abc import Collection, Mapping

from fedbounds.theory.checker.data import Theory

from .lemma import Lemma
from .setting import Setting, applied


def theorem_of(
    setting: Setting, claim: str, lemmas: Mapping[str, Lemma], given: Collection[str]
) -> Lemma | None:
    """The theorem of a claim; None where a step that it rests on is no lemma and not given.

    Signs, conditions that hold everywhere, facts and given statements are its hypotheses, by name.
    """
    order: list[str] = []
    if not _collect(claim, lemmas, given, order):
        return None
    own = [lemmas[one] for one in order if one in lemmas]
    about = own[0].about
    hypotheses: dict[str, str] = {}
    for lemma in own:
        about = about.union(lemma.about, setting.theory)
        hypotheses |= {n: text for n, text in lemma.hypotheses if not n.startswith("by_")}
    theory, proof = setting.theory, ["intros."]
    for one in order:
        name = f"by_{setting.names[one]}"
        if one in lemmas:
            proof.append(f"pose proof ({_use(lemmas[one], theory)}) as {name}.")
        else:
            hypotheses[name] = applied(setting, one, theory)
    proof.append(f"exact by_{setting.names[claim]}.")
    return Lemma(
        f"T_{setting.names[claim]}",
        claim,
        (),
        about,
        tuple(hypotheses.items()),
        applied(setting, claim, theory),
        tuple(proof),
    )


def _collect(
    step: str, lemmas: Mapping[str, Lemma], given: Collection[str], order: list[str]
) -> bool:
    """Append a step after all that it rests on; False where one of these is not known."""
    if step in order:
        return True
    if step not in lemmas:
        if step in given:
            order.append(step)
        return step in given
    if not all(_collect(one, lemmas, given, order) for one in lemmas[step].cites):
        return False
    order.append(step)
    return True


def _use(lemma: Lemma, theory: Theory) -> str:
    names = " ".join(name for name, _ in lemma.hypotheses)
    return f"{lemma.name} {lemma.about.arguments(theory)} {names}".strip()
