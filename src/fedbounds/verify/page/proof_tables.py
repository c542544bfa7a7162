"""What the terminal shows of replayed proofs: findings first, then what is open, then counts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import entry
from fedbounds.vocabulary import ProofStatus

from . import steps
from .expressions import latex_of
from .listing import console
from .numbers import count, listed
from .plain import plain
from .summary import short_id

Record = dict[str, Any]
_SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "<": "<", ">": ">"}


def print_proofs(proofs: Mapping[str, Record], paths: Sequence[str], seconds: float) -> None:
    """Steps that fail, with what survives; open steps; complete proofs in a line; counts.

    Parameters
    ----------
    proofs : mapping
        As ``proofs`` of the results document.
    paths : sequence of str
        Lines that say where files are.
    """
    out = console()
    claims = steps.claims_of(proofs)
    found = [key for key, row in claims.items() if steps.failing(row)]
    for claim_id in sorted(found, key=lambda key: not steps.fails(claims[key])):
        _print_findings(out, claim_id, claims[claim_id], proofs)
    if any("[" in v for step in steps.every_step(proofs) for _, v in steps.values(step)):
        _say(out, f"in these numbers {steps.SIGNS}\n")
    _print_open(out, claims)
    _print_resting(out, claims)
    for word in steps.COMPLETE:
        names = [_counted(key, row, proofs) for key, row in claims.items() if row["status"] == word]
        if names:
            _say(out, f"{count(len(names), 'claim')} {word}: {', '.join(names)}")
    _print_footer(out, proofs, seconds)
    for path in paths:
        out.print(path)


def _counted(claim_id: str, row: Record, proofs: Mapping[str, Record]) -> str:
    """A claim, with the number of its suppositions, and of those measured nowhere."""
    found = steps.supposed(claim_id, row, proofs)
    return short_id(claim_id) + (f" ({found.words})" if found.names else "")


def print_chain(paper: str, row: Record) -> None:
    """Every step of a claim, or of a paper those that are taken as given, in order."""
    out = console()
    if row["status"] is None:
        _say(out, f"taken as given: {count(len(row['steps']), 'statement')}", style="bold")
    else:
        meaning = steps.MEANING[ProofStatus(row["status"])]
        _say(out, f"proof: {row['status']} ({meaning})", style="bold")
    for step in row["steps"]:
        _print_step(out, paper, step, row)
    if row.get("givens"):
        _say(out, f"  taken as given: {', '.join(row['givens'])}")
    if told := steps.accepted_by(row["steps"]):
        _say(out, f"  {told}")
    missing = steps.missing_parts(row) if row["status"] else []
    if missing:
        _say(out, f"  no step for {', '.join(missing)}")
    out.print()


def _say(out: Console, text: str, style: str = "") -> None:
    out.print(Text(text, style=style), soft_wrap=True)


def _statement(step: Record) -> str:
    return f"{plain(step['left'])} {_SIGNS[step['relation']]} {plain(step['right'])}"


def _named(step: Record, row: Record) -> str:
    """Id and place of a step; its reading and whose it is, where that is not plain."""
    reading = steps.alternative(row, step)
    notes = [step["place"]] if step["place"] else []
    notes += [f"in an alternative reading: {reading}"] if reading else []
    notes += ["ours"] if step["source"] == steps.OURS else []
    return f"{step['id']} ({'; '.join(notes)})" if notes else str(step["id"])


def _print_findings(out: Console, claim_id: str, row: Record, proofs: Mapping[str, Record]) -> None:
    note = "" if steps.fails(row) else ", but a step of an alternative reading fails"
    _say(out, f"{claim_id}{_told_by(claim_id)}: {row['status']}{note}", style="bold")
    for step in steps.failing(row):
        _say(out, f"  {_named(step, row)}: {step['local']}")
        _say(out, f"    {_statement(step)}")
        if step["numbers"]:
            numbers = ", ".join(f"{name} = {value}" for name, value in steps.values(step))
            left, right = steps.sides(step)
            told = f" (left {left}, right {right})" if left else ""
            _say(out, f"    numbers that satisfy all that it cites, and break it{told}: {numbers}")
        if step["reason"]:
            _say(out, f"    why: {steps.reason(step)}")
        if seen := steps.evaluated(step):
            _say(out, f"    evaluated: {seen}")
        if step["witness"]:
            _say(out, f"    script: {step['witness']}")
        _say(out, f"    what survives: {_survivors(claim_id, step, proofs)}")
    out.print()


def _told_by(claim_id: str) -> str:
    """Place and source of a claim: how far the text is the authors' own."""
    try:
        found = entry(claim_id)
    except FedboundsError:
        return ""
    return f" - {found.place} [{found.kind}, {found.source}]"


def _survivors(claim_id: str, step: Record, proofs: Mapping[str, Record]) -> str:
    found = []
    for one in steps.survivors(claim_id, step, proofs):
        text = one.words + (f" ({one.claim})" if one.claim else "")
        found.append(text if one.step is None else f"{text}: {_statement(one.step)}")
    return "; ".join(found) or "nothing is proved in its place"


def _print_open(out: Console, claims: Mapping[str, Record]) -> None:
    lines = []
    for claim_id, row in claims.items():
        own = steps.unsettled(row["steps"])
        lines += [f"  {_named(s, row)}: {steps.reason(s)}" for s in own]
        missing = steps.missing_parts(row)
        lines += [f"  {short_id(claim_id)}: no step for {', '.join(missing)}"] if missing else []
    if lines:
        _say(out, "open: neither a proof nor numbers against it", style="bold")
        for line in lines:
            _say(out, line)
        out.print()


def _print_resting(out: Console, claims: Mapping[str, Record]) -> None:
    """Claims whose own steps are proved, but not all that they rest on."""
    lines = []
    for claim_id, row in claims.items():
        own = row["steps"]
        named = [*steps.failing(row), *steps.unsettled(own), *steps.missing_parts(row)]
        if row["status"] not in steps.COMPLETE and not named:
            rests = dict.fromkeys(name for step in own for name in step["missing"])
            lines.append(f"  {short_id(claim_id)}: {row['status']}; rests on {', '.join(rests)}")
    if lines:
        _say(out, "own steps proved, but not what they rest on", style="bold")
        for line in lines:
            _say(out, line)
        out.print()


def _print_footer(out: Console, proofs: Mapping[str, Record], seconds: float) -> None:
    found = steps.counts(proofs)
    resting = f" ({found.resting} of these from steps that are not)" if found.resting else ""
    told = listed(steps.by_local(found.steps)) if found.steps else "none"
    also = f"; {words}" if (words := steps.elsewhere(found)) else ""
    _say(
        out,
        f"\n{count(sum(found.claims.values()), 'proof')}, "
        f"{count(found.steps.total(), 'step')}: {told}{resting}{also}; "
        f"{count(found.certificates, 'certificate')}, "
        f"{count(found.given - found.supposed, 'definition')}, {count(found.supposed, 'given')}"
        + (f" ({found.unmeasured} measured nowhere)" if found.unmeasured else ""),
    )
    _say(
        out,
        f"{count(found.evaluated, 'step')} evaluated on running algorithms, {found.instances} "
        f"times in all ({seconds:.1f} s)",
    )


def _print_step(out: Console, paper: str, step: Record, row: Record) -> None:
    _say(out, f"  [{steps.mark(step)}] {_named(step, row)}")
    _say(out, f"      {_statement(step)}")
    if step["conditions"]:
        _say(out, f"      if {'; '.join(step['conditions'])}")
    if step["by"]:
        word = "by" if step["local"] == steps.PROVED else "from"
        _say(out, f"      {word} {'; '.join(_uses(paper, step['by']))}")
    if step["missing"]:
        _say(out, f"      rests on {', '.join(step['missing'])}, not proved")
    if step["reason"]:
        _say(out, f"      why not proved: {steps.reason(step)}")


def _uses(paper: str, found: Iterable[Record]) -> list[str]:
    """Steps and facts by name; of squares only their number, as a certificate holds them."""
    uses = list(found)
    names = [_used(paper, use) for use in uses if use["kind"] != "square"]
    squares = sum(1 for use in uses if use["kind"] == "square")
    return [*names, count(squares, "square")] if squares else names


def _used(paper: str, use: Record) -> str:
    if use["kind"] == "fact":
        latex = latex_of(use["name"], paper)
        return str(use["name"]) if latex is None else plain(latex)
    if use["kind"] == "hypothesis":
        return "the induction hypothesis"
    return str(use["name"])
