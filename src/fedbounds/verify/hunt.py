"""Search for a counterexample from the command line, and replay one."""

from pathlib import Path

import click

from fedbounds.errors import FedboundsError
from fedbounds.theory.catalogue import Entry
from fedbounds.theory.catalogue import entry as entry_of
from fedbounds.theory.registry import encoded
from fedbounds.vocabulary import Verdict

from .evaluate import Numbers
from .instance_file import from_data
from .judge import Judgement, judge_reading
from .measure import measure
from .store import read_json
from .witness import find_witness, premises


def search(entry: Entry, examples: int) -> None:
    """Print the smallest exact violation of each reading, or that none was found."""
    claim = encoded(entry)
    for reading in claim.readings:
        witness = find_witness(claim, reading, examples=examples)
        click.echo(f"{claim.id}, reading: {reading.name}")
        if witness is None:
            click.echo(f"  no violation among {examples} small exact instances")
        else:
            _print(witness.judgement, measure(witness.judgement.instance).numbers)
            click.echo(witness.script or "  no script for this kind of instance")


def replay(entry: Entry | None, path: Path) -> None:
    """Judge a claim, in exact rationals, on the instance of a witness record.

    Parameters
    ----------
    entry : Entry or None
        Which claim; None: the one that the record names.

    Raises
    ------
    FedboundsError
        If the file holds no exact instance, or one of another algorithm.
    """
    data = read_json(path)
    if "instance" not in data:
        raise FedboundsError(
            f"{str(path)!r} holds no exact instance; expected a witness record (records/witness-*)"
        )
    claim = encoded(entry or entry_of(str(data.get("claim"))))
    instance = from_data(data["instance"])
    if instance.algorithm_name not in claim.algorithms:
        raise FedboundsError(
            f"{claim.id} is about {', '.join(claim.algorithms)}; "
            f"{str(path)!r} holds {instance.algorithm_name}"
        )
    measured = measure(instance)
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
