"""Search for a counterexample from the command line, and replay one."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fedbounds.border import anything, fit, load
from fedbounds.errors import FedboundsError
from fedbounds.theory.language.catalogue import Entry
from fedbounds.theory.language.catalogue import entry as entry_of
from fedbounds.theory.language.claims import Claim, Reading
from fedbounds.theory.language.equivalences import Equivalence
from fedbounds.theory.language.registry import claim as claim_of
from fedbounds.theory.language.registry import encoded
from fedbounds.theory.proof.library import has_book
from fedbounds.vocabulary import Verdict

from ..decide.judgement import Judgement
from ..decide.measurement import measure
from ..judge.judge import judge_reading
from ..judge.proofs import Proofs, asked
from ..measure.evaluate import Numbers
from ..results.files import write_text
from ..search.leads import Lead, leads_of
from ..search.planned import judged, planned_cases, tightest_cases
from ..search.small import small_spaces
from ..search.tightest import BUDGET, Best, parameters, rank, tightest_parts
from ..search.witness import RESTARTS, Witness, find_witness, premises
from ..setups.instance_file import from_data, to_data
from ..setups.pairs import difference_again
from ..setups.stored_fields import Known, Text


@dataclass(frozen=True)
class Searched:
    """What a search found of a reading.

    Attributes
    ----------
    reading : Reading
    planned : int
        Instances of the plan that were looked at.
    witness : Witness or None
        The smallest exact violation.
    tightest : tuple of Best
        Of every inequality; the tightest part first.
    """

    reading: Reading
    planned: int
    witness: Witness | None
    tightest: tuple[Best, ...]


def searched(claim: Claim, examples: int, budget: int) -> Iterator[Searched]:
    """The smallest exact violation of each reading, and the tightest instances found.

    Parameters
    ----------
    examples : int
        Small instances tried for a violation.
    budget : int
        Evaluations in each search for the tightest instance.
    """
    cases = planned_cases(claim)
    searches = RESTARTS if cases else 1  # also where nothing that is planned is broken
    for reading, planned in zip(claim.readings, judged(claim, cases).values(), strict=True):
        suspects = [
            case
            for case, one in zip(cases, planned, strict=True)
            if one.verdict is Verdict.VIOLATED
        ]
        witness = find_witness(claim, reading, suspects, examples, budget, searches)
        tightest = _tightest(claim, reading, budget, planned)
        yield Searched(reading, len(cases), witness, tightest)


def search(entry: Entry, examples: int, budget: int = BUDGET, save: Path | None = None) -> None:
    """Print what is `searched`.

    Parameters
    ----------
    save : Path or None
        Where the tightest instance of the first reading is kept, to be replayed.
    """
    claim = claim_of(entry.id)
    for one in searched(claim, examples, budget):
        click.echo(f"{claim.id}, reading: {one.reading.name}")
        if one.witness is None:
            small = small_spaces(claim, one.reading)
            tried = [f"{one.planned} planned"] if one.planned or not small else []
            tried += [f"{examples} small exact"] if small else []
            click.echo(f"  no violation among {' and '.join(tried)} instances")
        else:
            _print(one.witness.judgement, measure(one.witness.judgement.instance).numbers)
            click.echo(one.witness.script or f"  no script: {one.witness.no_script}")
        for best in one.tightest:
            _print_best(best)
        if save is not None and one.reading is claim.readings[0]:
            _save(one.tightest, save)


def _tightest(
    claim: Claim, reading: Reading, budget: int, planned: Sequence[Judgement]
) -> tuple[Best, ...]:
    """Of every inequality, among what is planned and what is searched; the tightest part first."""
    best: dict[str, Best] = {}
    searched = tightest_parts(claim, reading, 0, budget, leads=_leads(claim, reading))
    for found in (*searched, *tightest_cases(planned)):
        if found.part not in best or rank(found) < rank(best[found.part]):
            best[found.part] = found
    return tuple(sorted(best.values(), key=rank))


def _leads(claim: Claim, reading: Reading) -> tuple[Lead, ...]:
    """What breaks steps on which the reading rests; none where it is proved."""
    paper = claim.entry.paper
    if not has_book(paper):
        return ()
    steps = asked(paper, [claim.id])
    proved = Proofs({paper: steps}, {}, {}, {}).proves(claim, reading)
    return () if proved else leads_of(steps, claim, reading)


def _print_best(best: Best) -> None:
    name = f"part {best.part}: " if best.part else ""
    at = "" if best.at is None else f" at round {best.at}"
    click.echo(f"  {name}tightest by {best.how}: {best.outcome.verdict}{at}")
    click.echo(f"    left {best.left:.6g}, right {best.right:.6g}, {_closeness(best)}")
    click.echo("    " + ", ".join(f"{k}={v}" for k, v in parameters(best).items()))


def _closeness(best: Best) -> str:
    relative = f"relative gap {best.relative_gap:.4g}"
    return relative if best.tightness is None else f"tightness {best.tightness:.4g}, {relative}"


def _save(found: Sequence[Best], path: Path) -> None:
    if not found:
        raise FedboundsError("nothing to save: no inequality of this claim has a searched instance")
    best = found[0]
    data = {
        "claim": best.judgement.claim.id,
        "reading": best.judgement.reading.name,
        "part": best.part,
        "how": best.how,
        "instance": to_data(best.instance),
    }
    write_text(path, json.dumps(data, indent=1, allow_nan=False) + "\n")
    click.echo(f"  saved: {path}")


def replay(entry: Entry | None, path: Path) -> None:
    """Judge a claim, in exact rationals, on the instance of a file, or on its kept witnesses.

    Parameters
    ----------
    entry : Entry or None
        Which claim; None: the one that the file names.
    path : Path
        A witness record, as `search --save` writes it, or a result folder.

    Raises
    ------
    FedboundsError
        If there is no exact instance, or one of another algorithm.
    """
    if path.is_dir():
        _replay_kept(entry, path)
        return
    data, _ = load(path, "expected a witness record")
    fit(path, data, anything, "expected a witness record")
    if "instance" not in data:
        raise FedboundsError(
            f"{str(path)!r} holds no exact instance; expected a witness record of `search --save`, "
            "or a result folder"
        )
    _replay(entry, path, data)


def _replay_kept(entry: Entry | None, folder: Path) -> None:
    """On every witness of the claim that the last run into this folder kept."""
    from ..results.results_file import read_document

    if entry is None:
        raise FedboundsError(f"search --replay of the folder {str(folder)!r} needs a CLAIM")
    path = folder / "results.json"
    rows = [row for row in read_document(path)["results"] if row["claim"] == entry.id]
    kept = [row for row in rows if "instance" in row]
    apart = [row for row in rows if "difference" in row]
    _replay_differences(entry, path, apart)
    if not kept and not apart:
        raise FedboundsError(f"{str(path)!r} has no witness of {entry.id}; run `fedbounds verify`")
    for row in kept:
        click.echo(f"witness against the reading: {row['reading']}")
        _replay(entry, path, row)


def _replay_differences(entry: Entry, path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Two algorithms once more, on the draws on which they were seen to differ."""
    claim = encoded(entry)
    for reading in dict.fromkeys(row["reading"] for row in rows):
        click.echo(f"{entry.id}, reading: {reading}")
        for row in (row for row in rows if row["reading"] == reading):
            sizes, part = row["parameters"], row["at"]["part"]
            try:
                if not isinstance(claim, Equivalence):
                    raise FedboundsError(f"{entry.id} does not say that two algorithms are one")
                again = difference_again(claim, part, sizes, row["difference"])
            except FedboundsError as error:
                raise FedboundsError(f"{str(path)!r}: {error}") from error
            click.echo(f"  {again}")


def _replay(entry: Entry | None, path: Path, data: dict[str, Any]) -> None:
    try:
        named = entry or entry_of(Text().read(data.get("claim"), "claim", Known()))
        claim = claim_of(named.id)
        instance = from_data(data["instance"])
        if instance.algorithm_name not in claim.algorithms:
            raise FedboundsError(
                f"{claim.id} is about {', '.join(claim.algorithms)}; the instance is about "
                f"{instance.algorithm_name}"
            )
        measured = measure(instance)
    except FedboundsError as error:
        raise FedboundsError(f"{str(path)!r}: {' '.join(str(error).split())}") from error
    for reading in claim.readings:
        click.echo(f"{claim.id}, reading: {reading.name}")
        _print(judge_reading(claim, reading, instance, measured), measured.numbers)


def _print(judgement: Judgement, numbers: Numbers) -> None:
    for outcome in judgement.outcomes:
        name = f"part {outcome.part}: " if outcome.part else ""
        click.echo(f"  {name}{outcome.verdict}{': ' if outcome.reason else ''}{outcome.reason}")
        if outcome.gap is not None:
            at = "" if outcome.at is None else f" at round {outcome.at}"
            click.echo(f"    left {outcome.left}, right {outcome.right}, gap {outcome.gap}{at}")
    if judgement.verdict is Verdict.VIOLATED:
        for premise in premises(judgement, numbers):
            click.echo(f"    premise {premise.condition}: {premise.left} against {premise.right}")
