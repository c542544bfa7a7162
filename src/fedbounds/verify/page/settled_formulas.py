"""What the page prints of claims without runs: comparisons, equivalences and experiments."""

from functools import singledispatch
from typing import Any

from markupsafe import Markup, escape

from fedbounds.theory.language.equivalences import ANALYSIS, Equivalence
from fedbounds.theory.language.orders import ComparisonClaim
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.language.setting import Experiment

from .formulas import NO_FORMULAS, ClaimView, PartView, condition, latex, part_view
from .mathml import element


@singledispatch
def settled_view(claim: Any) -> ClaimView:
    """Formulas and words of such a claim; none for an assumption, which its text states."""
    return NO_FORMULAS


@settled_view.register
def _comparison(claim: ComparisonClaim) -> ClaimView:
    names = glossary(claim.entry.paper)
    parts = tuple(
        PartView(
            name=pair.name,
            index=f"as orders of magnitude; {claim.left_out} are left out",
            relation="",
            formula=Markup(
                f"{element(latex(pair.ours, names))} <span>{escape(claim.said)}</span> "
                f"{element(latex(pair.theirs, names))}"
            ),
            conditions=(),
            assumptions=(),
            trivial=None,
        )
        for pair in claim.pairs
    )
    return ClaimView({claim.readings[0].name: parts})


@settled_view.register
def _equivalence(claim: Equivalence) -> ClaimView:
    names = glossary(claim.entry.paper)
    views: dict[str, tuple[PartView, ...]] = {reading.name: () for reading in claim.readings}
    for pair in claim.pairs:
        view = PartView(
            name=pair.name,
            index="the same iterates on equal draws of participants and noise",
            relation="",
            formula=Markup("{} is {}: {}").format(
                escape(pair.general.name), escape(pair.special.name), escape(pair.restriction)
            ),
            conditions=tuple((str(c), condition(c, names)) for c in pair.conditions),
            assumptions=(),
            trivial=None,
        )
        views[pair.reading] += (view,)
    if claim.analysis is not None:
        views[ANALYSIS] += (part_view(claim.analysis, claim.entry.paper),)
    return ClaimView(views)


@settled_view.register
def _experiment(claim: Experiment) -> ClaimView:
    return ClaimView({}, stated=claim.stated)
