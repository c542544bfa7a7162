"""A claim and the steps of its proof as LaTeX that can be put into a document as it is."""

from collections.abc import Iterator
from typing import Any

from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.claims import Claim, Condition, Part, read
from fedbounds.theory.language.formula import means_in, to_latex
from fedbounds.theory.language.glossary import Glossary
from fedbounds.theory.language.registry import glossary
from fedbounds.theory.proof.averages import printed
from fedbounds.verify.page.steps import mark
from fedbounds.verify.page.words import described
from fedbounds.vocabulary import SIGNS, Kind

from .escape import latex_text

Record = dict[str, Any]

_PACKAGES = "% needs \\usepackage{amsmath,amssymb}"


def claim_latex(entry: Entry, claim: Any, summary: Record | None, proof: Record | None) -> str:
    """The statement in words, every reading's formulas, the standing and the proof.

    Parameters
    ----------
    entry : Entry
    claim : object or None
        The encoded claim; None if it is only listed.
    summary, proof : dict or None
        Its line and its proof in a results document, if there are any.
    """
    title = latex_text(f"{entry.place} ({entry.id}; {entry.kind}, {entry.source}).")
    lines = [_PACKAGES, rf"\paragraph{{{title}}} {latex_text(entry.statement)}"]
    if isinstance(claim, Claim):
        names = glossary(entry.paper)
        for reading in claim.readings:
            lines += ["", rf"\medskip\noindent Reading: {latex_text(reading.name)}."]
            for part in read(claim, reading):
                lines += _part(part, entry.paper, names)
    elif claim is not None:
        lines += _items(latex_text(line) for line in described(claim))
    if entry.kind is not Kind.DEFINITION:
        word = "not judged yet" if summary is None else summary["standing"]
        lines += ["", rf"\medskip\noindent Standing: {latex_text(word)}."]
    return "\n".join(lines) + "\n" + ("" if proof is None else steps_latex(proof))


def steps_latex(proof: Record) -> str:
    """The steps of a proof, a display each, with what it uses and whether it holds."""
    word = "taken as given" if proof["status"] is None else proof["status"]
    lines = ["", rf"\medskip\noindent Proof: {latex_text(word)}."]
    lines += _items(_step(step) for step in proof["steps"])
    return "\n".join(lines) + "\n"


def _items(texts: Iterator[str]) -> list[str]:
    """A list; none where there is nothing to list, as LaTeX refuses an empty one."""
    found = [rf"\item {text}" for text in texts]
    return [r"\begin{itemize}", *found, r"\end{itemize}"] if found else []


def _part(part: Part, paper: str, names: Glossary) -> list[str]:
    sign = SIGNS[part.relation.value]
    tag = rf" \tag*{{({latex_text(part.name)})}}" if part.name else ""
    left, right = (to_latex(side, names) for side in printed(part, paper))
    display = _display(left, sign, right, tag)
    said = [latex_text(str(part.index.value))]
    if part.assumptions:
        said.append("assuming " + latex_text(", ".join(part.assumptions)))
    if part.conditions:
        said.append("if " + ", ".join(_condition(one, names) for one in part.conditions))
    means = means_in((left, right), names)
    if means:
        said.append(latex_text(means))
    return [display, rf"\noindent {'; '.join(said)}."]


def _condition(condition: Condition, names: Glossary) -> str:
    left, right = to_latex(condition.left, names), to_latex(condition.right, names)
    return f"${left} {SIGNS[condition.relation]} {right}$"


def _display(left: str, sign: str, right: str, tag: str = "") -> str:
    return f"\\begin{{equation*}}\n{left} {sign} {right}{tag}\n\\end{{equation*}}"


def _step(step: Record) -> str:
    said = [f"{step['id']}{': ' + step['place'] if step['place'] else ''} [{mark(step)}]"]
    if step["conditions"]:
        said.append("if " + "; ".join(step["conditions"]))
    uses = [use["name"] for use in step["by"] if use["kind"] != "square"]
    if uses:
        said.append("by " + "; ".join(uses))
    if step["missing"]:
        said.append("rests on " + ", ".join(step["missing"]) + ", not proved")
    words = latex_text("; ".join(said))
    return f"{{{words}}}\n{_display(step['left'], SIGNS[step['relation']], step['right'])}"
